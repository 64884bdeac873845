/* SPDX-License-Identifier: Apache-2.0
 * record_events - describes events. */
#include "replay/record/record_events.h"

#include "base/note_text.h"
#include "base/plural.h"
#include "replay/database/record_schema.h"
#include "replay/database/words.h"
#include "replay/record/collect.h"
#include "replay/record/record_deadlocks.h"
#include "rnic/host/rnic.h"
#include "scenarios/data/fault.h"
#include "scenarios/fabric/timeline.h"

#include <stdio.h>
#include <string.h>

/* Limits: names in one row; connections of a workload with a row each; steps of the timeline. */
enum { NAMES_MAX = 3, MEMBERS_MAX = 4, FAILED_MAX = 64, STEPS_MAX = 100000, TEXT_BYTES = 400 };

enum event_kind {
#define EVENT(name, word, prefix) EVENT_##name,
#include "replay/record/event_kind.def"
#undef EVENT
    EVENT_KINDS
};

static const struct {
    const char *word, *prefix;
} kinds[] = {
#define EVENT(name, word, prefix) {word, prefix},
#include "replay/record/event_kind.def"
#undef EVENT
};

struct event_row {
    time_ps at;
    enum event_kind kind;
    const char *place, *text;
    time_ps took; /* ps; -1: no duration, or unknown */
};

static void write_event(struct store *store, const struct event_row *row)
{
    RECORD_ROW(store, event, .at_ps = STORE_I(row->at), .kind = STORE_T(kinds[row->kind].word),
               .place = STORE_T(row->place),
               .took_ps = row->took < 0 ? STORE_N : STORE_I(row->took), .text = STORE_T(row->text));
}

/* ------------------------------------------------------------------ notes */

/* '@' stands for a word. */
static bool begins_with(const char *text, const char *prefix)
{
    for (; *prefix != '\0'; prefix++) {
        if (*prefix == '@') {
            text += strcspn(text, " ");
            continue;
        }
        if (*text++ != *prefix)
            return false;
    }
    return true;
}

void record_event_of_note(struct store *store, time_ps at, const char *owner, const char *text)
{
    int kind = 0;
    char named[TEXT_BYTES];
    while (kinds[kind].prefix == NULL || !begins_with(text, kinds[kind].prefix))
        kind++;
    snprintf(named, sizeof named, "%s: %s", owner, text);
    const char *words = strstr(text, owner) == NULL ? named : text;
    write_event(store, &(struct event_row){at, (enum event_kind)kind, owner, words, -1});
}

/* ------------------------------------------------------------------ faults and links */

struct names {
    char text[TEXT_BYTES];
    size_t used;
    uint32_t count;
};

static void add_name(struct names *names, const char *name)
{
    if (names->count++ < NAMES_MAX && names->used < sizeof names->text)
        names->used += (size_t)snprintf(names->text + names->used, sizeof names->text - names->used,
                                        "%s%s", names->used > 0 ? ", " : "", name);
}

static void end_names(struct names *names)
{
    if (names->count > NAMES_MAX && names->used < sizeof names->text)
        snprintf(names->text + names->used, sizeof names->text - names->used, " and %u more",
                 (unsigned)(names->count - NAMES_MAX));
}

static void name_spots(const struct scenario *scenario, const struct scenario_fault *fault,
                       struct names *names)
{
    *names = (struct names){.used = 0};
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_node *node = &scenario->nodes[fault->spots[i].node];
        const bool whole = fault->spots[i].port == SCENARIO_ALL_PORTS;
        add_name(names, whole ? node->name : scenario_port_name(node, fault->spots[i].port).text);
    }
    end_names(names);
}

static void write_faults(struct store *store, const struct collect *collect)
{
    const struct scenario *scenario = collect->scenario;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        struct names names;
        char text[2 * TEXT_BYTES];
        name_spots(scenario, fault, &names);
        snprintf(text, sizeof text, "fault %s at %s begins", fault->ops->name, names.text);
        if (fault->at <= collect->now)
            write_event(store,
                        &(struct event_row){fault->at, EVENT_FAULT_BEGAN, names.text, text, -1});
        snprintf(text, sizeof text, "fault %s at %s ends; it lasted %s", fault->ops->name,
                 names.text, words_time(fault->end - fault->at).text);
        if (fault->end <= collect->now)
            write_event(store, &(struct event_row){fault->end, EVENT_FAULT_ENDED, names.text, text,
                                                   fault->end - fault->at});
    }
}

