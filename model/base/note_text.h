/* SPDX-License-Identifier: Apache-2.0
 * note_text - addresses and times in what a node notes (probe.note).
 * For people: three digits of a time or a size.  Nothing is computed from them.  Every text that
 * has a time in it takes it from here, or from words_time: a number of microseconds that has seven
 * digits is unreadable (tests/tidy.sh). */
#ifndef STORMGLASS_BASE_NOTE_TEXT_H
#define STORMGLASS_BASE_NOTE_TEXT_H

#include "base/units.h"

struct note_text {
    char text[32];
};

struct note_text note_ip(uint32_t ip);      /* 10.0.0.1 */
struct note_text note_time(time_ps time);   /* 67.1 ms; 0 or more */
struct note_text note_size(uint64_t bytes); /* 4096 B, 1 MiB, 1.5 GiB */

#endif
