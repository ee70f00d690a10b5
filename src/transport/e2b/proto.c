/* proto.c - just as much of protobuf as these messages need. Reads bytes that may be hostile:
 * every length is checked against what is there, unknown fields are stepped over, and nothing is
 * remembered beyond the bytes themselves. */
#include "transport/e2b/proto.h"

enum { WIRE_NUMBER = 0, WIRE_EIGHT = 1, WIRE_BYTES = 2, WIRE_FOUR = 5, VARINT_MOST = 10 };

/* --- Writing ---------------------------------------------------------------------------------- */

static size_t number_size(uint64_t number)
{
    size_t size = 1;

    for (; number > 0x7f; number >>= 7)
        size++;
    return size;
}

static errand_status put_number(struct buf *out, uint64_t number)
{
    char bytes[VARINT_MOST];
    size_t len = 0;

    for (; number > 0x7f; number >>= 7)
        bytes[len++] = (char)(0x80 | (number & 0x7f));
    bytes[len++] = (char)number;
    return errand__buf_push(out, span_of(bytes, len));
}

static errand_status put_field(struct buf *out, unsigned field, uint64_t number)
{
    errand_status status = put_number(out, field << 3 | WIRE_NUMBER);

    return status == ERRAND_OK ? put_number(out, number) : status;
}

/* The head of a field of len bytes. */
static errand_status put_head(struct buf *out, unsigned field, size_t len)
{
    errand_status status = put_number(out, field << 3 | WIRE_BYTES);

    return status == ERRAND_OK ? put_number(out, len) : status;
}

static errand_status put_bytes(struct buf *out, unsigned field, errand_span bytes)
{
    errand_status status = put_head(out, field, bytes.len);

    return status == ERRAND_OK ? errand__buf_push(out, bytes) : status;
}

static size_t field_size(size_t len)
{
    return 1 + number_size(len) + len;
}

static size_t config_size(const struct e2b_start *start)
{
    size_t size = field_size(strlen(start->cmd));

    for (size_t i = 0; start->args[i] != NULL; i++)
        size += field_size(strlen(start->args[i]));
    return size;
}

errand_status errand__e2b_proto_start(struct buf *out, const struct e2b_start *start)
{
    errand_status status = put_head(out, 1, config_size(start));

    if (status == ERRAND_OK)
        status = put_bytes(out, 1, span_text(start->cmd));
    for (size_t i = 0; start->args[i] != NULL && status == ERRAND_OK; i++)
        status = put_bytes(out, 2, span_text(start->args[i]));
    return status == ERRAND_OK ? put_field(out, 4, start->input ? 1 : 0) : status;
}

errand_status errand__e2b_proto_select(struct buf *out, uint32_t pid)
{
    errand_status status = put_head(out, 1, 1 + number_size(pid));

    return status == ERRAND_OK ? put_field(out, 1, pid) : status;
}

errand_status errand__e2b_proto_input(struct buf *out, uint32_t pid, errand_span bytes)
{
    errand_status status = errand__e2b_proto_select(out, pid);

    if (status == ERRAND_OK)
        status = put_head(out, 2, field_size(bytes.len));
    return status == ERRAND_OK ? put_bytes(out, 1, bytes) : status;
}

errand_status errand__e2b_proto_signal(struct buf *out, uint32_t pid, int number)
{
    errand_status status = errand__e2b_proto_select(out, pid);

    return status == ERRAND_OK ? put_field(out, 2, (uint64_t)number) : status;
}

/* --- Reading ---------------------------------------------------------------------------------- */

struct field {
    uint64_t number; /* Which. */
    unsigned wire;
    uint64_t value;
    errand_span bytes;
};

static bool take_number(errand_span *from, uint64_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < VARINT_MOST && i < from->len; i++) {
        unsigned char byte = (unsigned char)from->ptr[i];
        *number |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *from = span_after(*from, i + 1);
            return true;
        }
    }
    return false;
}

static bool take_bytes(errand_span *from, uint64_t len, errand_span *bytes)
{
    if (len > from->len)
        return false;
    *bytes = span_head(*from, (size_t)len);
    *from = span_after(*from, (size_t)len);
    return true;
}

