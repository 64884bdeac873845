/* SPDX-License-Identifier: Apache-2.0
 * fit_traffic - flows between hosts, estimated from what each of them sends and receives. */
#include "replay/incident/fit_private.h"

#include <stdio.h>
#include <string.h>

enum {
    WINDOW_SECONDS = 8, /* that a rate is measured over, where there are so many */
    SENDERS_MAX = 16,   /* flows to one receiver */
    HOSTS_MAX = 400,    /* the matrix has so many rows */
    ROUNDS = 40,        /* of proportional fitting */
    ACK_BYTES = 200,    /* mean frames below this carry acknowledgments, not data */
    SIZE_LEAST = 4096,  /* of messages */
    SIZE_MOST = 1 << 20 /* of messages */
};

static const double least_rate = 1e5;  /* bytes per second: less is management traffic */
static const double full = 0.8;        /* of the link rate: it may be that more was offered */
static const double least_flow = 0.02; /* of what the receiver gets */

/* ---- rates of ports ---- */

static double interval_rate(const struct incident_sample *then, const struct incident_sample *now)
{
    const bool dated =
        then->when.seconds != INCIDENT_NO_TIME && now->when.seconds > then->when.seconds;
    if (!dated || now->value < then->value)
        return 0;
    return (double)(now->value - then->value) / (double)(now->when.seconds - then->when.seconds);
}

/* Clocks print whole seconds: over a shorter time, a rate may be far too high. */
static bool lasts(const struct incident_sample *then, const struct incident_sample *now)
{
    return then->when.seconds != INCIDENT_NO_TIME &&
           now->when.seconds - then->when.seconds >= WINDOW_SECONDS;
}

/* What was offered is seen best in the interval in which most arrived. */
static double best_rate(const struct triage_work *work, struct triage_value value)
{
    double best = (double)value.value / (double)work->triage->seconds;
    const struct incident_count *count = value.count;
    for (uint32_t from = 0, to = 1; count != NULL && to < count->sample_count; to++) {
        while (from + 1 < to && lasts(&count->samples[from + 1], &count->samples[to]))
            from++;
        if (!lasts(&count->samples[from], &count->samples[to]) && to + 1 < count->sample_count)
            continue;
        const double rate = interval_rate(&count->samples[from], &count->samples[to]);
        best = rate > best ? rate : best;
    }
    return best;
}

static struct triage_value counted(const struct triage_work *work, int port, bool sent,
                                   const char *what, int priority)
{
    char name[64];
    snprintf(name, sizeof name, "%s_prio%d_%s", sent ? "tx" : "rx", priority, what);
    const struct triage_value own = triage_get(work, port, name, priority);
    const int peer = work->ports[port].peer;
    if (own.known || peer < 0)
        return own;
    snprintf(name, sizeof name, "%s_prio%d_%s", sent ? "rx" : "tx", priority, what);
    return triage_get(work, peer, name, priority);
}

/* Where no byte counter is there, frames of the switch's port, which are as large as others. */
static double rate_by_frames(const struct triage_work *work, int port, bool sent)
{
    double bytes = 0, frames = 0;
    const int peer = work->ports[port].peer;
    for (size_t i = 0; i < work->port_count; i++) {
        bytes += (double)triage_get(work, (int)i, "tx_bytes_phy", TRIAGE_ALL).value;
        frames += (double)triage_get(work, (int)i, "tx_bytes_phy", TRIAGE_ALL).known *
                  (double)triage_get(work, (int)i, "tx_packets_phy", TRIAGE_ALL).value;
    }
    if (peer < 0 || frames == 0)
        return 0;
    return bytes / frames *
           best_rate(work, triage_get(work, peer, sent ? "rx_packets_phy" : "tx_packets_phy",
                                      TRIAGE_ALL));
}

static bool any_bytes(const struct triage_work *work, int port, bool sent)
{
    for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++)
        if (counted(work, port, sent, "bytes", priority).known)
            return true;
    return false;
}

