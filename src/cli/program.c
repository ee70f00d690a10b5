/* program.c - reads it whole; knows endings of names, but no TypeScript. */
#include "cli/program.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/need.h"
#include "cli/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { READ_STEP = 64 * 1024 };

static const struct ending {
    const char *text;
    errand_language language;
} endings[] = {
    {".js", ERRAND_LANGUAGE_JS},  {".mjs", ERRAND_LANGUAGE_JS}, {".cjs", ERRAND_LANGUAGE_JS},
    {".jsx", ERRAND_LANGUAGE_JS}, {".ts", ERRAND_LANGUAGE_TS},  {".mts", ERRAND_LANGUAGE_TS},
    {".cts", ERRAND_LANGUAGE_TS}, {".tsx", ERRAND_LANGUAGE_TS},
};

static errand_language language_of(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < COUNT(endings); i++) {
        size_t end = strlen(endings[i].text);
        if (len > end && strcmp(name + len - end, endings[i].text) == 0)
            return endings[i].language;
    }
    return ERRAND_LANGUAGE_AUTO;
}

static errand_status read_all(struct program *program, int fd, errand_error *err)
{
    size_t room = 0;

    for (;;) {
        if (program->len + READ_STEP > room) {
            room = room == 0 ? 2 * (size_t)READ_STEP : room * 2;
            program->text = need_resize(program->text, room);
        }
        ssize_t count = read(fd, program->text + program->len, READ_STEP - 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errand__fail(err, ERRAND_EINVAL, errno, "%s: %s", program->what, program->name);
        if (count == 0)
            break;
        program->len += (size_t)count;
        if (program->len > PROGRAM_BYTES_MAX)
            return errand__fail(err, ERRAND_EINVAL, 0, "%s: %s is larger than 64 MiB",
                                program->what, program->name);
    }
    program->text[program->len] = '\0';
    return ERRAND_OK;
}

static errand_status check_utf8(const struct program *program, errand_error *err)
{
    size_t bad = utf8_valid(span_of(program->text, program->len));
    size_t line = 1;
    size_t column = 1;

    if (bad == program->len)
        return ERRAND_OK;
    for (size_t i = 0; i < bad; i++) {
        unsigned char byte = (unsigned char)program->text[i];
        if (byte == '\n') {
            line++;
            column = 1;
        } else if ((byte & 0xc0) != 0x80) {
            column++;
        }
    }
    return errand__fail(err, ERRAND_EINVAL, 0,
                        "%s: %s is not UTF-8: byte 0x%02x at line %zu, column %zu", program->what,
                        program->name, (unsigned char)program->text[bad], line, column);
}

errand_status program_read(struct program *program, const char *what, const char *path,
                           errand_error *err)
{
    bool input = strcmp(path, "-") == 0;
    AUTO_CLOSE int opened = input ? -1 : open(path, O_RDONLY | O_CLOEXEC);

    *program = (struct program){.what = what, .name = input ? "stdin" : path};
    if (!input && opened < 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "%s: %s", what, path);
    if (!input)
        program->language = language_of(path);
    errand_status status = read_all(program, input ? STDIN_FILENO : opened, err);
    return status == ERRAND_OK ? check_utf8(program, err) : status;
}

errand_status program_take(struct program *program, const char *what, const char *option,
                           const char *text, errand_error *err)
{
    size_t len = strlen(text);

    *program =
        (struct program){.what = what, .name = option, .text = need_copy(text, len), .len = len};
    return check_utf8(program, err);
}

void program_deinit(struct program *program)
{
    errand__mem_free(program->text);
    *program = (struct program){0};
}

errand_span program_line(const struct program *program, uint32_t number)
{
    errand_span rest = span_of(program->text, program->len);

    for (uint32_t line = 1; rest.len > 0; line++) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        if (line == number)
            return span_head(rest, len > 0 && rest.ptr[len - 1] == '\r' ? len - 1 : len);
        if (end == NULL)
            break;
        rest = span_after(rest, len + 1);
    }
    return SPAN_EMPTY;
}
