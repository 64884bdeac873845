/* SPDX-License-Identifier: Apache-2.0
 * tcp_r2t - a target requests the data of a write and receives it.
 * One R2T for all data, as nvmet and SPDK; with tcp-r2t-length several, as many at a time as the
 * host allows (MAXR2T).  Each outstanding R2T of a command has a transfer tag of its own, and their
 * data arrive in the order of the R2Ts. */
#include "nvme/tcp/tcp_target.h"

/* Bytes of the R2T for the data at that offset. */
static uint32_t length_at(const struct target_conn *conn, const struct target_slot *slot,
                          uint32_t at)
{
    const uint32_t most = (uint32_t)conn->base.tcp->params.target.r2t_length;
    const uint32_t left = slot->transfer->length - at;
    return most == 0 || left < most ? left : most;
}

/* Where the R2T begins that the next data is for. */
static uint32_t r2t_at(const struct target_conn *conn, const struct target_slot *slot)
{
    const uint32_t most = (uint32_t)conn->base.tcp->params.target.r2t_length;
    return most == 0 ? 0 : slot->fetched - slot->fetched % most;
}

static uint16_t tag_at(const struct target_conn *conn, const struct target_slot *slot, uint32_t at)
{
    const uint32_t most = (uint32_t)conn->base.tcp->params.target.r2t_length;
    const uint32_t number = most == 0 ? 0 : at / most % conn->r2ts;
    return (uint16_t)(slot->transfer->slot + number * conn->slot_count);
}

static void ask(struct target_conn *conn, struct target_slot *slot, bool answers)
{
    while (slot->asked < slot->transfer->length && slot->r2ts < conn->r2ts) {
        const struct tcp_out r2t = {.type = NVME_PDU_R2T,
                                    .slot = slot->transfer->slot,
                                    .ttag = tag_at(conn, slot, slot->asked),
                                    .answers = answers,
                                    .at = slot->asked,
                                    .length = length_at(conn, slot, slot->asked)};
        slot->asked += r2t.length;
        slot->r2ts++;
        nvme_tcp_send(&conn->base, &r2t);
    }
    slot->asked_at = env_now(conn->base.tcp->site.env);
    nvme_tcp_flush(&conn->base);
}

bool nvme_tcp_fetch(struct nvme_transport_conn *base, struct nvme_transfer *transfer)
{
    struct target_conn *conn = target_of(base);
    struct target_slot *slot = &conn->slots[transfer->slot];
    CHECK(slot->transfer == transfer && !slot->fetches);
    slot->fetches = true;
    ask(conn, slot, false);
    return true;
}

static struct target_slot *slot_of(const struct target_conn *conn, uint16_t ttag)
{
    if (ttag >= conn->slot_count * conn->r2ts)
        return NULL;
    struct target_slot *slot = &conn->slots[ttag % conn->slot_count];
    return slot->transfer != NULL && slot->fetches ? slot : NULL;
}

bool nvme_tcp_begin_data(struct target_conn *conn, struct tcp_arriving *from,
                         struct nvme_pdu_fault *fault)
{
    const struct nvme_pdu *pdu = &from->pdu;
    const struct target_slot *slot = slot_of(conn, pdu->ttag);
    if (slot == NULL)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, 10,
                             "H2CData: TTAG %u (byte 10) of command %04Xh has no R2T", pdu->ttag,
                             pdu->cid);
    if (slot->cid != pdu->cid)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, 8,
                             "H2CData: command %04Xh (byte 8), but the R2T of TTAG %u is of %04Xh",
                             pdu->cid, pdu->ttag, slot->cid);
    const uint32_t begin = r2t_at(conn, slot), end = begin + length_at(conn, slot, begin);
    const uint32_t left = end - slot->fetched;
    if (pdu->at != slot->fetched || pdu->length > left)
        return nvme_pdu_fail(fault, NVME_FES_OUT_OF_RANGE, 0,
                             "H2CData: %u B at %u, but %u of %u B have arrived", pdu->length,
                             pdu->at, slot->fetched, end);
    if (pdu->ttag != tag_at(conn, slot, begin))
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, 10,
                             "H2CData: TTAG %u (byte 10), but the R2T of offset %u has %u",
                             pdu->ttag, pdu->at, tag_at(conn, slot, begin));
    if (pdu->length > conn->base.tcp->params.target.max_h2c_data)
        return nvme_pdu_fail(fault, NVME_FES_LIMIT, 0, "H2CData: %u B, but MAXH2CDATA is %lld B",
                             pdu->length, (long long)conn->base.tcp->params.target.max_h2c_data);
    if (((pdu->flags & NVME_PDU_LAST) != 0) != (pdu->length == left))
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, 1,
                             "H2CData: LAST_PDU (byte 1) with %u of %u B to come", pdu->length,
                             left);
    from->data = slot->transfer->data;
    from->at = pdu->at;
    return true;
}

void nvme_tcp_end_data(struct target_conn *conn, const struct nvme_pdu *pdu)
{
    struct target_slot *slot = slot_of(conn, pdu->ttag);
    slot->fetched += pdu->length;
    slot->transfer->damaged |= conn->base.arriving.damaged;
    if ((pdu->flags & NVME_PDU_LAST) != 0)
        slot->r2ts--;
    if (slot->fetched < slot->transfer->length) {
        if ((pdu->flags & NVME_PDU_LAST) != 0)
            ask(conn, slot, true);
        return;
    }
    slot->fetches = false;
    conn->user.on_fetched(conn->user.self, slot->transfer);
}
