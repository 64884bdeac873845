/* SPDX-License-Identifier: Apache-2.0
 * paint - the escape sequences, ECMA-48 8.3.117. */
#include "reports/text/paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct paint paint_for(FILE *out)
{
    static const struct paint plain = {"", "", "", "", ""};
    static const struct paint colours = {"\033[1m", "\033[2m", "\033[32m", "\033[1;31m", "\033[0m"};
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0')
        return plain;
    if (terminal == NULL || strcmp(terminal, "dumb") == 0 || !isatty(fileno(out)))
        return plain;
    return colours;
}
