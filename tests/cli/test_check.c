/* errand check: what is wrong with a program, where, and that nothing of it runs. */
#include "command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct line_case told[] = {
    {"a program that is fine", "$E check -e 'return 1'", NULL, 0, "^$", "^$"},
    {"an empty one", "$E check -", "", 0, "^$", "^$"},
    {"nothing of it runs",
     "$E check -e 'require(\"fs\").writeFileSync(\"ran\", \"\"); process.exit(7)'; c=$?; "
     "test ! -e ran && exit $c",
     NULL, 0, "^$", "^$"},
    {"nor where it breaks out",
     "printf '}); require(\"fs\").writeFileSync(\"ran\", \"\"); (async () => {' | "
     "$E check --language js -; "
     "c=$?; "
     "test ! -e ran && exit $c",
     NULL, 1, "^$", "^stdin: error: [^\n]*brace[^\n]*\n$"},
    {"a file by its name", "printf 'const a: number = 1;\\nreturn a' >good.ts; $E check good.ts",
     NULL, 0, "^$", "^$"},
    {"an error", "printf 'const a = 1;\\n\\tconst b = ;\\n' >bad.js; $E check bad.js", NULL, 1,
     "^$",
     "^bad.js:2:12: error: Unexpected token ';'\n"
     "     2 [|] \tconst b = ;\n"
     "       [|] \t          \\^\n$"},
    {"of lines that end in CR LF", "$E check -", "const a = 1;\r\nlet b = ;\r\n", 1, "^$",
     "^stdin:2:9: error: [^\n]*\n     2 [|] let b = ;\n       [|]         \\^\n$"},
    {"of the last line", "$E check --language js -", "const a = 1;\nlet b = ", 1, "^$",
     "^stdin:2:8: error: [^\n]*\n     2 [|] let b = \n       [|]        \\^\n$"},
    {"behind wide letters, whatever the locale", "LC_ALL=C $E check -",
     "let s = '\xe6\x97\xa5\xe6\x9c\xac'; let b = ;", 1, "^$",
     "^stdin:1:23: error: [^\n]*\n[^\n]*\n       [|] {25}\\^\n$"},
    {"a name, and a hint", "$E check --name report.js --language js -", "enum A { x }", 1, "^$",
     "^report.js:1:1: error: [^\n]*\n     1 [|] enum A [{] x [}]\n       [|] \\^\n"
     "hint: [^\n]*TypeScript[^\n]*\n$"},
    {"no terminal is steered", "$E check --language js --name \"$(printf 'a\\033b')\" -",
     "'\x1b'; let b = ;", 1, "^$",
     "^a\\\\u001bb:1:14: error: [^\n]*\n     1 [|] '\xef\xbf\xbd'; let b = ;\n"
     "       [|] {14}\\^\n$"},
    {"a file whose name has two lines, and is no text",
     "f=$(printf 'a\\nb\\377.js'); printf 'let b = ;' >\"$f\"; $E check \"$f\"", NULL, 1, "^$",
     "^a b\xef\xbf\xbd.js:1:9: error: "},
    {"as it is told to accept", "$E check --accept exact -", "return 1", 0, "^$", "^$"},
    {"no ways of that kind", "$E check --accept all -e 1", NULL, 2, "^$",
     "^errand: --accept all: wants lenient or exact\n$"},
    {"no such language", "$E check --language c -e 1", NULL, 2, "^$",
     "^errand: --language c: wants js, ts or auto\n$"},
    {"no program", "$E check", NULL, 2, "^$", "^errand: no program; errand check wants a file"},
    {"no such file", "$E check none.js", NULL, 2, "^$", "^errand: program: none.js: No such file"},
    {"two programs", "$E check -e 1 bad.js", NULL, 2, "^$", "bad.js is one too many"},
    {"an unknown option", "$E check --jsonn -e 1", NULL, 2, "^$", "mean --json\\?"},
    {"no UTF-8", "printf '\\377' | $E check -", NULL, 2, "^$", "not UTF-8"},
    {"no such place", "$E check --json --on nowhere -e 1", NULL, 2, "^$", "^errand: [^\n]*nowhere"},
    {"no node", "$E check --node /no/such -e 1", NULL, 4, "^$",
     "^errand: node over there could not be run: /no/such\nerrand: hint: "},
    {"no command", "$E check --on exec:no-such-command -e 1", NULL, 4, "^$",
     "^errand: exec: no such command: no-such-command\n"},
    {"a place that is not this machine",
     "$E check --on 'exec:env -i PATH='\"$PATH\" -e 'let b = ;'", NULL, 1, "^$",
     "^-e:1:9: error: "},
    {"a signal",
     "printf '#!/bin/sh\\n>begun; exec sleep 60\\n' >slow; chmod 755 slow; "
     "$E check --on exec:./slow -e 1 & p=$!; "
     "until test -e begun; do sleep 0.05; done; kill -TERM $p; wait $p",
     NULL, 143, "^$", "cancelled"},
    {"a module that is fine",
     "printf 'export const a: number = 1; process.exit(7)' >a.ts; "
     "$E check --module a=a.ts -e 'return (await import(\"a\")).a'",
     NULL, 0, "^$", "^$"},
    {"one that is not",
     "printf 'export const a = 1;\\nexport const b = ;' >b.js; "
     "$E check --module b=b.js -e 'return 1'",
     NULL, 1, "^$",
     "^b:2:18: error: module b \\(line 2\\): [^\n]*\n"
     "     2 [|] export const b = ;\n       [|] {18}\\^\n$"},
    {"a module that is not there", "$E check -", "// \xe6\x97\xa5\nimport {\n  a } from 'left';", 1,
     "^$",
     "^stdin:3:12: error: Cannot find package 'left' imported from [^\n]*\n"
     "     3 [|]   a } from 'left';\n       [|] {12}\\^\n"
     "hint: no modules were given to the program\n$"},
    {"nor what a module asks for",
     "printf '\\nimport \"./none.js\";' >needs.js; "
     "$E check --module needs=needs.js -e 'import \"needs\"'",
     NULL, 1, "^$",
     "^needs:2:8: error: Cannot find module '[^\n]*none.js' imported from [^\n]*\n"
     "     2 [|] import \"./none.js\";\n       [|] {8}\\^\n"
     "hint: module needs \\(line 2\\) asks for it; modules given to the program: needs\n$"},
    {"a name that a module does not have",
     "printf 'export const first = 1' >lib.js; "
     "$E check --module lib=lib.js -e 'import { frist } from \"lib\"; return frist'",
     NULL, 1, "^$",
     "^-e:1:10: error: [^\n]*'lib'[^\n]*'frist'\n[^\n]*\n[^\n]*\n"
     "hint: did you mean first[?]\n$"},
    {"no modules of node's where a program has none",
     "$E check --globals pure -e 'import fs from \"node:fs\"; return fs'", NULL, 1, "^$",
     "^-e:1:16: error: import is not available: with globals = pure "},
    {"an expression for a result", "$E check --last-value -e '[1].map((x) => x);'", NULL, 0, "^$",
     "^$"},
    {"nothing runs that is there",
     "w='(\"fs\").writeFileSync(\"ran\", \"\")'; i='import fs from \"fs\"; fs'; "
     "for f in c.cjs c.ts c.mts c.mjs; do echo \"$i${w#*)}\" >$f; echo \"require$w\" >c.cjs; "
     "$E check -e \"import { b } from './$f'; return b\"; done; test ! -e ran",
     NULL, 0, "^$", "^(-e:1:19: error: Unknown file extension [^~]*)?$"},
    {"nobody reads", "$E check --json -e 1 >/dev/full", NULL, 2, "^$", "standard output"},
};

