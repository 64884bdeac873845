/* SPDX-License-Identifier: Apache-2.0
 * result_workload - one row for each quantity. */
#include "replay/record/result_private.h"

#include <stddef.h>
#include <string.h>

/* How a quantity is computed from its member. */
enum source {
    MEMBER,     /* an integer in the struct */
    PER_SECOND, /* an integer per second of the window */
    BITS_PER_SECOND,
    CPU_PER_IO,   /* a time in ps for each completed operation, printed in ns */
    MEMBER_MEAN,  /* bit/s of an instance, divided by their number */
    SPAN,         /* member in ps, printed in ns */
    PARTS,        /* member in ppm */
    LATENCY_AT,   /* a latency percentile, in ps */
    LATENCY_TAIL, /* mean of the slowest ones */
    LATENCY_MEAN,
    LATENCY_MIN,
    LATENCY_MAX,
    WARM_UP, /* of the steady part */
    STEADY_SPAN,
};

/* When the quantity is known. */
enum known {
    ALWAYS,
    WINDOW,      /* there is a window to divide by */
    COMPLETIONS, /* WINDOW, and enough completions */
    PLAYED,      /* WINDOW, and members */
    CPU,         /* core time is known, and an operation completed */
    LATENCY,     /* an operation with measured latency completed */
    STEADY,      /* enough data for a steady part */
    WORST,       /* enough data of each member */
    SEVERAL,     /* at least two members */
    FLOWS,       /* flows have a size, and some completed */
    SLOWDOWNS,
    QUEUES, /* has NVMe controllers */
    BIN,    /* this and the following, by size class: messages of it completed */
};

struct workload_row {
    const char *path;
    enum source source;
    size_t offset;  /* offset of the member */
    int64_t ppm;    /* percentile of LATENCY_AT, LATENCY_TAIL */
    unsigned known; /* enum known */
};

#define OF(member) offsetof(struct result_workload, member)

/* Messages of drawn sizes; omitted if the class has none. */
#define BIN_ROW(word, key, bin, source, member)                                                    \
    {                                                                                              \
        "by_size." word "." key, source, OF(of_members.bins[bin].member), 0, BIN + (bin)           \
    }
#define BY_SIZE(word, bin)                                                                         \
    BIN_ROW(word, "flows", bin, MEMBER, flows), BIN_ROW(word, "fct_ns.mean", bin, SPAN, fct.mean), \
        BIN_ROW(word, "fct_ns.p50", bin, SPAN, fct.p50),                                           \
        BIN_ROW(word, "fct_ns.p99", bin, SPAN, fct.p99),                                           \
        BIN_ROW(word, "slowdown.mean", bin, PARTS, slowdown_ppm.mean),                             \
        BIN_ROW(word, "slowdown.p50", bin, PARTS, slowdown_ppm.p50),                               \
        BIN_ROW(word, "slowdown.p99", bin, PARTS, slowdown_ppm.p99)

