/* Any bytes as a value: what the reader takes, the writer says again, and then it stays the same.
 * The first byte says of which sort the values are. */
#include "fuzz.h"

#include "copy.h"

#include <stdlib.h>
#include <string.h>

/* What became of the text; NULL: it is no value, or none that can be written. */
static char *rewrite(errand_values values, errand_span text, size_t *len)
{
    errand_value_reader *reader;
    errand_value_writer *writer;
    errand_span json;
    char *copy = NULL;

    if (errand_value_reader_new(&reader, values, text, NULL) != ERRAND_OK)
        return NULL;
    MUST(errand_value_writer_new(&writer, values, NULL) == ERRAND_OK);
    errand_status status = copy_value(reader, writer, NULL);
    if (status == ERRAND_OK)
        status = errand_value_finish(writer, &json, NULL);
    if (status == ERRAND_OK) {
        copy = malloc(json.len + 1);
        MUST(copy != NULL);
        if (json.len > 0)
            memcpy(copy, json.ptr, json.len);
        *len = json.len;
    }
    errand_value_reader_free(reader);
    errand_value_writer_free(writer);
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t once_len = 0;
    size_t twice_len = 0;

    if (size == 0)
        return 0;
    errand_values values = (errand_values)(data[0] % 3);
    errand_span text = {(const char *)data + 1, size - 1};
    errand_error err = {0};
    if (errand_value_check(values, text, &err) != ERRAND_OK)
        MUST(err.text[0] != '\0');
    char *once = rewrite(values, text, &once_len);
    if (once == NULL)
        return 0;
    errand_span said = {once, once_len};
    char *twice = rewrite(values, said, &twice_len);
    MUST(twice != NULL);
    MUST(once_len == twice_len && memcmp(once, twice, once_len) == 0);
    MUST(errand_value_check(ERRAND_VALUES_JSON, said, NULL) == ERRAND_OK);
    free(once);
    free(twice);
    return 0;
}
