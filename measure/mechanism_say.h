/*
 * mechanism_say: the sentences of the mechanisms, with the numbers that they
 * rest on.
 *
 * Each is for a rule whose evidence is there (mechanism.h).  A number beyond
 * the evidence that is not known is left out with its clause.  Plain ASCII
 * without a line's end, at most size - 1 bytes; size >= 1.
 *
 * Pure.
 */
#ifndef MEASURE_MECHANISM_SAY_H
#define MEASURE_MECHANISM_SAY_H

#include <stddef.h>

struct mechanism_input;

void mechanism_say_window_below_segment(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_send_buffer_below_two(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_receiver_limited(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_send_buffer_small(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_paced(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_one_cpu(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_contended(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_loss(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_spurious(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_small_segments(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_application_limited(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_stopped(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_cpu_taken(const struct mechanism_input *in, char *text, size_t size);
void mechanism_say_timer(const struct mechanism_input *in, char *text, size_t size);

#endif
