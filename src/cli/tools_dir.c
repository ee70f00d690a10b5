/* tools_dir.c - a folder of tools: each executable file is one, NAME.json beside it describes it.
 *
 * Other files are let be, so that a README or a module of a tool may lie there; but a file that
 * is described, or starts with #!, and can't be executed is a mistake worth a word. */
#include "base/err.h"
#include "base/mem.h"
#include "cli/need.h"
#include "cli/tools.h"
#include "cli/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTION_BYTES_MAX = 1024 * 1024 };

/* Endings that tell which interpreter a script wants, and are no part of the tool's name. */
static const char *const script_endings[] = {".sh", ".bash", ".js", ".mjs", ".cjs",
                                             ".py", ".rb",   ".pl", ".php"};

static bool ends_with(const char *name, const char *ending)
{
    size_t len = strlen(name);
    size_t end = strlen(ending);
    return len > end && strcmp(name + len - end, ending) == 0;
}

static errand_span tool_name(const char *file)
{
    for (size_t i = 0; i < COUNT(script_endings); i++) {
        if (ends_with(file, script_endings[i]))
            return span_of(file, strlen(file) - strlen(script_endings[i]));
    }
    return span_text(file);
}

static char *join(const char *folder, errand_span name, const char *ending)
{
    size_t room = strlen(folder) + 1 + name.len + strlen(ending) + 1;
    char *path = need_new(room, 1);

    (void)snprintf(path, room, "%s/%.*s%s", folder, (int)name.len, name.ptr, ending);
    return path;
}

static char *text_of(const json_t *value)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
    size_t len = json_dumpb(value, NULL, 0, flags);
    char *text = need_new(len + 1, 1);

    (void)json_dumpb(value, text, len, flags);
    return text;
}

/* The schema under one of two names, of which the second is that of the tool protocol. */
static errand_status read_schema(const json_t *object, const char *name, const char *other,
                                 const char *path, char **text, errand_error *err)
{
    const json_t *schema = json_object_get(object, name);

    if (schema == NULL)
        schema = json_object_get(object, other);
    if (schema == NULL)
        return ERRAND_OK;
    if (!json_is_object(schema) && !json_is_boolean(schema))
        return errand__fail(err, ERRAND_EINVAL, 0, "--tools: %s: %s is no JSON Schema", path,
                            json_object_get(object, name) == NULL ? other : name);
    *text = text_of(schema);
    return ERRAND_OK;
}

static errand_status read_object(const json_t *object, const char *path, struct tool_words *words,
                                 errand_error *err)
{
    const json_t *description = json_object_get(object, "description");

    if (!json_is_object(object))
        return errand__fail(err, ERRAND_EINVAL, 0, "--tools: %s is no JSON object", path);
    if (description != NULL && !json_is_string(description))
        return errand__fail(err, ERRAND_EINVAL, 0, "--tools: %s: description is no string", path);
    const char *plain = description == NULL ? "" : json_string_value(description);
    words->description = need_copy(plain, strlen(plain));
    errand_status status =
        read_schema(object, "input", "inputSchema", path, &words->input_schema, err);
    return status == ERRAND_OK
               ? read_schema(object, "output", "outputSchema", path, &words->output_schema, err)
               : status;
}

/* OK and nothing in words: there is no such file. */
static errand_status read_words(const char *path, struct tool_words *words, errand_error *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    json_error_t why;

    if (fd < 0 && errno == ENOENT)
        return ERRAND_OK;
    if (fd < 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--tools: %s", path);
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size > DESCRIPTION_BYTES_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "--tools: %s is no file of up to 1 MiB", path);
    json_auto_t *object = json_loadfd(fd, JSON_REJECT_DUPLICATES, &why);
    if (object == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "--tools: %s, line %d: %s", path, why.line,
                            why.text);
    return read_object(object, path, words, err);
}

static bool starts_as_script(const char *path)
{
    char head[2] = {0};
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    return fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) && head[0] == '#' &&
           head[1] == '!';
}

static errand_status add_entry(struct tools *tools, const char *folder, const char *file,
                               errand_error *err)
{
    errand_span name = tool_name(file);
    AUTO_FREE char *path = join(folder, span_text(file), "");
    AUTO_FREE char *described = join(folder, name, ".json");
    struct tool_words words = {0};
    struct stat facts;

    if (stat(path, &facts) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--tools: %s", path);
    if (!S_ISREG(facts.st_mode) || ends_with(file, ".json"))
        return ERRAND_OK;
    /* Mode bits, since access() lets root execute nothing without them either, but says so
     * differently on some file systems. */
    bool executable = (facts.st_mode & 0111) != 0 && access(path, X_OK) == 0;
    if (!executable && access(described, F_OK) != 0 && !starts_as_script(path))
        return ERRAND_OK;
    if (!executable)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "--tools: %s is not executable (chmod +x would make it)", path);
    if (utf8_valid(name) != name.len)
        return errand__fail(err, ERRAND_EINVAL, 0, "--tools: %s: its name is not UTF-8", path);
    errand_status status = read_words(described, &words, err);
    if (status == ERRAND_OK)
        status = tools_add_file(tools, name, path, &words, err);
    tool_words_deinit(&words);
    return status;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

errand_status tools_add_folder(struct tools *tools, const char *path, errand_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, visible, alphasort);
    size_t before = tools->count;
    errand_status status = ERRAND_OK;

    if (count < 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--tools: %s", path);
    for (int i = 0; i < count; i++) {
        if (status == ERRAND_OK)
            status = add_entry(tools, path, entries[i]->d_name, err);
        errand__mem_free(entries[i]);
    }
    errand__mem_free(entries);
    if (status == ERRAND_OK && tools->count == before)
        status = errand__fail(err, ERRAND_EINVAL, 0, "--tools: %s holds no executable file", path);
    return status;
}
