/* SPDX-License-Identifier: Apache-2.0
 * fit_hypotheses - suspects as changes of the scenario. */
#include "replay/incident/fit_private.h"
#include "scenarios/data/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const struct fit_kind_row fit_kinds[FIT_KINDS] = {
#define KIND(id, name, low, high, is_fault, words) {name, low, high, is_fault, words},
#include "replay/incident/fit_kind.def"
#undef KIND
};

const char *fit_kind_name(enum fit_kind kind)
{
    return fit_kinds[kind].name;
}

/* The triage calls nothing a fault below this score. */
static const double no_fault_prior = 2.0;

enum {
    FLAP_PERIODS = 5,
    ETHERNET_MTU = 1500 /* of a port that was never configured: IEEE 802.3, 3.2.7 */
};

/* ---- places ---- */

struct place {
    int node, port; /* of the work; TRIAGE_NO_PORT: the device */
};

static struct place find_place(const struct triage_work *work, const struct triage_suspect *suspect)
{
    struct place place = {triage_find_node(work, suspect->device), TRIAGE_NO_PORT};
    if (place.node < 0)
        return place;
    const struct triage_node *node = &work->nodes[place.node];
    for (size_t i = 0; i < node->port_count && suspect->port != NULL; i++)
        if (strcmp(work->ports[node->ports[i]].name, suspect->port) == 0)
            place.port = node->ports[i];
    for (size_t i = 0; i < node->port_count && place.port == TRIAGE_NO_PORT; i++)
        if (!node->is_switch && work->ports[node->ports[i]].peer != TRIAGE_NO_PORT)
            place.port = node->ports[i];
    return place;
}

const char *fit_port_name(struct arena *arena, const struct triage_work *work, int port)
{
    const struct triage_node *node = &work->nodes[work->ports[port].node];
    for (size_t i = 0; i < node->port_count; i++)
        if (node->ports[i] == port)
            return arena_format(arena, "%s:p%zu", node->name, i);
    return node->name;
}

/* ---- changes ---- */

static const char *fault_text(struct arena *arena, const char *kind, const char *where,
                              const char *more, time_ps at)
{
    return arena_format(arena, "faults[+]={kind: %s, where: \"%s\"%s, at: %" PRId64 "ps}", kind,
                        where, more, at);
}

static const char *number_field(struct arena *arena, const char *field, double value,
                                const char *unit)
{
    return arena_format(arena, ", %s: %.6g%s", field, value, unit);
}

static const char *flap_fields(struct arena *arena, const struct fit *fit, double duty)
{
    return arena_format(arena, ", period: %" PRId64 "ps, duty: %.4f%%", fit->lasts / FLAP_PERIODS,
                        duty * 100);
}

/* Flows have no change in a run, so its whole time has the mean of the rates before and after. */
static const char *slow_target(const struct fit *fit, struct arena *arena,
                               const struct fit_base *base, const struct fit_hypothesis *hypothesis,
                               double value, time_ps at)
{
    const int node = triage_find_node(base->work, hypothesis->device);
    const double before = (double)at / (double)fit->lasts;
    return fit_workloads(arena, base, node, before + value * (1 - before));
}

const char *fit_change(const struct fit *fit, struct arena *arena, const struct fit_base *base,
                       const struct fit_hypothesis *hypothesis, double value, time_ps at)
{
    const char *device = hypothesis->device, *port = hypothesis->port;
    switch (hypothesis->kind) {
    case FIT_NOTHING:
    case FIT_NOT_RUN:
    case FIT_KINDS:
        return "";
    case FIT_SLOW_HOST:
        return fault_text(arena, "slow-receiver", device,
                          arena_format(arena, ", drain: %.4f%%", value * 100), at);
    case FIT_PAUSE_STORM:
        return fault_text(arena, "pause-storm", device,
                          arena_format(arena, ", priority: %d", hypothesis->priority), at);
    case FIT_LINK_DOWN:
        return fault_text(arena, "link-down", port, "", at);
    case FIT_LINK_FLAP:
        return fault_text(arena, "link-flap", port, flap_fields(arena, fit, value), at);
    case FIT_SWITCH_DOWN:
        return fault_text(arena, "switch-down", device, "", at);
    case FIT_BIT_ERRORS:
        return fault_text(arena, "bit-errors", port, number_field(arena, "rate", value, ""), at);
    case FIT_LOSS:
        return fault_text(arena, "random-loss", port, number_field(arena, "rate", value, ""), at);
    case FIT_PFC_OFF:
        return fault_text(arena, "pfc-off", port, "", at);
    case FIT_HEADROOM:
        return arena_format(arena, "fabric.overrides[+]={where: \"%s\", headroom: %.0fB}", device,
                            value);
    case FIT_MTU:
        return arena_format(arena, "fabric.overrides[+]={where: \"%s\", mtu: %dB}", port,
                            ETHERNET_MTU);
    case FIT_RECEIVE_BUFFER:
        return arena_format(arena, "fabric.overrides[+]={where: \"%s\", rnic: {rx-buffer: %.0fB}}",
                            device, value);
    case FIT_SLOW_LINK:
        return arena_format(arena, "fabric.overrides[+]={where: [\"%s\", \"%s\"], rate: %.0fMbps}",
                            port, hypothesis->peer == NULL ? port : hypothesis->peer,
                            value * (double)hypothesis->rate / 1e6);
    case FIT_SLOW_TARGET:
        return slow_target(fit, arena, base, hypothesis, value, at);
    }
    return "";
}

