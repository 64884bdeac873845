/* SPDX-License-Identifier: Apache-2.0
 * rx_buffer - FIFO, thresholds, faults.
 *   wire -> | ... held ... | -> transport, each frame takes bytes / drain
 *              xon  xoff  size
 * A change of the drain rate restarts the service of the head frame. */
#include "rnic/host/rx_buffer.h"

#include "base/drop.h"
#include "base/note_text.h"
#include "net/headroom/headroom.h"
#include "net/port/credits.h"
#include "rnic/host/rnic.h"
#include "rnic/pipeline/pipeline.h"

#include <stdio.h>

enum { LEAST_XOFF_SHARE = 4, FIBER_PS_PER_METER = 5050 };

int64_t rx_buffer_xoff(const struct rnic_params *params, const struct port_params *port)
{
    if (params->rx_xoff != RNIC_AUTO)
        return params->rx_xoff;
    /* The meters of fiber that correspond to the delay of the link, including its FEC. */
    const int64_t meters = port_propagation(port) / FIBER_PS_PER_METER, size = params->rx_buffer;
    const int64_t headroom = headroom_mlx5(port->rate / 1000000, meters, port->mtu);
    const int64_t least =
        size / LEAST_XOFF_SHARE; /* a buffer too small for its link still accepts some */
    return size - headroom > least ? size - headroom : least;
}

/* Whether frames pass through the buffer at that drain rate. */
static bool holds_frames(const struct rnic *rnic, int64_t bps)
{
    return bps != RNIC_UNLIMITED ||
           (rnic->pipeline != NULL && pipeline_slows_receiving(&rnic->params.pipeline));
}

static void set_rate(struct rnic *rnic, int64_t bps)
{
    struct rx_buffer *rx = &rnic->rx;
    rx->stopped = bps < 0;
    rx->drain_bps = bps > 0 ? (uint64_t)bps : 0;
    rx->holds = holds_frames(rnic, bps);
    if (bps > 0)
        rx->rate = wire_rate((uint64_t)bps);
    if (rx->holds)
        rnic_set_rx_odd(rnic, RNIC_RX_BUFFERED, true);
}

static void still_held(const struct port *port, struct probe_pause *why)
{
    const struct rnic *rnic = (const struct rnic *)(const void *)port; /* the port is the first
                                                                        * member */
    why->occupancy = rnic->rx.held;
    why->threshold = rnic->rx.xoff;
}

void rx_buffer_init(struct rnic *rnic)
{
    const struct rnic_params *params = &rnic->params;
    struct rx_buffer *rx = &rnic->rx;
    *rx = (struct rx_buffer){
        .head = POOL_NONE, .tail = POOL_NONE, .due = TIME_NEVER, .busy_since = TIME_NEVER};
    for (int i = 0; i < PRIORITIES; i++)
        rx->look_at[i] = TIME_NEVER;
    rx->size = params->rx_buffer;
    rx->xoff = rx_buffer_xoff(params, &rnic->port.params);
    if (rnic->port.credits != NULL) /* the credits of all lanes are the limit */
        rx->size = rx->xoff = port_credits_buffer(&rnic->port);
    rx->xon = params->rx_xon == RNIC_AUTO ? rx->xoff - RX_BUFFER_HYSTERESIS : params->rx_xon;
    if (rx->xon < 0 || rx->xon > rx->xoff)
        rx->xon = rx->xoff / 2;
    rx->lossless = rnic_lossless(params, rnic->priority_of_dscp);
    set_rate(rnic, params->drain);
    rnic->port.reason = still_held;
}

static struct probe_pause edge(const struct rnic *rnic, uint8_t priority, bool xoff, time_ps now)
{
    return (struct probe_pause){
        .at = now,
        .node = rnic->port.node->id,
        .port = rnic->port.index,
        .priority = priority,
        .xoff = xoff,
        .egress = UINT16_MAX,
        .occupancy = rnic->rx.held,
        .threshold = rnic->rx.xoff,
    };
}