/* false: that is no field. */
static bool take_field(errand_span *from, struct field *field)
{
    uint64_t key = 0, len = 0;

    *field = (struct field){0};
    if (!take_number(from, &key) || key >> 3 == 0)
        return false;
    field->number = key >> 3;
    field->wire = (unsigned)(key & 7);
    switch (field->wire) {
    case WIRE_NUMBER:
        return take_number(from, &field->value);
    case WIRE_BYTES:
        return take_number(from, &len) && take_bytes(from, len, &field->bytes);
    case WIRE_EIGHT:
        return take_bytes(from, 8, &field->bytes);
    case WIRE_FOUR:
        return take_bytes(from, 4, &field->bytes);
    default:
        return false;
    }
}

static bool is_bytes(const struct field *field, unsigned number)
{
    return field->number == number && field->wire == WIRE_BYTES;
}

static bool read_start(struct e2b_event *out, errand_span bytes)
{
    struct field field;

    out->type = E2B_EVENT_START;
    while (bytes.len > 0) {
        if (!take_field(&bytes, &field))
            return false;
        if (field.number == 1 && field.wire == WIRE_NUMBER)
            out->pid = (uint32_t)field.value;
    }
    return true;
}

static bool read_data(struct e2b_event *out, errand_span bytes)
{
    struct field field;

    while (bytes.len > 0) {
        if (!take_field(&bytes, &field))
            return false;
        if (!is_bytes(&field, 1) && !is_bytes(&field, 2))
            continue;
        out->type = field.number == 1 ? E2B_EVENT_OUT : E2B_EVENT_ERR;
        out->bytes = field.bytes;
    }
    return true;
}

static int32_t unzigzag(uint64_t value)
{
    uint32_t low = (uint32_t)value;

    return (int32_t)((low >> 1) ^ (~(low & 1) + 1));
}

static bool read_end(struct e2b_event *out, errand_span bytes)
{
    struct field field;

    out->type = E2B_EVENT_END;
    while (bytes.len > 0) {
        if (!take_field(&bytes, &field))
            return false;
        if (field.number == 1 && field.wire == WIRE_NUMBER) {
            out->has_code = true;
            out->exit_code = unzigzag(field.value);
        }
        if (field.number == 2 && field.wire == WIRE_NUMBER)
            out->exited = field.value != 0;
        if (is_bytes(&field, 3))
            out->status = field.bytes;
        if (is_bytes(&field, 4))
            out->error = field.bytes;
    }
    return true;
}

static bool read_event(struct e2b_event *out, errand_span bytes)
{
    struct field field;
    bool fine = true;

    while (bytes.len > 0 && fine) {
        if (!take_field(&bytes, &field))
            return false;
        if (is_bytes(&field, 1))
            fine = read_start(out, field.bytes);
        if (is_bytes(&field, 2))
            fine = read_data(out, field.bytes);
        if (is_bytes(&field, 3))
            fine = read_end(out, field.bytes);
    }
    return fine;
}

bool errand__e2b_proto_event(struct e2b_event *out, errand_span bytes)
{
    struct field field;
    bool fine = true;

    *out = (struct e2b_event){.type = E2B_EVENT_NONE};
    while (bytes.len > 0 && fine) {
        if (!take_field(&bytes, &field))
            return false;
        if (is_bytes(&field, 1))
            fine = read_event(out, field.bytes);
    }
    return fine;
}

static bool config_holds(errand_span bytes, errand_span mark)
{
    struct field field;

    while (bytes.len > 0 && take_field(&bytes, &field)) {
        if (is_bytes(&field, 2) && span_holds(field.bytes, mark))
            return true;
    }
    return false;
}

static uint32_t pid_if_marked(errand_span bytes, errand_span mark)
{
    struct field field;
    uint32_t pid = 0;
    bool marked = false;

    while (bytes.len > 0 && take_field(&bytes, &field)) {
        if (is_bytes(&field, 1))
            marked = config_holds(field.bytes, mark);
        if (field.number == 2 && field.wire == WIRE_NUMBER)
            pid = (uint32_t)field.value;
    }
    return marked ? pid : 0;
}

uint32_t errand__e2b_proto_find(errand_span list, errand_span mark)
{
    struct field field;
    uint32_t pid = 0;

    while (pid == 0 && list.len > 0 && take_field(&list, &field)) {
        if (is_bytes(&field, 1))
            pid = pid_if_marked(field.bytes, mark);
    }
    return pid;
}