double fit_rate(const struct triage_work *work, int port, bool sent, int priority)
{
    const struct triage_value bytes = counted(work, port, sent, "bytes", priority),
                              frames = counted(work, port, sent, "packets", priority);
    if (!bytes.known && !any_bytes(work, port, sent))
        return rate_by_frames(work, port, sent);
    if (frames.known && frames.value > 0 && bytes.value / frames.value < ACK_BYTES)
        return 0;
    return best_rate(work, bytes);
}

/* ---- hosts ---- */

struct ends {
    int node, port;
    int leaf; /* its switch */
    double sends, receives;
    bool is_full; /* more may have been offered than it received */
    bool is_paused;
    int64_t written, read; /* messages that it received, or that were read from it */
};

struct outside;

struct matrix {
    struct ends *hosts;
    size_t count;
    double *rates;            /* by sender and receiver */
    struct outside *outsides; /* of switches with hosts */
    size_t outside_count;
};

static int wired_port(const struct triage_work *work, int node)
{
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++)
        if (work->ports[at->ports[i]].peer != TRIAGE_NO_PORT)
            return at->ports[i];
    return TRIAGE_NO_PORT;
}

/* With several samples, the best interval shows what was offered. */
static bool has_before(const struct triage_work *work, int port)
{
    const struct incident_count *count = triage_sent_bytes(work, port).count;
    return count != NULL && count->sample_count > 2;
}

static void find_hosts(struct matrix *matrix, const struct triage_work *work, int priority)
{
    matrix->hosts = arena_array(work->arena, HOSTS_MAX, sizeof *matrix->hosts);
    for (size_t i = 0; i < work->node_count && matrix->count < HOSTS_MAX; i++) {
        const int port = wired_port(work, (int)i);
        if (work->nodes[i].is_switch || port == TRIAGE_NO_PORT)
            continue;
        struct ends *host = &matrix->hosts[matrix->count];
        *host = (struct ends){
            .node = (int)i,
            .port = port,
            .leaf = work->ports[work->ports[port].peer].node,
            .sends = fit_rate(work, port, true, priority),
            .receives = fit_rate(work, port, false, priority),
            .written = triage_get(work, port, "rx_write_requests", TRIAGE_ALL).value,
            .read = triage_get(work, port, "rx_read_requests", TRIAGE_ALL).value,
            .is_paused = triage_pauses(work, port, false, TRIAGE_ALL).value >= TRIAGE_NOISE};
        const double line = (double)work->ports[port].rate / 8;
        host->is_full = (!has_before(work, port) &&
                         triage_pauses(work, port, true, TRIAGE_ALL).value >= TRIAGE_NOISE) ||
                        (line > 0 && host->receives > full * line);
        matrix->count += host->sends >= least_rate || host->receives >= least_rate;
    }
}

static double *rate_of(const struct matrix *matrix, size_t from, size_t to)
{
    return &matrix->rates[from * matrix->count + to];
}

/* ---- traffic that leaves a switch ---- */

struct outside {
    int node;               /* a switch with hosts */
    double sends, receives; /* to and from other switches */
    bool known;             /* all uplinks have counters: what is not there is unknown, not zero */
};

static int neighbor(const struct triage_work *work, int port)
{
    const int peer = work->ports[port].peer;
    return peer < 0 ? -1 : work->ports[peer].node;
}

static bool has_hosts(const struct triage_work *work, int node)
{
    for (size_t i = 0; i < work->nodes[node].port_count; i++) {
        const int other = neighbor(work, work->nodes[node].ports[i]);
        if (other >= 0 && !work->nodes[other].is_switch)
            return true;
    }
    return false;
}

/* A switch that only its own hosts use: what leaves it is theirs.  Switches with hosts of which
 * there are more than two, cabled to each other, also carry the traffic of others. */
