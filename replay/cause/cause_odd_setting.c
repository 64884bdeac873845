/* SPDX-License-Identifier: Apache-2.0
 * cause_odd_setting - a setting that differs from that of comparable devices, if traffic through it
 * does worse. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/effect/effect.h"

#include <stdio.h>
#include <string.h>

/* Least share that counts as a difference; header bytes per packet; propagation time in ps per mm;
 * round trips while connecting. */
enum { NOTABLE = PPM / 20, HEADERS = 82, LENGTH_PS = 5, EXCHANGES = 16, ROUND_TRIP_US = 4 };

/* Kinds of loss that show worse service. */
enum { SERVED = HARM_BIT(FAILED) | HARM_BIT(STOOD) | HARM_BIT(BEHIND) | HARM_BIT(SLOW) };

static enum opt_by by_of(const struct deviation_change *change)
{
    return change->row == NULL ? OPT_BY_NOTHING : change->row->effect.by;
}

/* The delay that the deviation adds to each operation of the member: for a link, both directions if
 * both ends deviate. */
static time_ps added_to(const struct harm_scene *scene, const struct deviation *deviation,
                        const struct harm_member *member, enum opt_by by)
{
    time_ps added = 0;
    for (size_t i = 0; i < deviation->change_count; i++) {
        const struct deviation_change *change = &deviation->changes[i];
        const struct scenario_spot *spot = &change->spot;
        char why[OPT_WHY_BYTES];
        int64_t value;
        if (by_of(change) != by || spot->node == SCENARIO_NOWHERE ||
            !opt_parse(change->row, deviation->value, &value, why) || value <= change->common)
            continue;
        const bool all = spot->port == SCENARIO_ALL_PORTS;
        if (all ? !scene_passes(scene, member, spot->node)
                : !scene_crosses(scene, member, scene_port_of(scene, spot->node, spot->port)))
            continue;
        const bool length = change->row->type == OPT_LENGTH;
        const time_ps each = (value - change->common) * (length ? LENGTH_PS : 1);
        const bool frames = change->of != DEVIATION_MEDIA_VALUE && by == OPT_BY_DELAY;
        added += all && frames ? 2 * each : each;
    }
    return added;
}

static int64_t share_of(time_ps part, time_ps whole)
{
    return part >= whole ? PPM : (int64_t)((__int128)part * PPM / whole);
}

/* The share of the member's time that this delay explains: per operation, during connecting, or for
 * outstanding READs, which wait for round trips. The largest counts. */
static int64_t delay_share(const struct harm_member *member, time_ps added)
{
    const int64_t each = member->mean == 0 ? 0 : share_of(added, member->mean);
    const int64_t begin = share_of(EXCHANGES * added, member->span);
    const int64_t reads = (int64_t)((__int128)member->part[HARM_PART_READS] * added /
                                    (added + ROUND_TRIP_US * PS_PER_US));
    const int64_t most = each > begin ? each : begin;
    return most > reads ? most : reads;
}

/* The share of the time in which a node's processors worked for the added cost of all
 * operations. */
static int64_t cpu_share(const struct harm_scene *scene, const struct deviation *deviation)
{
    const uint32_t node = deviation->changes[0].spot.node;
    const bool target = deviation->changes[0].row->effect.part == OPT_PART_TARGET_CPU;
    __int128 spent = 0;
    time_ps span = 0;
    const struct member_list list = member_index_list(&scene->at_node, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        if ((target ? member->to : member->from) != node)
            continue;
        spent += (__int128)member->completed * added_to(scene, deviation, member, OPT_BY_COST);
        span = member->span > span ? member->span : span;
    }
    const struct scenario_host *host = scene->scenario->nodes[node].host;
    const int64_t cores = target ? host->nvme_target->core.cores : 1;
    if (span == 0)
        return 0;
    const __int128 share = spent * PPM / cores / span;
    return share > PPM ? PPM : (int64_t)share;
}

static uint32_t port_of(const struct harm_scene *scene, const struct deviation_change *change)
{
    return scene_port_of(scene, change->spot.node, change->spot.port);
}

/* Bytes in the busier direction. */
static uint64_t bytes_of(const struct port *port)
{
    uint64_t out = 0, in = 0;
    for (int priority = 0; priority < PRIORITIES; priority++) {
        out += port->prios[priority].tx_bytes;
        in += port->prios[priority].rx_bytes;
    }
    return out > in ? out : in;
}

