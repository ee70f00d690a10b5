/* known.c - one line at a time; what does not parse says nothing. */
#include "transport/ssh/known.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "transport/ssh/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_MOST = 64 * 1024 * 1024, /* Of ten thousands of hosts, a few megabytes. */
    BLOB_MOST = 16 * 1024,
    TYPE_MOST = 64,
    LINE_MOST = 3 * BLOB_MOST
};

/* --- Names ---------------------------------------------------------------------------------- */

static bool same_letter(char a, char b)
{
    a = (char)(a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a);
    b = (char)(b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
    return a == b;
}

/* * and ?, without recursion: on a mismatch the last star takes one letter more. */
static bool fits(errand_span pattern, const char *name)
{
    size_t p = 0, star = SIZE_MAX;
    const char *again = name;

    while (*name != '\0') {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            again = name;
        } else if (p < pattern.len &&
                   (pattern.ptr[p] == '?' || same_letter(pattern.ptr[p], *name))) {
            p++;
            name++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}

/* "|1|SALT|HASH" */
static bool fits_hash(errand_span field, const char *name)
{
    unsigned char salt[64], hash[SSH_SHA1_LEN], ours[SSH_SHA1_LEN];
    errand_span rest = span_after(field, 3);
    const char *bar = memchr(rest.ptr, '|', rest.len);

    if (bar == NULL)
        return false;
    errand_span salt_text = span_of(rest.ptr, (size_t)(bar - rest.ptr));
    size_t salt_len = errand__ssh_base64_decode(salt, sizeof(salt), salt_text);
    size_t hash_len =
        errand__ssh_base64_decode(hash, sizeof(hash), span_after(rest, salt_text.len + 1));
    if (salt_len == SIZE_MAX || hash_len != SSH_SHA1_LEN)
        return false;
    errand__ssh_hmac_sha1(ours, span_of(salt, salt_len), span_text(name));
    return memcmp(ours, hash, SSH_SHA1_LEN) == 0;
}

/* Names with commas between them; one with ! in front of it takes the line away. */
static bool is_named(errand_span field, const char *name)
{
    bool named = false;

    if (span_starts(field, SPAN_LITERAL("|1|")))
        return fits_hash(field, name);
    while (field.len > 0) {
        const char *comma = memchr(field.ptr, ',', field.len);
        size_t len = comma == NULL ? field.len : (size_t)(comma - field.ptr);
        bool barred = len > 0 && field.ptr[0] == '!';
        errand_span pattern = span_of(field.ptr + (barred ? 1 : 0), len - (barred ? 1 : 0));
        if (pattern.len > 0 && fits(pattern, name)) {
            if (barred)
                return false;
            named = true;
        }
        field = span_after(field, comma == NULL ? len : len + 1);
    }
    return named;
}

/* "host" of "[host]:2222", in room; NULL: there is no port. */
static const char *portless(const char *name, char *room, size_t room_len)
{
    const char *end = strrchr(name, ']');

    if (name[0] != '[' || end == NULL || (size_t)(end - name) > room_len)
        return NULL;
    memcpy(room, name + 1, (size_t)(end - name - 1));
    room[end - name - 1] = '\0';
    return room;
}

/* --- Lines ---------------------------------------------------------------------------------- */

static errand_span next_field(errand_span *line)
{
    size_t from = 0;

    while (from < line->len && (line->ptr[from] == ' ' || line->ptr[from] == '\t'))
        from++;
    size_t to = from;
    while (to < line->len && line->ptr[to] != ' ' && line->ptr[to] != '\t')
        to++;
    errand_span field = span_of(line->ptr + from, to - from);
    *line = span_after(*line, to);
    return field;
}

/* false: no memory. A key whose blob says another type than its line says nothing. */
static bool keep(struct ssh_known *known, struct ssh_known_key *key, errand_span type,
                 errand_span base64)
{
    unsigned char blob[BLOB_MOST];
    size_t len = errand__ssh_base64_decode(blob, sizeof(blob), base64);

    if (len == SIZE_MAX || len < 4 + type.len || type.len >= TYPE_MOST || type.len == 0 ||
        blob[3] != type.len || memcmp(blob + 4, type.ptr, type.len) != 0)
        return true;
    memcpy(key->type, type.ptr, type.len);
    key->type[type.len] = '\0';
    key->blob = errand__mem_copy(blob, len);
    key->blob_len = len;
    if (key->blob == NULL)
        return false;
    known->keys[known->count++] = *key;
    return true;
}

static bool read_line(struct ssh_known *known, errand_span line, struct ssh_known_key key,
                      const char *name)
{
    char room[512];
    errand_span field = next_field(&line);

    if (field.len == 0 || field.ptr[0] == '#' || known->count == SSH_KNOWN_MOST)
        return true;
    if (field.ptr[0] == '@') {
        if (!span_is(field, "@revoked"))
            return true;
        key.revoked = true;
        field = next_field(&line);
    }
    const char *bare = portless(name, room, sizeof(room));
    if (!is_named(field, name)) {
        if (bare == NULL || !is_named(field, bare))
            return true;
        key.weak = true;
    }
    errand_span type = next_field(&line);
    return keep(known, &key, type, next_field(&line));
}

bool errand__ssh_known_read(struct ssh_known *known, errand_span text, const char *file,
                            const char *name)
{
    for (unsigned number = 1; text.len > 0; number++) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.ptr);
        errand_span line = span_head(text, len);
        while (line.len > 0 && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (!read_line(known, line, (struct ssh_known_key){.file = file, .line = number}, name))
            return false;
        text = span_after(text, end == NULL ? len : len + 1);
    }
    return true;
}

static errand_status read_file(const char *path, struct buf *text, errand_error *err)
{
    char part[16 * 1024];
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? ERRAND_OK
                   : errand__fail(err, ERRAND_EIO, errno, "ssh: known hosts %.150s", path);
    for (;;) {
        ssize_t got = read(fd, part, sizeof(part));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errand__fail(err, ERRAND_EIO, errno, "ssh: known hosts %.150s", path);
        if (got == 0)
            return ERRAND_OK;
        errand_status status = errand__buf_push(text, span_of(part, (size_t)got));
        if (status == ERRAND_ELIMIT)
            return errand__fail(err, status, 0, "ssh: known hosts %.150s: over %d MiB", path,
                                FILE_MOST / (1024 * 1024));
        if (status != ERRAND_OK)
            return errand__fail(err, status, 0, "ssh: no memory");
    }
}

errand_status errand__ssh_known_load(struct ssh_known *known, const char *file, const char *name,
                                     errand_error *err)
{
    struct buf text;

    errand__buf_init(&text, FILE_MOST);
    errand_status status = read_file(file, &text, err);
    if (status == ERRAND_OK && !errand__ssh_known_read(known, errand__buf_peek(&text), file, name))
        status = errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    errand__buf_deinit(&text);
    return status;
}

/* --- Judging -------------------------------------------------------------------------------- */

enum ssh_known_verdict errand__ssh_known_judge(const struct ssh_known *known, errand_span blob,
                                               const struct ssh_known_key **which)
{
    const struct ssh_known_key *same = NULL, *other = NULL;

    *which = NULL;
    for (size_t i = 0; i < known->count; i++) {
        const struct ssh_known_key *key = &known->keys[i];
        bool is_same = span_equal(span_of(key->blob, key->blob_len), blob);
        if (key->revoked && is_same) {
            *which = key;
            return SSH_KNOWN_REVOKED;
        }
        if (!key->revoked && is_same && same == NULL)
            same = key;
        if (key->revoked || is_same || key->weak)
            continue;
        /* The line to be named is that of the same type, where there is one. */
        bool closer = blob.len > 4 && key->blob_len > 4 + strlen(key->type) &&
                      blob.len > 4 + strlen(key->type) &&
                      memcmp(blob.ptr, key->blob, 4 + strlen(key->type)) == 0;
        if (other == NULL || closer)
            other = key;
    }
    *which = same != NULL ? same : other;
    return same != NULL ? SSH_KNOWN_SAME : other != NULL ? SSH_KNOWN_CHANGED : SSH_KNOWN_NOT;
}

bool errand__ssh_known_has_type(const struct ssh_known *known, const char *type)
{
    for (size_t i = 0; i < known->count; i++) {
        if (!known->keys[i].revoked && strcmp(known->keys[i].type, type) == 0)
            return true;
    }
    return false;
}

void errand__ssh_known_deinit(struct ssh_known *known)
{
    for (size_t i = 0; i < known->count; i++)
        errand__mem_free(known->keys[i].blob);
    known->count = 0;
}

/* --- Adding --------------------------------------------------------------------------------- */

static bool hide_name(char *out, size_t room, const char *name)
{
    unsigned char salt[SSH_SHA1_LEN], hash[SSH_SHA1_LEN];
    char salt_text[32], hash_text[32];

    if (getrandom(salt, sizeof(salt), 0) != (ssize_t)sizeof(salt))
        return false;
    errand__ssh_hmac_sha1(hash, span_of(salt, sizeof(salt)), span_text(name));
    return errand__ssh_base64_encode(salt_text, sizeof(salt_text), span_of(salt, sizeof(salt))) &&
           errand__ssh_base64_encode(hash_text, sizeof(hash_text), span_of(hash, sizeof(hash))) &&
           snprintf(out, room, "|1|%s|%s", salt_text, hash_text) < (int)room;
}

static char *line_of(const char *name, errand_span blob, bool hashed)
{
    char who[512], base64[LINE_MOST / 2], line[LINE_MOST];
    size_t type_len = blob.len < 4 ? 0 : (unsigned char)blob.ptr[3];

    if (type_len == 0 || blob.len < 4 + type_len || strlen(name) >= sizeof(who) ||
        !errand__ssh_base64_encode(base64, sizeof(base64), blob))
        return NULL;
    memcpy(who, name, strlen(name) + 1);
    if (hashed && !hide_name(who, sizeof(who), name))
        return NULL;
    int len =
        snprintf(line, sizeof(line), "%s %.*s %s\n", who, (int)type_len, blob.ptr + 4, base64);
    return len < 0 || (size_t)len >= sizeof(line) ? NULL : errand__mem_copy(line, (size_t)len);
}

/* A file that ends without a line break gets one first. */
static bool append(int fd, const char *line)
{
    char last = '\n';
    off_t end = lseek(fd, 0, SEEK_END);

    if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
        return false;
    if (last != '\n' && write(fd, "\n", 1) != 1)
        return false;
    return write(fd, line, strlen(line)) == (ssize_t)strlen(line);
}

static void make_folder(const char *file)
{
    const char *slash = strrchr(file, '/');
    AUTO_FREE char *folder =
        slash == NULL || slash == file ? NULL : errand__mem_copy(file, (size_t)(slash - file));

    if (folder != NULL)
        (void)mkdir(folder, 0700);
}

errand_status errand__ssh_known_add(const char *file, const char *name, errand_span blob,
                                    bool hashed, errand_error *err)
{
    AUTO_FREE char *line = line_of(name, blob, hashed);

    if (line == NULL)
        return errand__fail(err, ERRAND_EIO, 0, "ssh: that host key can't be recorded");
    make_folder(file);
    AUTO_CLOSE int fd = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0 || !append(fd, line))
        return errand__fail(err, ERRAND_EIO, errno, "ssh: the host key can't be recorded in %.150s",
                            file);
    return ERRAND_OK;
}
