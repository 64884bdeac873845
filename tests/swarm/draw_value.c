/* SPDX-License-Identifier: Apache-2.0 */
#include "draw_value.h"

#include "base/quantity.h"
#include "cli/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the row's name, or by its table and name; the first that fits holds.  NULL: the row's own. */
static const struct narrow {
    const char *where, *name, *least, *most;
} narrower[] = {
    {NULL, "hosts", "2", "8"},
    {NULL, "leaves", "2", "3"},
    {NULL, "spines", "1", "3"},
    {NULL, "hosts-per-leaf", "1", "4"},
    {NULL, "k", "2", "4"},
    {"fabric.host-links", "rate", "5Gbps", "400Gbps"},
    {"fabric.host-links", "length", NULL, "2km"},
    {"fabric.host-links", "delay", NULL, "20us"},
    {"fabric.host-links", "fec-latency", NULL, "2us"},
    {"fabric.host-links", "pfc-response", NULL, "20us"},
    {"fabric.host-links", "pfc-refresh", NULL, "500us"},
    {"fabric.switch", "ports", "1", "8"},
    {"fabric.switch", "buffer", "200KB", "16MiB"},
    {"fabric.switch", "latency", NULL, "5us"},
    {"fabric.switch", "watchdog-detection", NULL, "200ms"},
    {"fabric.switch", "watchdog-restoration", NULL, "200ms"},
    {"fabric.switch", "watchdog-poll", NULL, "100ms"},
    {"fabric.switch", "watchdog-start", NULL, "100ms"},
    {"fabric.switch", "watchdog-jitter", NULL, "100ms"},
    {"fabric.routing", "detection", NULL, "300us"},
    {"fabric.routing", "convergence", NULL, "400us"},
    {"hosts.defaults.rnic", "timeout", "5", "9"},
    {"hosts.defaults.rnic", "min-rnr-timer", "1", "16"},
    {"hosts.defaults.rnic", "ttl", "3", NULL},
    {"hosts.defaults.rnic", "cm-timeout", "200us", "3ms"},
    {"hosts.defaults.rnic", "cm-retries", "1", NULL},
    {"hosts.defaults.rnic", "drain", NULL, "500Gbps"},
    {"hosts.defaults.rnic", "pfc-watchdog", NULL, "1ms"},
    {"hosts.defaults.rnic", "tx-delay", NULL, "10us"},
    {"hosts.defaults.rnic", "rx-delay", NULL, "10us"},
    {"hosts.defaults.rnic", "read-delay", NULL, "10us"},
    {"hosts.defaults.rnic", "tick-interval", "100us", "10ms"},
    {"hosts.defaults.rnic", "timer-tick", NULL, "4ms"},
    {"hosts.defaults.tcp", "rto-max", "1ms", "100ms"},
    {"hosts.defaults.tcp", "rto-min", "100us", "20ms"},
    {"hosts.defaults.tcp", "rto-initial", "200us", "20ms"},
    {"hosts.defaults.tcp", "timer-slack", NULL, "5ms"},
    {"hosts.defaults.tcp", "delayed-ack", NULL, "40ms"},
    {"hosts.defaults.tcp", "interrupt-delay", NULL, "100us"},
    {"hosts.defaults.tcp", "interrupt-cost", NULL, "10us"},
    {"hosts.defaults.tcp", "rx-batch-cost", NULL, "10us"},
    {"hosts.defaults.tcp", "rx-segment-cost", NULL, "2us"},
    {"hosts.defaults.tcp", "tx-batch-cost", NULL, "10us"},
    {"hosts.defaults.tcp", "copy-cost", NULL, "2us"},
    {"hosts.defaults.nvme", "queues", "1", "4"},
    {"hosts.defaults.nvme", "keep-alive", "1ms", "20ms"},
    {"hosts.defaults.nvme", "io-timeout", "1ms", "20ms"},
    {"hosts.defaults.nvme", "admin-timeout", "1ms", "20ms"},
    {"hosts.defaults.nvme", "reconnect-delay", "50us", "2ms"},
    {"hosts.defaults.nvme", "ctrl-loss-tmo", NULL, "30ms"},
    {"hosts.defaults.nvme", "fast-io-fail-tmo", NULL, "10ms"},
    {"hosts.defaults.nvme", "submit-cost", NULL, "10us"},
    {"hosts.defaults.nvme", "complete-cost", NULL, "10us"},
    {"hosts.defaults.nvme", "iscsi-connections", NULL, "4"},
    {"hosts.defaults.nvme", "iscsi-first-burst", NULL, "64KiB"},
    {"hosts.defaults.nvme", "iscsi-max-burst", "64KiB", NULL},
    {"hosts.defaults.nvme", "iscsi-submit-cost", NULL, "10us"},
    {"hosts.defaults.nvme", "iscsi-complete-cost", NULL, "10us"},
    {"hosts.defaults.target", "iscsi-first-burst", NULL, "64KiB"},
    {"hosts.defaults.target", "iscsi-max-burst", "64KiB", NULL},
    {"hosts.defaults.target", "cores", "1", "8"},
    {"hosts.defaults.target", "command-cost", NULL, "10us"},
    {"hosts.defaults.target", "queue-budget", "4", "64"},
    {"hosts.defaults.target", "data-wr-pool", NULL, "8"},
    {"hosts.defaults.target", "receive-queue", NULL, "24"},
    {"hosts.defaults.target", "shared-receives", NULL, "24"},
    {"hosts.targets.namespaces", "count", "1", "4"},
    {"hosts.targets.namespaces", "drives", "2", "6"},
    {"faults{kind: drive-failed}", "namespace", "1", "2"},
    {"faults{kind: drive-failed}", "drive", "0", "3"},
    {"faults{kind: silent-corruption}", "namespace", "1", "2"},
    {"faults{kind: silent-corruption}", "every", "1", "20"},
    {"faults{kind: link-flap}", "period", "5us", "400us"},
    {"faults{kind: bit-errors}", "rate", "1e-9", "1e-4"},
    {"faults{kind: drop-every}", "n", "1", "200"},
    {"faults{kind: random-loss}", "rate", "1e-5", "1/4"},
    {NULL, "channel-rate", "800Mbps", NULL},
    {NULL, "link-rate", "800Mbps", NULL},
    {NULL, "write-amplification", NULL, "1000%"},
    {NULL, "read-latency", NULL, "100us"},
    {NULL, "write-latency", NULL, "100us"},
    {NULL, "flush-latency", NULL, "100us"},
    {NULL, "program-time", NULL, "1ms"},
    {NULL, "read-time", NULL, "200us"},
    {NULL, "stop", "100us", "800us"},
    {NULL, "start", "0s", "80us"},
    {NULL, "start-jitter", NULL, "19us"},
    {NULL, "queue-depth", "1", "24"},
    {NULL, "queues", "1", "4"},
    {NULL, "qps", "1", "4"},
    {NULL, "outstanding", "1", "8"},
    {NULL, "block-size", "512B", "64KiB"},
    {NULL, "message-size", "1B", "128KiB"},
    {NULL, "receives", "0", "8"},
    {NULL, "receive-delay", "0s", "20us"},
    {"workloads{kind: nvme}", "iops-limit", "2000", "2000000"},
    {"workloads{kind: nvme}", "rate-limit", "1Gbps", "200Gbps"},
    {"workloads{kind: nvme}", "read-limit", "1Gbps", "200Gbps"},
    {"workloads{kind: nvme}", "write-limit", "1Gbps", "200Gbps"},
    {NULL, "think-time", "0s", "50us"},
    {NULL, "warm-up", "0s", "100us"},
    {NULL, "count", "1", "60"},
    {NULL, "loop", "1", "3"},
};

