/* identity.c - permissions, armour, and the head of OpenSSH's own format. */
#include "transport/ssh/identity.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/ssh/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 64 * 1024 };

/* Bytes, or -1; at most FILE_MOST. */
static ssize_t read_whole(int fd, char *text)
{
    size_t len = 0;

    while (len < FILE_MOST) {
        ssize_t got = read(fd, text + len, FILE_MOST - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    text[len] = '\0';
    return (ssize_t)len;
}

static bool take_string(errand_span *from, errand_span *string)
{
    if (from->len < 4)
        return false;
    const unsigned char *bytes = (const unsigned char *)from->ptr;
    uint32_t len =
        (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    if (len > from->len - 4)
        return false;
    *string = span_of(from->ptr + 4, len);
    *from = span_after(*from, 4 + (size_t)len);
    return true;
}

static bool set_public(struct ssh_identity *identity, errand_span blob)
{
    errand_span rest = blob, type = SPAN_EMPTY;

    if (!take_string(&rest, &type) || type.len == 0 || type.len >= sizeof(identity->type))
        return true;
    memcpy(identity->type, type.ptr, type.len);
    identity->type[type.len] = '\0';
    identity->blob = errand__mem_copy(blob.ptr, blob.len);
    identity->blob_len = blob.len;
    return identity->blob != NULL;
}

/* "openssh-key-v1" NUL, cipher, kdf, its options, how many keys, the public one. */
static bool read_openssh(struct ssh_identity *identity, errand_span bytes)
{
    static const char magic[] = "openssh-key-v1";
    errand_span cipher = SPAN_EMPTY, skipped = SPAN_EMPTY, blob = SPAN_EMPTY;

    if (!span_starts(bytes, span_of(magic, sizeof(magic))))
        return true;
    bytes = span_after(bytes, sizeof(magic));
    if (!take_string(&bytes, &cipher) || !take_string(&bytes, &skipped) ||
        !take_string(&bytes, &skipped) || bytes.len < 4)
        return true;
    identity->encrypted = !span_is(cipher, "none");
    bytes = span_after(bytes, 4);
    return !take_string(&bytes, &blob) || set_public(identity, blob);
}

/* false: no memory. */
static bool read_armour(struct ssh_identity *identity, char *text)
{
    static const char begin[] = "-----BEGIN OPENSSH PRIVATE KEY-----";
    char *from = strstr(text, begin);
    char *end = from == NULL ? NULL : strstr(from, "-----END");

    if (end == NULL) {
        identity->encrypted =
            strstr(text, "ENCRYPTED") != NULL; /* PKCS #8, or a Proc-Type of PEM. */
        if (strstr(text, "BEGIN RSA PRIVATE KEY") != NULL)
            memcpy(identity->type, "ssh-rsa", sizeof("ssh-rsa"));
        return true;
    }
    size_t len = 0;
    for (char *at = from + strlen(begin); at < end; at++) {
        if (*at > ' ')
            text[len++] = *at;
    }
    AUTO_FREE unsigned char *bytes = errand__mem_new(FILE_MOST, 1);
    if (bytes == NULL)
        return false;
    size_t count = errand__ssh_base64_decode(bytes, FILE_MOST, span_of(text, len));
    bool done = count == SIZE_MAX || read_openssh(identity, span_of(bytes, count));
    explicit_bzero(bytes, FILE_MOST);
    return done;
}

/* "TYPE BASE64 …", as in NAME.pub. A text of another kind sets nothing. */
static bool read_public_line(struct ssh_identity *identity, const char *line)
{
    unsigned char blob[FILE_MOST / 4];
    const char *base64 = strchr(line, ' ');

    if (base64 == NULL)
        return true;
    base64++;
    size_t len =
        errand__ssh_base64_decode(blob, sizeof(blob), span_of(base64, strcspn(base64, " \r\n")));
    return len == SIZE_MAX || set_public(identity, span_of(blob, len));
}

/* For keys that do not show their public half, or that an agent alone has. */
static bool read_public_file(struct ssh_identity *identity)
{
    char path[4096], line[FILE_MOST / 4];

    if (snprintf(path, sizeof(path), "%s.pub", identity->path) >= (int)sizeof(path))
        return true;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t got = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
    if (got <= 0)
        return true;
    line[got] = '\0';
    return read_public_line(identity, line);
}

/* A configuration may name the public half of a key that is in an agent. */
static bool is_public(const char *text)
{
    static const char *const types[] = {"ssh-", "ecdsa-", "sk-"};
    bool found = false;

    for (size_t i = 0; i < COUNT(types); i++)
        found = found || strncmp(text, types[i], strlen(types[i])) == 0;
    return found;
}

/* Of what stands in the file. false: no memory. */
static bool read_text(struct ssh_identity *identity, char *text)
{
    identity->missing = is_public(text);
    if (identity->missing)
        return read_public_line(identity, text);
    return read_armour(identity, text) && (identity->blob != NULL || read_public_file(identity));
}

static errand_status finish(struct ssh_identity *identity, bool done, errand_error *err)
{
    if (done)
        return ERRAND_OK;
    errand__ssh_identity_deinit(identity);
    return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
}

errand_status errand__ssh_identity_look(struct ssh_identity *identity, const char *path,
                                        errand_error *err)
{
    struct stat facts;

    *identity = (struct ssh_identity){.path = path};
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        identity->missing = true;
        return finish(identity, read_public_file(identity), err);
    }
    if (fd < 0 || fstat(fd, &facts) != 0)
        return errand__fail(err, ERRAND_EAUTH, errno, "ssh: key %.150s", path);
    AUTO_FREE char *text = errand__mem_new(FILE_MOST + 1, 1);
    if (text == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    if (read_whole(fd, text) < 0)
        return errand__fail(err, ERRAND_EAUTH, errno, "ssh: key %.150s", path);
    bool open_to_others = facts.st_uid == getuid() && (facts.st_mode & 077) != 0;
    bool done = (open_to_others && !is_public(text)) || read_text(identity, text);
    explicit_bzero(text, FILE_MOST);
    if (open_to_others && !identity->missing)
        return errand__fail(err, ERRAND_EAUTH, 0,
                            "ssh: key %.100s is open to others (mode %04o), so it is not used; "
                            "chmod 600 it",
                            path, (unsigned)facts.st_mode & 07777);
    return finish(identity, done, err);
}

void errand__ssh_identity_deinit(struct ssh_identity *identity)
{
    errand__mem_free(identity->blob);
    identity->blob = NULL;
}
