/* sftp.c - opens the service, takes packets apart, and gives each answer to whose it is. */
#include "transport/ssh/sftp.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/ssh/road.h"
#include "transport/ssh/run.h"
#include "transport/ssh/talk.h"

#include <poll.h>
#include <sys/epoll.h>

enum {
    ROOM = 128 * 1024,
    READS_A_TURN = 64,     /* Then others have their turn. */
    OUT_FULL = 256 * 1024, /* More of a file's bytes would only wait. */
    OUT_MOST = 4 * 1024 * 1024,
    IN_MOST = SFTP_PACKET_MOST + 2 * ROOM,
    VERSION_US = 15 * 1000 * 1000, /* From the channel to its first word. */
    NOBODY = 0                     /* The number of no file. */
};

void errand__ssh_sftp_init(struct ssh_sftp *sftp, struct ssh_road *road)
{
    *sftp = (struct ssh_sftp){.road = road, .listed_fd = -1, .due_us = TIME_NEVER};
    errand__buf_init(&sftp->out, OUT_MOST);
    errand__buf_init(&sftp->in, IN_MOST);
}

/* --- Ending ---------------------------------------------------------------------------------- */

static void unlist(struct ssh_sftp *sftp)
{
    if (sftp->listed_fd >= 0)
        (void)epoll_ctl(sftp->road->poll_fd, EPOLL_CTL_DEL, sftp->listed_fd, NULL);
    sftp->listed_fd = -1;
}

static void drop_process(struct ssh_sftp *sftp)
{
    errand_process *process = steal(&sftp->process);

    unlist(sftp);
    if (process != NULL)
        process->ops->free(process);
    errand__buf_deinit(&sftp->out);
    errand__buf_deinit(&sftp->in);
    errand__mem_free(steal(&sftp->room));
    sftp->opened = sftp->broken = false;
    sftp->due_us = TIME_NEVER;
}

/* Whoever used it goes another way, or fails: code and why say by what. */
static void end(struct ssh_sftp *sftp, enum ssh_sftp_state state, const char *code,
                const errand_error *why)
{
    drop_process(sftp);
    sftp->state = state;
    while (sftp->files != NULL) {
        struct ssh_file *file = sftp->files;
        errand__ssh_sftp_leave(sftp, file);
        if (state == SSH_SFTP_NONE)
            errand__ssh_file_detour(file);
        else
            errand__ssh_file_lose(file, code, why);
    }
}

/* It is gone, or talks nonsense. Before its first word that means that there is none. */
static void break_off(struct ssh_sftp *sftp)
{
    end(sftp, sftp->state == SSH_SFTP_OPENING ? SSH_SFTP_NONE : SSH_SFTP_OFF, "lost", NULL);
}

void errand__ssh_sftp_deinit(struct ssh_sftp *sftp)
{
    end(sftp, SSH_SFTP_OFF, "lost", NULL);
    while (sftp->left_count > 0)
        errand__mem_free(sftp->left_behind[--sftp->left_count]);
}

bool errand__ssh_sftp_yield(struct ssh_sftp *sftp)
{
    if (sftp->process == NULL || sftp->files != NULL)
        return false;
    drop_process(sftp);
    sftp->state = SSH_SFTP_OFF;
    return true;
}

/* --- Asking ---------------------------------------------------------------------------------- */

uint32_t errand__ssh_sftp_id(const struct ssh_file *file, unsigned kind)
{
    assert(kind < SSH_SFTP_KINDS);
    return file->number * SSH_SFTP_KINDS + kind;
}

void errand__ssh_sftp_push(struct ssh_sftp *sftp, struct sftp_writer *writer, errand_span data)
{
    if (errand__sftp_push(writer, data, &sftp->out) != ERRAND_OK)
        sftp->broken = true;
}

bool errand__ssh_sftp_is_full(const struct ssh_sftp *sftp)
{
    return errand__buf_peek(&sftp->out).len > OUT_FULL;
}

void errand__ssh_sftp_close_handle(struct ssh_sftp *sftp, errand_span handle)
{
    struct sftp_writer writer;

    errand__sftp_begin(&writer, SFTP_CLOSE, NOBODY);
    errand__sftp_put_text(&writer, handle);
    errand__ssh_sftp_push(sftp, &writer, SPAN_EMPTY);
}

void errand__ssh_sftp_remove(struct ssh_sftp *sftp, const char *path)
{
    struct sftp_writer writer;

    errand__sftp_begin(&writer, SFTP_REMOVE, NOBODY);
    errand__sftp_put_text(&writer, span_text(path));
    errand__ssh_sftp_push(sftp, &writer, SPAN_EMPTY);
}

