/* SPDX-License-Identifier: Apache-2.0
 * member_figures - one pass over the members, and a walk along each flow's path. */
#include "replay/record/member_figures.h"

#include "base/memory.h"
#include "net/switch/switch.h"
#include "rnic/host/rnic.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/workload/wl_rdma.h"

#include <stdlib.h>

enum { HOPS_MAX = 64 };

/* ---- ideal time on an empty path ---- */

/* The links from one NIC to another on the first equal-cost path; all paths have the same cost. */
struct path {
    const struct port_params *links[HOPS_MAX];
    time_ps latency; /* of the switches in between */
    bool cut_through;
    uint32_t count; /* 0: no path */
};

static struct path find_path(const struct member_fabric *fabric, struct scenario_spot from,
                             struct scenario_spot to)
{
    const struct scenario *scenario = fabric->scenario;
    struct path path = {.cut_through = true};
    const uint32_t endpoint = fabric->first_port[to.node] + to.port; /* hosts are the first nodes */
    uint16_t port = from.port;
    for (uint32_t node = from.node; path.count < HOPS_MAX;) {
        const struct scenario_port *own = &scenario->nodes[node].ports[port];
        if (port >= scenario->nodes[node].port_count || own->link == SCENARIO_NO_LINK)
            break;
        path.links[path.count++] = own->params;
        node = own->peer_node;
        if (node == to.node)
            return path;
        const uint16_t *out;
        if (scenario->nodes[node].kind != SCENARIO_SWITCH ||
            route_all(&fabric->routes[node], endpoint, &out) == 0)
            break;
        port = out[0];
        path.latency += scenario->nodes[node].switch_params->latency;
        path.cut_through &= scenario->nodes[node].switch_params->forwarding == SWITCH_CUT_THROUGH;
    }
    path.count = 0;
    return path;
}

static time_ps on_wire(uint64_t bytes, int64_t rate)
{
    return units_transfer_ps(bytes, (uint64_t)rate);
}

/* All bytes leave at the slowest link's rate; in addition, one longest frame is serialized on each
 * other link. */
static time_ps time_along(const struct path *path, uint64_t bytes, uint64_t frame)
{
    time_ps time = path->latency;
    uint32_t slowest = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        time += port_propagation(path->links[i]);
        if (path->links[i]->rate < path->links[slowest]->rate)
            slowest = i;
    }
    time += on_wire(bytes, path->links[slowest]->rate);
    for (uint32_t i = 0; i < path->count && !path->cut_through; i++)
        time += i == slowest ? 0 : on_wire(frame, path->links[i]->rate);
    return time;
}

/* The path of one pair without other traffic. */
struct ideal {
    struct path there, back;
    uint64_t mtu, overhead;
    time_ps delays; /* of both RNICs */
};

/* Uses the NICs of the member's first queue pair. */
static struct ideal ideal_of(const struct member_fabric *fabric,
                             const struct scenario_workload *workload, uint32_t member, bool read)
{
    const struct scenario_pair *pair = &workload->pairs[member / workload->copies];
    const struct nic_pair nics =
        nics_of(fabric->scenario, workload, pair, member % workload->copies);
    const struct scenario_spot near = {pair->from, nics.from}, far = {pair->to, nics.to};
    const struct rnic_params *from = fabric->scenario->nodes[pair->from].host->rnic;
    const struct rnic_params *to = fabric->scenario->nodes[pair->to].host->rnic;
    return (struct ideal){
        .there = find_path(fabric, near, far),
        .back = find_path(fabric, far, near),
        .mtu = (uint64_t)from->path_mtu,
        .overhead = (uint64_t)rnic_overhead_bytes(from),
        .delays = from->tx_delay + from->rx_delay + (read ? to->read_delay : 0),
    };
}

static time_ps ideal_time(const struct ideal *ideal, uint64_t bytes, uint64_t message)
{
    const uint64_t mtu = ideal->mtu, overhead = ideal->overhead;
    if (ideal->there.count == 0 || ideal->back.count == 0 || message == 0)
        return 0;
    const uint64_t frames_each = (message + mtu - 1) / mtu, frames = bytes / message * frames_each;
    const uint64_t longest = (message < mtu ? message : mtu) + overhead;
    const uint64_t ack = overhead + WIRE_AETH_BYTES;
    return ideal->delays + time_along(&ideal->there, bytes + frames * overhead, longest) +
           time_along(&ideal->back, ack, ack);
}

