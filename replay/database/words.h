/* SPDX-License-Identifier: Apache-2.0
 * words - formats numbers for people to read.
 * Three or four significant digits and a suitable unit: 3.81 ms, 97.2 Gb/s, 64.0 KiB, 1.23 M. For
 * output only: computed or compared values remain integers. */
#ifndef STORMGLASS_REPLAY_DATABASE_WORDS_H
#define STORMGLASS_REPLAY_DATABASE_WORDS_H

#include "base/units.h"

#include <stddef.h>
#include <stdint.h>

enum { WORDS_BYTES = 32 };

struct words {
    char text[WORDS_BYTES];
};

/* Truncated to an integer and clamped to its range, because a damaged database may contain any
 * value. NaN becomes 0. */
int64_t words_whole(double value);

struct words words_time(time_ps time);
struct words words_rate(double bps);
struct words words_bytes(int64_t bytes);
struct words words_count(int64_t count); /* 1,234,567 */
struct words words_short(double value);  /* 1.23 M */
struct words words_percent(double part, double whole);

/* Number of bytes of the text that fit into `most`, up to the end of a clause ("; " or ", ") or
 * else of a word. All of it if it fits; `most` if there is neither. */
size_t words_fit(const char *text, size_t most);

#endif