void errand__ssh_sftp_leave_behind(struct ssh_sftp *sftp, char *path)
{
    if (sftp->left_count < SSH_SFTP_LEFT_MOST)
        sftp->left_behind[sftp->left_count++] = path;
    else
        errand__mem_free(path);
}

/* What the road left behind when it was lost. */
static void clear_up(struct ssh_sftp *sftp)
{
    while (sftp->left_count > 0) {
        char *path = sftp->left_behind[--sftp->left_count];
        errand__ssh_sftp_remove(sftp, path);
        errand__mem_free(path);
    }
}

/* --- Answers --------------------------------------------------------------------------------- */

static struct ssh_file *file_of(const struct ssh_sftp *sftp, uint32_t number)
{
    struct ssh_file *file = sftp->files;

    while (file != NULL && file->number != number)
        file = file->next;
    return file;
}

/* Of one that did not wait for it. */
static void hear_stray(struct ssh_sftp *sftp, struct sftp_answer *answer)
{
    if (answer->type != SFTP_HANDLE)
        return;
    errand_span handle = errand__sftp_take_text(&answer->reader);
    if (!answer->reader.torn && handle.len <= SFTP_HANDLE_MOST)
        errand__ssh_sftp_close_handle(sftp, handle);
}

/* What can't replace a file by renaming won't do: through a shell, mv can. */
static void hear_version(struct ssh_sftp *sftp, struct sftp_reader *reader)
{
    bool renames = false;

    if (errand__sftp_take_u32(reader) < SFTP_OF_VERSION || reader->torn) {
        sftp->broken = true;
        return;
    }
    while (reader->rest.len > 0 && !reader->torn) {
        errand_span name = errand__sftp_take_text(reader);
        (void)errand__sftp_take_text(reader);
        renames = renames || span_is(name, SFTP_POSIX_RENAME);
    }
    if (reader->torn || !renames) {
        sftp->broken = true;
        return;
    }
    sftp->state = SSH_SFTP_UP;
    sftp->due_us = TIME_NEVER;
    clear_up(sftp);
    for (struct ssh_file *file = sftp->files; file != NULL; file = file->next)
        errand__ssh_talk_begin(file);
}

static void hear_packet(struct ssh_sftp *sftp, errand_span packet)
{
    struct sftp_answer answer = {.reader = {.rest = packet}};

    answer.type = errand__sftp_take_u8(&answer.reader);
    if ((sftp->state == SSH_SFTP_OPENING) != (answer.type == SFTP_VERSION)) {
        sftp->broken = true;
        return;
    }
    if (answer.type == SFTP_VERSION) {
        hear_version(sftp, &answer.reader);
        return;
    }
    uint32_t id = errand__sftp_take_u32(&answer.reader);
    struct ssh_file *file = file_of(sftp, id / SSH_SFTP_KINDS);
    answer.kind = id % SSH_SFTP_KINDS;
    if (file == NULL && !answer.reader.torn)
        hear_stray(sftp, &answer);
    else if (file == NULL || answer.reader.torn || !errand__ssh_talk_hear(file, &answer))
        sftp->broken = true;
}

static void take_apart(struct ssh_sftp *sftp)
{
    while (!sftp->broken) {
        errand_span packet = SPAN_EMPTY;
        errand_span bytes = errand__buf_peek(&sftp->in);
        errand_status status = errand__sftp_split(bytes, &packet);
        if (status == ERRAND_AGAIN)
            return;
        if (status != ERRAND_OK) {
            sftp->broken = true;
            return;
        }
        hear_packet(sftp, packet);
        errand__buf_consume(&sftp->in, (size_t)(packet.ptr - bytes.ptr) + packet.len);
    }
}

/* --- Turns ----------------------------------------------------------------------------------- */

static void say_version(struct ssh_sftp *sftp, int64_t now_us)
{
    struct sftp_writer writer;

    sftp->opened = true;
    sftp->due_us = now_us + VERSION_US;
    errand__sftp_begin(&writer, SFTP_INIT, SFTP_OF_VERSION);
    errand__ssh_sftp_push(sftp, &writer, SPAN_EMPTY);
}

static void send_some(struct ssh_sftp *sftp)
{
    errand_span bytes = errand__buf_peek(&sftp->out);
    bool was_full = errand__ssh_sftp_is_full(sftp);
    errand_error error = {0};
    size_t taken = 0;

    if (!sftp->opened || bytes.len == 0)
        return;
    if (sftp->process->ops->send(sftp->process, bytes, &taken, &error) < 0)
        return; /* next tells. */
    errand__buf_consume(&sftp->out, taken);
    for (struct ssh_file *file = sftp->files;
         file != NULL && was_full && !errand__ssh_sftp_is_full(sftp); file = file->next)
        errand__ssh_file_wake(file);
}

