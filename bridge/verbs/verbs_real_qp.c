/* SPDX-License-Identifier: Apache-2.0
 * verbs_real_qp - limits of a device, and the states of a queue pair.
 * librdmacm moves the queue pairs that it creates itself through their states with the kernel's
 * attributes only, so the path MTU, which INIT to RTR fixes permanently, could not be set.
 * Therefore queue pairs are created with libibverbs, and at each step the CM's attributes are
 * obtained with rdma_init_qp_attr and those set in the scenario are replaced.
 * Source: librdmacm cma.c ucma_modify_qp_rtr, ucma_modify_qp_rts; ibv_modify_qp(3). */
#include "base/check.h"
#include "base/memory.h"
#include "base/plural.h"
#include "bridge/verbs/verbs_real_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ limits of the device */

/* X(attribute, requested number, unit, remedy) */
#define LIMITS(X)                                                                                  \
    X(max_qp, open, "queue pairs", "use fewer queues")                                             \
    X(max_cq, open, "completion queues", "use fewer queues")                                       \
    X(max_qp_wr, cap->max_send_wr, "work requests in a send queue", SMALLER)                       \
    X(max_qp_wr, cap->max_recv_wr, "work requests in a receive queue", SMALLER)                    \
    X(max_cqe, entries_of(cap), "entries in a completion queue", SMALLER)                          \
    X(max_sge, cap->max_send_sge, "pieces in a send request", "no setting reduces this number")    \
    X(max_sge, cap->max_recv_sge, "pieces in a receive request", "no setting reduces this number")
#define SMALLER "reduce queue-size or outstanding"

static int64_t entries_of(const struct ibv_qp_cap *cap)
{
    return (int64_t)cap->max_send_wr + cap->max_recv_wr + 1;
}

static void say_limit(const struct verbs_device *device, const char *attribute, int64_t limit,
                      int64_t asked, const char *what, const char *remedy,
                      char why[VERBS_REAL_WHY_BYTES])
{
    snprintf(why, VERBS_REAL_WHY_BYTES,
             "%s has at most %" PRId64 " %s (%s), and %" PRId64 " %s needed: %s",
             verbs_real_name(device), limit, what, attribute, asked, plural(asked, "is", "are"),
             remedy);
}