const char *fit_magnitude(struct arena *arena, const struct fit_hypothesis *hypothesis)
{
    const double value = hypothesis->value, gbps = (double)hypothesis->rate / 1e9;
    const struct fit_kind_row *kind = &fit_kinds[hypothesis->kind];
    const char *text = "";
    switch (hypothesis->kind) {
    case FIT_SLOW_HOST:
    case FIT_SLOW_LINK:
        text = arena_format(arena, "%.3g of %.0f Gb/s", value * gbps, gbps);
        break;
    case FIT_BIT_ERRORS:
        text = arena_format(arena, "%.1e", value);
        break;
    case FIT_HEADROOM:
    case FIT_RECEIVE_BUFFER:
        text = arena_format(arena, "%.0f KiB", value / 1024);
        break;
    default:
        text = arena_format(arena, "%.2g%%", value * 100);
    }
    const char *at = strstr(kind->words, "%s");
    if (at == NULL)
        return "";
    return arena_format(arena, "%.*s%s%s", (int)(at - kind->words), kind->words, text, at + 2);
}

/* ---- suspects ---- */

static struct fit_hypothesis *add(struct fit *fit, const struct fit_base *base, enum fit_kind kind,
                                  struct place place, size_t suspect)
{
    const struct triage_work *work = base->work;
    if (fit->count == FIT_HYPOTHESES_MAX)
        return NULL;
    struct fit_hypothesis *made = &fit->hypotheses[fit->count];
    *made = (struct fit_hypothesis){.kind = kind,
                                    .suspect = suspect,
                                    .priority = base->traffic.priority,
                                    .place = place.port,
                                    .share = 1,
                                    .set = "",
                                    .magnitude = ""};
    made->device = work->nodes[place.node].name;
    made->words = arena_format(&fit->arena, "%s at %s", fit_kinds[kind].name, made->device);
    if (place.port != TRIAGE_NO_PORT) {
        made->rate = work->ports[place.port].rate;
        made->port = fit_port_name(&fit->arena, work, place.port);
        const int peer = work->ports[place.port].peer;
        made->peer = peer < 0 ? NULL : fit_port_name(&fit->arena, work, peer);
    }
    if (place.port != TRIAGE_NO_PORT && work->nodes[place.node].is_switch)
        made->words = arena_format(&fit->arena, "%s at %s", fit_kinds[kind].name,
                                   triage_port_words(work, place.port));
    for (uint32_t i = 0; i < fit->count; i++)
        if (strcmp(fit->hypotheses[i].words, made->words) == 0)
            return NULL;
    fit->count++;
    return made;
}

static struct place other_end(const struct triage_work *work, struct place place)
{
    const int peer = work->ports[place.port].peer;
    return peer < 0 ? place : (struct place){work->ports[peer].node, peer};
}

/* The end of the cable whose frames arrive damaged more often. */
static struct place damaging_end(const struct triage_work *work, struct place place)
{
    const struct place other = other_end(work, place);
    return triage_get(work, place.port, "rx_crc_errors_phy", TRIAGE_ALL).value >=
                   triage_get(work, other.port, "rx_crc_errors_phy", TRIAGE_ALL).value
               ? other
               : place;
}

/* The magnitude is a share of what links of its kind have. */
static void add_slow_link(struct fit *fit, const struct fit_base *base, struct place place,
                          size_t suspect)
{
    const struct triage_work *work = base->work;
    struct fit_hypothesis *made = add(fit, base, FIT_SLOW_LINK, place, suspect);
    if (made == NULL)
        return;
    const int64_t usual = triage_peer_rate(work, place.port);
    made->rate = usual > made->rate ? usual : made->rate;
}

