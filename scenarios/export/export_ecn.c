/* SPDX-License-Identifier: Apache-2.0
 * export_ecn - writes the DCQCN parameters of a host for the ECN files of the card.
 * Source: names and units: NVIDIA, "DCQCN CC Parameters" (DOCA 3.4; ConnectX-4 and later, column
 * MLNX_OFED) and "DCQCN Parameters" (DOC-2790); files: MLNX_OFED, /sys/class/net/DEVICE/ecn/roce_rp
 * and roce_np. Linux' own driver has the same values in debugfs under cc_params
 * (drivers/infiniband/hw/mlx5/cong.c), without "rpg" in the names. */
#include "scenarios/export/export_ecn.h"

#include "rnic/cc/cc_dcqcn.h"
#include "rnic/cc/cc_kinds.h"
#include "rnic/host/rnic.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum form {
    FORM_US,     /* whole microseconds */
    FORM_MBPS,   /* whole Mb/s */
    FORM_BLOCKS, /* blocks of 64 bytes */
    FORM_NUMBER,
    FORM_ALPHA, /* ten bits; all ones mean 1 */
    FORM_G,     /* part of alpha that is kept, of 1024 */
    FORM_NOWHERE
};

enum { BLOCK_BYTES = 64, FIXED_ONE = 1024 };
#define RATIO_ONE INT64_C(1000000000000000)
#define US        INT64_C(1000000)
#define MBPS      INT64_C(1000000)

#define ROW(field) offsetof(struct cc_dcqcn_params, field)
static const struct row {
    const char *key, *file;
    size_t offset;
    enum form form;
    int64_t min, max; /* range that the file accepts */
} ecn_rows[] = {
    {"g", "roce_rp/dce_tcp_g", ROW(g), FORM_G, 0, FIXED_ONE - 1},
    {"initial-alpha", "roce_rp/initial_alpha_value", ROW(initial_alpha), FORM_ALPHA, 1,
     FIXED_ONE - 1},
    {"alpha-timer", "roce_rp/dce_tcp_rtt", ROW(alpha_timer), FORM_US, 1, 131071},
    {"rate-timer", "roce_rp/rpg_time_reset", ROW(rate_timer), FORM_US, 1, 131071},
    {"byte-counter", "roce_rp/rpg_byte_reset", ROW(byte_counter), FORM_BLOCKS, 1, 32767},
    {"f", "roce_rp/rpg_threshold", ROW(f), FORM_NUMBER, 1, 31},
    {"rai", "roce_rp/rpg_ai_rate", ROW(rai), FORM_MBPS, 1, UINT32_MAX},
    {"rhai", "roce_rp/rpg_hai_rate", ROW(rhai), FORM_MBPS, 1, UINT32_MAX},
    {"min-rate", "roce_rp/rpg_min_rate", ROW(min_rate), FORM_MBPS, 1, UINT32_MAX},
    {"cut-interval", "roce_rp/rate_reduce_monitor_period", ROW(cut_interval), FORM_US, 1,
     UINT32_MAX},
    {"rate-on-first-cnp", "roce_rp/rate_to_set_on_first_cnp", ROW(rate_on_first_cnp), FORM_MBPS, 0,
     UINT32_MAX},
    {"clamp-target", "roce_rp/clamp_tgt_rate", ROW(clamp_target), FORM_NUMBER, 0, 1},
    {"cnp-interval", "roce_np/min_time_between_cnps", ROW(cnp_interval), FORM_US, 0, 4095},
    {"hyper-increase", NULL, ROW(hyper_increase), FORM_NOWHERE, 0, 0},
    {"alpha-first", NULL, ROW(alpha_first), FORM_NOWHERE, 0, 0},
    {"gap-fixed", NULL, ROW(gap_fixed), FORM_NOWHERE, 0, 0},
};

/* Number of units, rounded to nearest; *exact: without a remainder. */
static int64_t in_units(int64_t value, int64_t unit, bool *exact)
{
    *exact = value % unit == 0;
    return value / unit + (value % unit >= unit - unit / 2);
}

/* The ratio in 1/1024. */
static int64_t in_ten_bits(int64_t ratio, bool *exact)
{
    const __int128 whole = (__int128)ratio * FIXED_ONE;
    const int64_t rest = (int64_t)(whole % RATIO_ONE);
    *exact = rest <= FIXED_ONE; /* tolerates the rounding of the ratio itself */
    return (int64_t)(whole / RATIO_ONE) + (rest >= RATIO_ONE / 2);
}

static int64_t number_of(const struct row *row, int64_t value, bool *exact)
{
    *exact = true;
    int64_t number = value;
    switch (row->form) {
    case FORM_US:
        number = in_units(value, US, exact);
        break;
    case FORM_MBPS:
        number = in_units(value, MBPS, exact);
        break;
    case FORM_BLOCKS:
        number = in_units(value, BLOCK_BYTES, exact);
        break;
    case FORM_ALPHA:
    case FORM_G:
        number = in_ten_bits(value, exact);
        if (row->form == FORM_G)
            number = FIXED_ONE - number;
        else if (number == FIXED_ONE)
            return FIXED_ONE - 1;
        break;
    case FORM_NUMBER:
    case FORM_NOWHERE:
        break;
    }
    const int64_t kept = number < row->min ? row->min : number > row->max ? row->max : number;
    *exact &= kept == number;
    return kept;
}

static void note_value(const struct scenario_node *node, const struct row *row, int64_t value,
                       int64_t written, struct notes *notes)
{
    const struct opt *opt = opt_find(cc_dcqcn.opts, row->key);
    char text[OPT_WHY_BYTES];
    opt_format(opt, value, text, sizeof text);
    if (row->form == FORM_NOWHERE)
        notes_add(notes, node->place, "%s: no file of the card has %s %s", node->name, row->key,
                  text);
    else
        notes_add(notes, node->place, "%s: %s %s is none of what %s takes: %" PRId64 " is written",
                  node->name, row->key, text, strchr(row->file, '/') + 1, written);
}

static bool is_default(const struct row *row, int64_t value)
{
    struct cc_dcqcn_params usual;
    opt_presets(cc_dcqcn.opts, &usual);
    return memcmp((const char *)&usual + row->offset, &value, sizeof value) == 0;
}

static void put_priority(FILE *out, const char *side, int64_t priority)
{
    fprintf(out, "echo 1 > \"/sys/class/net/$DEVICE/ecn/%s/enable/%lld\"\n", side,
            (long long)priority);
}

void export_ecn(const struct scenario_node *node, FILE *out, struct notes *notes)
{
    const int64_t priority = node->host->rnic->priority;
    fputs("# DCQCN: all other parameters keep the values of the card.\n", out);
    put_priority(out, "roce_rp", priority);
    put_priority(out, "roce_np", priority);
    for (size_t i = 0; i < sizeof ecn_rows / sizeof ecn_rows[0]; i++) {
        int64_t value;
        bool exact;
        memcpy(&value, (const char *)node->host->cc_params + ecn_rows[i].offset, sizeof value);
        const int64_t number = number_of(&ecn_rows[i], value, &exact);
        if (ecn_rows[i].form == FORM_NOWHERE ? !is_default(&ecn_rows[i], value) : !exact)
            note_value(node, &ecn_rows[i], value, number, notes);
        if (ecn_rows[i].form == FORM_NOWHERE)
            continue;
        fprintf(out, "echo %" PRId64 " > \"/sys/class/net/$DEVICE/ecn/%s\"\n", number,
                ecn_rows[i].file);
    }
}
