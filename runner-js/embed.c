/* embed.c - turns the runner and its optional parts into C: the tool of the build.
 *
 *   embed OUT.c RUNNER.js [NAME=FILE ...]
 *
 * The runner is deflated (raw); its digest is that of the deflated bytes, since those travel.
 * A part becomes the payload of an asset frame: a JSON string of base64 of deflated bytes; its
 * digest is that of the bytes, since those run. They are its file; but of amaro, the TypeScript
 * compiler, the text, and behind it its WebAssembly, which the text would else hold in base64:
 * that takes longer to read than all the rest. Knows no JavaScript but this one expression, and
 * nothing of the library.
 */
#include "sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct bytes {
    unsigned char *ptr;
    size_t len;
};

static void die(const char *what, const char *which)
{
    (void)fprintf(stderr, "embed: %s: %s\n", what, which);
    exit(1);
}

static void *room(size_t len)
{
    void *block = malloc(len > 0 ? len : 1);
    if (block == NULL)
        die("no memory", "malloc");
    return block;
}

static struct bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        die("cannot be opened", path);
    struct bytes all = {NULL, 0};
    if (fseek(file, 0, SEEK_END) != 0)
        die("cannot be measured", path);
    long size = ftell(file);
    if (size <= 0)
        die("is empty", path);
    if (fseek(file, 0, SEEK_SET) != 0)
        die("cannot be measured", path);
    all.len = (size_t)size;
    all.ptr = room(all.len);
    if (fread(all.ptr, 1, all.len, file) != all.len)
        die("cannot be read", path);
    if (fclose(file) != 0)
        die("cannot be read", path);
    return all;
}

