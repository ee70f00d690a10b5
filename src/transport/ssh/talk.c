/* talk.c - one request after another, as far as the answers allow.
 *
 * A put looks at what stands under the name, makes a file beside it, writes with many requests
 * under way, closes, and renames once all of it was taken. A get looks, opens (a named pipe would
 * hold the service up for ever) and reads with many requests under way; their answers may be short
 * and may come in any order. */
#include "transport/ssh/talk.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/ssh/road.h"

#include <sys/stat.h>

/* Requests, behind those of pieces. */
enum step {
    STEP_STAT = SSH_FILE_PIECES,
    STEP_OPEN,
    STEP_BEYOND, /* Whether it goes on where its size ends. */
    STEP_MODE,
    STEP_CLOSE,
    STEP_RENAME,
    STEP_SPACE, /* Why it failed: the service has no word for a full disk. */
    STEP_REMOVE,
    STEPS_END
};
static_assert((int)STEPS_END <= (int)SSH_SFTP_KINDS, "a request's number has room for its kind");

enum {
    PIECES_LEAST = 4, /* However many files share the road. */
    MODE_PRIVATE = 0600,
    MODE_BITS = 0777,
    ATTR_MODE = 0x4,
    SPACE_READ_ONLY = 0x1
};

static struct ssh_sftp *service_of(const struct ssh_file *file)
{
    return &file->road->sftp;
}

static void leave(struct ssh_file *file)
{
    if (file->joined)
        errand__ssh_sftp_leave(service_of(file), file);
    file->joined = false;
}

/* --- Asking ---------------------------------------------------------------------------------- */

static void begin_step(const struct ssh_file *file, struct sftp_writer *writer, enum sftp_type type,
                       enum step step)
{
    errand__sftp_begin(writer, type, errand__ssh_sftp_id(file, step));
}

static void push_step(struct ssh_file *file, struct sftp_writer *writer, enum step step)
{
    errand__ssh_sftp_push(service_of(file), writer, SPAN_EMPTY);
    file->steps |= UINT64_C(1) << (step - STEP_STAT);
}

static bool is_under_way(const struct ssh_file *file, enum step step)
{
    return (file->steps >> (step - STEP_STAT) & 1) != 0;
}

static bool is_quiet(const struct ssh_file *file)
{
    return file->steps == 0 && file->pieces_going == 0;
}

static errand_span handle_of(const struct ssh_file *file)
{
    return span_of(file->handle, file->handle_len);
}

static void ask_stat(struct ssh_file *file)
{
    struct sftp_writer writer;

    begin_step(file, &writer, SFTP_STAT, STEP_STAT);
    errand__sftp_put_text(&writer, span_text(file->path));
    push_step(file, &writer, STEP_STAT);
}

static void ask_open(struct ssh_file *file)
{
    struct sftp_writer writer;
    bool put = file->cargo.put != 0;

    begin_step(file, &writer, SFTP_OPEN, STEP_OPEN);
    errand__sftp_put_text(&writer, span_text(put ? file->temporary : file->path));
    errand__sftp_put_u32(&writer, put ? SFTP_TO_WRITE | SFTP_TO_MAKE : SFTP_TO_READ);
    errand__sftp_put_u32(&writer, put ? ATTR_MODE : 0);
    if (put)
        errand__sftp_put_u32(&writer, MODE_PRIVATE);
    push_step(file, &writer, STEP_OPEN);
    file->standing = put;
}

/* The handle may be written to all the same. */
static void ask_mode(struct ssh_file *file)
{
    struct sftp_writer writer;

    begin_step(file, &writer, SFTP_FSETSTAT, STEP_MODE);
    errand__sftp_put_text(&writer, handle_of(file));
    errand__sftp_put_u32(&writer, ATTR_MODE);
    errand__sftp_put_u32(&writer, file->cargo.mode & MODE_BITS);
    push_step(file, &writer, STEP_MODE);
}