/* Linux mlx5 en_ethtool.c: the warning comes at 85 % of the time, but not before 80 ms. */
static time_ps warning_after(time_ps stall)
{
    const time_ps most = stall / 100 * 85, least = 80 * PS_PER_MS;
    const time_ps warning = most > least ? most : least;
    return warning < stall ? warning : stall;
}

/* The peer must be paused in the priority while the buffer is over xoff, or during a storm. */
static bool needs_pause(const struct rnic *rnic, uint8_t priority)
{
    const unsigned paused = rnic->rx.storm | (rnic->rx.over ? rnic->rx.lossless : 0u);
    return (paused & 1u << priority) != 0;
}

static void set_next_look(struct rnic *rnic, uint8_t priority, time_ps at)
{
    rnic->rx.look_at[priority] = at;
    rnic_post(rnic, at, RNIC_EVENT_STALL, priority);
}

static void set_pause(struct rnic *rnic, uint8_t priority, time_ps now)
{
    const uint8_t bit = (uint8_t)(1u << priority);
    const bool want = needs_pause(rnic, priority);
    const time_ps stall = rnic->params.pfc_watchdog;
    if (!want)
        rnic->rx.stalled &= (uint8_t)~bit;
    const bool may = want && (rnic->rx.stalled & bit) == 0;
    const struct probe_pause why = edge(rnic, priority, may, now);
    if (may)
        port_pfc_assert(&rnic->port, priority, &why);
    else
        port_pfc_release(&rnic->port, priority, &why);
    if (UNLIKELY(stall > 0) && may && rnic->rx.look_at[priority] == TIME_NEVER)
        set_next_look(rnic, priority, now + warning_after(stall));
}

static void give_up_pause(struct rnic *rnic, uint8_t priority, time_ps now)
{
    char text[120];
    rnic->counters.stalls++;
    rnic->rx.stalled |= (uint8_t)(1u << priority);
    snprintf(text, sizeof text, "PFC watchdog: no more pauses on priority %u (pfc-watchdog %s)",
             priority, note_time(rnic->params.pfc_watchdog).text);
    rnic->env->probe->note(rnic->env->probe->self, now, rnic->env->owner, text);
    set_pause(rnic, priority, now);
}

/* At most one check is pending; it may find the pause for which it was set or a later one. */
void rx_buffer_on_stall(struct rnic *rnic, uint8_t priority, time_ps now)
{
    const time_ps stall = rnic->params.pfc_watchdog, warning = warning_after(stall);
    const time_ps since = rnic->port.pauses[priority].asserted_since;
    CHECK(rnic->rx.look_at[priority] == now);
    rnic->rx.look_at[priority] = TIME_NEVER;
    if (!needs_pause(rnic, priority))
        return;
    if (since == TIME_NEVER) { /* the port may not send pauses */
        set_next_look(rnic, priority, now + warning);
        return;
    }
    rnic->counters.stall_warnings += now - since == warning;
    if (now - since >= stall)
        give_up_pause(rnic, priority, now);
    else
        set_next_look(rnic, priority, since + (now - since < warning ? warning : stall));
}

static void set_pauses(struct rnic *rnic, time_ps now)
{
    for (unsigned mask = rnic->rx.lossless; mask != 0; mask &= mask - 1)
        set_pause(rnic, (uint8_t)__builtin_ctz(mask), now);
}

/* Requires a head frame. */
static NOINLINE void start_head(struct rnic *rnic, time_ps now)
{
    struct rx_buffer *rx = &rnic->rx;
    if (UNLIKELY(rx->stopped))
        return;
    const struct frame *frame = frame_at(rnic->port.frames, rx->head);
    rx->due = rx->drain_bps == 0 ? now : now + wire_rate_take(&rx->rate, frame->bytes);
    if (UNLIKELY(rnic->pipeline != NULL))
        rx->due = time_later(rx->due, pipeline_receive(rnic, frame, now));
    rnic_post(rnic, rx->due, RNIC_EVENT_DRAIN, 0);
}