static void hear_notice(struct ssh_sftp *sftp, const errand_notice *notice, int64_t now_us)
{
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        say_version(sftp, now_us);
        break;
    case ERRAND_NOTICE_OUT:
        if (errand__buf_push(&sftp->in, notice->bytes) != ERRAND_OK)
            sftp->broken = true;
        take_apart(sftp);
        break;
    case ERRAND_NOTICE_ERR:
        break;
    case ERRAND_NOTICE_EOF:
    case ERRAND_NOTICE_EXITED:
    case ERRAND_NOTICE_CLOSED:
    case ERRAND_NOTICE_DROPPED:
    case ERRAND_NOTICE_ATTACHED:
        sftp->broken = true;
        break;
    }
}

/* The road is lost; or the host refuses the service, which is no loss. */
static void lose(struct ssh_sftp *sftp, const errand_error *why)
{
    const char *code = sftp->process->ops->code(sftp->process);
    bool refused = code != NULL && strcmp(code, "spawn_failed") == 0;

    end(sftp, refused ? SSH_SFTP_NONE : SSH_SFTP_OFF, code == NULL ? "lost" : code, why);
}

/* false: there is nothing to hear now, or it has ended. */
static bool listen_once(struct ssh_sftp *sftp, int64_t now_us)
{
    errand_scratch scratch = {sftp->room, ROOM};
    errand_notice notice = {0};
    errand_error error = {0};
    errand_status status =
        sftp->process->ops->next(sftp->process, now_us, scratch, &notice, &error);

    if (status < 0) {
        lose(sftp, &error);
        return false;
    }
    if (status == ERRAND_OK)
        hear_notice(sftp, &notice, now_us);
    if (sftp->broken || now_us >= sftp->due_us) {
        break_off(sftp);
        return false;
    }
    return status == ERRAND_OK;
}

/* The road's epoll wakes it. */
static void list(struct ssh_sftp *sftp, bool more)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct pollfd fd = {.fd = -1};
    int64_t due_us = 0;
    bool writes = errand__buf_peek(&sftp->out).len > 0;

    if (more)
        errand__ssh_road_wake(sftp->road);
    (void)sftp->process->ops->wants(sftp->process, 1, writes, &fd, 1, &due_us);
    if (fd.fd == sftp->listed_fd)
        return;
    unlist(sftp);
    if (fd.fd >= 0 && epoll_ctl(sftp->road->poll_fd, EPOLL_CTL_ADD, fd.fd, &event) == 0)
        sftp->listed_fd = fd.fd;
}

void errand__ssh_sftp_turn(struct ssh_sftp *sftp, int64_t now_us)
{
    bool more = sftp->process != NULL;

    for (int i = 0; more && i < READS_A_TURN; i++) {
        send_some(sftp);
        more = listen_once(sftp, now_us);
    }
    if (sftp->process == NULL)
        return;
    send_some(sftp);
    list(sftp, more);
}

/* --- Beginning ------------------------------------------------------------------------------- */

static errand_status open_service(struct ssh_sftp *sftp, errand_error *err)
{
    sftp->room = errand__mem_new(ROOM, 1);
    if (sftp->room == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory");
    errand_status status = errand__ssh_run_new_subsystem(&sftp->process, sftp->road, "sftp", err);
    if (status == ERRAND_OK)
        sftp->state = SSH_SFTP_OPENING;
    else
        drop_process(sftp);
    return status;
}

errand_status errand__ssh_sftp_join(struct ssh_sftp *sftp, struct ssh_file *file, errand_error *err)
{
    errand_status status = sftp->state == SSH_SFTP_OFF ? open_service(sftp, err) : ERRAND_OK;

    if (status != ERRAND_OK)
        return status;
    sftp->numbers = sftp->numbers % (UINT32_MAX / SSH_SFTP_KINDS - 1) + 1;
    file->number = sftp->numbers;
    file->joined = true;
    file->next = sftp->files;
    sftp->files = file;
    sftp->files_count++;
    if (sftp->state == SSH_SFTP_UP)
        errand__ssh_talk_begin(file);
    return ERRAND_OK;
}

void errand__ssh_sftp_leave(struct ssh_sftp *sftp, struct ssh_file *file)
{
    for (struct ssh_file **at = &sftp->files; *at != NULL; at = &(*at)->next) {
        if (*at != file)
            continue;
        *at = file->next;
        file->next = NULL;
        sftp->files_count--;
        return;
    }
}
