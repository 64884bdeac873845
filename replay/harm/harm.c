/* SPDX-License-Identifier: Apache-2.0
 * harm - turns clues into causes, attributes losses to them, and ranks them. */
#include "replay/harm/harm.h"
#include "replay/explain/verdict.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/plural.h"
#include "replay/database/flow_words.h"
#include "replay/database/words.h"
#include "replay/explain/explain_words.h"
#include "replay/harm/concerned.h"
#include "replay/harm/margins.h"
#include "replay/harm/name_index.h"
#include "replay/harm/severity.h"
#include "replay/harm/victims.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minimum share of the total loss for a confident attribution. */
static const int64_t sure_share = PPM / 5;
static const int64_t worth_telling = PPM * 3 / 100;

struct accusation {
    struct harm_cause cause;
    struct suspects_place place;
    int64_t *lost;                /* by member, ppm */
    int64_t *weighed;             /* by member: loss weighted with failed operations */
    int64_t weight;               /* sum of `weighed` */
    int64_t of_one_clue;          /* largest weight of one clue */
    bool standing;                /* a deadlock, ranked first */
    bool seen;                    /* kind and text come from a proven clue */
    bool proven;                  /* ... and the suspect is not load */
    char untold[HARM_NAME_BYTES]; /* its text, if some clue's loss is unknown */
};

struct cause_search {
    struct harm_scene *scene;
    const struct cause_kind *kind; /* the kind being searched for */
    struct accusation *list;
    struct name_index names;
    uint32_t count, room;
    struct concerned concerned;
    int64_t *lost;   /* by member: largest loss attributed to one cause */
    int64_t *blamed; /* by member: the same without load */
};

struct cause_clue cause_clue(void)
{
    return (struct cause_clue){.place = {HARM_NONE, HARM_NONE},
                               .priority = -1,
                               .workload = HARM_NONE,
                               .root = HARM_NONE,
                               .strength = PPM,
                               .until = TIME_NEVER,
                               .otherwise = HARM_LOAD};
}

const char *cause_port_name(const struct harm_scene *scene, uint32_t port, char *text, size_t size)
{
    explain_port_words(scene->fabric, port, text, size);
    return text;
}

/* ------------------------------------------------------------------ attributed loss */

static int64_t lost_of(const struct cause_clue *clue, const struct harm_member *member)
{
    int64_t lost = clue->least;
    for (int part = 0; part < HARM_PART_COUNT; part++)
        if ((clue->parts >> part & 1) != 0 && member->part[part] > lost)
            lost = member->part[part];
    if (clue->most > 0 && lost > clue->most)
        lost = clue->most;
    return (int64_t)((__int128)lost * clue->strength / PPM);
}

/* A failed operation counts more than one that was merely delayed. */
static int64_t weight_of(const struct cause_clue *clue, const struct harm_member *member,
                         int64_t lost)
{
    const bool failed = (clue->parts & HARM_BIT(FAILED)) != 0;
    return lost + (failed
                       ? (int64_t)((__int128)member->part[HARM_PART_FAILED] * clue->strength / PPM)
                       : 0);
}

/* ------------------------------------------------------------------ suspects */

static bool find_at_ends(const struct cause_search *search, const struct cause_clue *clue,
                         struct suspect *suspect)
{
    const struct harm_scene *scene = search->scene;
    const struct concerned *concerned = &search->concerned;
    for (uint32_t i = 0; i < concerned->count; i++) {
        const struct harm_member *member = &scene->members[concerned->members[i]];
        if (suspects_deviation(scene, clue->rows, (struct suspects_place){HARM_NONE, member->from},
                               suspect) ||
            suspects_deviation(scene, clue->rows, (struct suspects_place){HARM_NONE, member->to},
                               suspect) ||
            suspects_of_workload(scene, clue->of_workload, member->workload, suspect))
            return true;
    }
    return false;
}

