/* --items and --store: what a program gives, kept here. */
#include "command.h"

#include <signal.h>

#define PNG "iVBORw0KGgo="

static const struct line_case items[] = {
    {"shown among logs",
     "$E run -e 'text(\"a\\nb\"); console.log(\"c\"); image(\"data:image/png;base64," PNG "\"); "
     "emit({type:\"resource_link\",uri:\"a:b\",name:\"n\"}); file(\"d.txt\",\"x\".repeat(20480)); "
     "emit({type:\"text\",text:\"e\"}); return 1'",
     NULL, 0, "^1\n$",
     "^a\nb\nc\n\\[image image/png, 8 bytes]\n\\[resource_link n a:b]\n"
     "\\[file d.txt text/plain, 20 KiB]\ne\n$"},
    {"quiet", "$E run --quiet -e 'text(\"a\"); file(\"b\",\"c\"); return 1'", NULL, 0, "^1\n$",
     "^$"},
    {"as events",
     "$E run --json --items j -e 'text(\"a\"); file(\"b.txt\",\"c\"); store(\"k\",[1])'", NULL, 0,
     "^\\{\"event\":\"item\",\"at_ms\":[0-9]+,\"item\":\\{\"type\":\"text\",\"text\":\"a\"}}\n"
     "\\{\"event\":\"item\",\"at_ms\":[0-9]+,\"item\":\\{\"type\":\"file\",\"name\":\"b.txt\",.*"
     "\"byteLength\":1},\"file\":\"j/b.txt\"}\n"
     "\\{\"event\":\"end\",.*\"items\":2,.*\"store\":\\{\"set\":\\{\"k\":\\[1]},\"delete\":\\[]}",
     "^$"},
    {"a folder of files",
     "$E run --items d/ -e 'image(\"data:image/png;base64," PNG "\"); file(\"a.txt\",\"1\"); "
     "file(undefined,\"2\"); emit({type:\"audio\",data:\"aGk=\",mimeType:\"audio/wav\"})' 2>e; "
     "cat e; cd d && ls -A && cat a.txt && stat -c '%a %s' image-1.png && cat file-2.wav",
     NULL, 0,
     "^\\[image image/png, 8 bytes] d/image-1.png\n\\[file a.txt text/plain, 1 byte] d/a.txt\n"
     "\\[file text/plain, 1 byte] d/file-1.txt\n\\[audio audio/wav, 2 bytes] d/file-2.wav\n"
     "a.txt\nfile-1.txt\nfile-2.wav\nimage-1.png\n1600 8\nhi$",
     "^$"},
    {"nothing is overwritten",
     "mkdir o; echo mine >o/a.txt; ln -s ../elsewhere o/b.txt; $E run --items o -e "
     "'file(\"a.txt\",\"1\"); file(\"a.txt\",\"2\"); file(\"b.txt\",\"3\")' 2>e; cat o/a.txt "
     "o/a-2.txt o/a-3.txt o/b-2.txt; test ! -e elsewhere && test -L o/b.txt",
     NULL, 0, "^mine\n123$", "^$"},
    {"names that are none",
     "$E run --quiet --items n -e 'for (const name of [\"../../up\", \"/etc/passwd\", \"..\", "
     "\".hidden\", \"-rf\", \"a\\nb\\u001bc\\u202ed\", \"c:\\\\d\\\\e\", \"\", \"~\", \"x/\"]) "
     "file(name, \"x\")'; cd n && LC_ALL=C ls -A && ls ..",
     NULL, 0,
     "^_..txt\n_.txt\n_hidden.txt\n_rf.txt\na_b_c_d.txt\ne.txt\nfile-1.txt\nfile-2.txt\n"
     "passwd.txt\nup.txt\n",
     "^$"},
    {"a name that is too long",
     "$E run --quiet --items l -e 'file(\"\\u00fc\".repeat(1000) + \".csv\", \"x\")'; ls l | wc -c",
     NULL, 0, "^125\n$", "^$"},
    {"a folder that can't be made", "$E run --items no/such -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: --items no/such: No such file or directory\n$"},
    {"a folder that is none", "echo 1 >f; $E run --items f -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: --items f: Not a directory\n$"},
    {"a folder that goes away",
     "mkdir g; $E run --items g --tool 'go=rmdir g' -e 'await tools.go(); file(\"a\",\"1\"); "
     "file(\"b\",\"2\"); return 3'",
     NULL, 4, "^3\n$",
     "^\\[file a text/plain, 1 byte]\nerrand: --items g: a.txt: No such file or directory\n"
     "\\[file b text/plain, 1 byte]\n$"},
    {"items of a failure are kept",
     "$E run --items k -e 'file(\"a\",\"1\"); throw 2'; c=$?; cat k/a*; "
     "exit $c",
     NULL, 1, "^1$", NULL},
    {"numbers that others got are passed over",
     "mkdir j; cd j; touch b.txt; for i in $(seq 2 99); do touch b-$i.txt; done; cd ..; "
     "$E run --quiet --items j -e 'for (let i = 0; i < 151; i++) file(\"a.txt\", \"\"); "
     "file(\"b.txt\", \"x\")'; ls j | wc -l; cat j/b-152.txt",
     NULL, 0, "^251\nx$", NULL},
    {"told again",
     "$E run --record r.rec --items r -e 'text(\"a\"); file(\"b\",\"c\")' 2>/dev/null; rm -r r; "
     "$E replay r.rec; c=$?; test ! -e r && exit $c",
     NULL, 0, "^$", "^a\n\\[file b text/plain, 1 byte]\n$"},
};