enum { NARROWER = sizeof narrower / sizeof narrower[0] };

/* ------------------------------------------------------------------ rows */

static bool add_row(void *self, const struct parameter *parameter)
{
    struct draw_rows *rows = self;
    CHECK(rows->count < DRAW_ROWS);
    struct draw_row *row = &rows->list[rows->count++];
    snprintf(row->where, sizeof row->where, "%s", parameter->where);
    row->row = parameter->row;
    return true;
}

const struct draw_rows *draw_rows(void)
{
    static struct draw_rows rows;
    if (rows.count == 0)
        parameters_each(add_row, &rows);
    return &rows;
}

static bool fits(const struct narrow *narrow, const char *where, const char *name)
{
    return strcmp(narrow->name, name) == 0 &&
           (narrow->where == NULL || strcmp(narrow->where, where) == 0);
}

/* ------------------------------------------------------------------ values */

struct range {
    int64_t least, most, preset;
};

static int64_t read(const struct opt *row, const char *text, int64_t otherwise)
{
    struct opt unbounded = *row;
    char why[OPT_WHY_BYTES];
    int64_t value;
    unbounded.min = unbounded.max = unbounded.step = NULL;
    unbounded.factor = 0;
    if (text == NULL)
        return otherwise;
    CHECK(opt_parse(&unbounded, text, &value, why));
    return value;
}

/* Where a row has no default that tells its size: what one of its type commonly is. */
static int64_t usual(enum opt_type type)
{
    switch (type) {
    case OPT_TIME:
        return 10 * INT64_C(1000000);
    case OPT_SIZE:
        return 16384;
    case OPT_RATE:
        return INT64_C(20000000000);
    case OPT_LENGTH:
        return 10000;
    case OPT_PERCENT:
        return 200000;
    case OPT_RATIO:
        return INT64_C(10000000000);
    case OPT_DECIMAL:
        return 8 * QUANTITY_DECIMAL_ONE;
    default:
        return 8;
    }
}

