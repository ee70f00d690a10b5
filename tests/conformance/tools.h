/* tools.h - the functions at home that scenarios may call.
 *
 * echo           replies its argument, byte for byte
 * add            {a, b}: replies the sum
 * fail           {message, name?, code?, data?}: rejects with it
 * slow           {ms, value?}: replies value later
 * never          no answer
 * nope           replies no JSON text, which must be refused; rejects with "raw-nope"
 * big            {n}: replies a string of n times "x"
 * deep           {n}: replies n arrays, one in the other
 * nothing        replies undefined
 * held           {ms, then?}: held for ms, resumed; replies "approved" then ms later
 * denied         {ms}: held for ms, then rejected
 * twice          replies 1, and once more, which must be refused
 * count          replies how often it was called in this run
 * defect         a defect at home, of which the program is told nothing
 * answer TEXT    replies TEXT, which stands in the expect file
 *
 * What the library refuses as an answer is rejected with its own words and code "refused".
 */
#ifndef CONFORMANCE_TOOLS_H
#define CONFORMANCE_TOOLS_H

#include "scenario.h"

#include <stdio.h>

struct desk;

/* notes: where a line goes when the library accepts what it must refuse. */
struct desk *desk_new(const struct scenario *scenario, errand_run *run, FILE *notes);
void desk_free(struct desk *desk);
void desk_call(struct desk *desk, const errand_event *event, int64_t now_us);
/* The call's answer is no longer wanted. */
void desk_over(struct desk *desk, uint64_t call);
int64_t desk_due(const struct desk *desk);
void desk_tick(struct desk *desk, int64_t now_us);

#endif
