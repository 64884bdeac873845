/* SPDX-License-Identifier: Apache-2.0
 * iwarp_receive - received bytes as FPDUs, and FPDUs as messages.
 * Headers decide where the payload goes before it is read, so data moves from the stream into its
 * memory directly. An FPDU counts when its CRC has been checked. */
#include "rnic/iwarp/iwarp_private.h"

#include <string.h>

static bool fail_tagged(struct iwarp_fault *fault, unsigned code, const char *why)
{
    return iwarp_fail_with(fault, IWARP_LAYER_DDP, 1, code, why);
}

static bool fail_untagged(struct iwarp_fault *fault, unsigned code, const char *why)
{
    return iwarp_fail_with(fault, IWARP_LAYER_DDP, 2, code, why);
}

/* ---- where the payload goes ---- */

static void place_into(struct iwarp_arriving *from, struct mr *mr, uint64_t address)
{
    from->sges[0] = (struct mr_sge){mr, (uint32_t)(address - mr->verbs.addr), from->fpdu.payload};
    from->sge_count = 1;
    from->at = 0;
}

static bool head_of_write(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_arriving *from = &conn->arriving;
    const struct iwarp_fpdu *fpdu = &from->fpdu;
    struct mr *mr = mr_remote(&conn->device->mrs, fpdu->stag, fpdu->offset, fpdu->payload,
                              IBV_ACCESS_REMOTE_WRITE);
    if (mr == NULL)
        return fail_tagged(fault, 0, "WRITE to memory that its STag does not open");
    place_into(from, mr, fpdu->offset);
    return true;
}

static struct iwarp_wqe *read_of(const struct verbs_conn *conn)
{
    const struct iwarp_ring *issued = &conn->reads_issued;
    return &conn->sq[conn->reads[issued->head % issued->room] % conn->sends.room];
}

static bool head_of_response(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_arriving *from = &conn->arriving;
    const struct iwarp_fpdu *fpdu = &from->fpdu;
    if (iwarp_ring_count(&conn->reads_issued) == 0)
        return iwarp_fail_with(fault, IWARP_LAYER_RDMAP, 2, 6, "READ response without a request");
    const struct iwarp_wqe *wqe = read_of(conn);
    struct mr *sink = wqe->sges[0].mr;
    const uint64_t at = sink->verbs.addr + wqe->sges[0].offset + conn->read_at;
    if (mr_gone(&conn->device->mrs, wqe->sges, 1) || fpdu->stag != sink->verbs.lkey)
        return fail_tagged(fault, 0, "READ response to another STag");
    const uint32_t left = wqe->length - conn->read_at;
    if (fpdu->offset != at || fpdu->payload > left || fpdu->last != (fpdu->payload == left))
        return fail_tagged(fault, 1, "READ response with another address or length");
    place_into(from, sink, fpdu->offset);
    return true;
}

static bool head_of_send(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_arriving *from = &conn->arriving;
    const struct iwarp_fpdu *fpdu = &from->fpdu;
    if (iwarp_ring_count(&conn->receives) == 0 && !iwarp_take_shared(conn))
        return fail_untagged(fault, 2, "SEND without a posted receive");
    const struct iwarp_receive *receive = &conn->rq[conn->receives.head % conn->receives.room];
    if (fpdu->offset != conn->received)
        return fail_untagged(fault, 4, "SEND with another message offset");
    if (fpdu->payload > receive->length - conn->received)
        return fail_untagged(fault, 5, "SEND longer than its receive");
    memcpy(from->sges, receive->sges, sizeof from->sges);
    from->sge_count = receive->sge_count;
    from->at = conn->received;
    return true;
}

/* The next message of its queue, or another part of the present one. */
static bool check_msn(const struct verbs_conn *conn, struct iwarp_fault *fault)
{
    const struct iwarp_fpdu *fpdu = &conn->arriving.fpdu;
    const uint32_t expected = conn->got_msn[fpdu->queue] + 1;
    return fpdu->msn == expected || fail_untagged(fault, 3, "message sequence number out of order");
}

static bool head_of_control(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    const struct iwarp_fpdu *fpdu = &conn->arriving.fpdu;
    const bool reads = fpdu->opcode == IWARP_READ_REQUEST;
    if (fpdu->offset != 0 || !fpdu->last)
        return fail_untagged(fault, 4, "READ request or Terminate in parts");
    if (fpdu->payload > IWARP_TERMINATE_MAX || (reads && fpdu->payload != IWARP_READ_BYTES))
        return fail_untagged(fault, 5, "READ request or Terminate of another length");
    if (reads && iwarp_ring_count(&conn->reads_served) == conn->ird)
        return fail_untagged(fault, 2, "more READs than IRD");
    return true;
}

static bool take_head(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_arriving *from = &conn->arriving;
    from->sge_count = 0;
    from->has_content = false;
    if (!iwarp_fpdu_decode(&from->fpdu, from->head, fault))
        return false;
    switch (from->fpdu.opcode) {
    case IWARP_WRITE:
        return head_of_write(conn, fault);
    case IWARP_READ_RESPONSE:
        return head_of_response(conn, fault);
    case IWARP_READ_REQUEST:
    case IWARP_TERMINATE:
        return check_msn(conn, fault) && head_of_control(conn, fault);
    default:
        return check_msn(conn, fault) && head_of_send(conn, fault);
    }
}

