/* SPDX-License-Identifier: Apache-2.0
 * host - dispatches events to RNICs and timers. */
#include "rnic/host/host.h"

#include "base/memory.h"
#include "fc/fc.h"
#include "rnic/host/fast_path.h"
#include "rnic/host/verbs_sim.h"
#include "rnic/soft/soft.h"
#include "tcp/tcp.h"

#include <stdlib.h>

static struct host *of_node(struct node *node)
{
    return (struct host *)(void *)node;
}

/* ------------------------------------------------------------------ env */

static time_ps now(void *world)
{
    const struct host *host = world;
    return node_now(&host->node);
}

/* A wake-up cannot be canceled. Setting a later time keeps the pending wake-up, which is then
 * renewed; an earlier time posts another, and the older one is ignored because it does not match
 * `wakeup`. */
static void timer_set(void *world, struct timer *timer, time_ps due)
{
    struct host *host = world;
    timer->due = due;
    if (due == TIME_NEVER || (timer->pending > 0 && timer->wakeup <= due))
        return;
    CHECK(due >= node_now(&host->node));
    timer->wakeup = due;
    timer->pending++;
    node_post(&host->node, host->node.id, due, HOST_EVENT_TIMER, 0, (uint64_t)(uintptr_t)timer);
}

static void on_timer(struct host *host, struct timer *timer, time_ps at)
{
    CHECK(timer->pending > 0);
    timer->pending--;
    if (timer->wakeup != at)
        return;
    timer->wakeup = TIME_NEVER;
    if (timer->due > at) {
        timer_set(host, timer, timer->due);
        return;
    }
    if (UNLIKELY(host->machine != NULL)) {
        process_timer(&host->machine->process, timer);
        return;
    }
    timer->due = TIME_NEVER;
    timer->fire(timer->self, at);
}

static const struct env_ops env_ops = {.now = now, .timer_set = timer_set};

/* ------------------------------------------------------------------ events */

static void serve_ready_ports(struct host *host, time_ps at)
{
    uint32_t ready = host->ready_ports & ~RNIC_HOST_BUSY;
    host->ready_ports = RNIC_HOST_BUSY;
    for (; ready != 0; ready &= ready - 1)
        arbiter_serve(host->rnics[__builtin_ctz(ready)], at);
}

/* Returns false when the frame is not for the RNIC, or is damaged. */
static inline bool arrives(struct host *host, struct rnic *rnic, const struct event *event)
{
    struct frame *frame = frame_at(host->frames, (uint32_t)event->argument);
    if (LIKELY(!frame_is_mac_control(frame)))
        frame->priority = rnic->priority_of_tos[frame->tos];
    return port_receive(&rnic->port, &host->node, event, frame);
}

static NOINLINE void take_by_credits(struct rnic *rnic, uint32_t handle, time_ps at)
{
    const struct frame_head head = frame_at(rnic->port.frames, handle)->head;
    rnic_transport(rnic, handle, at);
    rnic_return_credits(rnic, head, at);
}

static inline void arrive(struct host *host, struct rnic *rnic, const struct event *event)
{
    if (UNLIKELY(!arrives(host, rnic, event)))
        return;
    if (UNLIKELY((rnic->rx_odd & RNIC_RX_CREDITS) != 0))
        take_by_credits(rnic, (uint32_t)event->argument, event->at);
    else
        rnic_transport(rnic, (uint32_t)event->argument, event->at);
}

static void dispatch(struct host *host, const struct event *event)
{
    struct rnic *rnic = host->rnics[event->port];
    if (event->kind == NET_EVENT_ARRIVAL) {
        arrive(host, rnic, event);
    } else if (event->kind == HOST_EVENT_TIMER) {
        on_timer(host, (struct timer *)(uintptr_t)event->argument, event->at);
    } else if (event->kind < NET_EVENT_FIRST_OWN) {
        port_on_event(&rnic->port, event);
    } else {
        rnic_on_event(rnic, event);
    }
}