static void name_otherwise(const struct harm_scene *scene, const struct cause_clue *clue,
                           struct suspect *suspect)
{
    const struct explain_fabric *fabric = scene->fabric;
    uint32_t node = clue->place.node;
    *suspect = (struct suspect){.suspect = clue->otherwise};
    if (clue->place.port != HARM_NONE && node == HARM_NONE)
        node = fabric->node_of[clue->place.port];
    if (clue->otherwise == HARM_LINK && clue->place.port != HARM_NONE)
        cause_port_name(scene, clue->place.port, suspect->name, sizeof suspect->name);
    else if (clue->otherwise == HARM_WORKLOAD && clue->workload != HARM_NONE)
        snprintf(suspect->name, sizeof suspect->name, "%s",
                 scene->scenario->workloads[clue->workload].name);
    else if (clue->otherwise != HARM_LOAD && node != HARM_NONE) {
        suspect->suspect = fabric->is_host[node] ? HARM_HOST : HARM_SWITCH;
        snprintf(suspect->name, sizeof suspect->name, "%s", fabric->names[node]);
    } else {
        suspect->suspect = HARM_LOAD;
        snprintf(suspect->name, sizeof suspect->name, "load");
    }
    snprintf(suspect->words, sizeof suspect->words, "%.160s",
             suspect->suspect == HARM_LOAD ? "offered load, not a fault" : suspect->name);
}

/* Call after concerned_find. */
static void find_suspect(const struct cause_search *search, const struct cause_clue *clue,
                         struct suspect *suspect)
{
    const struct harm_scene *scene = search->scene;
    const struct suspects_place all = {HARM_NONE, HARM_NONE};
    if (suspects_fault(scene, clue->faults, clue->place, clue->from, clue->until, suspect) ||
        (clue->anywhere &&
         suspects_fault(scene, clue->faults, all, clue->from, clue->until, suspect)) ||
        suspects_deviation(scene, clue->far_rows, all, suspect) ||
        suspects_deviation(scene, clue->rows, clue->place, suspect) ||
        (clue->ends && find_at_ends(search, clue, suspect)) ||
        suspects_deviation(scene, clue->later_rows, clue->place, suspect) ||
        suspects_fault(scene, clue->late_faults, clue->place, clue->from, clue->until, suspect) ||
        (clue->workload != HARM_NONE &&
         suspects_of_workload(scene, clue->of_workload, clue->workload, suspect)) ||
        suspects_general(scene, clue->general, suspect))
        return;
    name_otherwise(scene, clue, suspect);
}

static void place_words(const struct harm_scene *scene, const struct cause_clue *clue,
                        struct harm_cause *cause)
{
    const struct explain_fabric *fabric = scene->fabric;
    if (clue->place.port != HARM_NONE) {
        cause->node = fabric->names[fabric->node_of[clue->place.port]];
        cause_port_name(scene, clue->place.port, cause->port, sizeof cause->port);
    } else if (clue->place.node != HARM_NONE)
        cause->node = fabric->names[clue->place.node];
}

/* Key of a lookup by name. */
struct named {
    const struct accusation *list;
    const struct suspect *suspect;
};

static bool is_named(const void *self, uint32_t entry)
{
    const struct named *named = self;
    const struct harm_cause *cause = &named->list[entry].cause;
    return cause->suspect == named->suspect->suspect &&
           strcmp(cause->name, named->suspect->name) == 0;
}

static struct accusation *accusation_of(struct cause_search *search, const struct suspect *suspect)
{
    const struct named named = {search->list, suspect};
    const uint64_t hash = hash_text(suspect->name, suspect->suspect);
    const uint32_t found = name_index_find(&search->names, hash, is_named, &named);
    if (found != NAME_INDEX_NONE)
        return &search->list[found];
    name_index_add(&search->names, hash);
    search->list = memory_grown(search->list, search->count, &search->room, sizeof *search->list);
    struct accusation *made = &search->list[search->count++];
    *made = (struct accusation){
        .lost = memory_zeroed(search->scene->member_count + 1, sizeof *made->lost),
        .weighed = memory_zeroed(search->scene->member_count + 1, sizeof *made->weighed)};
    made->cause.suspect = suspect->suspect;
    memcpy(made->cause.name, suspect->name, sizeof made->cause.name);
    return made;
}

