/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/format/tree_text.h"

/* Bytes of a character by its first byte; 0: no character begins so. */
static size_t length_by_first(unsigned char c)
{
    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c <= 0xDF)
        return 2;
    if ((c & 0xF0) == 0xE0)
        return 3;
    return c >= 0xF0 && c <= 0xF4 ? 4 : 0;
}

/* Bytes of the character at `at`, or 0: no surrogates, no overlong forms, nothing above U+10FFFF.
 * */
static size_t character_length(const unsigned char *at, size_t left)
{
    const unsigned char c = at[0];
    const size_t length = length_by_first(c);
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    const bool overlong = (c == 0xE0 && at[1] < 0xA0) || (c == 0xF0 && at[1] < 0x90);
    const bool outside = (c == 0xED && at[1] > 0x9F) || (c == 0xF4 && at[1] > 0x8F);
    return overlong || outside ? 0 : length;
}

static bool is_control(unsigned char c)
{
    return c < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

const char *tree_text_fault(const char *text, size_t size, struct diag_place *place)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t at = 0; at < size;) {
        const size_t length = character_length(bytes + at, size - at);
        if (length == 0)
            return "this is not UTF-8: expected a text file";
        if (is_control(bytes[at]))
            return "a control character: expected a text file";
        place->column = bytes[at] == '\n' ? 1 : place->column + 1;
        place->line += bytes[at] == '\n';
        at += length;
    }
    return NULL;
}
