/* SPDX-License-Identifier: Apache-2.0
 * triage_paths - switches through which traffic falls, or that send it over other links than
 * before.
 * Bytes are conserved: a switch that is slow has a part in all bytes that hosts move less, and in
 * those of most of its ports, while a host has that part only in its own.  Of links that lead to
 * the same places, one carries more and another less only if the choice between them changed, at
 * this switch: what arrives at it from hosts does not depend on it. */
#include "base/plural.h"
#include "replay/incident/triage_private.h"
#include "scenarios/data/scenario.h"

static const double least_fallen = 0.1;
static const double switch_part = 0.7, cable_part = 0.8; /* hosts are slow more often */
static const double least_breadth = 0.6;                 /* of a switch's ports */
static const double least_moved = 0.15;  /* of the bytes of links that lead to the same places */
static const double least_excess = 0.05; /* more than sources and destinations changed */
static const double least_bytes = 0.05;  /* of what hosts receive */
static const double full = 0.85;         /* of what a link can carry */
static const double idle_share = 0.6;

/* ---- slow switches ---- */

struct through {
    double lost, expected; /* bytes per second that its ports sent less, and before */
    size_t ports, fallen;
    const struct incident_count *bytes; /* of the port that lost most */
};

static void add_through(const struct triage_work *work, int port, struct through *sum, double *most)
{
    const struct triage_value bytes = triage_sent_bytes(work, port);
    struct triage_rates rates;
    if (!triage_rates(&work->change, bytes.count, &rates) || rates.before <= 0)
        return;
    const double lost = rates.before - rates.during;
    sum->ports++;
    sum->fallen += lost > least_fallen * rates.before;
    sum->lost += lost;
    sum->expected += rates.before;
    if (lost > *most) {
        *most = lost;
        sum->bytes = bytes.count;
    }
}

static struct through find_through(const struct triage_work *work, int node)
{
    struct through sum = {.lost = 0};
    double most = 0;
    for (size_t i = 0; i < work->nodes[node].port_count; i++)
        add_through(work, work->nodes[node].ports[i], &sum, &most);
    return sum;
}

/* That a place which passes `lost` bytes per second less is the reason for what hosts lost. */
static double likelihood_of(const struct triage_work *work, double lost, double before)
{
    const double seconds = work->change.step * (work->change.to - work->change.from);
    return triage_place_likelihood(work, lost * seconds, before * seconds);
}

static void suspect_slow(struct triage_work *work, int node, double share)
{
    const struct through sum = find_through(work, node);
    const double breadth = sum.ports > 0 ? (double)sum.fallen / (double)sum.ports : 0,
                 part = triage_part(sum.lost, sum.expected);
    if (sum.fallen < 3 || breadth < least_breadth || part < least_fallen || sum.bytes == NULL)
        return;
    struct triage_suspect *suspect =
        triage_suspect(work, SUSPECT_SLOW_SWITCH, node, TRIAGE_NO_PORT,
                       share * switch_part * likelihood_of(work, sum.lost, sum.expected) * breadth *
                           (0.6 + 0.4 * part));
    triage_sign(work, suspect, (struct triage_value){.known = true, .count = sum.bytes},
                "%zu of %zu %s of %s that had traffic send less, %.0f%% less in total", sum.fallen,
                sum.ports, plural((int64_t)sum.ports, "port", "ports"), work->nodes[node].name,
                part * 100);
}

/* A cable between switches: what its hosts lost passed it. */
static void suspect_slow_cable(struct triage_work *work, int port, double share)
{
    const int peer = work->ports[port].peer;
    struct through sum = {.lost = 0};
    double most = 0;
    if (peer < port || !work->nodes[work->ports[port].node].is_switch ||
        !work->nodes[work->ports[peer].node].is_switch)
        return;
    add_through(work, port, &sum, &most);
    add_through(work, peer, &sum, &most);
    const double part = triage_part(sum.lost, sum.expected);
    if (part < least_fallen || sum.bytes == NULL)
        return;
    struct triage_suspect *suspect = triage_suspect(
        work, SUSPECT_SLOW_PATH, work->ports[port].node, port,
        share * cable_part * likelihood_of(work, sum.lost, sum.expected) * (0.6 + 0.4 * part));
    triage_sign(work, suspect, (struct triage_value){.known = true, .count = sum.bytes},
                "%s and the other end of its cable send %.0f%% less than before",
                triage_port_words(work, port), part * 100);
}

