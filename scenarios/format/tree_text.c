/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/format/tree_text.h"

#include "base/printable.h"

static bool is_control(uint32_t code)
{
    return code < 0x20 && code != '\t' && code != '\n' && code != '\r';
}

const char *tree_text_fault(const char *text, size_t size, struct diag_place *place)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        const size_t length = printable_utf8_within(text + at, size - at, &code);
        if (length == 0)
            return "this is not UTF-8: expected a text file";
        if (is_control(code))
            return "a control character: expected a text file";
        place->column = code == '\n' ? 1 : place->column + 1;
        place->line += code == '\n';
        at += length;
    }
    return NULL;
}