/* Bytes on the links of the deviation, each link counted once even if both ends deviate. Hosts with
 * several NICs send some bytes on other links. UINT64_MAX: the deviation applies to whole nodes. */
static uint64_t went_by(const struct harm_scene *scene, const struct deviation *deviation)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < deviation->change_count; i++) {
        const struct deviation_change *changes = deviation->changes;
        if (changes[i].spot.node == SCENARIO_NOWHERE || changes[i].spot.port == SCENARIO_ALL_PORTS)
            return UINT64_MAX;
        const uint32_t port = port_of(scene, &changes[i]);
        bool told = false;
        for (size_t k = 0; k < i; k++)
            told |= scene->fabric->peer[port] == port_of(scene, &changes[k]);
        sum += told ? 0 : bytes_of(scene_port(scene, port));
    }
    return sum;
}

/* Share of the time by which all bytes through it took longer than at the common rate. */
static int64_t rate_share(const struct harm_scene *scene, const struct deviation *deviation)
{
    const struct deviation_change *change = &deviation->changes[0];
    char why[OPT_WHY_BYTES];
    uint64_t bytes = 0;
    time_ps span = 0;
    int64_t value;
    if (!opt_parse(change->row, deviation->value, &value, why) || value <= 0)
        return 0;
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (!scene_touches(scene, member, deviation))
            continue;
        bytes += member->bytes;
        span = member->span > span ? member->span : span;
    }
    const uint64_t most = went_by(scene, deviation);
    bytes = bytes < most ? bytes : most;
    const time_ps slow = units_transfer_ps(bytes, (uint64_t)value);
    const time_ps fast =
        change->common <= 0 ? 0 : units_transfer_ps(bytes, (uint64_t)change->common);
    return span == 0 ? 0 : share_of(slow - fast, span);
}

/* Smaller packets spend a larger share of a saturated link on headers. */
static int64_t header_share(const struct harm_scene *scene, const struct deviation *deviation,
                            const struct harm_member *member)
{
    const struct deviation_change *change = &deviation->changes[0];
    char why[OPT_WHY_BYTES];
    int64_t value;
    if (strcmp(change->row->name, "path-mtu") != 0 ||
        !opt_parse(change->row, deviation->value, &value, why))
        return 0;
    const struct rnic_params *to = scene->scenario->nodes[member->to].host->rnic;
    const int64_t asked = rnic_asked_mtu(scene->scenario->nodes[member->from].host->rnic, to);
    if (asked != value && rnic_taken_mtu(to, asked) != value)
        return 0;
    const int64_t more =
        PPM * HEADERS / (value + HEADERS) - PPM * HEADERS / (change->common + HEADERS);
    const uint32_t first = scene->fabric->first_port[member->from];
    const int64_t out = scene->uses[first].busy, in = scene->uses[scene->fabric->peer[first]].busy;
    return (int64_t)((__int128)more * (out > in ? out : in) / PPM);
}

/* The share of the member's time that the deviation is expected to take, by its kind and size; 0:
 * no estimate. */
static int64_t expected_loss(const struct harm_scene *scene, const struct deviation *deviation,
                             const struct harm_member *member)
{
    switch (by_of(&deviation->changes[0])) {
    case OPT_BY_DELAY:
        return delay_share(member, added_to(scene, deviation, member, OPT_BY_DELAY));
    case OPT_BY_COST: {
        const int64_t waited = delay_share(member, added_to(scene, deviation, member, OPT_BY_COST));
        const int64_t busy = cpu_share(scene, deviation);
        return busy > waited ? busy : waited;
    }
    case OPT_BY_RATE:
        return rate_share(scene, deviation);
    case OPT_BY_SERVICE:
        if (deviation->changes[0].row->effect.part == OPT_PART_READS)
            return member->part[HARM_PART_READS];
        return header_share(scene, deviation, member);
    case OPT_BY_NOTHING:
    case OPT_BY_TRACE:
        break;
    }
    return 0;
}

/* ------------------------------------------------------------------ comparison with others */

/* How much more the affected members lose than the other members of the workload. */
static int64_t excess_loss(const struct harm_scene *scene, const struct deviation *deviation,
                           uint32_t workload)
{
    int64_t lost[2] = {0, 0}, count[2] = {0, 0};
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (member->workload != workload)
            continue;
        const bool touched = scene_touches(scene, member, deviation);
        int64_t most = 0;
        for (int part = 0; part < HARM_PART_COUNT; part++)
            if ((SERVED >> part & 1) != 0 && member->part[part] > most)
                most = member->part[part];
        lost[touched] += most;
        count[touched]++;
    }
    return count[0] == 0 || count[1] == 0 ? 0 : lost[1] / count[1] - lost[0] / count[0];
}

