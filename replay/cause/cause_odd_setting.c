/* SPDX-License-Identifier: Apache-2.0
 * cause_odd_setting - a setting that others do not have, where those behind it do worse. */
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "replay/database/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a difference is told by; what is supposed of one that cannot be measured. */
enum { NOTABLE = PPM / 20, LITTLE = PPM / 50 };

static bool is_delay(const char *row)
{
    return suspects_listed("delay length latency tx-delay rx-delay read-delay command-cost "
                           "submit-cost complete-cost read-latency write-latency",
                           row);
}

/* The shortest mean latency of the members that it touches. */
static time_ps latency_of(const struct harm_scene *scene, const struct deviation *deviation)
{
    time_ps least = 0;
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (member->mean > 0 && (least == 0 || member->mean < least) &&
            scene_touches(scene, member, deviation))
            least = member->mean;
    }
    return least;
}

/* What a change may cost where nobody can be compared: a delay as much as it adds to the latency,
 * what is no quantity a little; of others the traces tell. */
static int64_t supposed(const struct harm_scene *scene, const struct deviation *deviation)
{
    const struct deviation_change *change = &deviation->changes[0];
    char why[OPT_WHY_BYTES];
    int64_t value;
    if (change->row == NULL)
        return LITTLE;
    if (strcmp(change->row->name, "path-mtu") == 0 || strcmp(change->row->name, "ecmp-hash") == 0)
        return LITTLE;
    if (!is_delay(change->row->name) || !opt_parse(change->row, deviation->value, &value, why) ||
        value <= change->common)
        return 0;
    /* a length is in mm: 5 ns for each metre */
    const bool length = strcmp(change->row->name, "length") == 0;
    const time_ps added = 2 * (length ? (value - change->common) * 5 : value - change->common);
    const time_ps mean = latency_of(scene, deviation);
    return mean == 0 || added * 20 < mean ? 0 : LITTLE;
}

/* How time is lost to a setting: what acts by pauses alone has nothing to do with a queue. */
static unsigned parts_of(const struct deviation *deviation)
{
    static const struct {
        const char *rows;
        unsigned parts;
    } acts[] = {
        {"pfc-refresh pfc-quanta pfc-response xon xon-offset xoff headroom headroom-pool",
         HARM_BIT(PAUSE) | HARM_BIT(LOSS)},
        {"cell reserved ports", 0}, /* how memory is counted: too little to be told from others */
        {"ecn-kmin ecn-kmax ecn-pmax ecn-mark", HARM_BIT(HELD)},
        {"timeout retry-count", HARM_BIT(LOSS) | HARM_BIT(STOOD) | HARM_BIT(FAILED)},
    };
    const struct opt *row = deviation->changes[0].row;
    for (size_t i = 0; row != NULL && i < sizeof acts / sizeof acts[0]; i++)
        if (suspects_listed(acts[i].rows, row->name))
            return acts[i].parts;
    return HARM_BIT(FAILED) | HARM_BIT(STOOD) | HARM_BIT(BEHIND) | HARM_BIT(SLOW);
}

static int64_t loss_of(const struct harm_member *member, unsigned parts)
{
    int64_t lost = 0;
    for (int part = 0; part < HARM_PART_COUNT; part++)
        if ((parts & 1u << part) != 0 && member->part[part] > lost)
            lost = member->part[part];
    return lost;
}

/* Members that it touches, and the others of their workloads. */
struct groups {
    int64_t lost[2], count[2];
};

static struct groups parted(const struct harm_scene *scene, const struct deviation *deviation)
{
    struct groups groups = {0};
    const unsigned parts = parts_of(deviation);
    bool *mixed = memory_zeroed(scene->scenario->workload_count + 1, sizeof *mixed);
    for (uint32_t i = 0; i < scene->member_count; i++)
        mixed[scene->members[i].workload] |= scene_touches(scene, &scene->members[i], deviation);
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        const bool touched = scene_touches(scene, member, deviation);
        if (!mixed[member->workload])
            continue;
        groups.lost[touched] += loss_of(member, parts);
        groups.count[touched]++;
    }
    free(mixed);
    return groups;
}

/* What it does is seen as drops, or not at all. */
static bool leaves_drops(const struct deviation *deviation)
{
    const struct opt *row = deviation->changes[0].row;
    return row != NULL && suspects_listed("ttl mtu headroom", row->name);
}

static void compare(struct cause_search *search, const struct harm_scene *scene,
                    const struct deviation *deviation)
{
    const struct suspect suspect = suspects_named_deviation(deviation);
    const struct groups groups = parted(scene, deviation);
    struct cause_clue clue = cause_clue();
    if (groups.count[1] == 0)
        return;
    const int64_t touched = groups.lost[1] / groups.count[1];
    const int64_t others = groups.count[0] == 0 ? 0 : groups.lost[0] / groups.count[0];
    clue.deviation = deviation;
    if (groups.count[0] > 0 && touched >= others + NOTABLE && !leaves_drops(deviation)) {
        clue.parts = HARM_LOST_PARTS | HARM_BIT(SLOW);
        clue.strength = PPM / 2;
        snprintf(clue.seen, sizeof clue.seen, "pairs that it touches lose %s, others %s",
                 words_percent((double)touched, PPM).text, words_percent((double)others, PPM).text);
    } else if ((clue.least = supposed(scene, deviation)) >= LITTLE) {
        snprintf(clue.seen, sizeof clue.seen, "traffic goes by it; how much it cost is not seen");
    } else
        return;
    cause_accuse(search, &clue, &suspect);
}

/* Of links that have no like: the one between two switches. */
static void look_at_overrides(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    for (uint32_t port = 0; port < ports; port++) {
        struct cause_clue clue = cause_clue();
        struct suspect suspect;
        char name[HARM_NAME_BYTES];
        if (!suspects_override(scene, "delay length rate fec-latency", port, &suspect))
            continue;
        clue.place.port = port;
        clue.least = LITTLE;
        snprintf(clue.seen, sizeof clue.seen, "%s is slower or longer than its class of links",
                 cause_port_name(scene, port, name, sizeof name));
        cause_accuse(search, &clue, &suspect);
    }
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    for (size_t i = 0; i < scene->deviations.count; i++)
        compare(search, scene, &scene->deviations.list[i]);
    look_at_overrides(search, scene);
}

const struct cause_kind cause_odd_setting = {
    .name = "odd-setting",
    .about = "A setting differs from that of its like, and who is behind it does worse.",
    .look = look,
};
