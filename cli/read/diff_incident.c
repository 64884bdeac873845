/* SPDX-License-Identifier: Apache-2.0
 * diff_incident - stormglass diff of an incident's counters and a run. */
#include "cli/read/diff_incident.h"

#include "base/memory.h"
#include "base/quantity.h"
#include "replay/database/stored.h"
#include "reports/text/incident_text.h"

#include <stdlib.h>
#include <string.h>

/* A run database begins with SQLite's name. */
bool diff_is_incident(const char *path)
{
    char head[16] = "";
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return false;
    const size_t length = fread(head, 1, sizeof head, in);
    fclose(in);
    size_t first = 0;
    while (first < length && strchr(" \t\r\n", head[first]) != NULL && head[first] != '\0')
        first++;
    return first < length && head[first] == '{';
}

/* Splits "A=B"; the caller frees the texts. */
static bool read_maps(const struct cli_args *args, struct incident_map *maps, char **texts)
{
    uint32_t count;
    const char **given = cli_values(args, "map", &count);
    for (uint32_t i = 0; i < count; i++) {
        texts[i] = memory_text(given[i]);
        char *equals = strchr(texts[i], '=');
        if (equals == NULL || equals == texts[i] || equals[1] == '\0') {
            cli_error("diff: --map %s: expected PORT=NODE:pN", given[i]);
            return false;
        }
        *equals = '\0';
        maps[i] = (struct incident_map){texts[i], equals + 1};
    }
    return true;
}

static bool read_lasted(const struct cli_args *args, time_ps *lasted)
{
    char why[QUANTITY_WHY_BYTES];
    const char *text = cli_value(args, "lasted");
    *lasted = 0;
    if (text == NULL)
        return true;
    if (quantity_parse(QUANTITY_TIME, text, lasted, why) && *lasted > 0)
        return true;
    cli_error("diff: --lasted %s: %s", text, *lasted == 0 ? "expected a time above 0" : why);
    return false;
}

static int compare(const struct cli_args *args, struct store *store,
                   const struct incident_diff_ask *given)
{
    struct incident_diff_ask ask = *given;
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct port_counters counters;
    struct incident_diff diff;
    int code = CLI_USAGE;
    ask.run_lasted = store_ask_int(store, "SELECT simulated_ps FROM meta", 0);
    port_counters_load(&counters, store);
    if (incident_diff(&diff, &counters, &ask, diag)) {
        if (cli_given(args, "json"))
            incident_json(&diff, stdout);
        else if (cli_given(args, "csv"))
            incident_csv(&diff, stdout);
        else
            incident_text(&diff, cli_given(args, "all"), stdout);
        const bool agrees = diff.agree == diff.row_count && !incident_diff_is_empty(&diff);
        code = agrees ? CLI_DONE : CLI_BROKEN;
    }
    diag_print(diag, stderr);
    incident_diff_free(&diff);
    port_counters_free(&counters);
    free(diag);
    return code;
}

static int open_and_compare(const struct cli_args *args, const struct incident_diff_ask *ask)
{
    char error[STORE_ERROR_BYTES];
    struct store *store = stored_open(args->operands[1], error);
    if (store == NULL) {
        cli_error("%s: %s", args->operands[1], error);
        return CLI_USAGE;
    }
    const int code = compare(args, store, ask);
    store_close(store);
    return code;
}

int diff_incident(const struct cli_args *args)
{
    uint32_t count;
    cli_values(args, "map", &count);
    struct incident_map *maps = memory_zeroed(count, sizeof *maps);
    char **texts = memory_zeroed(count, sizeof *texts);
    struct incident_diff_ask ask = {.file = args->operands[0], .maps = maps, .map_count = count};
    int code = CLI_USAGE;
    if (read_maps(args, maps, texts) && read_lasted(args, &ask.lasted))
        code = open_and_compare(args, &ask);
    for (uint32_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
    free(maps);
    return code;
}
