/* SPDX-License-Identifier: Apache-2.0
 * words - numbers for people to read.
 * Three or four significant digits and the unit that suits them: 3.81 ms, 97.2 Gb/s, 64.0 KiB, 1.23
 * M.  For reading only: what is computed or compared stays an integer. */
#ifndef STORMGLASS_REPLAY_DATABASE_WORDS_H
#define STORMGLASS_REPLAY_DATABASE_WORDS_H

#include "base/units.h"

#include <stddef.h>
#include <stdint.h>

enum { WORDS_BYTES = 32 };

struct words {
    char text[WORDS_BYTES];
};

/* Without its fraction, and the nearest that there is of what no integer holds: a damaged database
 * says anything.  Not a number: 0. */
int64_t words_whole(double value);

struct words words_time(time_ps time);
struct words words_rate(double bps);
struct words words_bytes(int64_t bytes);
struct words words_count(int64_t count); /* 1,234,567 */
struct words words_short(double value);  /* 1.23 M */
struct words words_percent(double part, double whole);

/* Bytes of the text that fit into `most`, up to the end of a clause ("; " or ", "), or else of a
 * word; all of it, where it fits, and `most` where it has neither. */
size_t words_fit(const char *text, size_t most);

#endif