/* Attributes loss to the members of the clue and returns its weight. Call after concerned_find. */
static int64_t charge(struct cause_search *search, const struct cause_clue *clue,
                      struct accusation *accusation)
{
    const bool load = accusation->cause.suspect == HARM_LOAD;
    int64_t weight = 0;
    for (uint32_t k = 0; k < search->concerned.count; k++) {
        const uint32_t i = search->concerned.members[k];
        const struct harm_member *member = &search->scene->members[i];
        const int64_t lost = lost_of(clue, member);
        const int64_t heavy = weight_of(clue, member, lost);
        weight += heavy;
        if (heavy > accusation->weighed[i]) {
            accusation->weight += heavy - accusation->weighed[i];
            accusation->weighed[i] = heavy;
        }
        if (lost > accusation->lost[i])
            accusation->lost[i] = lost;
        if (lost > search->lost[i])
            search->lost[i] = lost;
        if (!load && lost > search->blamed[i])
            search->blamed[i] = lost;
    }
    return weight;
}

/* Call after concerned_find. */
static void add_accusation(struct cause_search *search, const struct cause_clue *clue,
                           const struct suspect *suspect)
{
    const struct harm_scene *scene = search->scene;
    struct accusation *accusation = accusation_of(search, suspect);
    const int64_t before = accusation->of_one_clue, weight = charge(search, clue, accusation);
    const bool seen = accusation->seen;
    const bool leads =
        accusation->cause.kind == NULL || (clue->proven == seen ? weight > before : clue->proven);
    accusation->seen |= clue->proven;
    accusation->of_one_clue = weight > before ? weight : before;
    accusation->standing |= clue->standing;
    if (clue->untold)
        snprintf(accusation->untold, sizeof accusation->untold, "%.150s", suspect->words);
    accusation->proven |= clue->proven && suspect->suspect != HARM_LOAD;
    if (!leads)
        return;
    struct harm_cause *cause = &accusation->cause;
    cause->kind = search->kind->name;
    cause->priority = clue->priority;
    cause->root = clue->root;
    cause->node = NULL;
    cause->port[0] = '\0';
    accusation->place = clue->place;
    place_words(scene, clue, cause);
    snprintf(cause->sentence, sizeof cause->sentence, "%.240s; %.*s", suspect->words,
             (int)words_fit(clue->seen, 230), clue->seen);
}

void cause_accuse(struct cause_search *search, const struct cause_clue *clue,
                  const struct suspect *suspect)
{
    concerned_find(&search->concerned, search->scene, clue);
    add_accusation(search, clue, suspect);
}

void cause_report(struct cause_search *search, const struct cause_clue *clue)
{
    struct suspect suspect;
    concerned_find(&search->concerned, search->scene, clue);
    find_suspect(search, clue, &suspect);
    add_accusation(search, clue, &suspect);
}

bool cause_is_blamed(const struct cause_search *search, uint32_t member)
{
    return search->blamed[member] >= HARM_NOTICED;
}

/* ------------------------------------------------------------------ drops and pauses */

void cause_report_drop(struct cause_search *search, const struct harm_scene *scene,
                       const struct observe_drops *drops, const struct cause_clue *shape,
                       const char *why)
{
    struct cause_clue clue = *shape;
    char port[HARM_NAME_BYTES];
    uint64_t all = 0;
    for (uint32_t i = 0; i < scene->drop_count; i++)
        all += scene->drops[i].frames;
    clue.place.port = scene_port_of(scene, drops->node, drops->port);
    clue.priority = drops->priority;
    clue.from = drops->first;
    clue.until = drops->last;
    clue.strength =
        clue.strength / 2 + (int64_t)((__int128)drops->frames * (unsigned)clue.strength / 2 / all);
    snprintf(clue.seen, sizeof clue.seen, "%s dropped %s of priority %u (%s)",
             cause_port_name(scene, clue.place.port, port, sizeof port),
             flow_words_dropped(flow_words_of_kind(scene->scenario->nodes[drops->node].link),
                                (int64_t)drops->frames, (int64_t)drops->controls)
                 .text,
             drops->priority, why);
    cause_report(search, &clue);
}