static struct range range_of(const char *where, const struct opt *row)
{
    struct range range = {.least = read(row, row->min, 0),
                          .most = read(row, row->max, INT64_MAX / 64),
                          .preset = read(row, row->preset, 0)};
    for (int i = 0; i < NARROWER; i++) {
        if (!fits(&narrower[i], where, row->name))
            continue;
        const int64_t least = read(row, narrower[i].least, range.least);
        const int64_t most = read(row, narrower[i].most, range.most);
        range.least = least > range.least ? least : range.least;
        range.most = most < range.most ? most : range.most;
        break;
    }
    if (range.preset <= 0)
        range.preset = usual(row->type);
    if (range.preset > range.most)
        range.preset = range.most;
    if (range.preset < range.least)
        range.preset = range.least;
    return range;
}

static int64_t clamp(int64_t value, const struct range *range)
{
    return value < range->least ? range->least : value > range->most ? range->most : value;
}

/* Near the preset, within 16 times either way, in round numbers. */
static int64_t near(struct rng *rng, const struct range *range)
{
    static const int64_t steps[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16};
    const int64_t step = steps[rng_below(rng, sizeof steps / sizeof steps[0])];
    const bool down = rng_below(rng, 2) > 0;
    if (!down && range->preset > INT64_MAX / step)
        return range->most;
    return clamp(down ? range->preset / step : range->preset * step, range);
}

static int64_t number(struct rng *rng, const char *where, const struct opt *row)
{
    const struct range range = range_of(where, row);
    const uint64_t how = rng_below(rng, 16);
    if (how == 0)
        return range.least;
    if (how == 1 && range.most / 64 + (range.most % 64 > 0) <= range.preset)
        return range.most;
    if (how < 6 && range.most - range.least <= 64)
        return range.least + (int64_t)rng_below(rng, (uint64_t)(range.most - range.least + 1));
    return near(rng, &range);
}

/* The next value below that the row takes, where it takes steps. */
static int64_t legal(const char *where, const struct opt *row, int64_t value)
{
    const struct range range = range_of(where, row);
    if (row->step != NULL) {
        const int64_t step = read(row, row->step, 1), below = value - value % step;
        return below < range.least ? below + step : below;
    }
    int64_t power = read(row, row->min, 1);
    while (row->factor > 0 && (power < range.least || power <= value / row->factor))
        power *= row->factor;
    return row->factor > 0 ? power : value;
}

static unsigned words(const char *choices)
{
    unsigned count = 1;
    for (; *choices != '\0'; choices++)
        count += *choices == '|';
    return count;
}

static void word(const char *choices, unsigned index, char text[DRAW_VALUE_BYTES])
{
    while (index-- > 0)
        choices = strchr(choices, '|') + 1;
    snprintf(text, DRAW_VALUE_BYTES, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void list_of_priorities(struct rng *rng, const struct opt *row, char text[DRAW_VALUE_BYTES])
{
    static const int64_t common[] = {1 << 3, 1 << 3 | 1 << 4, 1 << 3, 0xFF, 1 << 3 | 1 << 6, 0};
    const uint64_t drawn = rng_below(rng, 8);
    opt_format(row, drawn < 6 ? common[drawn] : (int64_t)rng_below(rng, 256), text,
               DRAW_VALUE_BYTES);
}

void draw_value(struct rng *rng, const char *where, const struct opt *row,
                char text[DRAW_VALUE_BYTES])
{
    if (row->type == OPT_MASK) {
        list_of_priorities(rng, row, text);
    } else if (row->type == OPT_BOOL) {
        snprintf(text, DRAW_VALUE_BYTES, "%s", rng_below(rng, 2) > 0 ? "true" : "false");
    } else if (row->type == OPT_CHOICE || (row->choices != NULL && rng_below(rng, 5) == 0)) {
        word(row->choices, (unsigned)rng_below(rng, words(row->choices)), text);
    } else {
        opt_format(row, legal(where, row, number(rng, where, row)), text, DRAW_VALUE_BYTES);
    }
}

void draw_value_audit(void)
{
    const struct draw_rows *rows = draw_rows();
    for (int i = 0; i < NARROWER; i++) {
        bool found = false;
        for (unsigned r = 0; r < rows->count; r++)
            if (fits(&narrower[i], rows->list[r].where, rows->list[r].row->name)) {
                (void)range_of(rows->list[r].where, rows->list[r].row);
                found = true;
            }
        if (!found)
            fprintf(stderr, "no row is called %s\n", narrower[i].name);
        CHECK(found);
    }
}
