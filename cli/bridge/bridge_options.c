/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bridge/bridge_options.h"

#include "base/printable.h"

#include <stdio.h>
#include <string.h>

int bridge_options_complain(const char *what, const char *value, const char *expected)
{
    printable_say("stormglass-bridge", "%s %s: expected %s", what, value, expected);
    return CLI_USAGE;
}

/* Index of an option's value in a list that NULL ends, `absent` when it is not given, or -1. */
static int find(const char *value, int absent, const char *const *words)
{
    if (value == NULL)
        return absent;
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

int bridge_options_address(const struct cli_args *args, const char *option,
                           struct places_nics *nics)
{
    char name[32];
    const char *value = cli_value(args, option);
    snprintf(name, sizeof name, "--%s", option);
    if (value == NULL || places_read_nics(value, nics))
        return CLI_DONE;
    return bridge_options_complain(
        name, value, "an IPv4 address, or those of several NICs with '+' between them");
}

int bridge_options_read(const struct cli_args *args, struct play_options *play)
{
    static const char *const roles[] = {"", "host", "target", "both", NULL};
    static const char *const depths[] = {"first", "tags", "full", NULL};
    const char *role = cli_value(args, "role"), *depth = cli_value(args, "verify");
    const int as = find(role, (int)play->role, roles);
    const int deep = find(depth, (int)play->depth, depths);
    if (as < 0 || (as == 0 && role != NULL))
        return bridge_options_complain("--role", role, "host, target or both");
    if (deep < 0)
        return bridge_options_complain("--verify", depth, "full, tags or first");
    play->role = (enum play_role)as;
    play->depth = (enum content_depth)deep;
    play->busy = cli_given(args, "busy-poll");
    return bridge_options_address(args, "address", &play->address);
}
