/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bridge/bridge_options.h"

#include "base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bridge_options_complain(const char *what, const char *value, const char *expected)
{
    printable_say("stormglass-bridge", "%s %s: expected %s", what, value, expected);
    return CLI_USAGE;
}

/* Index of an option's value in a list terminated by NULL; `absent` if the option is not given; -1:
 * not in the list. */
static int find_word(const char *value, int absent, const char *const *words)
{
    if (value == NULL)
        return absent;
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

int bridge_options_address(const struct cli_args *args, const char *option,
                           struct nic_addresses *nics)
{
    char name[32];
    const char *value = cli_value(args, option);
    snprintf(name, sizeof name, "--%s", option);
    if (value == NULL || nic_addresses_read(value, nics))
        return CLI_DONE;
    return bridge_options_complain(name, value,
                                   "an IPv4 address, or several NICs' addresses separated by '+'");
}

int bridge_options_read(const struct cli_args *args, struct live_options *play)
{
    static const char *const roles[] = {"", "host", "target", "both", NULL};
    static const char *const depths[] = {"first", "tags", "full", NULL};
    const char *role = cli_value(args, "role"), *depth = cli_value(args, "verify");
    const int as = find_word(role, (int)play->role, roles);
    const int deep = find_word(depth, (int)play->depth, depths);
    if (as < 0 || (as == 0 && role != NULL))
        return bridge_options_complain("--role", role, "host, target or both");
    if (deep < 0)
        return bridge_options_complain("--verify", depth, "full, tags or first");
    play->role = (enum live_role)as;
    play->depth = (enum content_depth)deep;
    play->busy = cli_given(args, "busy-poll");
    return bridge_options_address(args, "address", &play->address);
}

/* Reads one or several addresses, separated by commas. */
static int read_allowed(const char *text, struct access *access)
{
    static const char *const expected =
        "IPv4 addresses such as 10.0.0.7 or 10.0.0.0/24, at most 64";
    while (*text != '\0') {
        char one[64];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof one || access->allowed_count == ACCESS_NETS_MAX)
            return bridge_options_complain("--allow", text, expected);
        memcpy(one, text, length);
        one[length] = '\0';
        if (!access_read_net(one, &access->allowed[access->allowed_count++]))
            return bridge_options_complain("--allow", one, expected);
        text += length + (text[length] == ',');
    }
    return CLI_DONE;
}

int bridge_options_access(const struct cli_args *args, bool secret, struct access *access)
{
    uint32_t count;
    char why[ACCESS_WHY_BYTES];
    const char **allowed = cli_values(args, "allow", &count);
    for (uint32_t i = 0; i < count; i++)
        if (read_allowed(allowed[i], access) != CLI_DONE)
            return CLI_USAGE;
    const char *path = secret ? cli_value(args, "secret") : NULL;
    const char *given = secret ? getenv("STORMGLASS_SECRET") : NULL;
    if (path != NULL && !access_read_secret(access, path, why)) {
        printable_say("stormglass-bridge", "--secret: %s", why);
        return CLI_USAGE;
    }
    if (path == NULL && given != NULL && !access_set_secret(access, given, strlen(given), why)) {
        printable_say("stormglass-bridge", "STORMGLASS_SECRET: %s", why);
        return CLI_USAGE;
    }
    return CLI_DONE;
}