static void ask_close(struct ssh_file *file)
{
    struct sftp_writer writer;

    begin_step(file, &writer, SFTP_CLOSE, STEP_CLOSE);
    errand__sftp_put_text(&writer, handle_of(file));
    push_step(file, &writer, STEP_CLOSE);
    file->has_handle = false;
}

static void ask_rename(struct ssh_file *file)
{
    struct sftp_writer writer;

    begin_step(file, &writer, SFTP_EXTENDED, STEP_RENAME);
    errand__sftp_put_text(&writer, SPAN_LITERAL(SFTP_POSIX_RENAME));
    errand__sftp_put_text(&writer, span_text(file->temporary));
    errand__sftp_put_text(&writer, span_text(file->path));
    push_step(file, &writer, STEP_RENAME);
}

static void ask_space(struct ssh_file *file)
{
    const char *slash = strrchr(file->path, '/');
    size_t len = slash == NULL ? 0 : (size_t)(slash - file->path) + 1;
    struct sftp_writer writer;

    begin_step(file, &writer, SFTP_EXTENDED, STEP_SPACE);
    errand__sftp_put_text(&writer, SPAN_LITERAL(SFTP_STATVFS));
    errand__sftp_put_text(&writer, len == 0 ? SPAN_LITERAL(".") : span_of(file->path, len));
    push_step(file, &writer, STEP_SPACE);
}

static void ask_remove(struct ssh_file *file)
{
    struct sftp_writer writer;

    begin_step(file, &writer, SFTP_REMOVE, STEP_REMOVE);
    errand__sftp_put_text(&writer, span_text(file->temporary));
    push_step(file, &writer, STEP_REMOVE);
    file->standing = false;
}

static void ask_piece(struct ssh_file *file, size_t at)
{
    struct ssh_file_piece *piece = &file->pieces[at];
    struct sftp_writer writer;

    errand__sftp_begin(&writer, SFTP_READ, errand__ssh_sftp_id(file, (unsigned)at));
    errand__sftp_put_text(&writer, handle_of(file));
    errand__sftp_put_u64(&writer, piece->offset + piece->have);
    errand__sftp_put_u32(&writer, piece->want - piece->have);
    errand__ssh_sftp_push(service_of(file), &writer, SPAN_EMPTY);
    piece->flying = true;
    file->pieces_going++;
}

static void ask_beyond(struct ssh_file *file)
{
    struct sftp_writer writer;

    begin_step(file, &writer, SFTP_READ, STEP_BEYOND);
    errand__sftp_put_text(&writer, handle_of(file));
    errand__sftp_put_u64(&writer, file->cargo.size);
    errand__sftp_put_u32(&writer, 1);
    push_step(file, &writer, STEP_BEYOND);
    file->asked_beyond = true;
}

/* --- Failing --------------------------------------------------------------------------------- */

/* Each request is answered in its turn, so what is made is there before it is removed. */
static void clear(struct ssh_file *file)
{
    if (is_under_way(file, STEP_OPEN))
        return;
    if (file->vague)
        ask_space(file);
    file->vague = false;
    if (file->has_handle)
        ask_close(file);
    if (file->standing)
        ask_remove(file);
    if (is_quiet(file)) {
        file->stage = SSH_FILE_OVER;
        leave(file);
    }
}

/* The first cause stands. vague: the service does not say why. */
static void fail(struct ssh_file *file, const char *code, bool vague)
{
    if (file->code == NULL) {
        file->code = code;
        file->vague = vague;
    }
    if (file->stage < SSH_FILE_CLEARING)
        file->stage = SSH_FILE_CLEARING;
}

static void fail_by_status(struct ssh_file *file, uint32_t status)
{
    switch (status) {
    case SFTP_NO_SUCH_FILE:
        fail(file, file->cargo.put != 0 ? "no_folder" : "not_found", false);
        break;
    case SFTP_PERMISSION_DENIED:
        fail(file, "denied", false);
        break;
    case SFTP_BAD_MESSAGE:
        fail(file, "name_too_long", false);
        break;
    default:
        fail(file, "failed", file->cargo.put != 0);
        break;
    }
}

