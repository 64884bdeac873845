/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma - raw RDMA traffic of the rdma-* kinds.
 * A reliable connection completes in order, so the times of messages in flight are a ring per queue
 * pair. The first failed completion, or the end of the connection, ends the queue pair: everything
 * in flight there fails at once, and later completions (the flush) are ignored. */
#include "base/numbers.h"
#include "scenarios/workload/wl_rdma_private.h"
#include "scenarios/workload/wl_watch.h"

#include "base/memory.h"
#include "base/probe.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t largest(const struct wl_rdma_params *params)
{
    const struct wl_sizes *sizes = wl_rdma_sizes(params);
    return sizes == NULL ? params->message_size : wl_sizes_largest(sizes);
}

static int64_t next_size(struct wl_rdma *wl)
{
    return wl->sizes == NULL ? wl->params.message_size : wl_sizes_draw(wl->sizes, &wl->size_draws);
}

static void settle_state(struct wl_rdma *wl)
{
    if (wl->state != WL_RDMA_ENDING || wl->under_way > 0)
        return;
    wl->state = WL_RDMA_IDLE;
    env_timer_cancel(wl->site.env, &wl->timer);
    if (wl->site.on_idle != NULL)
        wl->site.on_idle(wl->site.on_idle_self);
}

/* Accounting. */

static void keep_flow(struct wl_rdma *wl, const struct workload_flow *flow)
{
    const uint32_t count = (uint32_t)wl->did.flow_count;
    wl->flows = memory_grown(wl->flows, count, &wl->flow_room, sizeof *wl->flows);
    wl->flows[count] = *flow;
    wl->did.flows = wl->flows;
    wl->did.flow_count++;
}

static void finish_oldest(struct wl_rdma_pair *pair, bool good)
{
    struct wl_rdma *wl = pair->owner;
    CHECK(pair->under_way > 0 && wl->under_way > 0);
    struct workload_stats *stats = wl->site.stats;
    const time_ps now = env_now(wl->site.env);
    const struct wl_rdma_message *message = &pair->messages[pair->oldest];
    const time_ps issued_at = message->issued_at;
    pair->oldest = (pair->oldest + 1) % (uint32_t)wl->params.outstanding;
    pair->under_way--;
    wl->under_way--;
    wl_watch_completed(&wl->site, pair->device, pair->conn,
                       (struct probe_message){.issued_at = issued_at,
                                              .operation = wl_watch_operation(wl->opcode),
                                              .good = good,
                                              .answered = wl->answered,
                                              .by_core = message->by_core});
    if (!good) {
        stats->failed++;
        wl->did.failed++;
        return;
    }
    const struct workload_completion done = {
        .issued_at = issued_at,
        .now = now,
        .from = wl->window.from,
        .stop = wl->window.to,
        .bytes = (uint64_t)message->bytes,
        .member = wl->site.member,
        .read = wl->opcode == IBV_WR_RDMA_READ,
    };
    workload_completed(stats, &done);
    workload_member_completed(&wl->did, issued_at, now, done.bytes);
    if (wl->sizes != NULL)
        keep_flow(wl, &(struct workload_flow){message->bytes, now - issued_at});
    wl_goodput_completed(&pair->goodput, &wl->window, now, done.bytes);
}

static bool any_usable(const struct wl_rdma *wl)
{
    for (uint32_t i = 0; i < wl->pair_count; i++)
        if (wl->pairs[i].usable)
            return true;
    return false;
}

static void give_up(struct wl_rdma_pair *pair, const char *why)
{
    const struct env *env = pair->owner->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner, why);
    pair->usable = false;
    while (pair->under_way > 0)
        finish_oldest(pair, false);
    if (pair->owner->state != WL_RDMA_ISSUING)
        return;
    pair->owner->did.pairs_lost++;
    pair->owner->did.given_up |= !any_usable(pair->owner);
}

/* Issue. */