/* ---- payload ---- */

static struct mr_sge *sge_at(struct iwarp_arriving *from, uint32_t at, uint32_t *start)
{
    uint32_t i = 0;
    *start = 0;
    while (at - *start >= from->sges[i].length)
        *start += from->sges[i++].length;
    return &from->sges[i];
}

static void note_content(struct iwarp_arriving *from, struct mr *mr, uint32_t content)
{
    from->content = !from->has_content || from->content == content ? content : VERBS_CONTENT_MIXED;
    from->has_content = true;
    mr->verbs.content = from->content;
}

static uint32_t read_some(struct verbs_conn *conn, uint32_t left)
{
    struct iwarp_arriving *from = &conn->arriving;
    const struct stream_ops *streams = iwarp_streams(conn);
    if (from->sge_count == 0)
        return streams->read(conn->stream, from->own + from->bytes, left);
    const uint32_t at = from->at + from->bytes;
    uint32_t start, content = 0;
    struct mr_sge *sge = sge_at(from, at, &start);
    const uint32_t offset = sge->offset + (at - start);
    const uint32_t most = iwarp_min(left, sge->length - (at - start));
    if (sge->mr->verbs.memory == VERBS_BYTES)
        return streams->read(conn->stream, sge->mr->verbs.bytes + offset, most);
    const uint32_t taken = streams->read_bulk(conn->stream, most, offset, &content);
    if (taken > 0)
        note_content(from, sge->mr, content);
    conn->bulk_in += taken;
    return taken;
}

static bool read_payload(struct verbs_conn *conn)
{
    struct iwarp_arriving *from = &conn->arriving;
    while (from->bytes < from->fpdu.payload) {
        const uint32_t taken = read_some(conn, from->fpdu.payload - from->bytes);
        if (taken == 0)
            return false;
        from->bytes += taken;
    }
    return true;
}

static uint32_t crc_of_payload(struct verbs_conn *conn, uint32_t crc)
{
    struct iwarp_arriving *from = &conn->arriving;
    if (from->sge_count == 0)
        return crc32c(crc, from->own, from->fpdu.payload);
    for (uint32_t done = 0; done < from->fpdu.payload;) {
        uint32_t start;
        const struct mr_sge *sge = sge_at(from, from->at + done, &start);
        const uint32_t skip = from->at + done - start;
        const uint32_t take = iwarp_min(from->fpdu.payload - done, sge->length - skip);
        crc = sge->mr->verbs.memory == VERBS_BYTES
                  ? crc32c(crc, sge->mr->verbs.bytes + sge->offset + skip, take)
                  : iwarp_crc_bulk(conn->device, crc, from->content, take);
        done += take;
    }
    return crc;
}

static bool check_crc(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_arriving *from = &conn->arriving;
    const uint32_t pad = iwarp_pad(from->fpdu.payload);
    uint32_t crc = 0;
    /* Bulk data with several tags has no bytes of its own. */
    if (!conn->crc || (from->has_content && from->content == VERBS_CONTENT_MIXED))
        return true;
    for (unsigned i = IWARP_CRC_BYTES; i-- > 0;)
        crc = crc << 8 | from->tail[pad + i];
    const uint32_t own = crc_of_payload(conn, crc32c(0, from->head, from->head_bytes));
    return crc == crc32c(own, from->tail, pad) ||
           iwarp_fail_with(fault, IWARP_LAYER_MPA, 0, 2, "the CRC of an FPDU does not match");
}

/* ---- messages ---- */

static bool on_send(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    const struct iwarp_fpdu *fpdu = &conn->arriving.fpdu;
    const bool invalidates =
        fpdu->opcode == IWARP_SEND_INVALIDATE || fpdu->opcode == IWARP_SEND_SE_INVALIDATE;
    conn->received += fpdu->payload;
    if (!fpdu->last)
        return true;
    if (invalidates && !mr_invalidate(&conn->device->mrs, fpdu->stag))
        return iwarp_fail_with(fault, IWARP_LAYER_RDMAP, 1, 9, "STag that cannot be invalidated");
    const struct iwarp_receive *receive = &conn->rq[conn->receives.head++ % conn->receives.room];
    const struct ibv_wc wc = {.wr_id = receive->wr_id,
                              .status = IBV_WC_SUCCESS,
                              .opcode = IBV_WC_RECV,
                              .byte_len = conn->received,
                              .qp_num = conn->number,
                              .wc_flags = invalidates ? IBV_WC_WITH_INV : 0,
                              .invalidated_rkey = invalidates ? fpdu->stag : 0};
    conn->received = 0;
    conn->got_msn[IWARP_QUEUE_SEND]++;
    iwarp_mark(conn, PROBE_STREAM_TAKEN, 0);
    iwarp_complete(conn, &wc);
    return true;
}