void cause_report_drops(struct cause_search *search, const struct harm_scene *scene,
                        unsigned drop_causes, int lossless, const struct cause_clue *shape,
                        const char *why)
{
    for (uint32_t i = 0; i < scene->drop_count; i++)
        if ((drop_causes >> scene->drops[i].cause & 1) != 0 &&
            (lossless < 0 || scene->drops[i].lossless == (lossless != 0)))
            cause_report_drop(search, scene, &scene->drops[i], shape, why);
}

/* A host whose receive buffer was never empty has a reason to pause. */
static bool has_reason(const struct harm_scene *scene, const struct explain_root *root)
{
    return root->kind == EXPLAIN_STORM && scene->uses[root->port].drained >= PPM * 85 / 100;
}

void cause_report_roots(struct cause_search *search, const struct harm_scene *scene, unsigned kinds,
                        const struct cause_clue *shape)
{
    const struct explain *explain = scene->explain;
    for (uint32_t i = 0; i < explain->root_count; i++) {
        const struct explain_root *root = &explain->roots[i];
        struct cause_clue clue = *shape;
        if ((kinds >> root->kind & 1) == 0 || has_reason(scene, root) ||
            root->held_ps <= explain->verdict.all_ps / 200)
            continue;
        clue.place.port = root->port;
        clue.priority = root->priority;
        clue.root = i;
        clue.strength = (int64_t)((__int128)root->held_ps * PPM / explain->verdict.all_ps);
        explain_root_words(explain, i, clue.seen, sizeof clue.seen);
        cause_report(search, &clue);
    }
}

/* ------------------------------------------------------------------ ranking */

static int by_weight(const void *a, const void *b)
{
    const struct accusation *x = a, *y = b;
    if (x->standing != y->standing)
        return x->standing ? -1 : 1;
    const bool x_load = x->cause.suspect == HARM_LOAD, y_load = y->cause.suspect == HARM_LOAD;
    if (x_load != y_load)
        return x_load ? 1 : -1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return strcmp(x->cause.name, y->cause.name);
}