/* Whether the change slows service without a trace of its own. */
static bool is_felt_as_service(const struct deviation_change *change)
{
    return change->row != NULL ? by_of(change) == OPT_BY_SERVICE || by_of(change) == OPT_BY_RATE
                               : change->of == DEVIATION_CONTROL || change->of == DEVIATION_MEDIA;
}

static int64_t supposed_of(const struct harm_scene *scene, const struct deviation *deviation,
                           uint32_t workload)
{
    int64_t all = 0, count = 0;
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (member->workload != workload || !scene_touches(scene, member, deviation))
            continue;
        const int64_t lost = expected_loss(scene, deviation, member);
        all += lost;
        count += lost > 0;
    }
    return count == 0 ? 0 : all / count;
}

static void look_at(struct cause_search *search, const struct harm_scene *scene,
                    const struct deviation *deviation, uint32_t workload)
{
    const struct suspect suspect = suspects_named_deviation(scene, deviation);
    const int64_t own = supposed_of(scene, deviation, workload);
    const int64_t more =
        is_felt_as_service(&deviation->changes[0]) ? excess_loss(scene, deviation, workload) : 0;
    const char *name = scene->scenario->workloads[workload].name;
    struct cause_clue clue = cause_clue();
    if (own < NOTABLE && more < NOTABLE)
        return;
    clue.deviation = deviation;
    clue.workload = workload;
    clue.least = own > more ? own : more;
    if (own > more)
        snprintf(clue.seen, sizeof clue.seen, "%s is delayed there for %s of its time", name,
                 words_percent((double)own, PPM).text);
    else
        snprintf(clue.seen, sizeof clue.seen, "I/O of %s takes %s longer there than at the peers",
                 name, words_percent((double)more, PPM).text);
    cause_accuse(search, &clue, &suspect);
}

static bool has_fec(const struct harm_scene *scene, uint32_t port)
{
    return port_fec_ps(&scene_port(scene, port)->params) > 0;
}

/* A link without comparable links, such as the only one between two switches. */
static void look_at_link(struct cause_search *search, const struct harm_scene *scene, uint32_t port)
{
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    char name[HARM_NAME_BYTES];
    int64_t added, all = 0;
    if (suspects_override(scene, "length", port, &suspect, &added))
        added *= LENGTH_PS;
    else if (!suspects_override(scene, has_fec(scene, port) ? "delay fec-latency" : "delay", port,
                                &suspect, &added))
        return;
    const struct member_list list = member_index_list(&scene->at_port, port);
    for (uint32_t i = 0; i < list.count; i++)
        all += delay_share(&scene->members[list.members[i]], added);
    if (list.count == 0 || all / list.count < NOTABLE)
        return;
    clue.place.port = port;
    clue.least = all / list.count;
    snprintf(clue.seen, sizeof clue.seen, "%s is longer than its class of links",
             cause_port_name(scene, port, name, sizeof name));
    cause_accuse(search, &clue, &suspect);
}

/* Whether the deviation has no effect. A host without congestion control is not slower for it
 * (others may be: cause_throttle). */
static bool does_nothing(const struct harm_scene *scene, const struct deviation *deviation)
{
    const struct deviation_change *change = &deviation->changes[0];
    if (change->of == DEVIATION_CONTROL)
        return strcmp(deviation->value, "none") == 0;
    if (change->row != NULL && strcmp(change->row->name, "fec-latency") == 0 &&
        change->spot.node != SCENARIO_NOWHERE && change->spot.port != SCENARIO_ALL_PORTS)
        return !has_fec(scene, port_of(scene, change));
    return effect_is_void(scene->scenario, change->spot.node, change->row);
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    for (size_t i = 0; i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        if (!suspects_is_worse(deviation, &deviation->changes[0]) || does_nothing(scene, deviation))
            continue;
        for (uint32_t w = 0; w < scene->scenario->workload_count; w++)
            look_at(search, scene, deviation, w);
    }
    for (uint32_t i = 0; i < scene->fabric->first_port[scene->fabric->node_count]; i++)
        look_at_link(search, scene, i);
}

const struct cause_kind cause_odd_setting = {
    .name = "odd-setting",
    .about = "A device has a setting that its peers do not have, and its traffic is slower.",
    .look = look,
};