/* How it stands with the file system: it is the reason if it can be one. */
static void hear_space(struct ssh_file *file, struct sftp_answer *answer)
{
    struct sftp_reader *reader = &answer->reader;
    uint64_t numbers[11]; /* As statvfs() has them. */

    if (answer->type != SFTP_EXTENDED_REPLY)
        return;
    for (size_t i = 0; i < COUNT(numbers); i++)
        numbers[i] = errand__sftp_take_u64(reader);
    uint64_t block = numbers[1] == 0 ? 1 : numbers[1], free_blocks = numbers[4];
    uint64_t files = numbers[5], free_files = numbers[7], flags = numbers[9];
    if (reader->torn)
        return;
    if ((flags & SPACE_READ_ONLY) != 0)
        file->code = "denied";
    else if (free_blocks <= SFTP_PIECE / block || (files > 0 && free_files == 0))
        file->code = "no_space";
}

/* --- Answers --------------------------------------------------------------------------------- */

static void fail_by(struct ssh_file *file, struct sftp_answer *answer)
{
    uint32_t status = answer->type == SFTP_STATUS ? errand__sftp_take_u32(&answer->reader) : 0;

    if (status == SFTP_OK) /* It answers something else. */
        fail(file, "failed", false);
    else
        fail_by_status(file, status);
}

static bool is_fine(struct sftp_answer answer)
{
    return answer.type == SFTP_STATUS && errand__sftp_take_u32(&answer.reader) == SFTP_OK &&
           !answer.reader.torn;
}

static void hear_stat(struct ssh_file *file, struct sftp_answer *answer)
{
    bool put = file->cargo.put != 0;

    if (answer->type != SFTP_ATTRS) {
        /* Of what is put nothing has to stand there; all else its renaming will show. */
        struct sftp_answer peeked = *answer;
        if (!put || errand__sftp_take_u32(&peeked.reader) == SFTP_BAD_MESSAGE)
            fail_by(file, answer);
        return;
    }
    struct sftp_attrs attrs = errand__sftp_take_attrs(&answer->reader);
    if (attrs.has_mode && S_ISDIR(attrs.mode))
        fail(file, "is_folder", false);
    else if (put && (!attrs.has_mode || S_ISREG(attrs.mode)))
        return;
    else if (!attrs.has_mode || !S_ISREG(attrs.mode))
        fail(file, "no_file", false);
    else if (!attrs.has_size || attrs.size > file->cargo.size)
        fail(file, "too_large", false);
    else
        file->cargo.size = attrs.size;
    file->cargo.mode = attrs.mode & MODE_BITS;
}

static void hear_open(struct ssh_file *file, struct sftp_answer *answer)
{
    errand_span handle =
        answer->type == SFTP_HANDLE ? errand__sftp_take_text(&answer->reader) : SPAN_EMPTY;

    if (answer->type == SFTP_STATUS)
        file->standing = false;
    if (handle.len == 0 || handle.len > sizeof(file->handle)) {
        fail_by(file, answer);
        return;
    }
    memcpy(file->handle, handle.ptr, handle.len);
    file->handle_len = handle.len;
    file->has_handle = true;
}

static void hear_data(struct ssh_file *file, struct ssh_file_piece *piece,
                      struct sftp_answer *answer, size_t at)
{
    errand_span data = SPAN_EMPTY;

    if (answer->type == SFTP_DATA)
        data = errand__sftp_take_text(&answer->reader);
    if (data.len == 0 || data.len > piece->want - piece->have) {
        struct sftp_answer peeked = *answer;
        if (answer->type == SFTP_STATUS && errand__sftp_take_u32(&peeked.reader) == SFTP_EOF)
            fail(file, "changed", false);
        else
            fail_by(file, answer);
        return;
    }
    memcpy(piece->bytes + piece->have, data.ptr, data.len);
    piece->have += (uint32_t)data.len;
    if (piece->have < piece->want && file->stage == SSH_FILE_CARRYING)
        ask_piece(file, at);
}