static bool post_receive(struct wl_rdma_pair *pair)
{
    struct ibv_sge sge = {
        .addr = pair->mr->addr, .length = (uint32_t)pair->mr->length, .lkey = pair->mr->lkey};
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return pair->owner->site.verbs->post_recv(pair->conn, &wr, &bad) == 0;
}

static void occupy(struct wl_rdma *wl, struct wl_rdma_core *core)
{
    const time_ps more =
        wl->spread == 0
            ? 0
            : (time_ps)rng_below(&wl->post_draws, (uint64_t)wl->spread * 2 + 1) - wl->spread;
    *core->door_at = core->free_at = env_now(wl->site.env) + core->cost + more;
    core->busy += core->cost + more;
    core->wanted = false;
}

static bool post(struct wl_rdma_pair *pair, time_ps issued_at)
{
    struct wl_rdma *wl = pair->owner;
    const int64_t bytes = next_size(wl);
    struct ibv_sge sge = {
        .addr = pair->mr->addr,
        .length = (uint32_t)bytes,
        .lkey = pair->mr->lkey,
    };
    struct ibv_send_wr wr = {
        .wr_id = wl->issued,
        .sg_list = &sge,
        .num_sge = 1,
        .opcode = wl->opcode,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htobe32((uint32_t)wl->issued),
        .wr.rdma = {.remote_addr = pair->grant.addr, .rkey = pair->grant.rkey},
    };
    struct ibv_send_wr *bad = NULL;
    const uint32_t place = (pair->oldest + pair->under_way) % (uint32_t)wl->params.outstanding;
    pair->messages[place] = (struct wl_rdma_message){
        .issued_at = issued_at, .bytes = bytes, .by_core = pair->core->wanted};
    occupy(wl, pair->core);
    pair->batch_left = (pair->batch_left == 0 ? wl->batch : pair->batch_left) - 1;
    pair->under_way++;
    wl->under_way++;
    wl->issued++;
    workload_issued(wl->site.stats, issued_at);
    workload_member_issued(&wl->did, issued_at);
    if (wl->answered && !post_receive(pair))
        return false;
    if (wl->site.verbs->post_send(pair->conn, &wr, &bad) != 0)
        return false;
    wl_watch_posted(wl->site.env, PROBE_USE_MESSAGE);
    return true;
}

static bool has_room(const struct wl_rdma_pair *pair)
{
    const uint32_t free = (uint32_t)pair->owner->params.outstanding - pair->under_way;
    return free > 0 && (pair->batch_left > 0 || free >= pair->owner->batch);
}

/* The next usable pair in turn with room and a free core, or NULL: `wakes` is the time when a core
 * is free. */
static struct wl_rdma_pair *find_room(struct wl_rdma *wl, time_ps now, time_ps *wakes)
{
    *wakes = TIME_NEVER;
    for (uint32_t i = 0; i < wl->pair_count; i++) {
        struct wl_rdma_pair *pair = &wl->pairs[(wl->next_pair + i) % wl->pair_count];
        if (!pair->usable || !has_room(pair))
            continue;
        const time_ps free_at = time_later(pair->core->free_at, *pair->core->door_at);
        if (free_at > now) {
            pair->core->wanted = true;
            *wakes = time_earlier(*wakes, free_at);
            continue;
        }
        wl->next_pair = (wl->next_pair + i + 1) % wl->pair_count;
        return pair;
    }
    return NULL;
}

static bool count_reached(const struct wl_rdma *wl)
{
    return wl->params.count > 0 && wl->issued >= (uint64_t)wl->params.count;
}

static void end_by_stop(struct wl_rdma *wl)
{
    uint64_t missed = wl_pace_count(&wl->pace, wl->site.stop, WL_PACE_EVENT);
    const uint64_t left = (uint64_t)wl->params.count - wl->issued;
    if (wl->params.count > 0 && missed > left)
        missed = left;
    wl->site.stats->missed += missed;
    workload_ends(wl->site.stats, wl->site.stop);
    wl->state = WL_RDMA_ENDING;
}

