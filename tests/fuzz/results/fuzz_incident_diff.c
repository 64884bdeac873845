/* SPDX-License-Identifier: Apache-2.0
 * fuzz_incident_diff - any bytes as the counters of an incident, beside those of a small run.
 * Reads: replay/compare/incident_diff.c */
#include "base/check.h"
#include "replay/compare/incident_diff.h"
#include "reports/text/incident_text.h"
#include "scenarios/format/json_tree.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct port_counters_port ports[] = {
    {.name = "host0:p0", .node = "host0", .of_switch = false, .first = 0, .count = 2},
    {.name = "leaf0:p1", .node = "leaf0", .of_switch = true, .first = 2, .count = 1}};
static struct port_counter values[] = {{COUNTER_TX_PRIO_PAUSE, 3, 1000},
                                       {COUNTER_NP_CNP_SENT, -1, 7},
                                       {COUNTER_RX_PRIO_BYTES, 3, INT64_MAX}};
static struct port_counters_key keys[] = {{"host0", 0}, {"host0:p0", 0}, {"leaf0:p1", 1}};
static const struct port_counters counters = {.ports = ports,
                                              .port_count = 2,
                                              .values = values,
                                              .value_count = 3,
                                              .keys = keys,
                                              .key_count = 3};

/* What is written of it is text, and JSON that can be read. */
static void tell(const struct incident_diff *diff, struct diag *diag)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    CHECK(out != NULL);
    incident_json(diff, out);
    CHECK(fclose(out) == 0);
    struct arena arena = {0};
    CHECK(json_tree(&arena, tree_hold(&arena, "out.json", text, length), NULL, diag) != NULL);
    arena_free(&arena);
    free(text);
    out = open_memstream(&text, &length);
    CHECK(out != NULL);
    incident_text(diff, true, out);
    CHECK(fclose(out) == 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    static const struct incident_map map = {"Ethernet0", "leaf0:p1"};
    struct arena arena = {0};
    const struct incident_diff_ask ask = {
        .file = "fuzz.json",
        .text = arena_text(&arena, size == 0 ? "" : (const char *)data, size),
        .length = size,
        .maps = &map,
        .map_count = 1,
        .lasted = size % 2 == 0 ? 0 : PS_PER_S,
        .run_lasted = PS_PER_MS,
    };
    struct incident_diff diff;
    diag = (struct diag){0};
    const bool good = incident_diff(&diff, &counters, &ask, &diag);
    CHECK(good == !diag_failed(&diag));
    CHECK(diff.agree <= diff.row_count);
    if (good)
        tell(&diff, &diag);
    incident_diff_free(&diff);
    arena_free(&arena);
    return 0;
}