/* ---- other links than before ---- */

/* Of each port of the work: bytes per second, before and in the incident; 0: not known. */
struct split {
    const struct triage_work *work;
    const struct triage_rates *rates;
    bool *chosen;
};

static double sum_before(const struct split *split)
{
    double sum = 0;
    for (size_t i = 0; i < split->work->port_count; i++)
        sum += split->chosen[i] ? split->rates[i].before : 0;
    return sum;
}

/* The part that goes over other ports than before (total variation distance). */
static double part_moved(const struct split *split, int *gains)
{
    double during = 0, most = 0, sum = 0;
    const double before = sum_before(split);
    for (size_t i = 0; i < split->work->port_count; i++) {
        during += split->chosen[i] ? split->rates[i].during : 0;
    }
    for (size_t i = 0; i < split->work->port_count && before > 0 && during > 0; i++) {
        const struct triage_rates *rates = &split->rates[i];
        const double gained =
            split->chosen[i] ? rates->during / during - rates->before / before : 0;
        sum += gained > 0 ? gained : 0;
        if (gained > most) {
            most = gained;
            *gains = (int)i;
        }
    }
    return sum;
}

static bool lost_carrier(const struct triage_work *work, int node)
{
    for (size_t i = 0; i < work->triage->suspect_count; i++) {
        const struct triage_suspect *suspect = &work->triage->suspects[i];
        if ((suspect->kind == SUSPECT_LINK_DOWN || suspect->kind == SUSPECT_SWITCH_DOWN) &&
            (triage_find_node(work, suspect->device) == node ||
             (suspect->peer != NULL && triage_find_node(work, suspect->peer) == node)))
            return true;
    }
    return false;
}

enum side { UP, OTHERS, HOSTS };

/* The ports of the switch to higher tiers, which lead to the same places; its other ports, at their
 * far ends; all ports to hosts. */
static bool is_of(const struct triage_work *work, int port, int node, enum side side)
{
    const struct scenario *scenario = work->incident->scenario;
    const int peer = work->ports[port].peer, at = work->ports[port].node;
    const int far = peer < 0 ? -1 : work->ports[peer].node;
    if (far < 0 || (uint32_t)far >= scenario->node_count || (uint32_t)at >= scenario->node_count)
        return false;
    if (side == HOSTS)
        return work->nodes[at].is_switch && !work->nodes[far].is_switch;
    if (side == UP)
        return at == node && scenario->nodes[far].tier > scenario->nodes[node].tier;
    return far == node && scenario->nodes[at].tier <= scenario->nodes[node].tier;
}

static double part_of_side(const struct split *split, int node, enum side side, int *gains)
{
    for (size_t i = 0; i < split->work->port_count; i++)
        split->chosen[i] = is_of(split->work, (int)i, node, side);
    return part_moved(split, gains);
}

/* What links between switches carry at most: the rate, or where it is unknown the most that any of
 * them did. */
static double most_of(const struct split *split, int port)
{
    const struct triage_port *at = &split->work->ports[port];
    double most = (double)at->rate / 8;
    for (size_t i = 0; i < split->work->port_count && at->rate == 0; i++) {
        const struct triage_port *other = &split->work->ports[i];
        const struct triage_rates *rates = &split->rates[i];
        const double carried = rates->before > rates->during ? rates->before : rates->during;
        if (other->peer >= 0 && split->work->nodes[other->node].is_switch &&
            split->work->nodes[split->work->ports[other->peer].node].is_switch && carried > most)
            most = carried;
    }
    return most;
}

/* A chosen port that carried its part before and little since, while another one is full: traffic
 * that only stopped leaves the others as they were. */