/* Issues one message if possible now; otherwise arranges the next call. */
static bool issue_one(struct wl_rdma *wl, time_ps now)
{
    if (now >= wl->site.stop) {
        end_by_stop(wl);
        return false;
    }
    if (count_reached(wl) || !any_usable(wl)) {
        wl->state = WL_RDMA_ENDING;
        return false;
    }
    if (wl->params.rate > 0 && wl->pace.due > now) {
        env_timer_set(wl->site.env, &wl->timer,
                      wl->pace.due < wl->site.stop ? wl->pace.due : wl->site.stop);
        return false;
    }
    time_ps wakes;
    struct wl_rdma_pair *pair = find_room(wl, now, &wakes);
    if (pair == NULL) {
        if (wakes != TIME_NEVER)
            env_timer_set(wl->site.env, &wl->timer, time_earlier(wakes, wl->site.stop));
        return false;
    }
    const time_ps issued_at = wl->params.rate > 0 ? wl_pace_take(&wl->pace, WL_PACE_EVENT) : now;
    if (!post(pair, issued_at))
        give_up(pair, "workload: a queue pair accepts no more work requests");
    return true;
}

static void issue_due(struct wl_rdma *wl)
{
    const time_ps now = env_now(wl->site.env);
    while (wl->state == WL_RDMA_ISSUING && issue_one(wl, now)) {
    }
    if (wl->state == WL_RDMA_ENDING && wl->under_way == 0)
        workload_done(wl->site.stats, wl->did.failed > 0, wl->did.last_completion, wl->site.stop);
    settle_state(wl);
}

static void on_timer(void *self, time_ps now)
{
    (void)now;
    issue_due(self);
}

/* Connections. */

/* Each pair reports once; after the last report, issuing begins. */
static void pair_settled(struct wl_rdma_pair *pair)
{
    struct wl_rdma *wl = pair->owner;
    if (pair->settled)
        return;
    pair->settled = true;
    if (!pair->usable) {
        workload_barred(wl->site.stats, env_now(wl->site.env), wl->site.stop);
        wl->did.failed++;
    }
    if (++wl->settled < wl->pair_count)
        return;
    wl->state = WL_RDMA_ISSUING;
    wl->did.connected = any_usable(wl);
    wl->did.ready = env_now(wl->site.env);
    if (wl->did.connected)
        workload_begins(wl->site.stats, wl->site.start);
    const time_ps now = wl->did.ready;
    const time_ps begin = workload_begin(&wl->site, now);
    char purpose[64];
    snprintf(purpose, sizeof purpose, "workload %u.%u.%u", wl->site.workload, wl->site.instance,
             wl->site.copy);
    wl_pace_init(&wl->pace, wl->params.rate, wl->params.arrival == WL_PACE_POISSON, begin,
                 env_stream(wl->site.env, purpose), WL_PACE_EVENT);
    snprintf(purpose, sizeof purpose, "sizes of workload %u.%u.%u", wl->site.workload,
             wl->site.instance, wl->site.copy);
    if (wl->sizes != NULL)
        wl->size_draws = env_stream(wl->site.env, purpose);
    if (now < begin && any_usable(wl))
        env_timer_set(wl->site.env, &wl->timer, begin);
    else
        issue_due(wl);
}

static void on_established(struct wl_rdma_pair *pair, const struct verbs_event *event)
{
    const uint32_t needed = (uint32_t)largest(&pair->owner->params);
    pair->usable = wl_rdma_decode_grant(event->private_data, event->private_len, &pair->grant) &&
                   pair->grant.length >= needed;
    if (pair->owner->params.remote_access == WL_RDMA_WRONG_KEY)
        pair->grant.rkey ^= 1;
    if (pair->owner->params.remote_access == WL_RDMA_OUT_OF_RANGE)
        pair->grant.addr += pair->grant.length;
    if (!pair->usable)
        give_up(pair, "workload: the peer granted no usable buffer");
    pair_settled(pair);
}

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct wl_rdma_pair *pair = self;
    (void)conn;
    if (event->type == RDMA_CM_EVENT_ESTABLISHED) {
        on_established(pair, event);
        return;
    }
    const bool was_usable = pair->usable;
    if (was_usable || !pair->settled)
        give_up(pair, "workload: a connection closed or could not be set up");
    pair_settled(pair);
    if (was_usable)
        issue_due(pair->owner);
}