static bool hear_piece(struct ssh_file *file, struct sftp_answer *answer)
{
    struct ssh_file_piece *piece = &file->pieces[answer->kind];

    if (!piece->flying)
        return false;
    piece->flying = false;
    file->pieces_going--;
    if (file->cargo.put == 0)
        hear_data(file, piece, answer, answer->kind);
    else if (!is_fine(*answer))
        fail_by(file, answer);
    else
        file->done += piece->want;
    return true;
}

static bool hear_step(struct ssh_file *file, struct sftp_answer *answer)
{
    enum step step = (enum step)answer->kind;

    if (answer->kind >= STEPS_END || !is_under_way(file, step))
        return false;
    file->steps &= ~(UINT64_C(1) << (step - STEP_STAT));
    switch (step) {
    case STEP_STAT:
        hear_stat(file, answer);
        break;
    case STEP_OPEN:
        hear_open(file, answer);
        break;
    case STEP_BEYOND:
        if (answer->type == SFTP_DATA && errand__sftp_take_text(&answer->reader).len > 0)
            fail(file, "changed", false);
        break;
    case STEP_MODE:
    case STEP_CLOSE: /* Some file systems say only now that there was no room. */
    case STEP_RENAME:
        file->standing = file->standing && !(step == STEP_RENAME && is_fine(*answer));
        if (!is_fine(*answer) && file->code == NULL)
            fail_by(file, answer);
        break;
    case STEP_SPACE:
        hear_space(file, answer);
        break;
    case STEP_REMOVE:
    case STEPS_END:
        break;
    }
    return true;
}

/* --- Going on -------------------------------------------------------------------------------- */

static size_t pieces_most(const struct ssh_file *file)
{
    size_t share = SSH_FILE_PIECES / service_of(file)->files_count;

    return share > PIECES_LEAST ? share : PIECES_LEAST;
}

/* false: no memory. */
static bool ask_more(struct ssh_file *file)
{
    while (file->count < pieces_most(file) && file->asked < file->cargo.size) {
        uint64_t left = file->cargo.size - file->asked;
        size_t at = (file->first + file->count) % SSH_FILE_PIECES;
        struct ssh_file_piece *piece = &file->pieces[at];
        if (piece->bytes == NULL)
            piece->bytes = errand__mem_new(SFTP_PIECE, 1);
        if (piece->bytes == NULL)
            return false;
        piece->offset = file->asked;
        piece->want = left < SFTP_PIECE ? (uint32_t)left : SFTP_PIECE;
        piece->have = 0;
        file->asked += piece->want;
        file->count++;
        ask_piece(file, at);
    }
    if (file->asked == file->cargo.size && !file->asked_beyond)
        ask_beyond(file);
    return true;
}

static void go_on_getting(struct ssh_file *file)
{
    if (file->stage == SSH_FILE_ASKING && is_quiet(file)) {
        file->stage = SSH_FILE_OPENING;
        ask_open(file);
    } else if (file->stage == SSH_FILE_OPENING && file->has_handle) {
        file->stage = SSH_FILE_CARRYING;
    }
    if (file->stage == SSH_FILE_CARRYING && !ask_more(file))
        fail(file, "failed", false);
}

static void go_on_putting(struct ssh_file *file)
{
    if (file->stage == SSH_FILE_ASKING && is_quiet(file)) {
        file->stage = SSH_FILE_CARRYING;
        ask_mode(file);
    }
    if (file->stage == SSH_FILE_CARRYING && file->asked == file->cargo.size && file->has_handle)
        ask_close(file);
    if (file->stage == SSH_FILE_CARRYING && !file->has_handle && is_quiet(file)) {
        file->stage = SSH_FILE_NAMING;
        ask_rename(file);
    }
    if (file->stage == SSH_FILE_NAMING && is_quiet(file)) {
        file->stage = SSH_FILE_OVER;
        leave(file);
    }
}

