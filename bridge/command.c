/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/command.h"

#include <stdio.h>
#include <string.h>

int command_complain(const char *what, const char *value, const char *expected)
{
    fprintf(stderr, "stormglass-bridge: %s %s: expected %s\n", what, value, expected);
    return USAGE;
}

int command_word(const char *text, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}
