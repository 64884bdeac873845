/* SPDX-License-Identifier: Apache-2.0
 * printable - text that a terminal shows and does not obey.
 * Names and sentences may come from anybody: a character that controls the terminal, breaks the
 * line, turns the direction of writing (Unicode UAX #9) or is no UTF-8 becomes \x1b, \u202e or
 * \U000e0001. */
#ifndef STORMGLASS_BASE_PRINTABLE_H
#define STORMGLASS_BASE_PRINTABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of the first character, and its code; 0: the first byte begins none (RFC 3629). */
size_t printable_utf8(const char *text, uint32_t *code);
/* Reads the first character of a text of `size` bytes, at least one, which need not end with a
 * NUL. */
size_t printable_utf8_within(const char *text, size_t size, uint32_t *code);

/* Whether a character is shown as it is. */
bool printable_is_shown(uint32_t code);

/* Bytes of ASCII at the begin that are shown as they are, up to any of `but`. */
size_t printable_plain(const char *text, const char *but);

/* Whether a text is one line, and printable as it is. */
bool printable_is(const char *text);

/* The first character that is not: its code, or its byte where it is no UTF-8; 0: there is none. */
uint32_t printable_fault(const char *text);

/* Copies up to size - 1 bytes, whole characters and escapes, and a NUL. */
void printable_copy(char *to, size_t size, const char *text);

/* A copy of the whole text, with escapes; `lines`: line ends and tabs stay.  Owner: free(). */
char *printable_new(const char *text, bool lines);

/* "BEFORE: sentence" on stderr, as one line; what is longer than 4 KB is cut. */
void printable_say(const char *before, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void printable_say_list(const char *before, const char *format, va_list arguments);

#endif