/* Serves the ports that became ready in the event. */
static inline void end_event(struct host *host, time_ps at)
{
    if (UNLIKELY(host->ready_ports != RNIC_HOST_BUSY))
        serve_ready_ports(host, at);
    host->ready_ports = 0;
}

/* Handles an event that may touch anything in the host. */
static NOINLINE void on_odd_event(struct host *host, const struct event *event)
{
    const time_ps at = event->at;
    host->ready_ports = RNIC_HOST_BUSY;
    dispatch(host, event);
    end_event(host, at);
}

/* The two events of a frame that passes through the receive buffer. */
static NOINLINE void on_buffered(struct host *host, const struct event *event, struct rnic *rnic)
{
    const time_ps at = event->at;
    host->ready_ports = RNIC_HOST_BUSY;
    if (LIKELY(arrives(host, rnic, event)))
        rx_buffer_add(rnic, (uint32_t)event->argument, at);
    end_event(host, at);
}

static NOINLINE void on_drain(struct host *host, const struct event *event, struct rnic *rnic)
{
    const time_ps at = event->at;
    host->ready_ports = RNIC_HOST_BUSY;
    rx_buffer_on_drain(rnic, at);
    end_event(host, at);
}

static NOINLINE void on_dequeue(struct host *host, const struct event *event, struct rnic *rnic)
{
    const time_ps at = event->at;
    if (UNLIKELY(!port_dequeue_came(&rnic->port, at)) || arbiter_dequeue_fast(rnic, at))
        return;
    host->ready_ports = RNIC_HOST_BUSY;
    arbiter_serve(rnic, at);
    end_event(host, at);
}

static NOINLINE void on_request(struct host *host, const struct event *event, struct rnic *rnic,
                                struct qp *qp, struct port_prio *prio, struct frame *frame)
{
    if (UNLIKELY(!fast_path_take(rnic, qp, prio, frame, event)))
        on_odd_event(host, event);
}

static NOINLINE void on_ack(struct host *host, const struct event *event, struct rnic *rnic,
                            struct qp *qp, struct port_prio *prio, const struct frame *frame)
{
    if (UNLIKELY(!fast_path_acknowledge(rnic, qp, prio, frame, event)))
        on_odd_event(host, event);
}

static NOINLINE void on_arrival(struct host *host, const struct event *event, struct rnic *rnic)
{
    struct frame *frame = frame_at(rnic->port.frames, (uint32_t)event->argument);
    struct qp *qp = rnic_qp_slot(rnic, frame->qpn);
    const size_t priority = rnic->priority_of_tos[frame->tos];
    struct port_prio *prio = &rnic->port.prios[priority];
    rnic_prefetch(qp);
    if (LIKELY(fast_path_is_for(rnic, qp, frame))) {
        if (packet_is_ack(frame))
            on_ack(host, event, rnic, qp, prio, frame);
        else
            on_request(host, event, rnic, qp, prio, frame);
    } else if ((rnic->rx_odd & RNIC_RX_BUFFERED) != 0) {
        on_buffered(host, event, rnic);
    } else {
        on_odd_event(host, event);
    }
}

static NOINLINE void on_wake(struct host *host, const struct event *event, struct rnic *rnic)
{
    if (UNLIKELY(!arbiter_wake_fast(rnic, (uint32_t)(event->argument >> 32), event->at)))
        on_odd_event(host, event);
}

/* Each kind has a function of its own, which saves only the registers that it needs. The functions
 * have the same order of parameters, so that tail calls move no arguments. */