static const struct workload_row rows[] = {
#define MEMBER(member)                                       MEMBER, OF(member), 0
#define SPAN(member)                                         SPAN, OF(member), 0
#define PARTS(member)                                        PARTS, OF(member), 0
#define CPU_PER_IO(member)                                   CPU_PER_IO, OF(member), 0
#define PER_SECOND(member)                                   PER_SECOND, OF(member), 0
#define BITS_PER_SECOND(member)                              BITS_PER_SECOND, OF(member), 0
#define MEMBER_MEAN(member)                                  MEMBER_MEAN, OF(member), 0
#define LATENCY_AT(ppm)                                      LATENCY_AT, 0, ppm
#define LATENCY_TAIL(ppm)                                    LATENCY_TAIL, 0, ppm
#define OTHER(source)                                        source, 0, 0
#define KEY(path, known, ...)                                {path, __VA_ARGS__, known},
#define FIGURE(name, path, plain, kind, basis, known, value) KEY(path, known, value)
#include "scenarios/load/quantity_workload.def"
    BY_SIZE("small", MEMBER_SMALL),
    BY_SIZE("medium", MEMBER_MEDIUM),
    BY_SIZE("large", MEMBER_LARGE),
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Comparisons use the base unit, which is 10^-15 for a ratio. */
enum { RATIO_PER_PART = 1000000000 };

static int64_t member_of(const struct result_workload *workload, size_t offset)
{
    int64_t value;
    memcpy(&value, (const char *)workload + offset, sizeof value);
    return value;
}

static struct result_ratio whole(__int128 value)
{
    return (struct result_ratio){.numerator = value, .denominator = 1};
}

/* All rates of a result: the count within the window divided by the window. */
static struct result_ratio rate(int64_t amount, int64_t factor, int64_t window_ps)
{
    if (window_ps <= 0)
        return (struct result_ratio){0, 0};
    return (struct result_ratio){.numerator = (__int128)amount * factor * PS_PER_S,
                                 .denominator = window_ps};
}

static struct result_ratio mean_rate(const struct result_workload *workload, int64_t bytes)
{
    struct result_ratio mean = rate(bytes, 8, workload->window_ps);
    if (workload->played > 0)
        mean.numerator /= workload->played;
    return mean;
}

static struct result_ratio workload_value(const struct result_workload *workload,
                                          const struct workload_row *row)
{
    const struct hist *latency = workload->latency;
    const struct steady *steady = &workload->steady;
    switch (row->source) {
    case MEMBER:
    case SPAN:
        return whole(member_of(workload, row->offset));
    case CPU_PER_IO:
        return (struct result_ratio){member_of(workload, row->offset), workload->completed};
    case PER_SECOND:
        return rate(member_of(workload, row->offset), 1, workload->window_ps);
    case BITS_PER_SECOND:
        return rate(member_of(workload, row->offset), 8, workload->window_ps);
    case MEMBER_MEAN:
        return mean_rate(workload, member_of(workload, row->offset));
    case LATENCY_AT:
        return whole(hist_at(latency, row->ppm));
    case LATENCY_TAIL:
        return whole(hist_tail_mean(latency, row->ppm));
    case LATENCY_MIN:
        return whole(latency->min);
    case LATENCY_MAX:
        return whole(latency->max);
    case PARTS:
        return whole((__int128)member_of(workload, row->offset) * RATIO_PER_PART);
    case WARM_UP:
        return whole(steady->from - workload->start);
    case STEADY_SPAN:
        return whole(steady->until - steady->from);
    case LATENCY_MEAN:
        break;
    }
    return (struct result_ratio){.numerator = (__int128)latency->sum,
                                 .denominator = (int64_t)latency->count};
}

static bool is_known(const struct result_workload *workload, const struct workload_row *row)
{
    const struct member_figures *of = &workload->of_members;
    switch (row->known) {
    case WINDOW:
        return workload->window_ps > 0;
    case COMPLETIONS:
        return workload->window_ps > 0 && !workload->few;
    case PLAYED:
        return workload->window_ps > 0 && workload->played > 0;
    case CPU:
        return workload->cpu_known && workload->completed > 0;
    case LATENCY:
        return workload->latency->count > 0;
    case STEADY: /* figures with too few samples are STEADY_UNKNOWN */
        return workload->steady.known && workload_value(workload, row).numerator >= 0;
    case WORST:
        return workload_value(workload, row).numerator > 0;
    case SEVERAL:
        return of->jain_ppm > 0;
    case FLOWS:
        return of->flows > 0;
    case SLOWDOWNS:
        return of->slowdowns > 0;
    case QUEUES:
        return workload->queues_asked > 0;
    case ALWAYS:
        break;
    default:
        return of->bins[row->known - BIN].flows > 0;
    }
    return true;
}

bool result_of_workload(const struct result_workload *workload, const char *path,
                        struct result_ratio *value)
{
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].path, path) != 0)
            continue;
        *value = is_known(workload, &rows[i]) ? workload_value(workload, &rows[i])
                                              : (struct result_ratio){0, 0};
        return true;
    }
    return false;
}

int64_t result_workload_ns(struct result_ratio value)
{
    const __int128 ns = (__int128)value.denominator * PS_PER_NS;
    return (int64_t)((value.numerator + ns / 2) / ns);
}

static double real(struct result_ratio value)
{
    return (double)value.numerator / (double)value.denominator;
}

/* Latencies are printed in ns, rounded to the nearest integer. The same rounding for all preserves
 * their order, so that no mean exceeds a maximum. */
static struct result_item item_of(const struct result_workload *workload,
                                  const struct workload_row *row)
{
    const struct result_ratio value = workload_value(workload, row);
    switch (row->source) {
    case MEMBER:
        return result_integer((int64_t)value.numerator);
    case PER_SECOND:
    case BITS_PER_SECOND:
    case MEMBER_MEAN:
        return result_real(real(value));
    case PARTS:
        return result_share(member_of(workload, row->offset));
    case LATENCY_MEAN:
        return result_real((double)result_workload_ns(value));
    default:
        return result_integer(result_workload_ns(value));
    }
}

/* Whether the run is steady, before the figures of the steady part; null without a steady part. */
static void put_settled(const struct result_out *out, const struct steady *steady, uint32_t index)
{
    const char *remedy = steady->set[0] == '\0' ? NULL : steady->set;
    if (!steady->known) {
        result_put(out, result_text(NULL), "workloads[%u].steady", index);
        return;
    }
    result_put(out, result_boolean(steady->settled), "workloads[%u].steady.settled", index);
    result_put(out, result_text(steady->settled ? NULL : steady->why),
               "workloads[%u].steady.reason", index);
    result_put(out, result_text(remedy), "workloads[%u].steady.remedy", index);
}

void result_workload_put(const struct result_out *out, const struct result_workload *workload,
                         uint32_t index)
{
    for (int i = 0; i < ROWS; i++) {
        const bool known = is_known(workload, &rows[i]);
        if (rows[i].known == STEADY && rows[i - 1].known != STEADY)
            put_settled(out, &workload->steady, index);
        if ((rows[i].known == STEADY && !workload->steady.known) ||
            (rows[i].known >= BIN && !known))
            continue;
        result_put(out, known ? item_of(workload, &rows[i]) : result_text(NULL), "workloads[%u].%s",
                   index, rows[i].path);
    }
}
