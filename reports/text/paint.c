/* SPDX-License-Identifier: Apache-2.0
 * paint - the escape sequences, ECMA-48 8.3.117. */
#include "reports/text/paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum paint_mode mode;

void paint_set(enum paint_mode to)
{
    mode = to;
}

static bool has_color(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (mode != PAINT_AUTO)
        return mode == PAINT_ALWAYS;
    if (no_color != NULL && no_color[0] != '\0')
        return false;
    return terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(fileno(out)) == 1;
}

void paint_settle(FILE *out)
{
    mode = has_color(out) ? PAINT_ALWAYS : PAINT_NEVER;
}

struct paint paint_for(FILE *out)
{
    static const struct paint plain = {"", "", "", "", ""};
    static const struct paint colours = {"\033[1m", "\033[2m", "\033[32m", "\033[1;31m", "\033[0m"};
    return has_color(out) ? colours : plain;
}