static int find_idle(const struct split *split)
{
    double during = 0;
    int ports = 0, idle = TRIAGE_NO_PORT, busiest = TRIAGE_NO_PORT;
    const double before = sum_before(split);
    for (size_t i = 0; i < split->work->port_count; i++) {
        during += split->chosen[i] ? split->rates[i].during : 0;
        ports += split->chosen[i];
        if (split->chosen[i] &&
            (busiest < 0 || split->rates[i].during > split->rates[busiest].during))
            busiest = (int)i;
    }
    for (size_t i = 0; i < split->work->port_count; i++)
        if (split->chosen[i] && split->rates[i].before * ports > 0.5 * before &&
            split->rates[i].during * ports < 0.2 * during)
            idle = (int)i;
    return idle >= 0 && split->rates[busiest].during > full * most_of(split, busiest)
               ? idle
               : TRIAGE_NO_PORT;
}

/* The part of the bytes that some of the chosen ports send more and others less. */
static double part_gained(const struct split *split)
{
    double more = 0, less = 0;
    const double before = sum_before(split);
    for (size_t i = 0; i < split->work->port_count; i++) {
        const double gained =
            split->chosen[i] ? split->rates[i].during - split->rates[i].before : 0;
        more += gained > 0 ? gained : 0;
        less -= gained < 0 ? gained : 0;
    }
    return before > 0 ? (more < less ? more : less) / before : 0;
}

/* What hosts receive: the part that others receive than before, bytes per second before. */
struct destinations {
    double moved, bytes;
};

/* Sources and destinations that changed have other links. */
static void suspect_moved(struct triage_work *work, const struct split *split, int node,
                          const struct destinations *destinations)
{
    int port = TRIAGE_NO_PORT, ignored;
    const double moved = part_of_side(split, node, UP, &port);
    const int idle = find_idle(split);
    const bool is_much = sum_before(split) > least_bytes * destinations->bytes &&
                         (idle != TRIAGE_NO_PORT || part_gained(split) > least_excess);
    if (port < 0 || moved < least_moved || !is_much)
        return;
    const double sources = part_of_side(split, node, OTHERS, &ignored);
    const double part = moved - (destinations->moved > sources ? destinations->moved : sources);
    if (part < least_excess || lost_carrier(work, node))
        return;
    const double scaled = part < 0.5 ? 2 * part : 1;
    struct triage_suspect *suspect =
        triage_suspect(work, SUSPECT_OTHER_LINKS, node, TRIAGE_NO_PORT,
                       idle != TRIAGE_NO_PORT && scaled < idle_share ? idle_share : scaled);
    if (idle != TRIAGE_NO_PORT)
        triage_sign(work, suspect, (struct triage_value){0},
                    "%s is nearly idle, and links to the same places are not",
                    triage_port_words(work, idle));
    triage_sign(work, suspect, triage_place(triage_sent_bytes(work, port)),
                "%s sends %.0f%% of its upstream traffic over other links than before, most to %s",
                work->nodes[node].name, moved * 100,
                work->nodes[work->ports[work->ports[port].peer].node].name);
}

static struct split split_bytes(struct triage_work *work)
{
    struct triage_rates *rates = arena_array(work->arena, work->port_count + 1, sizeof *rates);
    for (size_t i = 0; i < work->port_count; i++)
        if (!triage_rates(&work->change, triage_sent_bytes(work, (int)i).count, &rates[i]))
            rates[i] = (struct triage_rates){0};
    return (struct split){work, rates,
                          arena_array(work->arena, work->port_count + 1, sizeof(bool))};
}

void triage_path_signs(struct triage_work *work, double share)
{
    const struct scenario *scenario = work->incident->scenario;
    if (!work->change.found)
        return;
    for (size_t i = 0; i < work->port_count; i++)
        suspect_slow_cable(work, (int)i, share);
    const struct split split = split_bytes(work);
    int ignored;
    struct destinations destinations = {0};
    if (scenario != NULL) {
        destinations.moved = part_of_side(&split, 0, HOSTS, &ignored);
        destinations.bytes = sum_before(&split);
    }
    for (size_t i = 0; i < work->node_count; i++) {
        if (!work->nodes[i].is_switch)
            continue;
        suspect_slow(work, (int)i, share);
        if (scenario != NULL && i < scenario->node_count)
            suspect_moved(work, &split, (int)i, &destinations);
    }
}