void errand__ssh_talk_go_on(struct ssh_file *file)
{
    if (file->stage < SSH_FILE_CLEARING && file->cargo.put != 0)
        go_on_putting(file);
    else if (file->stage < SSH_FILE_CLEARING)
        go_on_getting(file);
    if (file->stage == SSH_FILE_CLEARING)
        clear(file);
}

void errand__ssh_talk_begin(struct ssh_file *file)
{
    if (file->stage != SSH_FILE_WAITING)
        return;
    file->stage = SSH_FILE_ASKING;
    ask_stat(file);
    if (file->cargo.put != 0)
        ask_open(file);
    errand__ssh_file_wake(file);
}

bool errand__ssh_talk_hear(struct ssh_file *file, struct sftp_answer *answer)
{
    bool asked =
        answer->kind < SSH_FILE_PIECES ? hear_piece(file, answer) : hear_step(file, answer);

    if (asked)
        errand__ssh_talk_go_on(file);
    errand__ssh_file_wake(file);
    return asked;
}

/* --- Bytes ----------------------------------------------------------------------------------- */

bool errand__ssh_talk_send(struct ssh_file *file, errand_span bytes)
{
    for (size_t at = 0; at < pieces_most(file); at++) {
        struct ssh_file_piece *piece = &file->pieces[at];
        struct sftp_writer writer;
        if (piece->flying)
            continue;
        errand__sftp_begin(&writer, SFTP_WRITE, errand__ssh_sftp_id(file, (unsigned)at));
        errand__sftp_put_text(&writer, handle_of(file));
        errand__sftp_put_u64(&writer, file->asked);
        errand__ssh_sftp_push(service_of(file), &writer, bytes);
        *piece = (struct ssh_file_piece){.flying = true, .want = (uint32_t)bytes.len};
        file->pieces_going++;
        file->asked += bytes.len;
        return true;
    }
    return false;
}

errand_span errand__ssh_talk_lend(struct ssh_file *file)
{
    const struct ssh_file_piece *piece = &file->pieces[file->first];

    if (file->count == 0 || piece->have < piece->want)
        return SPAN_EMPTY;
    file->lent = true;
    return span_of(piece->bytes, piece->want);
}

void errand__ssh_talk_take_back(struct ssh_file *file)
{
    if (!file->lent)
        return;
    file->lent = false;
    file->done += file->pieces[file->first].want;
    file->first = (file->first + 1) % SSH_FILE_PIECES;
    file->count--;
    if (file->stage == SSH_FILE_CARRYING && !ask_more(file))
        fail(file, "failed", false);
}

/* --- Its end --------------------------------------------------------------------------------- */

bool errand__ssh_talk_has_all(const struct ssh_file *file)
{
    return file->done == file->cargo.size && !is_under_way(file, STEP_BEYOND);
}

void errand__ssh_talk_end(struct ssh_file *file)
{
    if (file->has_handle && file->joined)
        errand__ssh_sftp_close_handle(service_of(file), handle_of(file));
    file->has_handle = false;
    file->stage = SSH_FILE_OVER;
    leave(file);
    errand__ssh_road_wake(file->road); /* To send it. */
}

void errand__ssh_talk_stop(struct ssh_file *file)
{
    fail(file, "cancelled", false);
    if (file->joined)
        errand__ssh_talk_go_on(file);
    else
        file->stage = SSH_FILE_OVER;
}

void errand__ssh_talk_abandon(struct ssh_file *file)
{
    struct ssh_sftp *sftp = service_of(file);

    if (file->joined && file->has_handle)
        errand__ssh_sftp_close_handle(sftp, handle_of(file));
    if (file->joined && file->standing && !is_under_way(file, STEP_REMOVE))
        errand__ssh_sftp_remove(sftp, file->temporary);
    file->has_handle = file->standing = false;
    file->stage = SSH_FILE_OVER;
    leave(file);
    errand__ssh_road_wake(file->road);
}
