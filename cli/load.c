/* SPDX-License-Identifier: Apache-2.0
 * load - loads the scenarios of a command line. */
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/library/settings.h"
#include "scenarios/load/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scenario *cli_load(const char *name, const char *const *sets, uint32_t set_count)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = library_load(name, sets, set_count, diag);
    diag_print(diag, stderr);
    free(diag);
    return scenario;
}

struct scenario *cli_load_changed(const struct cli_args *args)
{
    return cli_load_changed_as(args, args->operands[0]);
}

_Static_assert((int)CLI_SEED_BYTES >= (int)SETTINGS_SEED_BYTES, "the set is cut off");

bool cli_seed(const struct cli_args *args, char set[CLI_SEED_BYTES])
{
    const char *text = cli_value(args, "seed");
    char why[SETTINGS_WHY_BYTES];
    const bool well = settings_seed(text, set, why);
    if (!well)
        cli_error("--seed %s: %s", text, why);
    return well;
}

/* The seed becomes another --set, so that the database has a single list of changes. */
struct scenario *cli_load_changed_as(const struct cli_args *args, const char *name)
{
    uint32_t count;
    const char **given = cli_values(args, "set", &count);
    const char **sets = memory_zeroed(count + 1, sizeof *sets);
    char seed[CLI_SEED_BYTES];
    bool well = true;
    for (uint32_t i = 0; i < count; i++)
        sets[i] = given[i];
    if (cli_given(args, "seed")) {
        well = cli_seed(args, seed);
        sets[count++] = seed;
    }
    struct scenario *scenario = well ? cli_load(name, sets, count) : NULL;
    free(sets);
    return scenario;
}

bool cli_is_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof magic];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    const bool found =
        fread(head, sizeof head, 1, file) == 1 && memcmp(head, magic, sizeof magic) == 0;
    fclose(file);
    return found;
}
