/* SPDX-License-Identifier: Apache-2.0
 * triage - suspects, their signs, and their order. */
#include "replay/incident/triage.h"

#include "base/memory.h"
#include "replay/incident/triage_private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 512 };

/* Below this score nothing is called a fault. */
static const double fault_score = 2.0;
static const double alike = 0.85; /* of the first score: not separated */
static const double steady_part = 0.3, steady_weight = 0.5;
static const double sign_bonus = 0.1, most_bonus = 0.5;

const struct suspect_about suspects_about[SUSPECT_KINDS] = {
#define SUSPECT(id, name, is_fault, weight, about) {name, about, is_fault, weight},
#include "replay/incident/suspect.def"
#undef SUSPECT
};

/* ---- suspects ---- */

/* Both ends of a cable are one place. */
static bool same_place(const struct triage_work *work, const struct triage_suspect *suspect,
                       int node, int port)
{
    const char *name = work->nodes[node].name;
    const int peer = port < 0 ? TRIAGE_NO_PORT : work->ports[port].peer;
    if (port < 0)
        return suspect->port == NULL && strcmp(suspect->device, name) == 0;
    if (suspect->port == NULL)
        return false;
    if (strcmp(suspect->device, name) == 0 && strcmp(suspect->port, work->ports[port].name) == 0)
        return true;
    return peer >= 0 && strcmp(suspect->device, work->nodes[work->ports[peer].node].name) == 0 &&
           strcmp(suspect->port, work->ports[peer].name) == 0;
}

struct triage_suspect *triage_suspect(struct triage_work *work, enum suspect_kind kind, int node,
                                      int port, double share)
{
    struct triage *triage = work->triage;
    const double score = suspects_about[kind].weight * (0.3 + 0.7 * share);
    for (size_t i = 0; i < triage->suspect_count; i++) {
        struct triage_suspect *known = &triage->suspects[i];
        if (known->kind == kind && same_place(work, known, node, port)) {
            known->score = score > known->score ? score : known->score;
            return known;
        }
    }
    struct triage_suspect *slot = arena_push(work->arena, (void **)(void *)&triage->suspects,
                                             &triage->suspect_count, sizeof *slot);
    const int peer = port < 0 ? TRIAGE_NO_PORT : work->ports[port].peer;
    *slot =
        (struct triage_suspect){.kind = kind,
                                .device = work->nodes[node].name,
                                .port = port < 0 ? NULL : work->ports[port].name,
                                .peer = peer < 0 ? NULL : work->nodes[work->ports[peer].node].name,
                                .peer_port = peer < 0 ? NULL : work->ports[peer].name,
                                .score = score};
    return slot;
}

/* The date before which the count had not moved; NULL with fewer than three samples. */
static const char *moved_since(const struct incident_count *count)
{
    if (count == NULL || count->sample_count < 3)
        return NULL;
    for (uint32_t i = 1; i < count->sample_count; i++)
        if (count->samples[i].value - count->samples[i - 1].value > count->difference / 10)
            return count->samples[i - 1].when.text;
    return NULL;
}

static struct triage_sign make_sign(struct triage_work *work, struct triage_value value,
                                    const char *format, va_list args)
{
    char text[TEXT_BYTES];
    struct triage_sign sign = {0};
    vsnprintf(text, sizeof text, format, args);
    sign.text = arena_text(work->arena, text, strlen(text));
    if (value.count != NULL)
        sign.place = value.count->samples[value.count->sample_count - 1].place;
    return sign;
}

struct triage_value triage_place(struct triage_value value)
{
    return (struct triage_value){.known = value.known, .count = value.count};
}

bool triage_sign(struct triage_work *work, struct triage_suspect *suspect,
                 struct triage_value value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct triage_sign sign = make_sign(work, value, format, args);
    va_end(args);
    for (size_t i = 0; i < suspect->sign_count; i++)
        if (strcmp(suspect->signs[i].text, sign.text) == 0)
            return false;
    struct triage_sign *slot = arena_push(work->arena, (void **)(void *)&suspect->signs,
                                          &suspect->sign_count, sizeof *slot);
    *slot = sign;
    const double more = value.value > 0 ? (double)value.more / (double)value.value : 0;
    suspect->more = more > suspect->more ? more : suspect->more;
    if (suspect->since == NULL)
        suspect->since = moved_since(value.count);
    return true;
}

void triage_against(struct triage_work *work, struct triage_suspect *suspect,
                    struct triage_value value, const char *format, ...)
{
    va_list args;
    struct triage_sign *slot = arena_push(work->arena, (void **)(void *)&suspect->against,
                                          &suspect->against_count, sizeof *slot);
    va_start(args, format);
    *slot = make_sign(work, value, format, args);
    va_end(args);
}

void triage_contradiction(struct triage_work *work, struct diag_place place, const char *format,
                          ...)
{
    va_list args;
    struct triage *triage = work->triage;
    struct triage_sign *slot = arena_push(work->arena, (void **)(void *)&triage->contradictions,
                                          &triage->contradiction_count, sizeof *slot);
    va_start(args, format);
    *slot = make_sign(work, (struct triage_value){0}, format, args);
    va_end(args);
    slot->place = place;
}

/* ---- times ---- */

static void find_times(struct triage *triage, const struct incident *incident)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    triage->single = incident->next == NULL;
    for (size_t i = 0; i < incident->count_count; i++) {
        const struct incident_count *count = &incident->counts[i];
        triage->single = triage->single && count->sample_count < 2;
        for (uint32_t k = 0; k < count->sample_count; k++) {
            const struct incident_when *when = &count->samples[k].when;
            if (when->seconds == INCIDENT_NO_TIME)
                continue;
            if (when->seconds < first) {
                first = when->seconds;
                triage->from = when->text;
            }
            if (when->seconds > last) {
                last = when->seconds;
                triage->to = when->text;
            }
        }
    }
    triage->seconds = last > first ? last - first : 0;
}