/* Limits a sum to the range of a time: the losses of many hosts may exceed it. */
static time_ps within_time(__int128 sum)
{
    return sum < TIME_NEVER ? (time_ps)sum : TIME_NEVER - 1;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Pairs of hosts that lost something; a pair counts once, even if several workloads lost there. */
static int64_t count_pairs(const struct harm_scene *scene, const struct cause_search *search)
{
    uint64_t *pairs = memory_zeroed((size_t)scene->member_count + 1, sizeof *pairs);
    size_t count = 0;
    int64_t distinct = 0;
    for (uint32_t i = 0; i < scene->member_count; i++)
        if (search->lost[i] >= HARM_NOTICED)
            pairs[count++] = (uint64_t)scene->members[i].from << 32 | scene->members[i].to;
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || pairs[i] != pairs[i - 1];
    free(pairs);
    return distinct;
}

static void add_up(const struct harm_scene *scene, const struct cause_search *search,
                   struct harm *harm)
{
    __int128 lost_ps = 0, blamed_ps = 0, span = 0;
    struct severity_loss loss = {0};
    for (uint32_t i = 0; i < scene->member_count; i++) {
        lost_ps += (__int128)search->lost[i] * scene->members[i].span / PPM;
        blamed_ps += (__int128)search->blamed[i] * scene->members[i].span / PPM;
        span += scene->members[i].span;
        loss.of_one = max_i64(loss.of_one, search->blamed[i]);
    }
    harm->victims = count_pairs(scene, search);
    harm->flow = flow_words_of_kinds(scene->scenario->kinds);
    harm->lost_ps = within_time(lost_ps);
    for (uint32_t i = 0; i < scene->drop_count; i++) {
        harm->drops += (int64_t)scene->drops[i].frames;
        harm->control_drops += (int64_t)scene->drops[i].controls;
        if (scene->drops[i].lossless)
            harm->lossless_drops += (int64_t)scene->drops[i].frames;
    }
    harm->failed_operations = scene->failed + scene->unfinished;
    loss.of_all = span == 0 ? 0 : (int64_t)(blamed_ps * PPM / span);
    const bool any = harm->cause_count > 0 && (lost_ps * 100 >= span || harm->drops > 0);
    harm->severity = severity_of(harm, &loss, any && span > 0 ? HARM_SLIGHT : HARM_NOTHING);
}

/* Both causes are settings of the same entry, so the less certain one adds nothing. */
static bool stand_together(const struct harm_scene *scene, const struct harm_cause *a,
                           const struct harm_cause *b)
{
    const struct deviation *of_a = NULL, *of_b = NULL;
    if (a->suspect != HARM_SETTING || b->suspect != HARM_SETTING)
        return false;
    for (size_t i = 0; i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        of_a = strcmp(deviation->path, a->name) == 0 ? deviation : of_a;
        of_b = strcmp(deviation->path, b->name) == 0 ? deviation : of_b;
    }
    return of_a != NULL && of_b != NULL && strcmp(of_a->entry, of_b->entry) == 0;
}

static bool is_reported(const struct harm_scene *scene, const struct harm *harm,
                        const struct harm_cause *cause)
{
    for (uint32_t i = 0; i < harm->cause_count; i++)
        if (stand_together(scene, &harm->causes[i], cause))
            return true;
    return false;
}

static void close_search(struct cause_search *search, struct harm *harm)
{
    int64_t all = 0;
    if (search->count > 0)
        qsort(search->list, search->count, sizeof *search->list, by_weight);
    for (uint32_t i = 0; i < search->count; i++)
        all += search->list[i].weight;
    harm->causes = memory_zeroed(HARM_CAUSES_MAX, sizeof *harm->causes);
    for (uint32_t i = 0; i < search->count && harm->cause_count < HARM_CAUSES_MAX; i++) {
        struct accusation *accusation = &search->list[i];
        struct harm_cause *cause = &accusation->cause;
        if (harm->untold[0] == '\0')
            memcpy(harm->untold, accusation->untold, sizeof harm->untold);
        cause->share = all == 0 ? 0 : (int64_t)((__int128)accusation->weight * PPM / all);
        if ((i > 0 && !accusation->proven && cause->share < worth_telling) ||
            (accusation->weight == 0 && !accusation->proven) ||
            is_reported(search->scene, harm, cause))
            continue;
        cause->sure = accusation->proven && (cause->share >= sure_share || accusation->standing);
        victims_list(&(struct victims_search){search->scene, accusation->lost, accusation->place,
                                              cause->root},
                     cause, i == 0 || cause->sure ? harm->workloads : NULL);
        harm->causes[harm->cause_count++] = *cause;
    }
}

void harm_judge(struct harm_scene *scene, const struct cause_kind *const *kinds, struct harm *harm)
{
    struct cause_search search = {.scene = scene};
    *harm = (struct harm){.lost_ps = -1};
    scene_init(scene);
    concerned_init(&search.concerned, scene);
    search.lost = memory_zeroed((size_t)scene->member_count + 1, sizeof *search.lost);
    search.blamed = memory_zeroed((size_t)scene->member_count + 1, sizeof *search.blamed);
    harm->workloads = memory_zeroed(scene->scenario->workload_count + 1, sizeof *harm->workloads);
    for (uint32_t i = 0; i < scene->scenario->workload_count; i++)
        harm->workloads[i].class = HARM_UNTOUCHED;
    for (int i = 0; kinds[i] != NULL; i++) {
        search.kind = kinds[i];
        search.kind->look(&search, scene);
    }
    close_search(&search, harm);
    add_up(scene, &search, harm);
    margins_find(scene, harm);
    severity_words(harm);
    for (uint32_t i = 0; i < search.count; i++) {
        free(search.list[i].lost);
        free(search.list[i].weighed);
    }
    free(search.list);
    free(search.lost);
    free(search.blamed);
    concerned_free(&search.concerned);
    name_index_free(&search.names);
    scene_fini(scene);
}

void harm_free(struct harm *harm)
{
    free(harm->causes);
    free(harm->workloads);
    *harm = (struct harm){0};
}