static void on_response(struct verbs_conn *conn)
{
    const struct iwarp_fpdu *fpdu = &conn->arriving.fpdu;
    conn->read_at += fpdu->payload;
    if (!fpdu->last)
        return;
    struct iwarp_ring *issued = &conn->reads_issued;
    const uint32_t place = conn->reads[issued->head++ % issued->room];
    conn->read_at = 0;
    iwarp_mark(conn, PROBE_STREAM_TAKEN, 0);
    iwarp_send_done(conn, place);
    iwarp_flush(conn);
}

static bool on_read(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_read read;
    iwarp_read_decode(&read, conn->arriving.own);
    struct mr *mr = mr_remote(&conn->device->mrs, read.source, read.source_address, read.length,
                              IBV_ACCESS_REMOTE_READ);
    if (mr == NULL)
        return iwarp_fail_with(fault, IWARP_LAYER_RDMAP, 1, 0,
                               "READ of memory that its STag does not open");
    const struct iwarp_answer answer = {
        .source = {mr, (uint32_t)(read.source_address - mr->verbs.addr), read.length},
        .sink = read.sink,
        .sink_address = read.sink_address};
    conn->got_msn[IWARP_QUEUE_READ]++;
    iwarp_mark(conn, PROBE_STREAM_TAKEN, 0);
    iwarp_answer_read(conn, &answer);
    iwarp_flush(conn);
    return true;
}

static bool on_terminate(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_fault peer;
    const struct iwarp_arriving *from = &conn->arriving;
    const bool readable = iwarp_terminate_decode(&peer, from->own, from->fpdu.payload);
    conn->got_msn[IWARP_QUEUE_TERMINATE]++;
    *fault = (struct iwarp_fault){0};
    fault->why = readable ? iwarp_terminate_words(&peer) : "the peer terminated the stream";
    conn->terminated = true;
    return false;
}

static bool on_fpdu(struct verbs_conn *conn, struct iwarp_fault *fault)
{
    struct iwarp_arriving *from = &conn->arriving;
    if (!check_crc(conn, fault))
        return false;
    from->phase = IWARP_IN_PREFIX;
    from->bytes = 0;
    switch (from->fpdu.opcode) {
    case IWARP_WRITE:
        if (from->fpdu.last)
            iwarp_mark(conn, PROBE_STREAM_TAKEN, 0);
        return true;
    case IWARP_READ_RESPONSE:
        on_response(conn);
        return true;
    case IWARP_READ_REQUEST:
        return on_read(conn, fault);
    case IWARP_TERMINATE:
        return on_terminate(conn, fault);
    default:
        return on_send(conn, fault);
    }
}

/* ---- phases ---- */

static bool read_bytes(struct verbs_conn *conn, unsigned char *bytes, uint32_t end)
{
    struct iwarp_arriving *from = &conn->arriving;
    if (from->bytes < end)
        from->bytes +=
            iwarp_streams(conn)->read(conn->stream, bytes + from->bytes, end - from->bytes);
    return from->bytes == end;
}

static void enter(struct iwarp_arriving *from, enum iwarp_phase phase)
{
    from->phase = phase;
    from->bytes = 0;
}

/* The owner may deregister memory while an FPDU for it arrives. */
static bool check_place(const struct verbs_conn *conn, struct iwarp_fault *fault)
{
    const struct iwarp_arriving *from = &conn->arriving;
    return !mr_gone(&conn->device->mrs, from->sges, from->sge_count) ||
           fail_tagged(fault, 0, "data for memory that was deregistered");
}

/* One phase. *more: the next one may have bytes, too. False: a fault. */
static bool step(struct verbs_conn *conn, struct iwarp_fault *fault, bool *more)
{
    struct iwarp_arriving *from = &conn->arriving;
    switch (from->phase) {
    case IWARP_IN_PREFIX:
        *more = read_bytes(conn, from->head, IWARP_PREFIX_BYTES);
        if (*more)
            from->phase = IWARP_IN_HEAD; /* which goes on behind the prefix */
        return !*more || iwarp_fpdu_begin(from->head, &from->head_bytes, fault);
    case IWARP_IN_HEAD:
        *more = read_bytes(conn, from->head, from->head_bytes);
        if (*more)
            enter(from, IWARP_IN_PAYLOAD);
        return !*more || take_head(conn, fault);
    case IWARP_IN_PAYLOAD:
        if (!check_place(conn, fault))
            return false;
        *more = read_payload(conn);
        if (*more)
            enter(from, IWARP_IN_TAIL);
        return true;
    default:
        *more =
            read_bytes(conn, from->tail, iwarp_pad(from->fpdu.payload) + (uint32_t)IWARP_CRC_BYTES);
        return !*more || (check_place(conn, fault) && on_fpdu(conn, fault));
    }
}

void iwarp_receive(struct verbs_conn *conn)
{
    struct iwarp_fault fault = {0};
    bool more = true;
    while (more && conn->state == IWARP_OPEN && !conn->ended && !conn->failed)
        if (!step(conn, &fault, &more)) {
            iwarp_fail(conn, &fault);
            return;
        }
}
