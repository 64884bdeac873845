/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include "base/check.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void script_add(struct script *script, unsigned indent, const char *format, ...)
{
    char text[SCRIPT_WIDTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CHECK(script->count < SCRIPT_LINES);
    snprintf(script->lines[script->count++], SCRIPT_WIDTH, "%*s%.*s", (int)indent, "",
             (int)(SCRIPT_WIDTH - 1 - indent), text);
}

static size_t depth(const struct script *script, unsigned line)
{
    return strspn(script->lines[line], " ");
}

unsigned script_span(const struct script *script, unsigned line)
{
    unsigned end = line + 1;
    while (end < script->count && depth(script, end) > depth(script, line))
        end++;
    return end - line;
}

void script_cut(struct script *script, unsigned line)
{
    const unsigned span = script_span(script, line);
    memmove(script->lines[line], script->lines[line + span],
            (script->count - line - span) * sizeof script->lines[0]);
    script->count -= span;
}

unsigned script_last_override(const struct script *script)
{
    unsigned last = UINT32_MAX;
    bool inside = false;
    for (unsigned i = 0; i < script->count; i++) {
        if (script->lines[i][2] != ' ')
            inside = strcmp(script->lines[i], "  overrides:") == 0;
        if (inside && strncmp(script->lines[i], "    - ", 6) == 0)
            last = i;
    }
    return last;
}

unsigned script_pairing_of(const struct script *script, unsigned line)
{
    if (strncmp(script->lines[line], "    to:", 7) != 0)
        return line;
    for (unsigned i = line + 1; i < script->count && script->lines[i][3] == ' '; i++)
        if (strncmp(script->lines[i], "    pairing:", 12) == 0)
            return i;
    return line;
}

void script_text(const struct script *script, char text[SCRIPT_BYTES])
{
    size_t used = 0;
    for (unsigned i = 0; i < script->count; i++)
        used += (size_t)snprintf(text + used, SCRIPT_BYTES - used, "%s\n", script->lines[i]);
    CHECK(used < SCRIPT_BYTES);
}

bool script_read(struct script *script, const char *text)
{
    script->count = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        if (script->count == SCRIPT_LINES || length >= SCRIPT_WIDTH)
            return false;
        snprintf(script->lines[script->count++], SCRIPT_WIDTH, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
    return true;
}