static const struct line_case stores[] = {
    {"kept from run to run",
     "for i in 1 2 3; do $E run --store s -e 'const n = (load(\"n\") ?? 0) + 1; store(\"n\", n); "
     "return n'; done; cat s; stat -c %a s; ls -A | grep -c '^s'",
     NULL, 0, "^1\n2\n3\n\\{\n  \"n\": 3\n}\n600\n1\n$", "^$"},
    {"what nobody touched stays as it is",
     "printf '{\"big\": 12345678901234567890, \"a\\\\u0000\": \"\\\\ud800\",\"old\":1,\"k\":2"
     "}' >m; "
     "chmod 640 m; $E run --store m -e 'store(\"old\"); store(\"\\u006b\", "
     "[load(\"a\\u0000\").length])'; cat m; stat -c %a m",
     NULL, 0,
     "^\\{\n  \"big\": 12345678901234567890,\n  \"a\\\\u0000\": \"\\\\ud800\",\n  \"k\": \\[1]\n}\n"
     "640\n$",
     "^$"},
    {"it belongs to whom it belonged",
     "printf '{\"a\":1}' >owned; test $(id -u) = 0 && chown 1234:4321 owned; chmod 660 owned; "
     "stat -c %u:%g:%a owned >before; $E run --store owned -e 'store(\"a\",2)'; "
     "stat -c %u:%g:%a owned | cmp - before",
     NULL, 0, "^$", "^$"},
    {"nothing stored, nothing written",
     "$E run --store none -e 'return load(\"a\") === undefined'; test ! -e none && test ! -e "
     "none.lock",
     NULL, 0, "^true\n$", "^$"},
    {"a lock that is more than a lock stays",
     "echo mine >lk.lock; $E run --store lk -e 'store(\"a\",1)'; cat lk.lock", NULL, 0, "^mine\n$",
     "^$"},
    {"a failure writes nothing",
     "printf '{\"a\":1}' >x; $E run --store x -e 'store(\"a\",2); throw 1' 2>/dev/null; cat x",
     NULL, 0, "^\\{\"a\":1}$", "^$"},
    {"exit does", "$E run --store ex -e 'store(\"a\",2); exit(); throw 1'; cat ex", NULL, 0,
     "^\\{\n  \"a\": 2\n}\n$", "^$"},
    {"an empty file is an empty store", ": >em; $E run --store em -e 'store(\"a\",1)'; cat em",
     NULL, 0, "^\\{\n  \"a\": 1\n}\n$", "^$"},
    {"all deleted", "printf '{\"a\":1}' >del; $E run --store del -e 'store(\"a\")'; cat del", NULL,
     0, "^\\{}\n$", "^$"},
    {"no JSON", "printf '{\"a\":' >b; $E run --store b -e 'console.log(1)'; c=$?; cat b; exit $c",
     NULL, 2, "^\\{\"a\":$", "^errand: --store b: no JSON text at byte 5\n$"},
    {"no object", "printf '[1]' >b2; $E run --store b2 -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: --store b2: it holds no JSON object\n$"},
    {"a folder", "mkdir sd; $E run --store sd -e 1", NULL, 2, "^$",
     "^errand: --store sd: that is no regular file\n$"},
    {"no folder for it", "$E run --store no/s -e 1", NULL, 2, "^$",
     "^errand: --store no/s: no/s.lock: No such file or directory\n$"},
    {"a link is followed",
     "mkdir t; echo '{}' >t/real; ln -s t/real ln; $E run --store ln -e 'store(\"a\",1)'; "
     "test -L ln && cat t/real && ls -A t",
     NULL, 0, "^\\{\n  \"a\": 1\n}\nreal\n$", "^$"},
    {"a link that leads nowhere", "ln -s t/none ln2; $E run --store ln2 -e 1", NULL, 2, "^$",
     "^errand: --store ln2: a link that leads nowhere\n$"},
    {"a second run",
     "$E run --store two --tool 'again=$E run --store two -e 1 2>e2; echo $?' -e "
     "'return await tools.again()'; cat e2",
     NULL, 0, "^2\nerrand: --store two: another run has it \\(.*two.lock is locked\\)\n$", "^$"},
    {"the lock of one that died",
     ": >dead.lock; $E run --store dead -e 'store(\"a\",1)' && cat dead && test ! -e dead.lock",
     NULL, 0, "^\\{\n  \"a\": 1\n}\n$", "^$"},
    {"a folder that goes away",
     "mkdir w; $E run --store w/s --tool 'go=rm -r w' -e 'await tools.go(); "
     "store(\"a\",1); return 5'",
     NULL, 4, "^5\n$",
     "^errand: --store w/s: it is as it was before the run: No such file or directory\n$"},
    {"a full disk loses nothing",
     "printf '{\"a\":1}' >full; (ulimit -f 1; trap '' XFSZ; exec $E run --store full -e "
     "'store(\"b\", \"x\".repeat(4096)); return 6'); c=$?; cat full; ls full*; exit $c",
     NULL, 4, "^6\n\\{\"a\":1}full\n$",
     "^errand: --store full: it is as it was before the run: File too large\n$"},
    {"no place for a record", "echo '{}' >rs; $E run --store rs --record rs -e 1", NULL, 2, "^$",
     NULL},
};

static void test_items__the_table(void **state)
{
    (void)state;
    run_cases(items, sizeof(items) / sizeof(items[0]));
}

static void test_items__stores(void **state)
{
    (void)state;
    run_cases(stores, sizeof(stores) / sizeof(stores[0]));
}

/* A run that is cancelled stores nothing and leaves no lock. */
static void test_items__cancelled(void **state)
{
    (void)state;
    struct started started = command_start(
        "exec $E run --store c --tool 'go=touch ready' -e 'store(\"a\",1); await tools.go(); "
        "await new Promise((go) => setTimeout(go, 60000))'",
        NULL);
    wait_for_file("ready");
    (void)kill(started.pid, SIGINT);
    struct result result = command_wait(&started);
    assert_int_equal(result.code, 130);
    result_free(&result);
    result = command("test ! -e c && test ! -e c.lock");
    assert_int_equal(result.code, 0);
    result_free(&result);
    assert_nothing_left(2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items__the_table),
        cmocka_unit_test(test_items__stores),
        cmocka_unit_test(test_items__cancelled),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
