/* fake.h - a place that is made up, for testing what a harness does when a run goes wrong.
 *
 * Nothing is started: the far side follows a script in plain text, one step a line. Together
 * with a loop in made-up time, a test of an hour of silence takes a millisecond and ends the
 * same way every time. docs/fake.md explains the script with examples; in short:
 *
 *     hello                        the runner speaks; MARK is known from the launch line
 *     log info about to ask
 *     call 1 0 0 {"city":"Turin"}  id, namespace, function, argument
 *     await reply 1                goes on when home has answered
 *     +20ms                        waits
 *     done ok {"degrees":21}
 *
 * A script needs to say only what is odd: a fake leaves when it is asked to, dies when it is
 * told to, answers pings, and is cleared up when that is ordered.
 */
#ifndef ERRAND_FAKE_H
#define ERRAND_FAKE_H

#include <errand/errand.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A loop in made-up time: it begins at 0 and jumps to the next instant at which something is
 * due instead of sleeping, at most to the end of the timeout that errand_loop_next() was given.
 * Only fake places, and roads of your own that live by errand_loop's clock, make sense on it. */
ERRAND_API errand_status errand_fake_loop_new(errand_loop **out, errand_error *err) ERRAND_CHECKED;

/* A place whose far side follows the script; script is copied. Each run starts the script anew.
 * Works on a loop in made-up time and on a real one. EINVAL: the script makes no sense; the
 * error names the line.
 *
 * Steps, one a line, in order. Blank lines and lines that begin with # are skipped. TIME is a
 * number and us, ms, s, m or h. TEXT is the rest of the line. BYTES stands in double quotes
 * with \n \r \t \" \\ \xHH, and \M for the run's mark. PAYLOAD is a JSON text, sent as it
 * is, or: text "BYTES" times N, a JSON string that repeats BYTES.
 *
 *   What the runner says
 *     hello [PAYLOAD]                 the first word; without PAYLOAD a sensible one
 *     log LEVEL TEXT|"BYTES"|PAYLOAD in the text form
 *     call ID SPACE FUNCTION [PAYLOAD]   ID: a number, or next
 *     need NAME | beat N | stats PAYLOAD | item PAYLOAD | left TOTAL PID NAME
 *     done ok [PAYLOAD] | done error PAYLOAD
 *     want | fail CODE [TEXT]         in place of hello
 *     frame WORDS [| PAYLOAD]         any header (MARK: the mark); the size is added
 *   What else comes out of a process
 *     raw "BYTES" [times N]           stdout, as it is
 *     banner TEXT                     a line of stdout
 *     noise TEXT | "BYTES" [times N]  a line, or bytes, of stderr
 *     flood N SIZE                    N logs of SIZE bytes; no memory is taken for them
 *     echo launch                     the launch line on stdout, as set -x would
 *   Waiting
 *     +TIME [STEP]                    waits, then goes on with STEP
 *     await boot|stop|ping|asset|term|kill
 *     await reply ID|last [ok|error [PAYLOAD]]   with PAYLOAD: another one loses the road
 *     await input N                   home has sent N bytes
 *     hang                            nothing more is done
 *     repeat N ... end                at most 8 deep; the body has to say or wait something
 *   Endings
 *     eof                             end of stdout
 *     exit CODE | killed SIGNAL       end of stdout, unless the pipe is held, and the process
 *     lose [TEXT]                     the road is lost
 *   The way to it
 *     drop [TEXT]                     it breaks: nothing passes, and what the process says is kept
 *     attach                          it is found again, and what was kept is said
 *   How things go from here on
 *     cut N [every TIME] | cut at N | cut off    output in chunks of N bytes, or cut at byte N
 *     take N [every TIME] | take all | deaf      how much input is accepted at a time
 *     hold pipe                       exit without end of stdout
 *     ignore stop|term|kill|ping
 *     leave after TIME | die after TIME    how long the answer to stop, or to TERM, takes
 *     never close | close after TIME | close warns TEXT
 *     start                           the process runs only from here on, not from the launch
 *   The place, on any line
 *     open after TIME | open fails TEXT | refuse TEXT (a launch fails) | lease TIME
 *     delivery file|stdin
 *     reattaches                      its ways may break: both streams go in segments. A drop or an
 *                                     attach anywhere says so too
 *     next run                        what follows is for the next run, and the last part for
 *                                     all further ones
 *
 * Where the script awaits stop, term or kill, their answer is the script's business. At the end
 * of the script the process stays, silent. What home sends is read as the protocol says; what
 * breaks it, or an answer that was not asked for, loses the road with a text that says so. */
ERRAND_API errand_status errand_fake_place_open(errand_place **out, errand_loop *loop,
                                                const char *script,
                                                errand_error *err) ERRAND_CHECKED;

#ifdef __cplusplus
}
#endif

#endif