/* True if the oldest message is done. A message with an answer needs both the answer and its own
 * completion, in any order: only then does the send queue have room for another one. */
static bool is_done_by(struct wl_rdma_pair *pair, const struct ibv_wc *wc)
{
    if (!pair->owner->answered)
        return true;
    if ((wc->opcode & IBV_WC_RECV) != 0)
        return ++pair->answers_ahead <= 0;
    return --pair->answers_ahead >= 0;
}

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct wl_rdma_pair *pair = self;
    (void)conn;
    const bool good = wc->status == IBV_WC_SUCCESS;
    if (!pair->usable || (good && !is_done_by(pair, wc)))
        return;
    finish_oldest(pair, good);
    if (!good)
        give_up(pair, "workload: a message failed; the queue pair is closed");
    issue_due(pair->owner);
}

/* Completions are lost, so it is unknown which messages completed. */
static void on_async(void *self, struct verbs_conn *conn, enum ibv_event_type type)
{
    struct wl_rdma_pair *pair = self;
    (void)conn;
    if (type != IBV_EVENT_CQ_ERR || !pair->usable)
        return;
    give_up(pair, "workload: a completion queue overran; the queue pair is closed");
    issue_due(pair->owner);
}

static void encode_request(const struct wl_rdma_params *params, enum ibv_wr_opcode opcode,
                           bool answered, uint8_t *bytes)
{
    const int64_t shared = wl_rdma_needs_receives(opcode) ? params->shared_receives : 0;
    const struct wl_rdma_request request = {
        .opcode = opcode,
        .outstanding = (uint32_t)params->outstanding,
        .message_bytes = (uint32_t)largest(params),
        .receives = (uint32_t)(shared > 0 ? shared : params->receives),
        .receive_limit = shared > 0 ? (uint32_t)min_i64(shared, params->receive_limit) : 0,
        .shared = shared > 0,
        .no_right = params->remote_access == WL_RDMA_WITHOUT_RIGHT,
        .gives_back = params->remote_access == WL_RDMA_GIVEN_BACK,
        .receive_delay_us = (uint32_t)(params->receive_delay / PS_PER_US),
        .answered = answered,
    };
    wl_rdma_encode_request(&request, bytes);
}

static enum ibv_wr_opcode opcode_of(const struct wl_rdma_params *params, enum ibv_wr_opcode opcode)
{
    return params->immediate ? wl_rdma_with_immediate(opcode) : opcode;
}

uint32_t wl_rdma_request(const struct wl_rdma_params *params, enum ibv_wr_opcode opcode,
                         bool answered, uint8_t *bytes)
{
    encode_request(params, opcode_of(params, opcode), answered, bytes);
    return (uint32_t)params->qps;
}

static void connect_pair(struct wl_rdma *wl, struct wl_rdma_pair *pair)
{
    const struct verbs_ops *verbs = wl->site.verbs;
    const uint32_t bytes = (uint32_t)largest(&wl->params);
    uint32_t ip = wl->site.target_ip;
    pair->device = wl->site.way == NULL
                       ? wl->site.device
                       : wl->site.way(&wl->site, (uint32_t)(pair - wl->pairs), &ip);
    pair->mr = verbs_register(verbs, pair->device, bytes, IBV_ACCESS_LOCAL_WRITE, VERBS_BULK);
    pair->mr->content = wl->site.serial;
    uint8_t private_data[WL_RDMA_REQ_BYTES];
    encode_request(&wl->params, wl->opcode, wl->answered, private_data);
    const struct ibv_qp_cap cap = {
        .max_send_wr = (uint32_t)wl->params.outstanding,
        .max_recv_wr = wl->answered ? (uint32_t)wl->params.outstanding : 1,
        .max_send_sge = 1,
        .max_recv_sge = 1,
    };
    const uint8_t reads = verbs->max_rd_atomic(pair->device);
    const struct rdma_conn_param param = {
        .private_data = private_data,
        .private_data_len = sizeof private_data,
        .responder_resources = reads,
        .initiator_depth = reads,
        .retry_count = 7,     /* the maximum, three bits */
        .rnr_retry_count = 7, /* unlimited, IBTA Vol 1 9.7.5.2.8 */
    };
    const struct verbs_user user = {
        .self = pair, .on_cm = on_cm, .on_completion = on_completion, .on_async = on_async};
    const struct verbs_peer peer = {ip, WORKLOAD_RDMA_PORT, wl->site.class};
    pair->conn = verbs->connect(pair->device, &peer, &cap, &param, &user);
}