/* Links that lose or regain carrier at the same time. */
struct link_events {
    struct store *store;
    const struct scenario *scenario;
    struct names names[2]; /* 0: down, 1: up */
    struct names ends[2];  /* the same links as "leaf2 to spine1" */
    uint32_t rows;
};

static void on_link(void *self, uint32_t link, bool up)
{
    struct link_events *events = self;
    const struct scenario_link *of = &events->scenario->links[link];
    char ends[TEXT_BYTES];
    snprintf(ends, sizeof ends, "%.80s to %.80s", events->scenario->nodes[of->node[0]].name,
             events->scenario->nodes[of->node[1]].name);
    add_name(&events->names[up], of->name);
    add_name(&events->ends[up], ends);
}

static void ignore_fault(void *self, uint32_t fault, bool on)
{
    (void)self, (void)fault, (void)on;
}

static void ignore_loss(void *self, uint32_t node)
{
    (void)self, (void)node;
}

static void ignore_routes(void *self, const struct routing_view *view)
{
    (void)self, (void)view;
}

static void write_link_step(struct link_events *events, time_ps at)
{
    for (int up = 0; up < 2; up++) {
        struct names *names = &events->names[up];
        char text[2 * TEXT_BYTES];
        if (names->count == 0 || events->rows == RECORD_EVENTS_MAX)
            continue;
        end_names(names);
        end_names(&events->ends[up]);
        snprintf(text, sizeof text, "%s %s: %s", plural(names->count, "link", "links"),
                 up ? "up" : "down", events->ends[up].text);
        write_event(events->store, &(struct event_row){at, up ? EVENT_LINK_UP : EVENT_LINK_DOWN,
                                                       names->text, text, -1});
        events->rows++;
    }
}

/* Replays the timeline that the world followed. */
static void write_links(struct store *store, const struct collect *collect)
{
    struct link_events events = {.store = store, .scenario = collect->scenario};
    const struct timeline_calls calls = {&events,     ignore_fault,  on_link,
                                         ignore_loss, ignore_routes, NULL};
    struct timeline *timeline = timeline_new(collect->scenario);
    for (int i = 0; i < STEPS_MAX && timeline_due(timeline) <= collect->now; i++) {
        const time_ps at = timeline_due(timeline);
        memset(events.names, 0, sizeof events.names);
        memset(events.ends, 0, sizeof events.ends);
        timeline_step(timeline, &calls);
        write_link_step(&events, at);
    }
    timeline_free(timeline);
}

/* ------------------------------------------------------------------ connections */

/* The connections of one workload: how many succeeded, and the slowest of them. */
struct connections {
    uint32_t all, made, failed, slowest;
    time_ps first, last, longest;
};

static const struct scenario_pair *pair_of(const struct scenario_workload *workload,
                                           uint32_t member)
{
    return &workload->pairs[member / workload->copies];
}

/* The reason why the host's last attempt to connect to the address failed, from the host's
 * notes. */
static void find_reason(struct store *store, const char *host, uint32_t ip, char *text, size_t size)
{
    char address[64];
    snprintf(address, sizeof address, " to %s: ", note_ip(ip).text);
    struct store_statement *row =
        store_prepare(store, "SELECT substr(text, instr(text, ?3)+length(?3)) AS reason FROM event "
                             "WHERE place=?1 AND kind IN"
                             " ('connect-failed', 'connect-timeout') AND instr(text, ?3)>0"
                             " ORDER BY kind, at_ps DESC, event DESC LIMIT 1");
    store_bind(row, 1, STORE_T(host));
    store_bind(row, 3, STORE_T(address));
    snprintf(text, size, "%s", store_step(row) ? store_text(row, "reason") : "");
    store_finish(row);
}

static void write_missing(struct store *store, const struct collect *collect, uint32_t index,
                          uint32_t number, const struct workload_member *did)
{
    const struct scenario *scenario = collect->scenario;
    const struct scenario_workload *workload = &scenario->workloads[index];
    const struct scenario_node *from = &scenario->nodes[pair_of(workload, number)->from];
    const struct scenario_node *to = &scenario->nodes[pair_of(workload, number)->to];
    const bool over = did->ready > 0; /* all attempts failed */
    const time_ps at = over ? did->ready : collect->now;
    char reason[TEXT_BYTES], text[2 * TEXT_BYTES];
    find_reason(store, from->name, rnic_ip(to->endpoint), reason, sizeof reason);
    snprintf(text, sizeof text, "'%s': %s %s to %s after %s%s%s", workload->name, from->name,
             over ? "could not connect" : "was still connecting", to->name,
             words_time(at - did->began).text, reason[0] != '\0' ? ": " : "", reason);
    write_event(
        store, &(struct event_row){at, EVENT_NOT_CONNECTED, workload->name, text, at - did->began});
}