static bool add_of_suspect(struct fit *fit, const struct fit_base *base,
                           const struct triage_suspect *suspect, struct place place, size_t index)
{
    const bool has_port = place.port != TRIAGE_NO_PORT;
    switch (suspect->kind) {
    case SUSPECT_HOST_PAUSES:
        add(fit, base, FIT_SLOW_HOST, place, index);
        add(fit, base, FIT_PAUSE_STORM, place, index);
        return true;
    case SUSPECT_LINK_DOWN:
        if (has_port) {
            add(fit, base, FIT_LINK_DOWN, place, index);
            add(fit, base, FIT_LINK_FLAP, place, index);
        }
        return has_port;
    case SUSPECT_SWITCH_DOWN:
        add(fit, base, FIT_SWITCH_DOWN, place, index);
        return true;
    case SUSPECT_BIT_ERRORS:
        if (has_port)
            add(fit, base, FIT_BIT_ERRORS, damaging_end(base->work, place), index);
        return has_port;
    case SUSPECT_SILENT_LOSS:
        if (has_port) {
            add(fit, base, FIT_LOSS, other_end(base->work, place), index);
            add(fit, base, FIT_LOSS, place, index);
        }
        return has_port;
    case SUSPECT_NO_PFC:
    case SUSPECT_PAUSE_IGNORED:
        if (has_port)
            add(fit, base, FIT_PFC_OFF, place, index);
        return has_port;
    case SUSPECT_MTU:
        if (has_port)
            add(fit, base, FIT_MTU, place, index);
        return has_port;
    case SUSPECT_NEIGHBOR_PAUSES:
        if (has_port && base->work->ports[place.port].peer >= 0) {
            const struct place beyond = other_end(base->work, place);
            const bool is_host = !base->work->nodes[beyond.node].is_switch;
            if (is_host)
                add(fit, base, FIT_SLOW_HOST, beyond, index);
            if (is_host)
                add(fit, base, FIT_PAUSE_STORM, beyond, index);
            return is_host;
        }
        return false;
    case SUSPECT_HOST_DROPS:
        add(fit, base, FIT_RECEIVE_BUFFER, place, index);
        return true;
    case SUSPECT_HEADROOM:
        add(fit, base, FIT_HEADROOM, place, index);
        return true;
    case SUSPECT_SLOW_LINK:
        if (has_port)
            add_slow_link(fit, base, place, index);
        return has_port;
    case SUSPECT_SLOW_TARGET:
        if (!base->own_workloads)
            add(fit, base, FIT_SLOW_TARGET, place, index);
        return !base->own_workloads;
    case SUSPECT_OVERLOAD:
        return true;
    default:
        return false;
    }
}

/* A suspect that no change represents keeps its place by the triage. */
static void add_not_run(struct fit *fit, const struct fit_base *base, struct place place,
                        const struct triage_suspect *suspect, size_t index)
{
    if (place.node < 0)
        return;
    struct fit_hypothesis *made = add(fit, base, FIT_NOT_RUN, place, index);
    if (made != NULL)
        made->words = arena_format(&fit->arena, "%s at %s%s%s", suspects_about[suspect->kind].name,
                                   suspect->device, suspect->port == NULL ? "" : " ",
                                   suspect->port == NULL ? "" : suspect->port);
}

static void set_priors(struct fit *fit, const struct triage *triage)
{
    for (uint32_t i = 0; i < fit->count; i++)
        fit->hypotheses[i].prior = fit->hypotheses[i].suspect == SIZE_MAX
                                       ? no_fault_prior
                                       : triage->suspects[fit->hypotheses[i].suspect].score;
}

/* Without those that counters rule out. */
static void measure(struct fit *fit, const struct triage_work *work)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < fit->count; i++)
        if (fit_measure(fit, work, &fit->hypotheses[i]))
            fit->hypotheses[kept++] = fit->hypotheses[i];
    fit->count = kept;
}

/* A host that moves less than before is often a victim: with a stronger suspect it is none. */
static const double weak_part = 0.75;

void fit_hypotheses(struct fit *fit, const struct fit_base *base, const struct triage *triage)
{
    fit->hypotheses[fit->count++] = (struct fit_hypothesis){.kind = FIT_NOTHING,
                                                            .suspect = SIZE_MAX,
                                                            .share = 1,
                                                            .set = "",
                                                            .words = "no fault",
                                                            .magnitude = ""};
    for (size_t i = 0; i < triage->suspect_count && fit->count < FIT_HYPOTHESES_MAX; i++) {
        const struct triage_suspect *suspect = &triage->suspects[i];
        const struct place place = find_place(base->work, suspect);
        if (suspect->kind == SUSPECT_SLOW_TARGET &&
            suspect->score < weak_part * triage->suspects[0].score)
            continue;
        if (place.node < 0 || !add_of_suspect(fit, base, suspect, place, i))
            add_not_run(fit, base, place, suspect, i);
        if (suspect->kind == SUSPECT_OVERLOAD && fit->hypotheses[0].suspect == SIZE_MAX)
            fit->hypotheses[0].suspect = i;
    }
    measure(fit, base->work);
    set_priors(fit, triage);
}
