/* sftp.c - numbers, strings and attributes of packets; believes no length. Knows no request. */
#include "transport/sftp.h"

enum {
    LENGTH_LEN = 4,
    ATTR_SIZE = 0x1,
    ATTR_OWNER = 0x2,
    ATTR_MODE = 0x4,
};

/* --- Writing --------------------------------------------------------------------------------- */

static void put_bytes(struct sftp_writer *writer, errand_span bytes)
{
    assert(bytes.len <= sizeof(writer->bytes) - writer->len);
    if (bytes.len > 0)
        memcpy(writer->bytes + writer->len, bytes.ptr, bytes.len);
    writer->len += bytes.len;
}

static void write_u32(char to[static 4], uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (char)(number >> (24 - 8 * i) & 0xff);
}

void errand__sftp_begin(struct sftp_writer *writer, enum sftp_type type, uint32_t id)
{
    char kind = (char)type;

    writer->len = LENGTH_LEN;
    put_bytes(writer, span_of(&kind, 1));
    errand__sftp_put_u32(writer, id);
}

void errand__sftp_put_u32(struct sftp_writer *writer, uint32_t number)
{
    char bytes[4];

    write_u32(bytes, number);
    put_bytes(writer, span_of(bytes, sizeof(bytes)));
}

void errand__sftp_put_u64(struct sftp_writer *writer, uint64_t number)
{
    errand__sftp_put_u32(writer, (uint32_t)(number >> 32));
    errand__sftp_put_u32(writer, (uint32_t)(number & 0xffffffff));
}

void errand__sftp_put_text(struct sftp_writer *writer, errand_span text)
{
    errand__sftp_put_u32(writer, (uint32_t)text.len);
    put_bytes(writer, text);
}

errand_status errand__sftp_push(struct sftp_writer *writer, errand_span data, struct buf *to)
{
    if (data.len > 0)
        errand__sftp_put_u32(writer, (uint32_t)data.len);
    write_u32(writer->bytes, (uint32_t)(writer->len - LENGTH_LEN + data.len));
    errand_status status = errand__buf_reserve(to, writer->len + data.len);
    if (status == ERRAND_OK)
        status = errand__buf_push(to, span_of(writer->bytes, writer->len));
    return status == ERRAND_OK ? errand__buf_push(to, data) : status;
}

/* --- Reading --------------------------------------------------------------------------------- */

static errand_span take(struct sftp_reader *reader, size_t count)
{
    if (reader->torn || count > reader->rest.len) {
        reader->torn = true;
        return SPAN_EMPTY;
    }
    errand_span taken = span_head(reader->rest, count);
    reader->rest = span_after(reader->rest, count);
    return taken;
}

static uint64_t take_number(struct sftp_reader *reader, size_t len)
{
    errand_span bytes = take(reader, len);
    uint64_t number = 0;

    for (size_t i = 0; i < bytes.len; i++)
        number = number << 8 | (unsigned char)bytes.ptr[i];
    return number;
}

uint8_t errand__sftp_take_u8(struct sftp_reader *reader)
{
    return (uint8_t)take_number(reader, 1);
}

uint32_t errand__sftp_take_u32(struct sftp_reader *reader)
{
    return (uint32_t)take_number(reader, 4);
}

uint64_t errand__sftp_take_u64(struct sftp_reader *reader)
{
    return take_number(reader, 8);
}

errand_span errand__sftp_take_text(struct sftp_reader *reader)
{
    return take(reader, errand__sftp_take_u32(reader));
}

struct sftp_attrs errand__sftp_take_attrs(struct sftp_reader *reader)
{
    struct sftp_attrs attrs = {0};
    uint32_t flags = errand__sftp_take_u32(reader);

    if ((flags & ATTR_SIZE) != 0)
        attrs.size = errand__sftp_take_u64(reader);
    if ((flags & ATTR_OWNER) != 0)
        (void)errand__sftp_take_u64(reader);
    if ((flags & ATTR_MODE) != 0)
        attrs.mode = errand__sftp_take_u32(reader);
    /* Times and what servers add come last, and nobody asks for them. */
    attrs.has_size = (flags & ATTR_SIZE) != 0 && !reader->torn;
    attrs.has_mode = (flags & ATTR_MODE) != 0 && !reader->torn;
    return attrs;
}

errand_status errand__sftp_split(errand_span bytes, errand_span *packet)
{
    struct sftp_reader reader = {.rest = bytes};
    uint32_t len = errand__sftp_take_u32(&reader);

    *packet = SPAN_EMPTY;
    if (reader.torn)
        return ERRAND_AGAIN;
    if (len == 0 || len > SFTP_PACKET_MOST)
        return ERRAND_EIO;
    if (reader.rest.len < len)
        return ERRAND_AGAIN;
    *packet = span_head(reader.rest, len);
    return ERRAND_OK;
}