static const struct line_case as_json[] = {
    {"a module",
     "printf 'export const b = ;' >b.js; $E check --json --module a=b.js --module b=b.js -e 1",
     NULL, 1, "\"module\":\"a\",\"line\":1,\"column\":18,\"text\":\"export const b = ;\"[}]\n$",
     "^$"},
    {"fine", "$E check --json -e 'return 1'", NULL, 0, "^[{]\"ok\":true[}]\n$", "^$"},
    {"no node", "$E check --json --node /no/such -e 1", NULL, 4,
     "^[{]\"ok\":false,\"code\":\"node_not_run\",\"message\":\"[^\n]*\"[}]\n$", "^$"},
    {"no place", "$E check --json --on e2b:none -e 1", NULL, 4,
     "^[{]\"ok\":false,\"code\":\"auth_failed\",\"message\":\"[^\n]*\"[}]\n$", "^$"},
    {"no brace", "$E check --json -", "});(() => {", 1,
     "^[{]\"ok\":false,\"code\":\"syntax_error\",\"name\":\"SyntaxError\",\"message\":\"[^\n]*\"[}]"
     "\n$",
     "^$"},
};

struct wrong {
    const char *language, *text, *told;
};

/* The same on every node. */
static const struct wrong wrong[] = {
    {"js", "return [1, 2;", ":1:13: error: Unexpected token ';'\n"},
    {"js", "const a = 1;\nconst a = 2;", ":2:7: error: Identifier 'a' has already been declared\n"},
    {"js", "foo(1, 2", ":1:8: error: missing \\) after argument list\n"},
    {"js", "\"abc", ":1:1: error: Invalid or unexpected token\n"},
    {"js", "let x = 08;", ":1:9: error: Decimals with leading zeros are not allowed"},
    {"js", "with (a) {}", ":1:1: error: Strict mode code may not include a with statement\n"},
    {"js", "if (x) {", ":1:8: error: Unexpected end of input\n"},
    {"js", "let s = '\xf0\x9f\x98\x80';\tlet b = ;",
     ":1:23: error: [^\n]*\n[^\n]*\n       [|] {14}\t {8}\\^\n$"},
    {"ts", "const a: number = ;", ":1:19: error: Expression expected\n"},
    {"ts", "let s = '\xf0\x9f\x98\x80'; let b: number = ;",
     ":1:31: error: [^\n]*\n[^\n]*\n       [|] {31}\\^\n$"},
    {"ts", "enum A { x = 1 }\nreturn A.;", ":2:10: error: "},
    {"ts", "return <div/>", ":1:8: error: JSX is not supported"},
    {"ts", "type A = { a: number ;", ":1:22: error: Unexpected end of input\n"},
    {"ts", "class A {\n  @dec b = 1;\n}", ":2:3: error: decorators are not supported"},
};

