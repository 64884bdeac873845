/* SPDX-License-Identifier: Apache-2.0
 * fake_world - the fake's time, events and memory. */
#include "tests/unit/rnic/fake_private.h"

#include <errno.h>
#include <stdlib.h>

struct fake_event *fake_schedule(struct fake_world *world, enum kind kind, time_ps at)
{
    struct fake_event *event = calloc(1, sizeof *event);
    CHECK(event != NULL && at >= world->now);
    event->kind = kind;
    event->at = at;
    event->sequence = world->sequence++;
    struct fake_event **place = &world->events;
    while (*place != NULL && (*place)->at <= at)
        place = &(*place)->next;
    event->next = *place;
    *place = event;
    return event;
}

static time_ps now_of(void *self)
{
    return ((struct fake_world *)self)->now;
}

/* Who cancels a timer may free it at once. */
static void forget(struct fake_world *world, struct timer *timer)
{
    struct fake_event **place = &world->events;
    while (*place != NULL) {
        struct fake_event *event = *place;
        if (event->kind != TIMER || event->timer != timer) {
            place = &event->next;
            continue;
        }
        *place = event->next;
        fake_free_event(event);
    }
    timer->pending = 0;
}

static void set_timer(void *self, struct timer *timer, time_ps due)
{
    struct fake_world *world = self;
    timer->due = due;
    if (due == TIME_NEVER) {
        forget(world, timer);
        return;
    }
    CHECK(due >= world->now);
    if (timer->pending && timer->wakeup <= due)
        return; /* sleeps on when that comes */
    timer->pending = 1;
    timer->wakeup = due;
    fake_schedule(world, TIMER, due)->timer = timer;
}

static void wake(struct fake_world *world, struct timer *timer)
{
    if (timer->wakeup == world->now)
        timer->pending = 0;
    if (timer->due == TIME_NEVER)
        return;
    if (timer->due > world->now) {
        set_timer(world, timer, timer->due);
        return;
    }
    timer->due = TIME_NEVER;
    timer->fire(timer->self, world->now);
}

static const struct env_ops env_ops = {.now = now_of, .timer_set = set_timer};

void fake_init(struct fake_world *world)
{
    *world = (struct fake_world){.probe = probe_none};
    world->env = (struct env){
        .ops = &env_ops, .world = world, .probe = &world->probe, .seed = 1, .owner = "fake"};
}

struct verbs_device *fake_device(struct fake_world *world, uint32_t ip)
{
    unsigned i = 0;
    while (world->devices[i] != NULL)
        i++;
    CHECK(i < FAKE_DEVICES);
    struct verbs_device *device = calloc(1, sizeof *device);
    CHECK(device != NULL);
    device->world = world;
    device->ip = ip;
    device->next_addr = (uint64_t)ip << 32;
    world->devices[i] = device;
    return device;
}

void fake_free_receives(struct verbs_conn *conn)
{
    while (conn->first != NULL) {
        struct receive *receive = conn->first;
        conn->first = receive->next;
        free(receive);
    }
    conn->last = NULL;
}

void fake_free_event(struct fake_event *event)
{
    free(event->bytes);
    free(event);
}

void fake_fini(struct fake_world *world)
{
    while (world->events != NULL) {
        struct fake_event *event = world->events;
        world->events = event->next;
        fake_free_event(event);
    }
    for (unsigned i = 0; i < FAKE_DEVICES && world->devices[i] != NULL; i++) {
        struct verbs_device *device = world->devices[i];
        while (device->conns != NULL) {
            struct verbs_conn *conn = device->conns;
            device->conns = conn->next;
            fake_free_receives(conn);
            if (conn->stuck != NULL)
                fake_free_event(conn->stuck);
            free(conn);
        }
        for (uint32_t k = 0; k < device->mr_count; k++)
            if (device->mrs[k] != NULL) {
                free(device->mrs[k]->mr.bytes);
                free(device->mrs[k]);
            }
        free(device);
    }
}

struct verbs_mr *fake_reg_mr(struct verbs_device *device, uint32_t length, int access,
                             enum verbs_memory memory)
{
    CHECK(device->mr_count < MRS_MAX);
    struct fake_mr *fake = calloc(1, sizeof *fake);
    CHECK(fake != NULL);
    const uint32_t index = device->mr_count++;
    fake->mr = (struct verbs_mr){
        .addr = device->next_addr,
        .length = length,
        .lkey = index << 8,
        .rkey = index << 8 | 1,
        .memory = memory == VERBS_EITHER ? VERBS_BULK : memory,
        .bytes = memory == VERBS_BULK ? NULL : calloc(1, length),
    };
    fake->access = access;
    fake->valid = true;
    device->next_addr += ((uint64_t)length + 8191) & ~UINT64_C(4095);
    device->mrs[index] = fake;
    return &fake->mr;
}