time_ps member_ideal(const struct member_fabric *fabric, const struct scenario_workload *workload,
                     uint32_t member, uint64_t bytes, uint64_t message, bool read)
{
    const struct ideal ideal = ideal_of(fabric, workload, member, read);
    return ideal_time(&ideal, bytes, message);
}

/* ---- all members ---- */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static struct member_spread spread_of(int64_t *values, int64_t count)
{
    struct member_spread spread = {0};
    __int128 sum = 0;
    if (count == 0)
        return spread;
    qsort(values, (size_t)count, sizeof *values, ascending);
    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    spread.mean = (int64_t)(sum / count);
    spread.p50 = values[(count * 50 + 99) / 100 - 1];
    spread.p99 = values[(count * 99 + 99) / 100 - 1];
    spread.max = values[count - 1];
    return spread;
}

static int64_t asked(const struct scenario_workload *workload, const char *name)
{
    return workload->job != NULL ? 0 : opt_value(workload->ops->opts, name, workload->params, 0);
}

/* The member has operations left, or some failed before its count was reached, and none completed
 * in the last twentieth of its time. */
static bool is_silent(const struct scenario_workload *about, const struct workload_member *member,
                      time_ps last, time_ps stop)
{
    enum { TWENTIETH = 20 };
    const int64_t count = asked(about, "count");
    const bool more = count == 0 || (count > 0 && member->issued < (uint64_t)count);
    const bool unfinished = member->issued > member->completed + member->failed;
    return (unfinished || (member->failed > 0 && more)) &&
           stop - last > (stop - member->first_issue) / TWENTIETH;
}

struct member_life member_life(const struct scenario_workload *about,
                               const struct workload_member *member, time_ps end, bool cut)
{
    if (member == NULL || member->issued == 0)
        return (struct member_life){0};
    const time_ps stop = time_earlier(about->stop, end);
    const time_ps last = time_later(member->last_completion, member->first_issue);
    const bool unfinished = member->issued > member->completed + member->failed;
    const bool done = !unfinished && member->failed == 0 && !member->given_up;
    return (struct member_life){
        .until = scenario_completes_early(about) ? member->first_issue
                 : done                          ? last
                                                 : time_later(last, stop),
        .cut_off = member->pairs_lost > 0 || (member->given_up && last < stop) ||
                   (!cut && is_silent(about, member, last, stop)),
        .cut_off_at = last,
    };
}

static int64_t rate_of(const struct workload_member *member, time_ps until)
{
    if (member == NULL || member->completed == 0 || until <= member->first_issue)
        return 0;
    return (int64_t)((__int128)member->bytes * 8 * PS_PER_S / (until - member->first_issue));
}

static void count_cut_off(struct member_figures *figures, uint32_t member, struct member_life life)
{
    if (!life.cut_off)
        return;
    if (figures->cut_off++ == 0 || life.cut_off_at < figures->cut_off_at) {
        figures->first_cut_off = member;
        figures->cut_off_at = life.cut_off_at;
    }
}

/* Jain's index in integers: rates in kb/s, squared and summed, do not overflow. */
static int64_t jain(const int64_t *rates, uint32_t count)
{
    __int128 sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t rate = rates[i] / 1000;
        sum += rate;
        squares += (__int128)rate * rate;
    }
    if (count < 2 || squares == 0)
        return 0;
    return (int64_t)(sum * sum * PPM / (squares * count));
}

static bool is_flow(const struct workload_member *member, int64_t count)
{
    return member != NULL && count > 0 && member->completed == (uint64_t)count &&
           member->failed == 0;
}

static void find_flows(const struct member_fabric *fabric, const struct scenario_workload *workload,
                       const struct workload_member *const *members, struct member_figures *figures)
{
    const uint32_t count = workload->pair_count * workload->copies;
    const int64_t wanted = asked(workload, "count"), message = asked(workload, "message-size");
    const bool read = workload->ops->data == WORKLOAD_DATA_BACK;
    int64_t *times = memory_zeroed(count + 1, sizeof *times);
    int64_t *slowdowns = memory_zeroed(count + 1, sizeof *slowdowns);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_flow(members[i], wanted))
            continue;
        const time_ps time = members[i]->last_completion - members[i]->first_issue;
        const time_ps ideal =
            workload->ops->needs_nvme_target
                ? 0
                : member_ideal(fabric, workload, i, members[i]->bytes, (uint64_t)message, read);
        times[figures->flows++] = time;
        if (ideal > 0)
            slowdowns[figures->slowdowns++] = (int64_t)((__int128)time * PPM / ideal);
    }
    figures->fct = spread_of(times, figures->flows);
    figures->slowdown_ppm = spread_of(slowdowns, figures->slowdowns);
    free(times);
    free(slowdowns);
}

