/* opt.c - `--name=value`, `--name value`, `-e value`, `-evalue`; no short forms of long names,
 * so that new options never change what old command lines mean. */
#include "cli/opt.h"
#include "base/err.h"
#include "cli/near.h"

enum { HELP_COLUMN = 26, NAMES_MAX = 64 };

static const struct opt *find_long(const struct opt_scan *scan, errand_span name)
{
    for (size_t i = 0; i < scan->table_count; i++) {
        if (scan->table[i].name != NULL && span_is(name, scan->table[i].name))
            return &scan->table[i];
    }
    return NULL;
}

static const struct opt *find_letter(const struct opt_scan *scan, char letter)
{
    for (size_t i = 0; i < scan->table_count; i++) {
        if (scan->table[i].letter == letter)
            return &scan->table[i];
    }
    return NULL;
}

static int unknown(const struct opt_scan *scan, errand_span name, errand_error *err)
{
    const char *names[NAMES_MAX];
    char word[NAMES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < scan->table_count && count < COUNT(names); i++)
        names[count++] = scan->table[i].name;
    size_t len = name.len < sizeof(word) ? name.len : sizeof(word) - 1;
    memcpy(word, name.ptr, len);
    word[len] = '\0';
    const char *meant = near_word(word, names, count);
    (void)errand__fail(err, ERRAND_EINVAL, 0, "unknown option --%s%s%s%s", word,
                       meant == NULL ? "; see --help" : "; did you mean --",
                       meant == NULL ? "" : meant, meant == NULL ? "" : "?");
    return OPT_BAD;
}

static int take_value(struct opt_scan *scan, const struct opt *opt, errand_error *err)
{
    if (scan->next < scan->argc) {
        scan->value = scan->argv[scan->next++];
        return opt->id;
    }
    if (opt->name != NULL)
        (void)errand__fail(err, ERRAND_EINVAL, 0, "--%s wants %s", opt->name, opt->value);
    else
        (void)errand__fail(err, ERRAND_EINVAL, 0, "-%c wants %s", opt->letter, opt->value);
    return OPT_BAD;
}

static int next_long(struct opt_scan *scan, const char *text, errand_error *err)
{
    const char *equals = strchr(text, '=');
    errand_span name = span_of(text, equals == NULL ? strlen(text) : (size_t)(equals - text));
    const struct opt *opt = find_long(scan, name);

    if (opt == NULL)
        return unknown(scan, name, err);
    if (opt->value != NULL && equals == NULL)
        return take_value(scan, opt, err);
    if (opt->value == NULL && equals != NULL) {
        (void)errand__fail(err, ERRAND_EINVAL, 0, "--%s takes no value", opt->name);
        return OPT_BAD;
    }
    scan->value = equals == NULL ? NULL : equals + 1;
    return opt->id;
}

static int next_letter(struct opt_scan *scan, const char *text, errand_error *err)
{
    const struct opt *opt = find_letter(scan, text[0]);

    if (opt == NULL || (opt->value == NULL && text[1] != '\0')) {
        (void)errand__fail(err, ERRAND_EINVAL, 0, "unknown option -%s; see --help", text);
        return OPT_BAD;
    }
    if (opt->value == NULL)
        return opt->id;
    if (text[1] == '\0')
        return take_value(scan, opt, err);
    scan->value = text + 1;
    return opt->id;
}

int opt_next(struct opt_scan *scan, errand_error *err)
{
    if (scan->next >= scan->argc)
        return OPT_END;
    const char *word = scan->argv[scan->next++];
    if (!scan->words_only && strcmp(word, "--") == 0) {
        scan->words_only = true;
        if (scan->next >= scan->argc)
            return OPT_END;
        word = scan->argv[scan->next++];
    }
    if (!scan->words_only && word[0] == '-' && word[1] == '-')
        return next_long(scan, word + 2, err);
    if (!scan->words_only && word[0] == '-' && word[1] != '\0')
        return next_letter(scan, word + 1, err);
    scan->value = word;
    return OPT_WORD;
}

static int print_names(FILE *out, const struct opt *opt)
{
    const char *space = opt->value == NULL ? "" : " ";
    const char *value = opt->value == NULL ? "" : opt->value;

    if (opt->name == NULL)
        return fprintf(out, "  -%c%s%s", opt->letter, space, value);
    if (opt->letter == 0)
        return fprintf(out, "  --%s%s%s", opt->name, space, value);
    return fprintf(out, "  -%c, --%s%s%s", opt->letter, opt->name, space, value);
}

static void print_words(FILE *out, const char *words, int column)
{
    while (words != NULL) {
        int len = (int)strcspn(words, "\n");
        if (column >= HELP_COLUMN) {
            (void)fputc('\n', out);
            column = 0;
        }
        (void)fprintf(out, "%*s%.*s\n", HELP_COLUMN - column, "", len, words);
        column = 0;
        words = words[len] == '\0' ? NULL : words + len + 1;
    }
}

void opt_print_help(FILE *out, const struct opt *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_words(out, table[i].help, print_names(out, &table[i]));
}
