/* parser.c - steps and parts, as many as a script may have. */
#include "transport/fake/parser.h"
#include "base/err.h"
#include "base/mem.h"

enum {
    STEPS_MAX = 100000, /* repeat does the rest. */
    PARTS_MAX = 1000
};

struct fake_part *errand__fake_parser_part(struct fake_parser *parser)
{
    struct fake_script *script = parser->line.script;
    return &script->parts[script->parts_count - 1];
}

errand_status errand__fake_parser_fail(struct fake_parser *parser, const char *what)
{
    return errand__fake_line_fail(&parser->line, what);
}

errand_status errand__fake_parser_add_step(struct fake_parser *parser)
{
    struct fake_script *script = parser->line.script;
    size_t count = script->steps_count;

    if (count == STEPS_MAX)
        return errand__fake_parser_fail(parser, "too many steps");
    if ((count & (count - 1)) == 0) { /* Room doubles. */
        struct fake_step *steps = errand__mem_resize(script->steps, (count == 0 ? 1 : count * 2) *
                                                                        sizeof(script->steps[0]));
        if (steps == NULL)
            return errand__fail(parser->line.err, ERRAND_ENOMEM, 0, "fake: no memory");
        script->steps = steps;
    }
    script->steps[script->steps_count++] = parser->step;
    errand__fake_parser_part(parser)->end = script->steps_count;
    return ERRAND_OK;
}

errand_status errand__fake_parser_add_part(struct fake_parser *parser)
{
    struct fake_script *script = parser->line.script;

    if (script->parts_count == PARTS_MAX)
        return errand__fake_parser_fail(parser, "too many runs");
    struct fake_part *parts =
        errand__mem_resize(script->parts, (script->parts_count + 1) * sizeof(script->parts[0]));
    if (parts == NULL)
        return errand__fail(parser->line.err, ERRAND_ENOMEM, 0, "fake: no memory");
    script->parts = parts;
    parts[script->parts_count++] =
        (struct fake_part){.first = script->steps_count, .end = script->steps_count};
    parser->said = false;
    return ERRAND_OK;
}
