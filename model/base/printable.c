/* SPDX-License-Identifier: Apache-2.0 */
#include "base/printable.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE_BYTES = 11 }; /* "\U000e0001" and a NUL */

size_t printable_utf8(const char *text, uint32_t *code)
{
    return printable_utf8_within(text, 4, code); /* bytes after a NUL are not read */
}

size_t printable_utf8_within(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) {
        *code = at[0];
        return 1;
    }
    const size_t bytes = at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (at[0] < 0xC2 || at[0] > 0xF4 || bytes > size)
        return 0;
    uint32_t value = at[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3Fu);
    }
    if (value < least[bytes] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code = value;
    return bytes;
}

bool printable_is_shown(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0, 0x1F},          {0x7F, 0x9F},     /* control characters */
        {0x61C, 0x61C},     {0x200E, 0x200F}, /* bidirectional control */
        {0x2028, 0x202E},   {0x2066, 0x2069}, /* line ends, bidirectional control */
        {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB}, /* no glyph */
        {0xE0000, 0xE007F},
    };
    if (code >= ' ' && code <= '~')
        return true;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return false;
    return true;
}

size_t printable_plain(const char *text, const char *but)
{
    size_t length = 0;
    while (text[length] >= ' ' && text[length] <= '~' && strchr(but, text[length]) == NULL)
        length++;
    return length;
}

struct character {
    uint32_t code;
    size_t bytes;
    bool valid; /* false: a single byte that starts no UTF-8 character */
};

static struct character take_character(const char *text)
{
    struct character c = {.valid = true};
    c.bytes = printable_utf8(text, &c.code);
    return c.bytes > 0 ? c : (struct character){(unsigned char)text[0], 1, false};
}

static bool is_kept(struct character c, bool lines)
{
    return c.valid && (printable_is_shown(c.code) || (lines && (c.code == '\n' || c.code == '\t')));
}

uint32_t printable_fault(const char *text)
{
    while (*text != '\0') {
        const struct character c = take_character(text);
        if (!is_kept(c, false))
            return c.code;
        text += c.bytes;
    }
    return 0;
}

bool printable_is(const char *text)
{
    return printable_fault(text) == 0;
}

/* Writes a character in its printed form; returns the number of bytes. */
static size_t format_character(char out[ESCAPE_BYTES], const char *text, struct character c,
                               bool lines)
{
    if (is_kept(c, lines)) {
        memcpy(out, text, c.bytes);
        return c.bytes;
    }
    const char *format = !c.valid || c.code < 0x80 ? "\\x%02x"
                         : c.code < 0x10000        ? "\\u%04x"
                                                   : "\\U%08x";
    return (size_t)snprintf(out, ESCAPE_BYTES, format, (unsigned)c.code);
}

static size_t copy(char *to, size_t size, const char *text, bool lines)
{
    size_t used = 0;
    while (*text != '\0') {
        char out[ESCAPE_BYTES];
        const struct character c = take_character(text);
        const size_t length = format_character(out, text, c, lines);
        if (used + length >= size)
            break;
        memcpy(to + used, out, length);
        used += length;
        text += c.bytes;
    }
    to[used] = '\0';
    return used;
}

void printable_copy(char *to, size_t size, const char *text)
{
    CHECK(size > 0);
    copy(to, size, text, false);
}

char *printable_new(const char *text, bool lines)
{
    const size_t room = strlen(text) * (ESCAPE_BYTES - 1) + 1;
    char *all = memory_new(room);
    const size_t used = copy(all, room, text, lines);
    return memory_resized(all, used + 1, 1);
}

void printable_print(FILE *out, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *shown = printable_new(text, true);
    fputs(shown, out);
    free(shown);
}

__attribute__((format(printf, 2, 0))) void printable_say_list(const char *before,
                                                              const char *format, va_list arguments)
{
    char text[4096], shown[sizeof text];
    vsnprintf(text, sizeof text, format, arguments);
    printable_copy(shown, sizeof shown, text);
    fprintf(stderr, "%s: %s\n", before, shown);
}

void printable_say(const char *before, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printable_say_list(before, format, arguments);
    va_end(arguments);
}