static bool carries_own_only(const struct triage_work *work, int node)
{
    size_t with_hosts = 0;
    bool is_cabled = false;
    for (size_t i = 0; i < work->node_count; i++)
        with_hosts += work->nodes[i].is_switch && has_hosts(work, (int)i);
    for (size_t i = 0; i < work->nodes[node].port_count; i++) {
        const int other = neighbor(work, work->nodes[node].ports[i]);
        is_cabled |= other >= 0 && work->nodes[other].is_switch && has_hosts(work, other);
    }
    return has_hosts(work, node) && (!is_cabled || with_hosts == 2);
}

static struct outside outside_of(const struct triage_work *work, int node, int priority)
{
    struct outside outside = {.node = node, .known = true};
    for (size_t i = 0; i < work->nodes[node].port_count; i++) {
        const int port = work->nodes[node].ports[i], other = neighbor(work, port);
        if (other < 0 || !work->nodes[other].is_switch)
            continue;
        const struct triage_value sent = counted(work, port, true, "bytes", priority),
                                  received = counted(work, port, false, "bytes", priority);
        outside.known &= sent.known && received.known;
        outside.sends += best_rate(work, sent);
        outside.receives += best_rate(work, received);
    }
    return outside;
}

static void find_outsides(struct matrix *matrix, const struct triage_work *work, int priority)
{
    for (size_t i = 0; i < work->node_count; i++) {
        if (!work->nodes[i].is_switch || !carries_own_only(work, (int)i))
            continue;
        const struct outside outside = outside_of(work, (int)i, priority);
        if (!outside.known)
            continue;
        struct outside *slot = arena_push(work->arena, (void **)(void *)&matrix->outsides,
                                          &matrix->outside_count, sizeof *slot);
        *slot = outside;
    }
}

/* Flows between hosts of the switch and others are as large as what its uplinks carry. */
static void scale_outside(const struct matrix *matrix, const struct outside *outside, bool sends)
{
    double sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < matrix->count; i++)
            for (size_t k = 0; k < matrix->count; k++) {
                const int here = matrix->hosts[sends ? i : k].leaf,
                          there = matrix->hosts[sends ? k : i].leaf;
                if (here != outside->node || there == here)
                    continue;
                if (pass == 0)
                    sum += *rate_of(matrix, i, k);
                else if (sum > 0)
                    *rate_of(matrix, i, k) *= (sends ? outside->sends : outside->receives) / sum;
            }
}

/* ---- the matrix ---- */

static void scale_rows(const struct matrix *matrix, bool senders)
{
    for (size_t i = 0; i < matrix->count; i++) {
        double sum = 0;
        for (size_t k = 0; k < matrix->count; k++)
            sum += senders ? *rate_of(matrix, i, k) : *rate_of(matrix, k, i);
        const double wanted = senders ? matrix->hosts[i].sends : matrix->hosts[i].receives;
        for (size_t k = 0; k < matrix->count && sum > 0; k++)
            *(senders ? rate_of(matrix, i, k) : rate_of(matrix, k, i)) *= wanted / sum;
    }
}

/* What receivers get is scaled last: it is what fills their links. */
static void balance(const struct matrix *matrix)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < matrix->outside_count; i++) {
            scale_outside(matrix, &matrix->outsides[i], true);
            scale_outside(matrix, &matrix->outsides[i], false);
        }
        scale_rows(matrix, true);
        scale_rows(matrix, false);
    }
}

static void fill(const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->count; i++)
        for (size_t k = 0; k < matrix->count; k++)
            if (i != k)
                *rate_of(matrix, i, k) = matrix->hosts[i].sends * matrix->hosts[k].receives;
    balance(matrix);
}

/* Each receiver keeps the largest flows, each sender its largest.  Equal flows are kept by
 * distance, so that all senders keep some. */