static NOINLINE void drop_frame(struct rnic *rnic, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(rnic->port.frames, handle);
    const struct rx_buffer *rx = &rnic->rx;
    const unsigned bit = 1u << frame->priority;
    const bool stalled = (rx->stalled & bit) != 0;
    const bool lossless = !stalled && (rx->lossless & rnic->port.enabled & bit) != 0;
    const struct probe_drop dropped = {
        .at = now,
        .node = rnic->port.node->id,
        .port = rnic->port.index,
        .priority = frame->priority,
        .cause = stalled ? PROBE_DROP_WATCHDOG : PROBE_DROP_RX_BUFFER,
        .lossless = lossless,
        .egress = UINT16_MAX,
        .frame_bytes = frame->bytes,
        .source = frame->source,
        .destination = frame->destination,
        .qpn = frame->qpn,
        .psn = frame->psn,
        .opcode = frame->opcode,
        .payload = frame->payload,
        .occupancy = rx->held,
        .threshold = rx->xoff,
        .headroom = rx->held > rx->xoff ? rx->held - rx->xoff : 0,
        .headroom_limit = rx->size > rx->xoff ? rx->size - rx->xoff : 0,
    };
    rnic->counters.rx_buffer_drops++;
    rnic->port.probe->drop(rnic->port.probe->self, &dropped);
    rnic_return_credits(rnic, frame->head, now);
    frame_give(rnic->port.frames, handle);
}

/* The buffer has risen above xoff: pauses the peer. */
static NOINLINE void add_beyond(struct rnic *rnic, bool first, time_ps now)
{
    if (first)
        start_head(rnic, now);
    rnic->rx.over = true;
    set_pauses(rnic, now);
}

static inline void add_behind(struct rnic *rnic, uint32_t handle, struct frame *frame, time_ps now)
{
    struct rx_buffer *rx = &rnic->rx;
    const bool first = rx->head == POOL_NONE;
    if (UNLIKELY(rx->held + frame->bytes > rx->size)) {
        drop_frame(rnic, handle, now);
        return;
    }
    frame->next = POOL_NONE;
    if (LIKELY(first)) {
        rx->head = handle;
        rx->busy_since = now;
    } else {
        frame_at(rnic->port.frames, rx->tail)->next = handle;
    }
    rx->tail = handle;
    rx->held += frame->bytes;
    rx->peak = rx->held > rx->peak ? rx->held : rx->peak;
    if (UNLIKELY(rx->held > rx->xoff && !rx->over))
        add_beyond(rnic, first, now);
    else if (LIKELY(first))
        start_head(rnic, now);
}

/* The buffer is empty, and the RNIC may need no time for the frame: an ACK whose context is
 * cached. */
static NOINLINE void add_first(struct rnic *rnic, uint32_t handle, struct frame *frame, time_ps now)
{
    const struct frame_head head = frame->head;
    if (!pipeline_passes(rnic, frame, now)) {
        add_behind(rnic, handle, frame, now);
        return;
    }
    rnic_transport(rnic, handle, now);
    rnic_return_credits(rnic, head, now);
}

void rx_buffer_add(struct rnic *rnic, uint32_t handle, time_ps now)
{
    const struct rx_buffer *rx = &rnic->rx;
    struct frame *frame = frame_at(rnic->port.frames, handle);
    if (!pipeline_crosses(rnic, frame) && rx->head == POOL_NONE && rnic->pipeline != NULL &&
        rx->drain_bps == 0 && !rx->stopped)
        add_first(rnic, handle, frame, now);
    else
        add_behind(rnic, handle, frame, now);
}