static void on_event(struct node *node, const struct event *event)
{
    struct host *host = of_node(node);
    struct rnic *rnic = host->rnics[event->port];
    if (LIKELY(event->kind == NET_EVENT_ARRIVAL))
        on_arrival(host, event, rnic);
    else if (event->kind == NET_EVENT_DEQUEUE)
        on_dequeue(host, event, rnic);
    else if (event->kind == RNIC_EVENT_WAKE)
        on_wake(host, event, rnic);
    else if (event->kind == RNIC_EVENT_DRAIN)
        on_drain(host, event, rnic);
    else
        on_odd_event(host, event);
}

void host_audit(const struct host *host)
{
    for (uint32_t i = 0; i < host->rnic_count; i++)
        rnic_audit(host->rnics[i]);
    for (uint32_t i = 0; i < host->rnic_count; i++)
        if (host->rnics[i]->fc != NULL)
            fc_audit(host->rnics[i]->fc);
}

static void audit(const struct node *node)
{
    host_audit((const struct host *)(const void *)node);
}

static const struct node_ops host_ops = {
    .name = "host",
    .on_event = on_event,
    .audit = audit,
};

/* ------------------------------------------------------------------ hosts that share a machine */

static void work(void *world, struct env_work *work)
{
    machine_work(((struct host *)world)->machine, work);
}

static void work_cancel(void *world, struct env_work *work)
{
    machine_work_cancel(((struct host *)world)->machine, work);
}

static const struct env_ops machine_env_ops = {
    .now = now, .timer_set = timer_set, .work = work, .work_cancel = work_cancel};

static void arrive_soft(struct host *host, struct rnic *rnic, const struct event *event)
{
    const uint32_t handle = (uint32_t)event->argument;
    struct frame *frame = frame_at(host->frames, handle);
    if (!frame_is_mac_control(frame))
        frame->priority = rnic->priority_of_tos[frame->tos];
    if (!port_receive(&rnic->port, &host->node, event, frame))
        return;
    if (frame->opcode == FRAME_TCP)
        rnic_transport(rnic, handle, event->at);
    else
        soft_receive(rnic, handle, event->at);
}

/* `asked`: ports to serve for effects of other hosts' events. */
static void on_machine_event(struct node *node, const struct event *event)
{
    struct host *host = of_node(node);
    const uint32_t asked = host->ready_ports;
    const bool arrives = event->kind == NET_EVENT_ARRIVAL && host->rnics[event->port]->soft != NULL;
    host->ready_ports = 0;
    if (event->kind != HOST_EVENT_PROCESSOR && !arrives)
        on_event(node, event);
    host->ready_ports = asked | RNIC_HOST_BUSY;
    if (event->kind == HOST_EVENT_PROCESSOR)
        processor_on_event(&host->machine->processor, event);
    else if (arrives)
        arrive_soft(host, host->rnics[event->port], event);
    for (uint32_t i = 0; i < host->rnic_count; i++)
        if (host->rnics[i]->soft != NULL)
            soft_doorbell(host->rnics[i]);
    serve_ready_ports(host, event->at);
    host->ready_ports = 0;
}

static void machine_audit(const struct node *node)
{
    audit(node);
    processor_audit(&((const struct host *)(const void *)node)->machine->processor);
}

static const struct node_ops machine_host_ops = {
    .name = "host", .on_event = on_machine_event, .audit = machine_audit};

void host_join_machine(struct host *host, struct machine *machine)
{
    CHECK(host->rnic_count == 0);
    host->machine = machine;
    node_join(&host->node, machine->work.node);
    host->node.ops = &machine_host_ops;
    host->env.ops = &machine_env_ops;
}

/* ------------------------------------------------------------------ creation and end */

void host_init(struct host *host, struct engine *engine, const char *name,
               struct frame_pool *frames, const struct probe *probe)
{
    *host = (struct host){.frames = frames};
    engine_add(engine, &host->node, &host_ops, name);
    host->env = (struct env){
        .ops = &env_ops,
        .world = host,
        .probe = probe,
        .seed = engine->seed,
        .owner = host->node.name,
    };
}

