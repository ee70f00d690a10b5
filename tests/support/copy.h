/* copy.h - one value, read and written again. */
#ifndef TEST_COPY_H
#define TEST_COPY_H

#include <errand/value.h>

/* Puts all that the reader still has into the writer. OK: nothing is left to read. What is wrong
 * with the text is the reader's to say; the writer tells of its own when it is finished. */
errand_status copy_value(errand_value_reader *reader, errand_value_writer *writer,
                         errand_error *err);

#endif
