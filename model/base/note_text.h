/* SPDX-License-Identifier: Apache-2.0
 * note_text - addresses and times in the notes of a node (probe.note).
 * The texts are for people and have three significant digits; nothing is computed from them. Every
 * text with a time uses note_time or words_time, because a count of microseconds with seven digits
 * is unreadable (tests/tidy.sh). */
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