static struct bytes deflated(struct bytes text)
{
    z_stream stream;
    memset(&stream, 0, sizeof(stream));
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        die("zlib", "deflateInit2");
    struct bytes packed = {NULL, deflateBound(&stream, (uLong)text.len)};
    packed.ptr = room(packed.len);
    stream.next_in = text.ptr;
    stream.avail_in = (uInt)text.len;
    stream.next_out = packed.ptr;
    stream.avail_out = (uInt)packed.len;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        die("zlib", "deflate");
    packed.len = stream.total_out;
    if (deflateEnd(&stream) != Z_OK)
        die("zlib", "deflateEnd");
    return packed;
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static struct bytes base64(struct bytes from)
{
    struct bytes text = {NULL, (from.len + 2) / 3 * 4};
    text.ptr = room(text.len);
    for (size_t in = 0, out = 0; in < from.len; in += 3, out += 4) {
        size_t left = from.len - in;
        unsigned group = (unsigned)from.ptr[in] << 16;
        group |= left > 1 ? (unsigned)from.ptr[in + 1] << 8 : 0;
        group |= left > 2 ? (unsigned)from.ptr[in + 2] : 0;
        for (size_t i = 0; i < 4; i++)
            text.ptr[out + i] = (unsigned char)digits[(group >> (18 - 6 * i)) & 63];
        if (left < 3)
            text.ptr[out + 3] = '=';
        if (left < 2)
            text.ptr[out + 2] = '=';
    }
    return text;
}

static struct bytes unbase64(const unsigned char *text, size_t len)
{
    struct bytes all = {room(len / 4 * 3), 0};
    unsigned group = 0;
    for (size_t i = 0; i < len && text[i] != '='; i++) {
        const char *digit = memchr(digits, text[i], sizeof(digits) - 1);
        if (digit == NULL)
            die("holds no base64 where it should", "the compiler");
        group = group << 6 | (unsigned)(digit - digits);
        static const int shift[] = {0, 4, 2, 0};
        if (i % 4 > 0)
            all.ptr[all.len++] = (unsigned char)(group >> shift[i % 4]);
    }
    return all;
}

static size_t find(struct bytes text, size_t from, const char *words)
{
    size_t len = strlen(words);
    for (size_t at = from; at + len <= text.len; at++)
        if (memcmp(text.ptr + at, words, len) == 0)
            return at;
    die("is not as expected: it lacks", words);
    return 0;
}

/* The text takes its WebAssembly from module.wasm, and the bytes follow it. */
static struct bytes unfolded(struct bytes text)
{
    static const char open[] = "Buffer2.from(\"", close[] = "\", \"base64\")",
                      here[] = "module.wasm";
    size_t call = find(text, 0, open), word = call + sizeof(open) - 1;
    size_t word_end = find(text, word, close), call_end = word_end + sizeof(close) - 1;
    struct bytes wasm = unbase64(text.ptr + word, word_end - word);
    if (wasm.len < 4 || memcmp(wasm.ptr, "\0asm", 4) != 0 || memchr(text.ptr, 0, text.len) != NULL)
        die("is not as expected: it lacks", "its WebAssembly");
    struct bytes all = {room(text.len + wasm.len), 0};
    const struct bytes parts[] = {
        {text.ptr, call},
        {(unsigned char *)here, sizeof(here) - 1},
        {text.ptr + call_end, text.len - call_end},
        wasm,
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        memcpy(all.ptr + all.len, parts[i].ptr, parts[i].len);
        all.len += parts[i].len;
    }
    free(wasm.ptr);
    return all;
}

static void write_runner(FILE *out, struct bytes packed)
{
    char hex[SHA256_HEX_LEN + 1];
    sha256_hex(packed.ptr, packed.len, hex);
    (void)fprintf(out, "static const unsigned char runner[] = {");
    for (size_t i = 0; i < packed.len; i++)
        (void)fprintf(out, "%s%u,", i % 24 == 0 ? "\n    " : "", packed.ptr[i]);
    (void)fprintf(out, "\n};\n");
    (void)fprintf(out,
                  "const errand_span errand__runner = {(const char *)runner, sizeof(runner)};\n");
    (void)fprintf(out, "const char *const errand__runner_sha256 = \"%s\";\n", hex);
}

struct part {
    const char *name;
    size_t name_len;
    size_t payload_len;
    char hex[SHA256_HEX_LEN + 1];
};

/* String literals, since compilers read them many times faster than lists of numbers. */
static void write_payload(FILE *out, struct part *part, struct bytes bytes)
{
    enum { LINE = 96 };
    sha256_hex(bytes.ptr, bytes.len, part->hex);
    struct bytes packed = deflated(bytes);
    struct bytes payload = base64(packed);
    part->payload_len = payload.len + 2;
    (void)fprintf(out, "static const char %.*s[] = \"\\\"\"\n", (int)part->name_len, part->name);
    for (size_t at = 0; at < payload.len; at += LINE) {
        size_t left = payload.len - at;
        (void)fprintf(out, "    \"%.*s\"\n", (int)(left < LINE ? left : LINE),
                      (const char *)payload.ptr + at);
    }
    (void)fprintf(out, "    \"\\\"\";\n");
    free(payload.ptr);
    free(packed.ptr);
}

/* given: NAME=FILE. */
static void write_part(FILE *out, const char *given, struct part *part)
{
    const char *equals = strchr(given, '=');
    if (equals == NULL || equals == given)
        die("is not NAME=FILE", given);
    part->name = given;
    part->name_len = (size_t)(equals - given);
    struct bytes bytes = read_file(equals + 1);
    if (part->name_len == strlen("amaro") && strncmp(given, "amaro", part->name_len) == 0) {
        struct bytes folded = bytes;
        bytes = unfolded(folded);
        free(folded.ptr);
    }
    write_payload(out, part, bytes);
    free(bytes.ptr);
}

/* A table without entries has one that does not count: C has no empty tables. */
static void write_table(FILE *out, const struct part *parts, int count)
{
    (void)fprintf(out, "const struct core_asset errand__assets[] = {");
    for (int i = 0; i < count; i++)
        (void)fprintf(out, "\n    {{\"%.*s\", %zu}, {%.*s, %zu}},", (int)parts[i].name_len,
                      parts[i].name, parts[i].name_len, (int)parts[i].name_len, parts[i].name,
                      parts[i].payload_len);
    (void)fprintf(out, "%s};\n", count == 0 ? "{{\"\", 0}, {\"\", 0}}" : "\n");
    (void)fprintf(out, "const char *const errand__assets_sha256[] = {");
    for (int i = 0; i < count; i++)
        (void)fprintf(out, "\n    \"%s\",", parts[i].hex);
    (void)fprintf(out, "%s};\n", count == 0 ? "\"\"" : "\n");
    (void)fprintf(out, "const size_t errand__assets_count = %d;\n", count);
}

int main(int argc, char **argv)
{
    static struct part parts[16];
    const int parts_most = (int)(sizeof(parts) / sizeof(parts[0]));
    if (argc < 3 || argc > 3 + parts_most)
        die("usage", "embed OUT.c RUNNER.js [NAME=FILE ...]");
    FILE *out = fopen(argv[1], "wb");
    if (out == NULL)
        die("cannot be written", argv[1]);
    (void)fprintf(out,
                  "/* Made by runner-js/embed.c. Do not edit. */\n#include \"run/launch.h\"\n\n");

    struct bytes runner = read_file(argv[2]);
    struct bytes packed = deflated(runner);
    write_runner(out, packed);
    free(packed.ptr);
    free(runner.ptr);
    for (int i = 3; i < argc; i++)
        write_part(out, argv[i], &parts[i - 3]);
    write_table(out, parts, argc - 3);
    if (ferror(out) || fclose(out) != 0)
        die("cannot be written", argv[1]);
    return 0;
}