void host_fini(struct host *host)
{
    for (uint32_t i = host->rnic_count; i-- > 0;) { /* the owner of a card's pipeline last */
        if (host->rnics[i]->fc != NULL)
            fc_destroy(host->rnics[i]->fc);
        rnic_fini(host->rnics[i]);
        free(host->rnics[i]);
    }
    host->rnic_count = 0;
    free(host->lag);
    host->lag = NULL;
}

struct rnic *host_add_rnic(struct host *host, const struct host_rnic *with)
{
    CHECK(host->rnic_count < HOST_RNICS);
    struct rnic *rnic = memory_aligned(1, sizeof *rnic, alignof(struct rnic));
    const struct rnic_site site = {
        .node = &host->node,
        .index = (uint16_t)host->rnic_count,
        .endpoint = with->endpoint,
        .ready_ports = &host->ready_ports,
        .env = &host->env,
        .frames = host->frames,
        .port_params = with->port,
        .params = with->params,
        .cc = with->cc,
        .cc_params = with->cc_params,
        .priority_of_dscp = with->priority_of_dscp,
        .card = with->card,
        .machine = host->machine,
    };
    rnic_init(rnic, &site);
    host->rnics[host->rnic_count++] = rnic;
    return rnic;
}

static void send_tcp(void *nic, uint32_t handle)
{
    rnic_send_control(nic, handle);
}

struct tcp *host_add_tcp(struct host *host, uint32_t index, const struct tcp_params *params)
{
    struct rnic *rnic = host->rnics[index];
    const struct tcp_site site = {
        .port = &rnic->port,
        .env = &host->env,
        .endpoint = rnic->endpoint,
        .first_ip = RNIC_FIRST_IP,
        .ttl = rnic->ttl,
        .priority_of_dscp = rnic->priority_of_dscp,
        .params = params,
        .nic = rnic,
        .send = send_tcp,
    };
    CHECK(rnic->tcp == NULL);
    rnic->tcp = tcp_create(&site);
    return rnic->tcp;
}

static uint32_t next_of_fc(struct port *port, uint8_t allowed, time_ps now)
{
    struct rnic *rnic = (struct rnic *)(void *)port; /* its first member */
    return (allowed & 1) != 0 ? fc_next(rnic->fc, now) : POOL_NONE;
}

static void kick_fc(void *nic)
{
    struct rnic *rnic = nic;
    if ((*rnic->ready_ports & RNIC_HOST_BUSY) != 0)
        rnic_want_dequeue(rnic);
    else
        port_dequeue(&rnic->port, node_now(rnic->port.node));
}

struct fc *host_add_fc(struct host *host, uint32_t index)
{
    struct rnic *rnic = host->rnics[index];
    const struct fc_site site = {
        .port = &rnic->port,
        .env = &host->env,
        .endpoint = rnic->endpoint,
        .first_ip = RNIC_FIRST_IP,
        .ttl = rnic->ttl,
        .tx_delay = rnic->params.tx_delay,
        .rx_delay = rnic->params.rx_delay,
        .nic = rnic,
        .kick = kick_fc,
    };
    CHECK(rnic->fc == NULL && rnic->pipeline == NULL && rnic->soft == NULL);
    rnic->fc = fc_create(&site);
    rnic->arbitrates = false; /* arbiter_serve calls port_dequeue, hence the port's source */
    rnic->port.source = next_of_fc;
    return rnic->fc;
}

void host_aggregate(struct host *host, uint8_t cabled)
{
    _Static_assert((int)LAG_MEMBERS == (int)HOST_RNICS, "an aggregate has room for all RNICs");
    CHECK(host->lag == NULL);
    host->lag = memory_new(sizeof *host->lag);
    lag_form(host->lag, host->rnics, host->rnic_count, cabled);
}

struct verbs_device *host_device(struct host *host, uint32_t index)
{
    return verbs_sim_device(host->rnics[index]);
}