void fake_dereg_mr(struct verbs_device *device, struct verbs_mr *mr)
{
    struct fake_mr *fake = (struct fake_mr *)(void *)mr;
    CHECK(device->mrs[mr->lkey >> 8] == fake);
    device->mrs[mr->lkey >> 8] = NULL;
    free(mr->bytes);
    free(fake);
}

void fake_renew_rkey(struct verbs_conn *conn, struct verbs_mr *mr, uint32_t length)
{
    (void)length;
    struct fake_mr *fake = (struct fake_mr *)(void *)mr;
    (void)conn;
    mr->rkey = (mr->rkey & ~UINT32_C(0xFF)) | ((mr->rkey + 1) & 0xFF);
    fake->valid = true;
}

unsigned fake_held(const struct verbs_device *device)
{
    unsigned count = device->srq_count;
    for (uint32_t i = 0; i < device->mr_count; i++)
        count += device->mrs[i] != NULL;
    for (const struct verbs_conn *conn = device->conns; conn != NULL; conn = conn->next)
        count += !conn->destroyed;
    return count;
}

struct fake_mr *fake_find(const struct verbs_device *device, uint32_t key, uint64_t addr,
                          uint32_t length)
{
    const uint32_t index = key >> 8;
    struct fake_mr *fake = index < device->mr_count ? device->mrs[index] : NULL;
    if (fake == NULL || addr < fake->mr.addr || length > fake->mr.length ||
        addr - fake->mr.addr > fake->mr.length - length)
        return NULL;
    return fake;
}

struct fake_mr *fake_find_remote(const struct verbs_device *device, uint32_t rkey, uint64_t addr,
                                 uint32_t length, int access)
{
    struct fake_mr *fake = fake_find(device, rkey, addr, length);
    const bool good =
        fake != NULL && fake->valid && fake->mr.rkey == rkey && (fake->access & access) == access;
    return good ? fake : NULL;
}

static void execute(struct fake_world *world, struct fake_event *event)
{
    struct verbs_conn *conn = event->conn;
    bool kept = false;
    switch (event->kind) {
    case TIMER:
        wake(world, event->timer);
        break;
    case ARRIVE:
        kept = fake_arrive(event);
        break;
    case COMPLETE:
        if (!conn->destroyed)
            conn->user.on_completion(conn->user.self, conn, &event->wc);
        break;
    default:
        if (!conn->destroyed && (conn->open || event->cm.type != RDMA_CM_EVENT_ESTABLISHED))
            conn->user.on_cm(conn->user.self, conn, &event->cm);
    }
    if (!kept)
        fake_free_event(event);
}

bool fake_run(struct fake_world *world, time_ps until)
{
    while (world->events != NULL && world->events->at <= until) {
        struct fake_event *event = world->events;
        world->events = event->next;
        world->now = event->at;
        execute(world, event);
    }
    if (until != TIME_NEVER)
        world->now = until;
    return world->events != NULL;
}

/* ---- receives, of one connection or shared ---- */

void fake_add_receive(struct receive **first, struct receive **last, const struct ibv_recv_wr *wr)
{
    struct receive *receive = calloc(1, sizeof *receive);
    CHECK(receive != NULL);
    receive->wr_id = wr->wr_id;
    receive->count = wr->num_sge;
    memcpy(receive->sges, wr->sg_list, sizeof(struct ibv_sge) * (size_t)wr->num_sge);
    if (*first == NULL)
        *first = receive;
    else
        (*last)->next = receive;
    *last = receive;
}

struct receive *fake_srq_take(struct verbs_srq *srq)
{
    struct receive *receive = srq->first;
    srq->first = receive->next;
    if (srq->first == NULL)
        srq->last = NULL;
    srq->count--;
    if (srq->count < srq->limit) {
        srq->limit = 0;
        srq->user.on_limit(srq->user.self);
    }
    return receive;
}

struct verbs_srq *fake_create_srq(struct verbs_device *device, uint32_t max_wr,
                                  const struct verbs_srq_user *user)
{
    struct verbs_srq *srq = calloc(1, sizeof *srq);
    CHECK(srq != NULL);
    *srq = (struct verbs_srq){.device = device, .user = *user, .most = max_wr};
    device->srq_count++;
    return srq;
}

int fake_post_srq_recv(struct verbs_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    for (; wr != NULL; wr = wr->next) {
        if (srq->count == srq->most || wr->num_sge > SGES_MAX) {
            *bad = wr;
            return srq->count == srq->most ? ENOMEM : EINVAL;
        }
        fake_add_receive(&srq->first, &srq->last, wr);
        srq->count++;
    }
    for (struct verbs_conn *conn = srq->device->conns; conn != NULL; conn = conn->next)
        if (conn->user.srq == srq && conn->stuck != NULL)
            fake_unstick(conn);
    return 0;
}

void fake_arm_srq(struct verbs_srq *srq, uint32_t limit)
{
    srq->limit = limit;
}

void fake_destroy_srq(struct verbs_srq *srq)
{
    while (srq->first != NULL)
        free(fake_srq_take(srq));
    srq->device->srq_count--;
    free(srq);
}