/* ---- messages as flows ---- */

static bool draws_sizes(const struct workload_member *const *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (members[i] != NULL && members[i]->flow_count > 0)
            return true;
    return false;
}

/* Times and slowdowns of a size class, with room for all flows. */
struct bin {
    int64_t *times, *slowdowns;
    int64_t count, known;
};

static unsigned bin_of(int64_t bytes)
{
    return bytes <= 100000 ? MEMBER_SMALL : bytes <= 10000000 ? MEMBER_MEDIUM : MEMBER_LARGE;
}

static void put_flow(struct bin *bin, time_ps time, time_ps ideal)
{
    bin->times[bin->count++] = time;
    if (ideal > 0)
        bin->slowdowns[bin->known++] = (int64_t)((__int128)time * PPM / ideal);
}

static void find_messages(const struct member_fabric *fabric,
                          const struct scenario_workload *workload,
                          const struct workload_member *const *members,
                          struct member_figures *figures)
{
    const uint32_t count = workload->pair_count * workload->copies;
    const bool read = workload->ops->data == WORKLOAD_DATA_BACK;
    struct bin bins[MEMBER_BINS + 1]; /* the last one: all sizes */
    size_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += members[i] == NULL ? 0 : (size_t)members[i]->flow_count;
    for (unsigned b = 0; b <= MEMBER_BINS; b++)
        bins[b] = (struct bin){.times = memory_zeroed(all, sizeof(int64_t)),
                               .slowdowns = memory_zeroed(all, sizeof(int64_t))};
    for (uint32_t i = 0; i < count; i++) {
        const struct ideal alone = ideal_of(fabric, workload, i, read);
        for (uint64_t k = 0; members[i] != NULL && k < members[i]->flow_count; k++) {
            const struct workload_flow *flow = &members[i]->flows[k];
            const time_ps ideal = ideal_time(&alone, (uint64_t)flow->bytes, (uint64_t)flow->bytes);
            put_flow(&bins[bin_of(flow->bytes)], flow->time, ideal);
            put_flow(&bins[MEMBER_BINS], flow->time, ideal);
        }
    }
    figures->flows = bins[MEMBER_BINS].count;
    figures->slowdowns = bins[MEMBER_BINS].known;
    figures->fct = spread_of(bins[MEMBER_BINS].times, figures->flows);
    figures->slowdown_ppm = spread_of(bins[MEMBER_BINS].slowdowns, figures->slowdowns);
    for (unsigned b = 0; b < MEMBER_BINS; b++)
        figures->bins[b] =
            (struct member_bin){.flows = bins[b].count,
                                .fct = spread_of(bins[b].times, bins[b].count),
                                .slowdown_ppm = spread_of(bins[b].slowdowns, bins[b].known)};
    for (unsigned b = 0; b <= MEMBER_BINS; b++) {
        free(bins[b].times);
        free(bins[b].slowdowns);
    }
}

struct member_figures member_figures(const struct member_fabric *fabric, uint32_t workload,
                                     const struct workload_member *const *members)
{
    const struct scenario_workload *about = &fabric->scenario->workloads[workload];
    const uint32_t count = about->pair_count * about->copies;
    struct member_figures figures = {0};
    int64_t *rates = memory_zeroed(count + 1, sizeof *rates);
    for (uint32_t i = 0; i < count; i++) {
        const struct member_life life = member_life(about, members[i], fabric->end, fabric->cut);
        count_cut_off(&figures, i, life);
        rates[i] = rate_of(members[i], life.until);
        figures.least_bps = i == 0 || rates[i] < figures.least_bps ? rates[i] : figures.least_bps;
        figures.most_bps = rates[i] > figures.most_bps ? rates[i] : figures.most_bps;
    }
    figures.jain_ppm = jain(rates, count);
    free(rates);
    if (scenario_completes_early(about)) /* the times of its flows are not those of the network */
        return figures;
    if (draws_sizes(members, count))
        find_messages(fabric, about, members, &figures);
    else if (asked(about, "count") > 0)
        find_flows(fabric, about, members, &figures);
    return figures;
}