/* ---- order ---- */

static int by_score(const void *a, const void *b)
{
    const struct triage_suspect *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    const int device = strcmp(x->device, y->device);
    return device != 0 ? device : (int)x->kind - (int)y->kind;
}

bool triage_is_steady(const struct triage_suspect *suspect)
{
    return suspect->more > 0 && suspect->more < steady_part;
}

bool triage_is_fault(const struct triage_suspect *suspect)
{
    return suspects_about[suspect->kind].is_fault && suspect->score >= fault_score;
}

/* Signs that were there before are those of another problem. */
static void weigh_steady(struct triage_work *work, struct triage_suspect *suspect)
{
    if (!triage_is_steady(suspect))
        return;
    suspect->score *= steady_weight;
    triage_against(work, suspect, (struct triage_value){0},
                   "its counters rose nearly as fast before the incident");
}

/* Suspects that compete: each of them alone would explain the same counters. */
enum symptom { NO_RIVALS, FALLS, LOSSES };

static enum symptom symptom_of(const struct triage_suspect *suspect)
{
    switch (suspect->kind) {
    case SUSPECT_SLOW_TARGET:
    case SUSPECT_SLOW_SWITCH:
    case SUSPECT_SLOW_PATH:
        return FALLS;
    case SUSPECT_SILENT_LOSS:
        return LOSSES;
    default:
        return NO_RIVALS;
    }
}

static bool is_same(const char *one, const char *other)
{
    return one != NULL && other != NULL && strcmp(one, other) == 0;
}

/* Whether one suspect is the other one, or at its end: a cable and its device. */
static bool is_one_place(const struct triage_suspect *a, const struct triage_suspect *b)
{
    const bool meet = is_same(a->device, b->device) || is_same(a->device, b->peer) ||
                      is_same(a->peer, b->device) || is_same(a->peer, b->peer);
    return meet && (a->peer == NULL || b->peer == NULL);
}

/* A suspect at another place that explains the same counters nearly as well, or NULL. */
static const struct triage_suspect *find_rival(const struct triage *triage)
{
    const struct triage_suspect *first = &triage->suspects[0];
    for (size_t i = 1; i < triage->suspect_count; i++) {
        const struct triage_suspect *other = &triage->suspects[i];
        if (symptom_of(first) != NO_RIVALS && symptom_of(other) == symptom_of(first) &&
            other->score >= alike * first->score && !is_one_place(first, other))
            return other;
    }
    return NULL;
}

static void sign_rival(struct triage_work *work, struct triage_suspect *first,
                       const struct triage_suspect *rival)
{
    const char *place = rival->peer == NULL ? rival->device
                                            : arena_format(work->arena, "the cable from %s to %s",
                                                           rival->device, rival->peer);
    if (symptom_of(first) == LOSSES)
        triage_against(work, first, (struct triage_value){0},
                       "%s may lose these frames as well: counters of both ends of each cable, "
                       "read at the same moment, would separate them",
                       place);
    else if (rival->kind == SUSPECT_SLOW_TARGET && first->kind == SUSPECT_SLOW_TARGET)
        triage_against(work, first, (struct triage_value){0},
                       "the traffic of %s fell as well: the time that I/O takes at the drives of "
                       "both (iostat -x) would separate them",
                       place);
    else
        triage_against(work, first, (struct triage_value){0},
                       "%s explains the lost traffic as well: round-trip times between pairs of "
                       "hosts would separate them",
                       place);
}

static void judge(struct triage_work *work, bool harm)
{
    struct triage *triage = work->triage;
    for (size_t i = 0; i < triage->suspect_count; i++) {
        struct triage_suspect *suspect = &triage->suspects[i];
        weigh_steady(work, suspect);
        const double bonus = sign_bonus * (double)(suspect->sign_count - 1);
        suspect->score += bonus < most_bonus ? bonus : most_bonus;
    }
    if (triage->suspect_count > 1)
        qsort(triage->suspects, triage->suspect_count, sizeof *triage->suspects, by_score);
    triage->verdict = harm ? TRIAGE_UNCLEAR : TRIAGE_NONE;
    if (triage->suspect_count > 0)
        triage->verdict =
            suspects_about[triage->suspects[0].kind].is_fault ? TRIAGE_UNCLEAR : TRIAGE_OVERLOAD;
    triage->rival = triage->suspect_count > 0 ? find_rival(triage) : NULL;
    if (triage->rival != NULL)
        sign_rival(work, &triage->suspects[0], triage->rival);
    else if (triage->suspect_count > 0 && triage_is_fault(&triage->suspects[0]))
        triage->verdict = TRIAGE_FAULT;
}

void triage_make(struct triage *triage, const struct incident *incident)
{
    *triage = (struct triage){0};
    struct triage_work work = {.triage = triage, .incident = incident, .arena = &triage->arena};
    find_times(triage, incident);
    triage_map(&work);
    triage_count_losses(&work);
    triage_pause_signs(&work);
    triage_load_signs(&work);
    triage_link_signs(&work);
    triage_drop_signs(&work);
    triage_loss_signs(&work);
    triage_config_signs(&work);
    triage_target_signs(&work);
    judge(&work, triage->pause_count > 0 || work.lost_frames >= TRIAGE_NOISE);
}

void triage_free(struct triage *triage)
{
    arena_free(&triage->arena);
    *triage = (struct triage){0};
}