static size_t largest(const struct matrix *matrix, size_t to, const bool *kept)
{
    size_t best = to;
    double most = 0;
    for (size_t i = 1; i < matrix->count; i++) {
        const size_t from = (to + i) % matrix->count;
        if (!kept[from] && *rate_of(matrix, from, to) > most * 1.0001) {
            most = *rate_of(matrix, from, to);
            best = from;
        }
    }
    return best;
}

static void keep_largest(struct arena *arena, const struct matrix *matrix)
{
    bool *kept = arena_array(arena, matrix->count + 1, sizeof *kept);
    size_t *main = arena_array(arena, matrix->count + 1, sizeof *main);
    for (size_t from = 0; from < matrix->count; from++)
        for (size_t to = 0; to < matrix->count; to++)
            if (*rate_of(matrix, from, to) > *rate_of(matrix, from, main[from]))
                main[from] = to;
    for (size_t to = 0; to < matrix->count; to++) {
        memset(kept, 0, matrix->count * sizeof *kept);
        for (int i = 0; i < SENDERS_MAX; i++)
            kept[largest(matrix, to, kept)] = true;
        for (size_t from = 0; from < matrix->count; from++)
            if (!kept[from] && main[from] != to)
                *rate_of(matrix, from, to) = 0;
    }
    balance(matrix);
}

/* ---- flows ---- */

static int64_t message_size(double bytes, int64_t messages)
{
    const double size = messages > 0 ? bytes / (double)messages : 65536;
    const double within = size < SIZE_LEAST ? SIZE_LEAST : size > SIZE_MOST ? SIZE_MOST : size;
    return (int64_t)(within / 1024) * 1024;
}

static bool any_full(const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->count; i++)
        if (matrix->hosts[i].is_full)
            return true;
    return false;
}

static void add_flow(struct fit_traffic *traffic, const struct triage_work *work,
                     const struct matrix *matrix, size_t from, size_t to)
{
    const struct ends *sender = &matrix->hosts[from], *receiver = &matrix->hosts[to];
    struct fit_flow *flow =
        arena_push(work->arena, (void **)(void *)&traffic->flows, &traffic->count, sizeof *flow);
    const double seconds = (double)work->triage->seconds;
    *flow = (struct fit_flow){.from = sender->node,
                              .to = receiver->node,
                              .rate = *rate_of(matrix, from, to),
                              .is_read = receiver->written == 0 && sender->read > 0};
    flow->size = flow->is_read ? message_size(sender->sends * seconds, sender->read)
                               : message_size(receiver->receives * seconds, receiver->written);
    flow->is_open = !receiver->is_full && !(sender->is_paused && !any_full(matrix));
}

static void find_priority(struct fit_traffic *traffic, const struct triage_work *work)
{
    double most = 0, all = 0;
    traffic->priority = 3;
    for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++) {
        double sum = 0;
        for (size_t i = 0; i < work->port_count; i++)
            sum += (double)counted(work, (int)i, true, "bytes", priority).value;
        all += sum;
        if (sum > most) {
            most = sum;
            traffic->priority = priority;
        }
    }
    traffic->left_share = all > 0 ? 1 - most / all : 0;
}

void fit_traffic(struct fit_traffic *traffic, const struct triage_work *work)
{
    *traffic = (struct fit_traffic){0};
    struct matrix matrix = {0};
    find_priority(traffic, work);
    find_hosts(&matrix, work, traffic->priority);
    find_outsides(&matrix, work, traffic->priority);
    matrix.rates = arena_array(work->arena, matrix.count * matrix.count + 1, sizeof *matrix.rates);
    fill(&matrix);
    keep_largest(work->arena, &matrix);
    for (size_t from = 0; from < matrix.count; from++)
        for (size_t to = 0; to < matrix.count; to++)
            if (*rate_of(&matrix, from, to) > least_flow * matrix.hosts[to].receives &&
                *rate_of(&matrix, from, to) >= least_rate)
                add_flow(traffic, work, &matrix, from, to);
}
