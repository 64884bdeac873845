/* SPDX-License-Identifier: Apache-2.0
 * printable - text that is safe to print on a terminal.
 * Names and sentences may come from untrusted sources. A character that controls the terminal,
 * breaks the line, changes the text direction (Unicode UAX #9) or is not valid UTF-8 becomes \x1b,
 * \u202e or \U000e0001. */
#ifndef STORMGLASS_BASE_PRINTABLE_H
#define STORMGLASS_BASE_PRINTABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the number of bytes of the first character and sets its code point; 0: the first byte
 * starts no valid character (RFC 3629). */
size_t printable_utf8(const char *text, uint32_t *code);
/* Like printable_utf8, for a text of `size` bytes (at least one) that need not be terminated by a
 * NUL. */
size_t printable_utf8_within(const char *text, size_t size, uint32_t *code);

/* Whether a character is printed unchanged. */
bool printable_is_shown(uint32_t code);

/* Length of the leading ASCII characters that are printed unchanged, up to any character of
 * `but`. */
size_t printable_plain(const char *text, const char *but);

/* Whether a text is a single line and is printed unchanged. */
bool printable_is(const char *text);

/* The first unprintable character: its code point, or its byte where the text is not UTF-8; 0:
 * none. */
uint32_t printable_fault(const char *text);

/* Copies whole characters and escapes, up to size - 1 bytes, and a NUL. */
void printable_copy(char *to, size_t size, const char *text);

/* Copies the whole text with escapes; `lines`: keeps line ends and tabs. Owner: free(). */
char *printable_new(const char *text, bool lines);

/* Prints with escapes; lines and tabs are kept. Truncated at 2 KB. */
void printable_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "BEFORE: sentence" on stderr as one line, truncated at 4 KB. */
void printable_say(const char *before, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void printable_say_list(const char *before, const char *format, va_list arguments);

#endif
