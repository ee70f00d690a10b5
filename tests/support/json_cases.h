/* json_cases.h - what is a JSON text in UTF-8 and what is not, by the categories of the public
 * JSONTestSuite: structure, numbers, strings; what must be accepted, what must be refused, and
 * what an implementation may decide. We accept lone surrogates as escapes and numbers of any
 * size, since JSON.stringify and engines write them; we refuse byte order marks. */
#ifndef ERRAND_JSON_CASES_H
#define ERRAND_JSON_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct json_case {
    const char *name;
    const char *text;
    size_t len;
    bool valid;
};

/* clang-format off */
static const struct json_case json_cases[] = {
    {"structure: comma in array", "[1,5]", 5, true},
    {"structure: empty array", "[]", 2, true},
    {"structure: empty object", "{}", 2, true},
    {"structure: array in array", "[[]]", 4, true},
    {"structure: blanks in array", "[ ]", 3, true},
    {"structure: blanks around", "  [1]  ", 7, true},
    {"structure: tabs and newlines", "\011[\015\0121\011]\012", 8, true},
    {"structure: one null", "[null]", 6, true},
    {"structure: true", "true", 4, true},
    {"structure: false", "false", 5, true},
    {"structure: null", "null", 4, true},
    {"structure: lone number", "42", 2, true},
    {"structure: lone negative", "-0.1", 4, true},
    {"structure: lone string", "\"asd\"", 5, true},
    {"structure: lone empty string", "\"\"", 2, true},
    {"structure: trailing newline", "[\"a\"]\012", 6, true},
    {"structure: leading blank", " 1", 2, true},
    {"structure: trailing blank", "2 ", 2, true},
    {"structure: mixed array", "[null,1,\"1\",{}]", 15, true},
    {"structure: several nulls", "[1,null,null,null,2]", 20, true},
    {"structure: array with false", "[false]", 7, true},
    {"structure: empty string in array", "[\"\"]", 4, true},
    {"structure: object plain", "{\"asd\":\"sdf\",\"dfg\":\"fgh\"}", 25, true},
    {"structure: object one", "{\"asd\":\"sdf\"}", 13, true},
    {"structure: duplicate key", "{\"a\":\"b\",\"a\":\"c\"}", 17, true},
    {"structure: duplicate key and value", "{\"a\":\"b\",\"a\":\"b\"}", 17, true},
    {"structure: empty key", "{\"\":0}", 6, true},
    {"structure: escaped nul in key", "{\"foo\\u0000bar\":42}", 19, true},
    {"structure: extreme numbers", "{\"min\":-1.0e+28,\"max\":1.0e+28}", 30, true},
    {"structure: long strings",
     "{\"x\":[{\"id\":\"xxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxx\"}],\"id"
     "\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxx\"}",
     105, true},
    {"structure: simple object", "{\"a\":[]}", 8, true},
    {"structure: unicode values",
     "{\"title\":\"\\u041f\\u043e\\u043b\\u"
     "0442\\u043e\\u0440\\u0430\"}",
     54, true},
    {"structure: newlines in object", "{\012\"a\": \"b\"\012}", 12, true},
    {"structure: nested mix", "{\"a\":[{\"b\":[{\"c\":null}]}]}", 26, true},
    {"structure: empty in empty", "[[[[[]]]]]", 10, true},
    {"structure: array of objects", "[{},{},{}]", 10, true},
    {"structure: blank before colon", "{\"a\" :1}", 8, true},
    {"structure: blank after colon", "{\"a\": 1}", 8, true},
    {"structure: proto key", "{\"__proto__\":{}}", 16, true},
    {"number: 0", "0", 1, true},
    {"number in array: 0", "[0]", 3, true},
    {"number: -0", "-0", 2, true},
    {"number in array: -0", "[-0]", 4, true},
    {"number: 1", "1", 1, true},
    {"number in array: 1", "[1]", 3, true},
    {"number: -1", "-1", 2, true},
    {"number in array: -1", "[-1]", 4, true},
    {"number: 10", "10", 2, true},
    {"number in array: 10", "[10]", 4, true},
    {"number: 123", "123", 3, true},
    {"number in array: 123", "[123]", 5, true},
    {"number: 1e1", "1e1", 3, true},
    {"number in array: 1e1", "[1e1]", 5, true},
    {"number: 1E1", "1E1", 3, true},
    {"number in array: 1E1", "[1E1]", 5, true},
    {"number: 1e+1", "1e+1", 4, true},
    {"number in array: 1e+1", "[1e+1]", 6, true},
    {"number: 1e-1", "1e-1", 4, true},
    {"number in array: 1e-1", "[1e-1]", 6, true},
    {"number: 1E+2", "1E+2", 4, true},
    {"number in array: 1E+2", "[1E+2]", 6, true},
    {"number: 1E-2", "1E-2", 4, true},
    {"number in array: 1E-2", "[1E-2]", 6, true},
    {"number: 0e1", "0e1", 3, true},
    {"number in array: 0e1", "[0e1]", 5, true},
    {"number: 0e+1", "0e+1", 4, true},
    {"number in array: 0e+1", "[0e+1]", 6, true},
    {"number: 0E1", "0E1", 3, true},
    {"number in array: 0E1", "[0E1]", 5, true},
    {"number: 0.0", "0.0", 3, true},
    {"number in array: 0.0", "[0.0]", 5, true},
    {"number: 0.1", "0.1", 3, true},
    {"number in array: 0.1", "[0.1]", 5, true},
    {"number in array: -0.1", "[-0.1]", 6, true},
    {"number: 123.456", "123.456", 7, true},
    {"number in array: 123.456", "[123.456]", 9, true},
    {"number: 123.456789", "123.456789", 10, true},
    {"number in array: 123.456789", "[123.456789]", 12, true},
    {"number: 1.5e3", "1.5e3", 5, true},
    {"number in array: 1.5e3", "[1.5e3]", 7, true},
    {"number: 1.5E+3", "1.5E+3", 6, true},
    {"number in array: 1.5E+3", "[1.5E+3]", 8, true},
    {"number: 123e45", "123e45", 6, true},
    {"number in array: 123e45", "[123e45]", 8, true},
    {"number: 123e65", "123e65", 6, true},
    {"number in array: 123e65", "[123e65]", 8, true},
    {"number: 123.456e78", "123.456e78", 10, true},
    {"number in array: 123.456e78", "[123.456e78]", 12, true},
    {"number: -123", "-123", 4, true},
    {"number in array: -123", "[-123]", 6, true},
    {"number: -1e1", "-1e1", 4, true},
    {"number in array: -1e1", "[-1e1]", 6, true},
    {"number: 20e1", "20e1", 4, true},
    {"number in array: 20e1", "[20e1]", 6, true},
    {"number: 0.00000000000000000000001", "0.00000000000000000000001", 25, true},
    {"number in array: 0.00000000000000000000001", "[0.00000000000000000000001]", 27, true},
    {"number: -0.0000000000000000000000000000000000000",
     "-0.000000000000000000000000000"
     "000000000000000000000000000000"
     "000000000000000000001",
     81, true},
    {"number in array: -0.0000000000000000000000000000000000000",
     "[-0.00000000000000000000000000"
     "000000000000000000000000000000"
     "0000000000000000000001]",
     83, true},
    {"number: 9007199254740993", "9007199254740993", 16, true},
    {"number in array: 9007199254740993", "[9007199254740993]", 18, true},
    {"number: 9223372036854776000", "9223372036854776000", 19, true},
    {"number in array: 9223372036854776000", "[9223372036854776000]", 21, true},
    {"number: 18446744073709551616", "18446744073709551616", 20, true},
    {"number in array: 18446744073709551616", "[18446744073709551616]", 22, true},
    {"number: 1e400", "1e400", 5, true},
    {"number in array: 1e400", "[1e400]", 7, true},
    {"number: -1e400", "-1e400", 6, true},
    {"number in array: -1e400", "[-1e400]", 8, true},
    {"number: 1e-400", "1e-400", 6, true},
    {"number in array: 1e-400", "[1e-400]", 8, true},
    {"number: 1000000000000000000000000000000000000000",
     "100000000000000000000000000000"
     "000000000000000000",
     48, true},
    {"number in array: 1000000000000000000000000000000000000000",
     "[10000000000000000000000000000"
     "0000000000000000000]",
     50, true},
    {"number: 1e00", "1e00", 4, true},
    {"number in array: 1e00", "[1e00]", 6, true},
    {"number: 1e0000001", "1e0000001", 9, true},
    {"number in array: 1e0000001", "[1e0000001]", 11, true},
    {"number: 123123e100000", "123123e100000", 13, true},
    {"number in array: 123123e100000", "[123123e100000]", 15, true},
    {"number: 0.4e006", "0.4e006", 7, true},
    {"number in array: 0.4e006", "[0.4e006]", 9, true},
    {"number: 4.2E7", "4.2E7", 5, true},
    {"number in array: 4.2E7", "[4.2E7]", 7, true},
    {"number: -", "-", 1, false},
    {"number in array: -", "[-]", 3, false},
    {"number: +1", "+1", 2, false},
    {"number in array: +1", "[+1]", 4, false},
    {"number: ++1", "++1", 3, false},
    {"number in array: ++1", "[++1]", 5, false},
    {"number: +Inf", "+Inf", 4, false},
    {"number in array: +Inf", "[+Inf]", 6, false},
    {"number: -01", "-01", 3, false},
    {"number in array: -01", "[-01]", 5, false},
    {"number: -1.0.", "-1.0.", 5, false},
    {"number in array: -1.0.", "[-1.0.]", 7, false},
    {"number: -2.", "-2.", 3, false},
    {"number in array: -2.", "[-2.]", 5, false},
    {"number: .-1", ".-1", 3, false},
    {"number in array: .-1", "[.-1]", 5, false},
    {"number: .2e-3", ".2e-3", 5, false},
    {"number in array: .2e-3", "[.2e-3]", 7, false},
    {"number: 0.1.2", "0.1.2", 5, false},
    {"number in array: 0.1.2", "[0.1.2]", 7, false},
    {"number: 0.3e+", "0.3e+", 5, false},
    {"number in array: 0.3e+", "[0.3e+]", 7, false},
    {"number: 0.3e", "0.3e", 4, false},
    {"number in array: 0.3e", "[0.3e]", 6, false},
    {"number: 0.e1", "0.e1", 4, false},
    {"number in array: 0.e1", "[0.e1]", 6, false},
    {"number: 0E", "0E", 2, false},
    {"number in array: 0E", "[0E]", 4, false},
    {"number: 0E+", "0E+", 3, false},
    {"number in array: 0E+", "[0E+]", 5, false},
    {"number: 1.0e+", "1.0e+", 5, false},
    {"number in array: 1.0e+", "[1.0e+]", 7, false},
    {"number: 1.0e-", "1.0e-", 5, false},
    {"number in array: 1.0e-", "[1.0e-]", 7, false},
    {"number: 1.0e", "1.0e", 4, false},
    {"number in array: 1.0e", "[1.0e]", 6, false},
    {"number: 1 000", "1 000", 5, false},
    {"number in array: 1 000", "[1 000]", 7, false},
    {"number: 1eE2", "1eE2", 4, false},
    {"number in array: 1eE2", "[1eE2]", 6, false},
    {"number: 2.e+3", "2.e+3", 5, false},
    {"number in array: 2.e+3", "[2.e+3]", 7, false},
    {"number: 2.e-3", "2.e-3", 5, false},
    {"number in array: 2.e-3", "[2.e-3]", 7, false},
    {"number: 2.e3", "2.e3", 4, false},
    {"number in array: 2.e3", "[2.e3]", 6, false},
    {"number: 9.e+", "9.e+", 4, false},
    {"number in array: 9.e+", "[9.e+]", 6, false},
    {"number: Inf", "Inf", 3, false},
    {"number in array: Inf", "[Inf]", 5, false},
    {"number: NaN", "NaN", 3, false},
    {"number in array: NaN", "[NaN]", 5, false},
    {"number: -NaN", "-NaN", 4, false},
    {"number in array: -NaN", "[-NaN]", 6, false},
    {"number: -Infinity", "-Infinity", 9, false},
    {"number in array: -Infinity", "[-Infinity]", 11, false},
    {"number: Infinity", "Infinity", 8, false},
    {"number in array: Infinity", "[Infinity]", 10, false},
    {"number: 1+2", "1+2", 3, false},
    {"number in array: 1+2", "[1+2]", 5, false},
    {"number: 0x1", "0x1", 3, false},
    {"number in array: 0x1", "[0x1]", 5, false},
    {"number: 0x42", "0x42", 4, false},
    {"number in array: 0x42", "[0x42]", 6, false},
    {"number: 0b1", "0b1", 3, false},
    {"number in array: 0b1", "[0b1]", 5, false},
    {"number: 0o7", "0o7", 3, false},
    {"number in array: 0o7", "[0o7]", 5, false},
    {"number: 1_000", "1_000", 5, false},
    {"number in array: 1_000", "[1_000]", 7, false},
    {"number: 1n", "1n", 2, false},
    {"number in array: 1n", "[1n]", 4, false},
    {"number: -foo", "-foo", 4, false},
    {"number in array: -foo", "[-foo]", 6, false},
    {"number: - 1", "- 1", 3, false},
    {"number in array: - 1", "[- 1]", 5, false},
    {"number: -012", "-012", 4, false},
    {"number in array: -012", "[-012]", 6, false},
    {"number: -.123", "-.123", 5, false},
    {"number in array: -.123", "[-.123]", 7, false},
    {"number: -1x", "-1x", 3, false},
    {"number in array: -1x", "[-1x]", 5, false},
    {"number: 1ea", "1ea", 3, false},
    {"number in array: 1ea", "[1ea]", 5, false},
    {"number: 1e", "1e", 2, false},
    {"number in array: 1e", "[1e]", 4, false},
    {"number: 1e+", "1e+", 3, false},
    {"number in array: 1e+", "[1e+]", 5, false},
    {"number: 1e-", "1e-", 3, false},
    {"number in array: 1e-", "[1e-]", 5, false},
    {"number: 1.", "1.", 2, false},
    {"number in array: 1.", "[1.]", 4, false},
    {"number: .1", ".1", 2, false},
    {"number in array: .1", "[.1]", 4, false},
    {"number: 01", "01", 2, false},
    {"number in array: 01", "[01]", 4, false},
    {"number: 00", "00", 2, false},
    {"number in array: 00", "[00]", 4, false},
    {"number: -00", "-00", 3, false},
    {"number in array: -00", "[-00]", 5, false},
    {"number: 012", "012", 3, false},
    {"number in array: 012", "[012]", 5, false},
    {"number: 1.8011670033376514H-308", "1.8011670033376514H-308", 23, false},
    {"number in array: 1.8011670033376514H-308", "[1.8011670033376514H-308]", 25, false},
    {"number: 1.2a-3", "1.2a-3", 6, false},
    {"number in array: 1.2a-3", "[1.2a-3]", 8, false},
    {"number: 1e1.5", "1e1.5", 5, false},
    {"number in array: 1e1.5", "[1e1.5]", 7, false},
    {"number: --1", "--1", 3, false},
    {"number in array: --1", "[--1]", 5, false},
    {"number: 1-", "1-", 2, false},
    {"number in array: 1-", "[1-]", 4, false},
    {"number: 1e++1", "1e++1", 5, false},
    {"number in array: 1e++1", "[1e++1]", 7, false},
    {"number: 1a", "1a", 2, false},
    {"number in array: 1a", "[1a]", 4, false},
    {"number: 0a", "0a", 2, false},
    {"number in array: 0a", "[0a]", 4, false},
    {"number: e1", "e1", 2, false},
    {"number in array: e1", "[e1]", 4, false},
    {"number: \357\274\221", "\357\274\221", 3, false},
    {"number in array: \357\274\221", "[\357\274\221]", 5, false},
    {"number: 1\302\240", "1\302\240", 3, false},
    {"number in array: 1\302\240", "[1\302\240]", 5, false},
    {"number: -a", "-a", 2, false},
    {"number in array: -a", "[-a]", 4, false},
    {"string: escaped quote", "\"\\\"\"", 4, true},
    {"string as key: escaped quote", "{\"\\\"\":0}", 8, true},
    {"string: escaped backslash", "\"\\\\\"", 4, true},
    {"string as key: escaped backslash", "{\"\\\\\":0}", 8, true},
    {"string: all escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", 18, true},
    {"string as key: all escapes", "{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\":0}", 22, true},
    {"string: u escape", "\"\\u0061\\u30af\\u30EA\\u30b9\"", 26, true},
    {"string as key: u escape", "{\"\\u0061\\u30af\\u30EA\\u30b9\":0}", 30, true},
    {"string: accepted pair", "\"\\uD801\\udc37\"", 14, true},
    {"string as key: accepted pair", "{\"\\uD801\\udc37\":0}", 18, true},
    {"string: two pairs", "\"\\ud83d\\ude39\\ud83d\\udc8d\"", 26, true},
    {"string as key: two pairs", "{\"\\ud83d\\ude39\\ud83d\\udc8d\":0}", 30, true},
    {"string: backslash and u", "\"\\\\u0000\"", 9, true},
    {"string as key: backslash and u", "{\"\\\\u0000\":0}", 13, true},
    {"string: backslash doublequotes", "[\"\\\"\"]", 6, true},
    {"string: comments inside", "\"a/*b*/c/*d//e\"", 15, true},
    {"string as key: comments inside", "{\"a/*b*/c/*d//e\":0}", 19, true},
    {"string: double escape a", "\"\\\\a\"", 5, true},
    {"string as key: double escape a", "{\"\\\\a\":0}", 9, true},
    {"string: double escape n", "\"\\\\n\"", 5, true},
    {"string as key: double escape n", "{\"\\\\n\":0}", 9, true},
    {"string: control escape", "\"\\u0012\"", 8, true},
    {"string as key: control escape", "{\"\\u0012\":0}", 12, true},
    {"string: nul escape", "\"\\u0000\"", 8, true},
    {"string as key: nul escape", "{\"\\u0000\":0}", 12, true},
    {"string: noncharacter escape", "\"\\uFFFF\"", 8, true},
    {"string as key: noncharacter escape", "{\"\\uFFFF\":0}", 12, true},
    {"string: noncharacter U+10FFFF escape", "\"\\uDBFF\\uDFFF\"", 14, true},
    {"string as key: noncharacter U+10FFFF escape", "{\"\\uDBFF\\uDFFF\":0}", 18, true},
    {"string: noncharacter U+1FFFE", "\"\\uD83F\\uDFFE\"", 14, true},
    {"string as key: noncharacter U+1FFFE", "{\"\\uD83F\\uDFFE\":0}", 18, true},
    {"string: U+200B escape", "\"\\u200B\"", 8, true},
    {"string as key: U+200B escape", "{\"\\u200B\":0}", 12, true},
    {"string: U+2064 escape", "\"\\u2064\"", 8, true},
    {"string as key: U+2064 escape", "{\"\\u2064\":0}", 12, true},
    {"string: U+FDD0 escape", "\"\\uFDD0\"", 8, true},
    {"string as key: U+FDD0 escape", "{\"\\uFDD0\":0}", 12, true},
    {"string: U+FFFE escape", "\"\\uFFFE\"", 8, true},
    {"string as key: U+FFFE escape", "{\"\\uFFFE\":0}", 12, true},
    {"string: raw noncharacter", "\"\364\217\277\277\"", 6, true},
    {"string as key: raw noncharacter", "{\"\364\217\277\277\":0}", 10, true},
    {"string: raw U+FFFF", "\"\357\277\277\"", 5, true},
    {"string as key: raw U+FFFF", "{\"\357\277\277\":0}", 9, true},
    {"string: raw U+2028", "\"\342\200\250\"", 5, true},
    {"string as key: raw U+2028", "{\"\342\200\250\":0}", 9, true},
    {"string: raw U+2029", "\"\342\200\251\"", 5, true},
    {"string as key: raw U+2029", "{\"\342\200\251\":0}", 9, true},
    {"string: raw U+FEFF inside", "\"\357\273\277\"", 5, true},
    {"string as key: raw U+FEFF inside", "{\"\357\273\277\":0}", 9, true},
    {"string: DEL", "\"\177\"", 3, true},
    {"string as key: DEL", "{\"\177\":0}", 7, true},
    {"string: DEL with a", "\"\177a\"", 4, true},
    {"string as key: DEL with a", "{\"\177a\":0}", 8, true},
    {"string: blank string", "\" \"", 3, true},
    {"string as key: blank string", "{\" \":0}", 7, true},
    {"string: pi", "\"\317\200\"", 4, true},
    {"string as key: pi", "{\"\317\200\":0}", 8, true},
    {"string as key: asd", "{\"asd\":0}", 9, true},
    {"string: one two bytes", "\"\303\251\"", 4, true},
    {"string as key: one two bytes", "{\"\303\251\":0}", 8, true},
    {"string: three bytes", "\"\342\202\254\"", 5, true},
    {"string as key: three bytes", "{\"\342\202\254\":0}", 9, true},
    {"string: four bytes", "\"\360\237\230\200\"", 6, true},
    {"string as key: four bytes", "{\"\360\237\230\200\":0}", 10, true},
    {"string: last of two", "\"\337\277\"", 4, true},
    {"string as key: last of two", "{\"\337\277\":0}", 8, true},
    {"string: first of three", "\"\340\240\200\"", 5, true},
    {"string as key: first of three", "{\"\340\240\200\":0}", 9, true},
    {"string: last before surrogates", "\"\355\237\277\"", 5, true},
    {"string as key: last before surrogates", "{\"\355\237\277\":0}", 9, true},
    {"string: first behind surrogates", "\"\356\200\200\"", 5, true},
    {"string as key: first behind surrogates", "{\"\356\200\200\":0}", 9, true},
    {"string: first of four", "\"\360\220\200\200\"", 6, true},
    {"string as key: first of four", "{\"\360\220\200\200\":0}", 10, true},
    {"string: reserved in UTF-8", "\"\360\233\277\277\"", 6, true},
    {"string as key: reserved in UTF-8", "{\"\360\233\277\277\":0}", 10, true},
    {"string: u+1F600 mixed with text", "\"a\360\237\230\200b\303\251c\"", 11, true},
    {"string as key: u+1F600 mixed with text", "{\"a\360\237\230\200b\303\251c\":0}", 15, true},
    {"string: escaped slash", "\"\\/\"", 4, true},
    {"string as key: escaped slash", "{\"\\/\":0}", 8, true},
    {"string: upper and lower hex", "\"\\uaBcD\"", 8, true},
    {"string as key: upper and lower hex", "{\"\\uaBcD\":0}", 12, true},
    {"string: lone escape in the middle", "\"a\\nb\"", 6, true},
    {"string as key: lone escape in the middle", "{\"a\\nb\":0}", 10, true},
    {"string: lone high surrogate", "\"\\ud800\"", 8, true},
    {"string as key: lone high surrogate", "{\"\\ud800\":0}", 12, true},
    {"string: lone low surrogate", "\"\\udc00\"", 8, true},
    {"string as key: lone low surrogate", "{\"\\udc00\":0}", 12, true},
    {"string: high surrogate twice", "\"\\ud800\\ud800\"", 14, true},
    {"string as key: high surrogate twice", "{\"\\ud800\\ud800\":0}", 18, true},
    {"string: low then high", "\"\\udc00\\ud800\"", 14, true},
    {"string as key: low then high", "{\"\\udc00\\ud800\":0}", 18, true},
    {"string: high and text", "\"\\ud800abc\"", 11, true},
    {"string as key: high and text", "{\"\\ud800abc\":0}", 15, true},
    {"string: high and escape", "\"\\ud800\\n\"", 10, true},
    {"string as key: high and escape", "{\"\\ud800\\n\":0}", 14, true},
    {"string: high at the end", "\"abc\\ud800\"", 11, true},
    {"string as key: high at the end", "{\"abc\\ud800\":0}", 15, true},
    {"string: high and no surrogate", "\"\\uD888\\u1234\"", 14, true},
    {"string as key: high and no surrogate", "{\"\\uD888\\u1234\":0}", 18, true},
    {"string: 7 plain bytes", "\"xxxxxxx\"", 9, true},
    {"string: 7 plain bytes and no end", "\"xxxxxxx", 8, false},
    {"string: 8 plain bytes", "\"xxxxxxxx\"", 10, true},
    {"string: 8 plain bytes and no end", "\"xxxxxxxx", 9, false},
    {"string: 9 plain bytes", "\"xxxxxxxxx\"", 11, true},
    {"string: 9 plain bytes and no end", "\"xxxxxxxxx", 10, false},
    {"string: 15 plain bytes", "\"xxxxxxxxxxxxxxx\"", 17, true},
    {"string: 15 plain bytes and no end", "\"xxxxxxxxxxxxxxx", 16, false},
    {"string: 16 plain bytes", "\"xxxxxxxxxxxxxxxx\"", 18, true},
    {"string: 16 plain bytes and no end", "\"xxxxxxxxxxxxxxxx", 17, false},
    {"string: 17 plain bytes", "\"xxxxxxxxxxxxxxxxx\"", 19, true},
    {"string: 17 plain bytes and no end", "\"xxxxxxxxxxxxxxxxx", 18, false},
    {"string: 31 plain bytes", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xx\"", 33, true},
    {"string: 31 plain bytes and no end", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xx", 32, false},
    {"string: 32 plain bytes", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xxx\"", 34, true},
    {"string: 32 plain bytes and no end", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xxx", 33, false},
    {"string: 33 plain bytes", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xxxx\"", 35, true},
    {"string: 33 plain bytes and no end", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xxxx", 34, false},
    {"string: 63 plain bytes",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxx\"",
     65, true},
    {"string: 63 plain bytes and no end",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxx",
     64, false},
    {"string: 64 plain bytes",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxx\"",
     66, true},
    {"string: 64 plain bytes and no end",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxx",
     65, false},
    {"string: 65 plain bytes",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxx\"",
     67, true},
    {"string: 65 plain bytes and no end",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxx",
     66, false},
    {"string: 1000 plain bytes",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxx\"",
     1002, true},
    {"string: 1000 plain bytes and no end",
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxx",
     1001, false},
    {"string: no end", "\"", 1, false},
    {"string in array: no end", "[\"]", 3, false},
    {"string: no end with text", "\"abc", 4, false},
    {"string in array: no end with text", "[\"abc]", 6, false},
    {"string: single quote", "'a'", 3, false},
    {"string in array: single quote", "['a']", 5, false},
    {"string: single quote one", "'", 1, false},
    {"string in array: single quote one", "[']", 3, false},
    {"string: escape at end", "\"\\", 2, false},
    {"string in array: escape at end", "[\"\\]", 4, false},
    {"string: escaped end", "\"\\\"", 3, false},
    {"string in array: escaped end", "[\"\\\"]", 5, false},
    {"string: escape x", "\"\\x00\"", 6, false},
    {"string in array: escape x", "[\"\\x00\"]", 8, false},
    {"string: escape a", "\"\\a\"", 4, false},
    {"string in array: escape a", "[\"\\a\"]", 6, false},
    {"string: escape zero", "\"\\0\"", 4, false},
    {"string in array: escape zero", "[\"\\0\"]", 6, false},
    {"string: escape single quote", "\"\\'\"", 4, false},
    {"string in array: escape single quote", "[\"\\'\"]", 6, false},
    {"string: escape newline", "\"\\\012\"", 4, false},
    {"string in array: escape newline", "[\"\\\012\"]", 6, false},
    {"string: escape emoji", "\"\\\360\237\214\200\"", 7, false},
    {"string in array: escape emoji", "[\"\\\360\237\214\200\"]", 9, false},
    {"string: escape tab", "\"\\\011\"", 4, false},
    {"string in array: escape tab", "[\"\\\011\"]", 6, false},
    {"string: escape U", "\"\\U0041\"", 8, false},
    {"string in array: escape U", "[\"\\U0041\"]", 10, false},
    {"string: escape v", "\"\\v\"", 4, false},
    {"string in array: escape v", "[\"\\v\"]", 6, false},
    {"string: u without digits", "\"\\u\"", 4, false},
    {"string in array: u without digits", "[\"\\u\"]", 6, false},
    {"string: u one digit", "\"\\u0\"", 5, false},
    {"string in array: u one digit", "[\"\\u0\"]", 7, false},
    {"string: u two digits", "\"\\u00\"", 6, false},
    {"string in array: u two digits", "[\"\\u00\"]", 8, false},
    {"string: u three digits", "\"\\u00A\"", 7, false},
    {"string in array: u three digits", "[\"\\u00A\"]", 9, false},
    {"string: u bad digit", "\"\\u00g0\"", 8, false},
    {"string in array: u bad digit", "[\"\\u00g0\"]", 10, false},
    {"string: u bad last digit", "\"\\u123g\"", 8, false},
    {"string in array: u bad last digit", "[\"\\u123g\"]", 10, false},
    {"string: u blank", "\"\\u 041\"", 8, false},
    {"string in array: u blank", "[\"\\u 041\"]", 10, false},
    {"string: u sign", "\"\\u+041\"", 8, false},
    {"string in array: u sign", "[\"\\u+041\"]", 10, false},
    {"string: u at end", "\"\\u0041", 7, false},
    {"string in array: u at end", "[\"\\u0041]", 9, false},
    {"string: u cut at end", "\"\\u00", 5, false},
    {"string in array: u cut at end", "[\"\\u00]", 7, false},
    {"string: pair cut u", "\"\\uD834\\u\"", 10, false},
    {"string in array: pair cut u", "[\"\\uD834\\u\"]", 12, false},
    {"string: pair cut digits", "\"\\uD834\\uDd\"", 12, false},
    {"string in array: pair cut digits", "[\"\\uD834\\uDd\"]", 14, false},
    {"string: pair with x", "\"\\uD800\\uD800\\x\"", 16, false},
    {"string in array: pair with x", "[\"\\uD800\\uD800\\x\"]", 18, false},
    {"string: pair u u1", "\"\\uD800\\u1\"", 11, false},
    {"string in array: pair u u1", "[\"\\uD800\\u1\"]", 13, false},
    {"string: pair u u1x", "\"\\uD800\\u1x\"", 12, false},
    {"string in array: pair u u1x", "[\"\\uD800\\u1x\"]", 14, false},
    {"string: newline raw", "\"a\012b\"", 5, false},
    {"string in array: newline raw", "[\"a\012b\"]", 7, false},
    {"string: tab raw", "\"\011\"", 3, false},
    {"string in array: tab raw", "[\"\011\"]", 5, false},
    {"string: nul raw", "\"a\000a\"", 5, false},
    {"string in array: nul raw", "[\"a\000a\"]", 7, false},
    {"string: carriage return raw", "\"\015\"", 3, false},
    {"string in array: carriage return raw", "[\"\015\"]", 5, false},
    {"string: unit separator raw", "\"\037\"", 3, false},
    {"string in array: unit separator raw", "[\"\037\"]", 5, false},
    {"string: escape raw", "\"\033[0m\"", 6, false},
    {"string in array: escape raw", "[\"\033[0m\"]", 8, false},
    {"string: no quotes", "abc", 3, false},
    {"string in array: no quotes", "[abc]", 5, false},
    {"string: leading escaped blank", "[\\u0020\"asd\"]", 13, false},
    {"string in array: leading escaped blank", "[[\\u0020\"asd\"]]", 15, false},
    {"string: text behind", "\"\"x", 3, false},
    {"string in array: text behind", "[\"\"x]", 5, false},
    {"string: two strings", "\"a\" \"b\"", 7, false},
    {"string in array: two strings", "[\"a\" \"b\"]", 9, false},
    {"string: continuation alone", "\"\200\"", 3, false},
    {"string in array: continuation alone", "[\"\200\"]", 5, false},
    {"string: continuation alone bf", "\"\277\"", 3, false},
    {"string in array: continuation alone bf", "[\"\277\"]", 5, false},
    {"string: byte ff", "\"\377\"", 3, false},
    {"string in array: byte ff", "[\"\377\"]", 5, false},
    {"string: byte fe", "\"\376\"", 3, false},
    {"string in array: byte fe", "[\"\376\"]", 5, false},
    {"string: lead of two alone", "\"\303\"", 3, false},
    {"string in array: lead of two alone", "[\"\303\"]", 5, false},
    {"string: lead of three alone", "\"\342\"", 3, false},
    {"string in array: lead of three alone", "[\"\342\"]", 5, false},
    {"string: lead of three and one", "\"\342\202\"", 4, false},
    {"string in array: lead of three and one", "[\"\342\202\"]", 6, false},
    {"string: lead of four alone", "\"\360\"", 3, false},
    {"string in array: lead of four alone", "[\"\360\"]", 5, false},
    {"string: lead of four and two", "\"\360\237\230\"", 5, false},
    {"string in array: lead of four and two", "[\"\360\237\230\"]", 7, false},
    {"string: overlong two", "\"\300\257\"", 4, false},
    {"string in array: overlong two", "[\"\300\257\"]", 6, false},
    {"string: overlong two c1", "\"\301\277\"", 4, false},
    {"string in array: overlong two c1", "[\"\301\277\"]", 6, false},
    {"string: overlong three", "\"\340\200\257\"", 5, false},
    {"string in array: overlong three", "[\"\340\200\257\"]", 7, false},
    {"string: overlong three high", "\"\340\237\277\"", 5, false},
    {"string in array: overlong three high", "[\"\340\237\277\"]", 7, false},
    {"string: overlong four", "\"\360\200\200\257\"", 6, false},
    {"string in array: overlong four", "[\"\360\200\200\257\"]", 8, false},
    {"string: overlong four high", "\"\360\217\277\277\"", 6, false},
    {"string in array: overlong four high", "[\"\360\217\277\277\"]", 8, false},
    {"string: five bytes", "\"\370\210\200\200\200\"", 7, false},
    {"string in array: five bytes", "[\"\370\210\200\200\200\"]", 9, false},
    {"string: six bytes", "\"\374\203\277\277\277\277\"", 8, false},
    {"string in array: six bytes", "[\"\374\203\277\277\277\277\"]", 10, false},
    {"string: surrogate in UTF-8", "\"\355\240\200\"", 5, false},
    {"string in array: surrogate in UTF-8", "[\"\355\240\200\"]", 7, false},
    {"string: low surrogate in UTF-8", "\"\355\260\200\"", 5, false},
    {"string in array: low surrogate in UTF-8", "[\"\355\260\200\"]", 7, false},
    {"string: pair in UTF-8", "\"\355\240\275\355\270\200\"", 8, false},
    {"string in array: pair in UTF-8", "[\"\355\240\275\355\270\200\"]", 10, false},
    {"string: above U+10FFFF", "\"\364\220\200\200\"", 6, false},
    {"string in array: above U+10FFFF", "[\"\364\220\200\200\"]", 8, false},
    {"string: f5", "\"\365\200\200\200\"", 6, false},
    {"string in array: f5", "[\"\365\200\200\200\"]", 8, false},
    {"string: latin 1", "\"\351\"", 3, false},
    {"string in array: latin 1", "[\"\351\"]", 5, false},
    {"string: bad continuation", "\"\342(\241\"", 5, false},
    {"string in array: bad continuation", "[\"\342(\241\"]", 7, false},
    {"string: bad continuation last", "\"\342\202(\"", 5, false},
    {"string in array: bad continuation last", "[\"\342\202(\"]", 7, false},
    {"string: two leads", "\"\303\303\"", 4, false},
    {"string in array: two leads", "[\"\303\303\"]", 6, false},
    {"string: good and bad", "\"\303\251\251\"", 5, false},
    {"string in array: good and bad", "[\"\303\251\251\"]", 7, false},
    {"string: sequence cut by the end", "\"\303", 2, false},
    {"string in array: sequence cut by the end", "[\"\303]", 4, false},
    {"string: sequence of four cut by the end", "\"\360\237\230", 4, false},
    {"string in array: sequence of four cut by the end", "[\"\360\237\230]", 6, false},
    {"structure: nothing", "", 0, false},
    {"structure: one blank", " ", 1, false},
    {"structure: only newlines", "\012\015\012", 3, false},
    {"structure: unclosed array", "[", 1, false},
    {"structure: unclosed array one", "[1", 2, false},
    {"structure: unclosed comma", "[1,", 3, false},
    {"structure: unclosed nested", "[[]", 3, false},
    {"structure: unclosed string in array", "[\"a", 3, false},
    {"structure: unclosed object", "{", 1, false},
    {"structure: unclosed key", "{\"a", 3, false},
    {"structure: unclosed after key", "{\"a\"", 4, false},
    {"structure: unclosed after colon", "{\"a\":", 5, false},
    {"structure: unclosed after value", "{\"a\":1", 6, false},
    {"structure: unclosed after comma", "{\"a\":1,", 7, false},
    {"structure: trailing comma", "[1,]", 4, false},
    {"structure: two trailing commas", "[1,,]", 5, false},
    {"structure: leading comma", "[,1]", 4, false},
    {"structure: only comma", "[,]", 3, false},
    {"structure: double comma", "[1,,2]", 6, false},
    {"structure: comma blank comma", "[1, ,2]", 7, false},
    {"structure: no comma", "[1 2]", 5, false},
    {"structure: no comma before object", "[1{}]", 5, false},
    {"structure: no comma before array", "[1[]]", 5, false},
    {"structure: no comma between strings", "[\"a\"\"b\"]", 8, false},
    {"structure: colon in array", "[\"a\":1]", 7, false},
    {"structure: colon for comma", "[1:2]", 5, false},
    {"structure: semicolon", "[1;2]", 5, false},
    {"structure: extra close", "[]]", 3, false},
    {"structure: extra close brace", "{}}", 3, false},
    {"structure: wrong close", "[}", 2, false},
    {"structure: wrong close object", "{]", 2, false},
    {"structure: crossed", "[{]}", 4, false},
    {"structure: crossed with value", "{\"a\":[1}]", 9, false},
    {"structure: close first", "]", 1, false},
    {"structure: brace first", "}", 1, false},
    {"structure: comma after array", "[],", 3, false},
    {"structure: value after value", "[][]", 4, false},
    {"structure: number after object", "{}1", 3, false},
    {"structure: text after array", "[1]x", 4, false},
    {"structure: star inside", "[*]", 3, false},
    {"structure: double array", "[[]],[]", 7, false},
    {"structure: two numbers", "1,5", 3, false},
    {"structure: object trailing comma", "{\"a\":1,}", 8, false},
    {"structure: object two commas", "{\"a\":1,,\"b\":2}", 14, false},
    {"structure: object leading comma", "{,\"a\":1}", 8, false},
    {"structure: object only comma", "{,}", 3, false},
    {"structure: no colon", "{\"a\" 1}", 7, false},
    {"structure: double colon", "{\"a\"::1}", 8, false},
    {"structure: comma for colon", "{\"a\",1}", 7, false},
    {"structure: no value", "{\"a\":}", 6, false},
    {"structure: no key", "{:1}", 4, false},
    {"structure: number key", "{1:1}", 5, false},
    {"structure: null key", "{null:1}", 8, false},
    {"structure: bare key", "{a:1}", 5, false},
    {"structure: single quoted key", "{'a':1}", 7, false},
    {"structure: array key", "{[]:1}", 6, false},
    {"structure: value only", "{\"a\"}", 5, false},
    {"structure: two values", "{\"a\":1 2}", 9, false},
    {"structure: missing comma", "{\"a\":1\"b\":2}", 12, false},
    {"structure: bracketed pair", "{[\"x\"]}", 7, false},
    {"structure: repeated null", "{null:null,null:null}", 21, false},
    {"structure: unquoted word", "[a]", 3, false},
    {"structure: True", "True", 4, false},
    {"structure: TRUE", "[TRUE]", 6, false},
    {"structure: tru", "tru", 3, false},
    {"structure: truth", "truth", 5, false},
    {"structure: nul", "nul", 3, false},
    {"structure: nulll", "nulll", 5, false},
    {"structure: fals", "fals", 4, false},
    {"structure: falsey", "[falsey]", 8, false},
    {"structure: undefined", "undefined", 9, false},
    {"structure: nan word", "[nan]", 5, false},
    {"structure: capital null", "NULL", 4, false},
    {"structure: none", "None", 4, false},
    {"structure: block comment", "[1/* x */]", 10, false},
    {"structure: line comment", "[1] // x", 8, false},
    {"structure: hash comment", "[1] # x", 7, false},
    {"structure: comment first", "/**/1", 5, false},
    {"structure: comment in object", "{\"a\":/*b*/1}", 12, false},
    {"structure: byte order mark", "\357\273\277{}", 5, false},
    {"structure: half a byte order mark", "\357\273{}", 4, false},
    {"structure: UTF-16 little", "[\000\"\000\"\000]\000", 8, false},
    {"structure: UTF-16 big", "\000[\000\"\000\"\000]", 8, false},
    {"structure: nul after", "[]\000", 3, false},
    {"structure: nul before", "\000[]", 3, false},
    {"structure: nul inside", "[\000]", 3, false},
    {"structure: form feed", "[\014]", 3, false},
    {"structure: vertical tab", "[\013]", 3, false},
    {"structure: no-break space", "[\302\240]", 4, false},
    {"structure: line separator", "[\342\200\250]", 5, false},
    {"structure: word joiner", "[\342\201\240]", 5, false},
    {"structure: bad byte alone", "\351", 1, false},
    {"structure: bad byte in array", "[\377]", 3, false},
    {"structure: ASCII escape outside", "[\\n]", 4, false},
    {"structure: angle brackets", "<.>", 3, false},
    {"structure: angle null", "[<null>]", 8, false},
    {"structure: open quote in object", "{\"a\":\"", 6, false},
    {"structure: backslash alone", "\\", 1, false},
    {"structure: minus word", "[-nan]", 6, false},
    {"structure: capital E alone", "E", 1, false},
    {"structure: many opens",
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
     300, false},
    {"structure: many object opens",
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":"
     "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\""
     "\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":",
     1200, false},
    {"structure: deep and wrong",
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]",
     1000, false},
    {"structure: template", "`a`", 3, false},
    {"structure: parentheses", "(1)", 3, false},
    {"structure: spread", "[...a]", 6, false},
    {"structure: equals", "{\"a\"=1}", 7, false},
    {"structure: percent", "%7B%7D", 6, false},
    {"structure: escaped object", "\\{\\}", 4, false},
};
/* clang-format on */

#endif