static void write_made(struct store *store, const struct collect *collect, uint32_t index,
                       uint32_t number, const struct workload_member *did)
{
    const struct scenario *scenario = collect->scenario;
    const struct scenario_workload *workload = &scenario->workloads[index];
    const time_ps took = did->ready - did->began;
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "'%s': %s connected to %s, setup took %s", workload->name,
             scenario->nodes[pair_of(workload, number)->from].name,
             scenario->nodes[pair_of(workload, number)->to].name, words_time(took).text);
    write_event(store,
                &(struct event_row){did->ready, EVENT_CONNECTED, workload->name, text, took});
}

static void count_connection(struct connections *sum, uint32_t number,
                             const struct workload_member *did)
{
    const time_ps took = did->ready - did->began;
    sum->first = sum->made == 0 ? did->ready : time_earlier(sum->first, did->ready);
    sum->last = time_later(sum->last, did->ready);
    if (sum->made++ == 0 || took > sum->longest) {
        sum->longest = took;
        sum->slowest = number;
    }
}

static void write_sum(struct store *store, const struct collect *collect, uint32_t index,
                      const struct connections *sum)
{
    const struct scenario *scenario = collect->scenario;
    const struct scenario_workload *workload = &scenario->workloads[index];
    const struct scenario_pair *slowest = pair_of(workload, sum->slowest);
    char text[TEXT_BYTES];
    snprintf(text, sizeof text,
             "'%s': %u of %u %s set up, the first at %s, the slowest (%s to %s) took %s",
             workload->name, (unsigned)sum->made, (unsigned)sum->all,
             plural(sum->all, "connection", "connections"), words_time(sum->first).text,
             scenario->nodes[slowest->from].name, scenario->nodes[slowest->to].name,
             words_time(sum->longest).text);
    write_event(
        store, &(struct event_row){sum->last, EVENT_CONNECTED, workload->name, text, sum->longest});
}

static void write_connections(struct store *store, const struct collect *collect, uint32_t index)
{
    const struct scenario_workload *workload = &collect->scenario->workloads[index];
    struct connections sum = {.all = workload->pair_count * workload->copies};
    for (uint32_t i = 0; i < sum.all; i++) {
        const struct workload_member *did = world_member(collect->world, index, i);
        if (did == NULL)
            continue;
        if (did->connected && sum.all <= MEMBERS_MAX)
            write_made(store, collect, index, i, did);
        else if (did->connected)
            count_connection(&sum, i, did);
        else if (sum.failed++ < FAILED_MAX)
            write_missing(store, collect, index, i, did);
    }
    if (sum.made > 0)
        write_sum(store, collect, index, &sum);
}

/* ------------------------------------------------------------------ deadlocks */

static void write_deadlocks(struct store *store, const struct collect *collect)
{
    const struct deadlock_watch *watch = &collect->world->deadlocks;
    for (uint32_t i = 0; i < watch->count; i++) {
        const struct deadlock *deadlock = &watch->found[i];
        const struct deadlock_queue *queue = &deadlock->queues[0];
        const struct scenario_port_text place =
            scenario_port_name(&collect->scenario->nodes[queue->node], queue->port);
        char text[2 * TEXT_BYTES];
        record_deadlock_words(collect->scenario, deadlock, text, sizeof text);
        write_event(store, &(struct event_row){deadlock->since, EVENT_DEADLOCK_BEGAN, place.text,
                                               text, -1});
        if (deadlock->gone != TIME_NEVER)
            write_event(store,
                        &(struct event_row){deadlock->gone, EVENT_DEADLOCK_ENDED, place.text,
                                            "deadlock ends", deadlock->gone - deadlock->since});
    }
}

void record_events(struct store *store, const struct collect *collect)
{
    write_faults(store, collect);
    if (collect->world == NULL)
        return;
    write_links(store, collect);
    for (uint32_t i = 0; i < collect->scenario->workload_count; i++)
        write_connections(store, collect, i);
    write_deadlocks(store, collect);
}
