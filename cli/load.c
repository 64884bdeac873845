/* SPDX-License-Identifier: Apache-2.0
 * load - loads the scenarios of a command line. */
#include "base/memory.h"
#include "base/quantity.h"
#include "cli/cli.h"
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

bool cli_seed(const struct cli_args *args, char set[CLI_SEED_BYTES])
{
    const char *text = cli_value(args, "seed");
    char why[QUANTITY_WHY_BYTES];
    int64_t seed;
    if (!quantity_parse(QUANTITY_INT, text, &seed, why))
        cli_error("--seed: %s", why);
    else if (seed < 0)
        cli_error("--seed %s: expected a whole number from 0 to %lld", text, (long long)INT64_MAX);
    else
        return snprintf(set, CLI_SEED_BYTES, "seed=%lld", (long long)seed) > 0;
    return false;
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