/* Operations table. */

struct workload *wl_rdma_create(const struct workload_site *site, enum ibv_wr_opcode opcode,
                                bool answered)
{
    struct wl_rdma *wl = memory_new(sizeof *wl);
    wl->site = *site;
    wl->params = *(const struct wl_rdma_params *)site->params;
    wl->sizes = wl_rdma_sizes(&wl->params);
    wl->opcode = opcode_of(&wl->params, opcode);
    wl->answered = answered;
    wl->window = (struct wl_window){site->start, site->stop};
    wl->timer = (struct timer){.fire = on_timer, .self = wl, .due = TIME_NEVER};
    wl->pair_count = (uint32_t)wl->params.qps;
    wl->batch = (uint32_t)min_i64(wl->params.batch, wl->params.outstanding);
    wl->pairs = memory_zeroed(wl->pair_count, sizeof *wl->pairs);
    wl->core_count = (uint32_t)wl->params.threads;
    wl->cores = memory_zeroed(wl->core_count, sizeof *wl->cores);
    wl_rdma_set_post_costs(wl);
    for (uint32_t i = 0; i < wl->pair_count; i++) {
        wl->pairs[i].owner = wl;
        wl->pairs[i].messages =
            memory_zeroed((size_t)wl->params.outstanding, sizeof *wl->pairs[i].messages);
        wl->pairs[i].core = &wl->cores[i % wl->core_count];
        wl_goodput_begin(&wl->pairs[i].goodput, &wl->window, env_now(site->env));
    }
    return (struct workload *)wl;
}

void wl_rdma_start(struct workload *workload)
{
    struct wl_rdma *wl = wl_rdma_of(workload);
    CHECK(wl->pairs[0].mr == NULL);
    wl->did.began = env_now(wl->site.env);
    for (uint32_t i = 0; i < wl->pair_count; i++) {
        connect_pair(wl, &wl->pairs[i]);
        if (wl->pairs[i].conn == NULL)
            pair_settled(&wl->pairs[i]);
    }
}

void wl_rdma_stop(struct workload *workload)
{
    struct wl_rdma *wl = wl_rdma_of(workload);
    const time_ps now = env_now(wl->site.env);
    if (now < wl->site.stop)
        wl->site.stop = now > wl->site.start ? now : wl->site.start;
    wl->window.to = wl->site.stop;
    wl_rdma_measure(workload, now);
    if (wl->state == WL_RDMA_ISSUING)
        end_by_stop(wl);
    settle_state(wl);
}

void wl_rdma_destroy(struct workload *workload)
{
    struct wl_rdma *wl = wl_rdma_of(workload);
    env_timer_cancel(wl->site.env, &wl->timer);
    for (uint32_t i = 0; i < wl->pair_count; i++) {
        struct wl_rdma_pair *pair = &wl->pairs[i];
        pair->usable = false;
        if (pair->conn != NULL)
            wl->site.verbs->destroy(pair->conn);
        if (pair->mr != NULL)
            wl->site.verbs->dereg_mr(pair->device, pair->mr);
        free(pair->messages);
    }
    free(wl->pairs);
    free(wl->cores);
    free(wl->doors);
    free(wl->flows);
    free(wl);
}