static bool fits_device(const struct verbs_device *device, const struct ibv_qp_cap *cap,
                        char why[VERBS_REAL_WHY_BYTES])
{
    const struct ibv_device_attr *can = &device->attributes;
    const int64_t open = device->counters.open;
#define X(attribute, asked, what, remedy)                                                          \
    if ((int64_t)(asked) > can->attribute) {                                                       \
        say_limit(device, #attribute, can->attribute, asked, what, remedy, why);                   \
        return false;                                                                              \
    }
    LIMITS(X)
#undef X
    return true;
}

bool verbs_real_can(const struct verbs_device *device, char why[VERBS_REAL_WHY_BYTES])
{
    static const char remedy[] = "reduce max-rd-atomic";
    const struct ibv_device_attr *can = &device->attributes;
    const int64_t reads = device->wishes.max_rd_atomic;
    why[0] = '\0';
    if (reads > can->max_qp_rd_atom)
        say_limit(device, "max_qp_rd_atom", can->max_qp_rd_atom, reads,
                  "RDMA READs that a queue pair serves", remedy, why);
    else if (reads > can->max_qp_init_rd_atom)
        say_limit(device, "max_qp_init_rd_atom", can->max_qp_init_rd_atom, reads,
                  "RDMA READs that a queue pair issues", remedy, why);
    return why[0] == '\0';
}

/* If the local user requested it, the run cannot continue; a peer's connection is rejected. */
static void tell_limit(const struct verbs_conn *conn, const char *why)
{
    const struct verbs_real_site *site = &conn->device->site;
    void (*told)(void *, const char *) =
        conn->state == REAL_ASKED ? site->on_refused : site->on_fatal;
    if (told != NULL)
        told(site->self, why);
}

/* ------------------------------------------------------------------ creation */

static void make_ring(struct real_ring *ring, uint32_t room)
{
    ring->room = room > 0 ? room : 1;
    ring->arrivals = memory_zeroed(ring->room, sizeof *ring->arrivals);
}

/* One completion queue for both directions of a queue pair, as in the Linux host. */
static int make_cq(struct verbs_conn *conn, const struct ibv_qp_cap *cap)
{
    const struct verbs_device *device = conn->device;
    conn->cq = device->calls->create_cq(device->context, (int)entries_of(cap), conn,
                                        device->completions, 0);
    return conn->cq == NULL ? errno : device->calls->req_notify_cq(conn->cq, 0);
}

/* Devices do not report their limit of inline data; it is found only by creating a queue pair. */
static void say_refused(const struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                        char why[VERBS_REAL_WHY_BYTES])
{
    snprintf(why, VERBS_REAL_WHY_BYTES,
             "%s cannot create a queue pair with %u B of inline data: reduce inline-size",
             verbs_real_name(conn->device), (unsigned)cap->max_inline_data);
}

static int create(struct verbs_conn *conn, const struct ibv_qp_cap *cap)
{
    char why[VERBS_REAL_WHY_BYTES];
    struct ibv_qp_init_attr init = {
        .qp_context = conn,
        .send_cq = conn->cq,
        .recv_cq = conn->cq,
        .cap = *cap,
        .qp_type = IBV_QPT_RC,
    };
    init.cap.max_inline_data = (uint32_t)conn->device->wishes.inline_size;
    conn->qp = conn->device->calls->create_qp(conn->device->pd, &init);
    if (conn->qp != NULL)
        return 0;
    const int error = errno;
    if (conn->device->wishes.inline_size > 0 && error == EINVAL) {
        const struct ibv_qp_cap asked = {.max_inline_data =
                                             (uint32_t)conn->device->wishes.inline_size};
        say_refused(conn, &asked, why);
        tell_limit(conn, why);
    }
    return error;
}

/* ------------------------------------------------------------------ states */

/* Keeps the bits of the mask that ibv_modify_qp accepts for an RC queue pair: for RoCE, kernels set
 * additional bits that are for kernel use (librdmacm cma.c). */
static int ask_attributes(const struct verbs_conn *conn, enum ibv_qp_state state,
                          struct ibv_qp_attr *attr, int *mask)
{
    *attr = (struct ibv_qp_attr){.qp_state = state};
    *mask = 0;
    if (conn->device->calls->init_qp_attr(conn->id, attr, mask) != 0)
        return errno;
    *mask &= (IBV_QP_DEST_QPN << 1) - 1;
    return 0;
}

static int move(const struct verbs_conn *conn, struct ibv_qp_attr *attr, int mask)
{
    return conn->device->calls->modify_qp(conn->qp, attr, mask);
}

static int to_init(const struct verbs_conn *conn)
{
    struct ibv_qp_attr attr;
    int mask, error = ask_attributes(conn, IBV_QPS_INIT, &attr, &mask);
    return error != 0 ? error : move(conn, &attr, mask);
}

static uint32_t bytes_of(enum ibv_mtu mtu)
{
    return 128u << mtu;
}

static void wish_for_rtr(const struct verbs_conn *conn, struct ibv_qp_attr *attr)
{
    const struct verbs_real_wishes *wishes = &conn->device->wishes;
    attr->min_rnr_timer = (uint8_t)wishes->min_rnr_timer;
    while (wishes->path_mtu > 0 && attr->path_mtu > IBV_MTU_256 &&
           bytes_of(attr->path_mtu) > wishes->path_mtu)
        attr->path_mtu--;
    if (!conn->accepted)
        return;
    attr->max_dest_rd_atomic = conn->param.responder_resources;
    if (wishes->accept_dscp != VERBS_REAL_ANY)
        attr->ah_attr.grh.traffic_class = (uint8_t)(wishes->accept_dscp << 2);
}

/* Retries are those of REQ and REP. */
static void wish_for_rts(const struct verbs_conn *conn, struct ibv_qp_attr *attr)
{
    const struct verbs_real_wishes *wishes = &conn->device->wishes;
    const int64_t timeout = conn->accepted ? wishes->accept_timeout : wishes->timeout;
    if (timeout != VERBS_REAL_ANY)
        attr->timeout = (uint8_t)timeout;
    if (conn->accepted)
        attr->max_rd_atomic = conn->param.initiator_depth;
}

/* INIT is repeated, because only now does the CM know the peer's access rights. */
int verbs_real_qp_connect(struct verbs_conn *conn)
{
    struct ibv_qp_attr attr;
    int mask, error = to_init(conn);
    if (error == 0)
        error = ask_attributes(conn, IBV_QPS_RTR, &attr, &mask);
    if (error != 0)
        return error;
    wish_for_rtr(conn, &attr);
    error = move(conn, &attr, mask);
    if (error == 0)
        error = ask_attributes(conn, IBV_QPS_RTS, &attr, &mask);
    if (error != 0)
        return error;
    wish_for_rts(conn, &attr);
    return move(conn, &attr, mask);
}

int verbs_real_qp_make(struct verbs_conn *conn, const struct ibv_qp_cap *cap)
{
    char why[VERBS_REAL_WHY_BYTES];
    if (!fits_device(conn->device, cap, why)) {
        tell_limit(conn, why);
        return EINVAL;
    }
    int error = make_cq(conn, cap);
    if (error == 0)
        error = create(conn, cap);
    if (error == 0)
        error = to_init(conn);
    if (error != 0)
        return error;
    make_ring(&conn->receives, cap->max_recv_wr);
    make_ring(&conn->reads, cap->max_send_wr);
    return 0;
}

/* May fail for a queue pair whose device was removed, or that was never connected. */
void verbs_real_qp_end(struct verbs_conn *conn)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    if (conn->qp != NULL && move(conn, &attr, IBV_QP_STATE) != 0)
        conn->device->counters.refused++;
}

void verbs_real_qp_destroy(struct verbs_conn *conn)
{
    const struct rdma_calls *calls = conn->device->calls;
    int error = conn->qp == NULL ? 0 : calls->destroy_qp(conn->qp);
    CHECK(error == 0);
    error = conn->cq == NULL ? 0 : calls->destroy_cq(conn->cq);
    CHECK(error == 0);
}
