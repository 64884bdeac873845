/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/command.h"

#include "base/printable.h"

#include <stdio.h>
#include <string.h>

int command_complain(const char *what, const char *value, const char *expected)
{
    char shown[1024];
    printable_copy(shown, sizeof shown, value);
    fprintf(stderr, "stormglass-bridge: %s %s: expected %s\n", what, shown, expected);
    return USAGE;
}

/* Index of the word in a list that NULL ends, or -1. */
static int find(const char *text, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

int command_role(const char *value, enum play_role *role)
{
    static const char *const roles[] = {"host", "target", "both", NULL};
    const int found = find(value, roles);
    *role = (enum play_role)(found + 1);
    return found < 0 ? command_complain("--role", value, "host, target or both") : DONE;
}

int command_depth(const char *value, enum content_depth *depth)
{
    static const char *const depths[] = {"first", "tags", "full", NULL};
    const int found = find(value, depths);
    *depth = (enum content_depth)found;
    return found < 0 ? command_complain("--verify", value, "full, tags or first") : DONE;
}
