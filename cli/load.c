/* SPDX-License-Identifier: Apache-2.0
 * load - scenarios of a command line. */
#include "base/memory.h"
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

/* The seed is one more --set, so that the database knows one list of changes. */
struct scenario *cli_load_changed_as(const struct cli_args *args, const char *name)
{
    uint32_t count;
    const char **given = cli_values(args, "set", &count);
    const char **sets = memory_zeroed(count + 1, sizeof *sets);
    char seed[64];
    for (uint32_t i = 0; i < count; i++)
        sets[i] = given[i];
    if (cli_given(args, "seed")) {
        snprintf(seed, sizeof seed, "seed=%s", cli_value(args, "seed"));
        sets[count++] = seed;
    }
    struct scenario *scenario = cli_load(name, sets, count);
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