void rx_buffer_on_drain(struct rnic *rnic, time_ps now)
{
    struct rx_buffer *rx = &rnic->rx;
    if (rx->due != now)
        return; /* event of an outdated drain rate */
    const uint32_t handle = rx->head;
    const struct frame *frame = frame_at(rnic->port.frames, handle);
    rx->due = TIME_NEVER;
    rx->head = frame->next;
    rx->held -= frame->bytes;
    if (rx->head == POOL_NONE) {
        rx->busy_ps += now - rx->busy_since;
        rx->busy_since = TIME_NEVER;
    }
    const struct frame_head head = frame->head;
    rnic_transport(rnic, handle, now);
    rnic_return_credits(rnic, head, now);
    if (rx->head != POOL_NONE)
        start_head(rnic, now);
    if (rx->over && rx->held <= rx->xon) {
        rx->over = false;
        set_pauses(rnic, now);
    }
    if (UNLIKELY(!rx->holds) && rx->head == POOL_NONE)
        rnic_set_rx_odd(rnic, RNIC_RX_BUFFERED, false);
}

void rnic_set_drain(struct rnic *rnic, int64_t bps, time_ps now)
{
    set_rate(rnic, bps);
    rnic->rx.due = TIME_NEVER;
    if (rnic->rx.head != POOL_NONE)
        start_head(rnic, now);
    else
        rnic_set_rx_odd(rnic, RNIC_RX_BUFFERED, rnic->rx.holds);
}

void rnic_set_storm(struct rnic *rnic, uint8_t priority, bool on, time_ps now)
{
    CHECK(priority < PRIORITIES);
    if (on)
        rnic->rx.storm |= (uint8_t)(1u << priority);
    else
        rnic->rx.storm &= (uint8_t) ~(1u << priority);
    set_pause(rnic, priority, now);
}

time_ps rx_buffer_busy(const struct rx_buffer *rx, time_ps now)
{
    return rx->busy_ps + (rx->busy_since == TIME_NEVER ? 0 : now - rx->busy_since);
}

/* Every priority that must be paused is paused, if the port may pause it, and each pause has a
 * pending check. */
static void audit_pauses(const struct rnic *rnic)
{
    const struct rx_buffer *rx = &rnic->rx;
    for (uint8_t i = 0; i < PRIORITIES; i++) {
        const unsigned bit = 1u << i;
        const bool paused = needs_pause(rnic, i) && (rx->stalled & bit) == 0;
        CHECK(((rnic->port.wanted & bit) != 0) == paused);
        CHECK((rx->stalled & bit) == 0 || needs_pause(rnic, i));
        CHECK(rx->look_at[i] == TIME_NEVER || rx->look_at[i] >= rnic_now(rnic));
        CHECK(rnic->params.pfc_watchdog == 0 || !paused || rx->look_at[i] != TIME_NEVER);
    }
}

void rx_buffer_audit(const struct rnic *rnic)
{
    const struct rx_buffer *rx = &rnic->rx;
    int64_t held = 0;
    for (uint32_t at = rx->head; at != POOL_NONE; at = frame_at(rnic->port.frames, at)->next) {
        held += frame_at(rnic->port.frames, at)->bytes;
        CHECK((frame_at(rnic->port.frames, at)->next == POOL_NONE) == (at == rx->tail));
    }
    CHECK(held == rx->held && held <= rx->size && held <= rx->peak);
    CHECK((rx->busy_since == TIME_NEVER) == (held == 0) && rx->busy_ps <= rnic_now(rnic));
    CHECK((rx->due == TIME_NEVER) == (rx->stopped || held == 0));
    CHECK(rx->due >= rnic_now(rnic) && (!rx->stopped || rx->drain_bps == 0));
    audit_pauses(rnic);
    CHECK((rx->head == POOL_NONE) == (held == 0));
    CHECK((rnic->rx_odd & RNIC_RX_BUFFERED) != 0 || held == 0);
    CHECK(0 <= rx->xon && rx->xon <= rx->xoff);
    CHECK((rx->stalled & rnic->port.asserted) == 0);
    CHECK(rx->over ? rx->held > rx->xon : rx->held <= rx->xoff);
}