static void test_check__says_what_is_wrong(void **state)
{
    (void)state;
    run_cases(told, sizeof(told) / sizeof(told[0]));
}

static void test_check__one_object_as_json(void **state)
{
    struct result result = command(
        "printf 'return 1;\\r\\n\\tenum A { \"x\" }\\r\\n' | $E check --json --language js -");
    json_error_t why;
    json_auto_t *all = json_loads(result.out, 0, &why);
    json_auto_t *expected =
        json_pack("{s:b, s:s, s:s, s:i, s:i, s:s}", "ok", 0, "code", "syntax_error", "name",
                  "SyntaxError", "line", 2, "column", 2, "text", "\tenum A { \"x\" }");

    (void)state;
    assert_int_equal(result.code, 1);
    assert_string_equal(result.err, "");
    assert_non_null(all);
    assert_non_null(json_string_value(json_object_get(all, "message")));
    assert_non_null(json_string_value(json_object_get(all, "hint")));
    assert_int_equal(json_object_del(all, "message"), 0);
    assert_int_equal(json_object_del(all, "hint"), 0);
    assert_true(json_equal(all, expected));
    result_free(&result);
    run_cases(as_json, sizeof(as_json) / sizeof(as_json[0]));
}

static bool is_told(const struct wrong *each, const char *node)
{
    char line[4096];

    (void)snprintf(line, sizeof(line), "$E check --language %s --node '%s' -", each->language,
                   node);
    struct started started = command_start(line, each->text);
    struct result result = command_wait(&started);
    bool ok = result.code == 1 && matches(result.err, each->told) && result.out[0] == '\0';
    if (!ok)
        print_message("%s, %s: %s\nexited with %d and said\n%s", node, each->language, each->text,
                      result.code, result.err);
    result_free(&result);
    return ok;
}

/* On every node under test; else on the one that is found. */
static void test_check__the_same_on_every_node(void **state)
{
    const char *nodes = getenv("ERRAND_TEST_NODES");
    struct result found = command("command -v node | tr -d '\\n'");
    char *all = strdup(nodes == NULL || nodes[0] == '\0' ? found.out : nodes);
    size_t failed = 0;
    char *rest = NULL;

    (void)state;
    assert_non_null(all);
    for (char *node = strtok_r(all, ":", &rest); node != NULL; node = strtok_r(NULL, ":", &rest)) {
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
            failed += is_told(&wrong[i], node) ? 0 : 1;
    }
    assert_nothing_left(2000);
    free(all);
    result_free(&found);
    assert_int_equal(failed, 0);
}

static void test_check__help(void **state)
{
    (void)state;
    struct result result = command("$E check --help && $E --help");

    assert_int_equal(result.code, 0);
    assert_true(matches(result.out, "^Usage: errand check "));
    assert_non_null(strstr(result.out, "--accept"));
    assert_non_null(strstr(result.out, "       errand check [options] PROGRAM|-"));
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__says_what_is_wrong),
        cmocka_unit_test(test_check__one_object_as_json),
        cmocka_unit_test(test_check__the_same_on_every_node),
        cmocka_unit_test(test_check__help),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
