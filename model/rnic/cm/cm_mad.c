/* SPDX-License-Identifier: Apache-2.0
 * cm_mad - encoding and decoding. */
#include "rnic/cm/cm_mad.h"

#include "base/big_endian.h"
#include "base/check.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The IPv4-mapped GID ::ffff:a.b.c.d. */
static void put_gid(uint8_t *at, uint32_t ip)
{
    big_put(at + 10, 2, 0xFFFF);
    big_put(at + 12, 4, ip);
}

static void put_header(const struct cm_mad *mad, uint8_t *at)
{
    at[0] = 1;    /* BaseVersion */
    at[1] = 0x07; /* communication management class */
    at[2] = 2;    /* ClassVersion */
    at[3] = 0x03; /* Send */
    big_put(at + 8, 8, mad->tid);
    big_put(at + 16, 2, mad->attribute);
}

/* The permissive LID for a routed path. */
static void put_lid(uint8_t *at, uint16_t lid)
{
    big_put(at, 2, lid == 0 ? 0xFFFF : lid);
}

static void put_path(const struct cm_mad *mad, uint8_t *b)
{
    put_lid(b + 52, mad->source_lid);
    put_lid(b + 54, mad->destination_lid);
    put_gid(b + 56, mad->source_ip);
    put_gid(b + 72, mad->destination_ip);
    big_put(b + 88, 4, mad->flow_label << 12 | (mad->packet_rate & 0x3Fu));
    b[92] = mad->traffic_class;
    b[93] = mad->hop_limit;
    b[94] = (uint8_t)(mad->service_level << 4);
    b[95] = (uint8_t)(mad->ack_timeout << 3);
}

static void put_ip_header(const struct cm_mad *mad, uint8_t *at)
{
    at[1] = 0x40; /* IPv4 */
    big_put(at + 2, 2, mad->source_port);
    big_put(at + 16, 4, mad->source_ip);
    big_put(at + 32, 4, mad->destination_ip);
}

static void put_req(const struct cm_mad *mad, uint8_t *b)
{
    big_put(b, 4, mad->local_id);
    big_put(b + 8, 8, mad->service_id);
    big_put(b + 16, 8, mad->ca_guid);
    big_put(b + 32, 3, mad->qpn);
    b[35] = mad->responder_resources;
    b[39] = mad->initiator_depth;
    b[43] = (uint8_t)(mad->peer_response_timeout << 3 | 0 << 1 | mad->flow_control); /* RC */
    big_put(b + 44, 3, mad->starting_psn);
    b[47] = (uint8_t)(mad->response_timeout << 3 | (mad->retry_count & 7));
    big_put(b + 48, 2, mad->p_key);
    b[50] = (uint8_t)(mad->mtu << 4 | (mad->rnr_retry & 7));
    b[51] = (uint8_t)(mad->max_retries << 4 | (mad->srq ? 1 << 3 : 0));
    put_path(mad, b);
    put_ip_header(mad, b + CM_REQ_PRIVATE);
    memcpy(b + CM_REQ_PRIVATE + CM_IP_HEADER, mad->private_data, mad->private_len);
}

static void put_rep(const struct cm_mad *mad, uint8_t *b)
{
    big_put(b, 4, mad->local_id);
    big_put(b + 4, 4, mad->remote_id);
    big_put(b + 12, 3, mad->qpn);
    big_put(b + 20, 3, mad->starting_psn);
    b[24] = mad->responder_resources;
    b[25] = mad->initiator_depth;
    b[26] = (uint8_t)(mad->ack_delay << 3 | mad->flow_control);
    b[27] = (uint8_t)(mad->rnr_retry << 5 | (mad->srq ? 1 << 4 : 0));
    big_put(b + 28, 8, mad->ca_guid);
    memcpy(b + CM_REP_PRIVATE, mad->private_data, mad->private_len);
}

static void put_rej(const struct cm_mad *mad, uint8_t *b)
{
    big_put(b, 4, mad->local_id);
    big_put(b + 4, 4, mad->remote_id);
    b[8] = (uint8_t)(mad->message_rejected << 6);
    big_put(b + 10, 2, mad->reason);
    memcpy(b + CM_REJ_PRIVATE, mad->private_data, mad->private_len);
}

/* RTU, DREQ, DREP: identifiers, and in a DREQ the peer's QPN. */
static void put_short(const struct cm_mad *mad, uint8_t *b)
{
    big_put(b, 4, mad->local_id);
    big_put(b + 4, 4, mad->remote_id);
    if (mad->attribute == CM_DREQ)
        big_put(b + 8, 3, mad->remote_qpn);
}

/* Offset and size of a message's private data. */
struct room {
    unsigned offset, bytes;
};

static struct room private_room(uint16_t attribute)
{
    switch ((enum cm_attribute)attribute) {
    case CM_REQ:
        return (struct room){CM_REQ_PRIVATE + CM_IP_HEADER, 56};
    case CM_REP:
        return (struct room){CM_REP_PRIVATE, 196};
    case CM_REJ:
        return (struct room){CM_REJ_PRIVATE, 148};
    case CM_RTU:
    case CM_DREQ:
    case CM_DREP:
        break;
    }
    return (struct room){0};
}

void cm_mad_encode(const struct cm_mad *mad, uint8_t bytes[CM_MAD_BYTES])
{
    CHECK(mad->private_len <= private_room(mad->attribute).bytes);
    memset(bytes, 0, CM_MAD_BYTES);
    put_header(mad, bytes);
    if (mad->attribute == CM_REQ)
        put_req(mad, bytes + CM_MAD_HEADER);
    else if (mad->attribute == CM_REP)
        put_rep(mad, bytes + CM_MAD_HEADER);
    else if (mad->attribute == CM_REJ)
        put_rej(mad, bytes + CM_MAD_HEADER);
    else
        put_short(mad, bytes + CM_MAD_HEADER);
}

static void get_req(struct cm_mad *mad, const uint8_t *b)
{
    mad->service_id = big_get(b + 8, 8);
    mad->ca_guid = big_get(b + 16, 8);
    mad->qpn = (uint32_t)big_get(b + 32, 3);
    mad->responder_resources = b[35];
    mad->initiator_depth = b[39];
    mad->starting_psn = (uint32_t)big_get(b + 44, 3);
    mad->peer_response_timeout = b[43] >> 3;
    mad->flow_control = b[43] & 1;
    mad->p_key = big_get16(b + 48);
    mad->response_timeout = b[47] >> 3;
    mad->retry_count = b[47] & 7;
    mad->mtu = b[50] >> 4;
    mad->rnr_retry = b[50] & 7;
    mad->max_retries = b[51] >> 4;
    mad->srq = (b[51] >> 3 & 1) != 0;
    mad->flow_label = big_get32(b + 88) >> 12;
    mad->packet_rate = b[91] & 0x3F;
    mad->traffic_class = b[92];
    mad->hop_limit = b[93];
    mad->service_level = b[94] >> 4;
    mad->ack_timeout = b[95] >> 3;
    const uint8_t *ip = b + CM_REQ_PRIVATE;
    mad->source_port = big_get16(ip + 2);
    mad->source_ip = big_get32(ip + 16);
    mad->destination_ip = big_get32(ip + 32);
}

static void get_rep(struct cm_mad *mad, const uint8_t *b)
{
    mad->qpn = (uint32_t)big_get(b + 12, 3);
    mad->starting_psn = (uint32_t)big_get(b + 20, 3);
    mad->responder_resources = b[24];
    mad->initiator_depth = b[25];
    mad->ack_delay = b[26] >> 3;
    mad->flow_control = b[26] & 1;
    mad->rnr_retry = b[27] >> 5;
    mad->srq = (b[27] >> 4 & 1) != 0;
    mad->ca_guid = big_get(b + 28, 8);
}

static bool known(uint64_t attribute)
{
    return attribute == CM_REQ || (attribute >= CM_REJ && attribute <= CM_DREP);
}

bool cm_mad_decode(const uint8_t bytes[CM_MAD_BYTES], struct cm_mad *mad)
{
    const uint8_t *b = bytes + CM_MAD_HEADER;
    const uint16_t attribute = big_get16(bytes + 16);
    if (bytes[0] != 1 || bytes[1] != 0x07 || bytes[3] != 0x03 || !known(attribute))
        return false;
    *mad = (struct cm_mad){
        .attribute = attribute,
        .tid = big_get(bytes + 8, 8),
        .local_id = big_get32(b),
        .remote_id = attribute == CM_REQ ? 0 : big_get32(b + 4),
    };
    if (attribute == CM_REQ)
        get_req(mad, b);
    else if (attribute == CM_REP)
        get_rep(mad, b);
    else if (attribute == CM_REJ) {
        mad->message_rejected = b[8] >> 6;
        mad->reason = big_get16(b + 10);
    } else if (attribute == CM_DREQ)
        mad->remote_qpn = (uint32_t)big_get(b + 8, 3);
    const struct room room = private_room(attribute);
    mad->private_len = (uint8_t)room.bytes; /* the size of the whole field, as the kernel reports
                                             * it */
    memcpy(mad->private_data, b + room.offset, room.bytes);
    return true;
}

void cm_mad_keep(struct cm_mad **place, const struct cm_mad *mad)
{
    free(*place);
    *place = NULL;
    if (mad == NULL)
        return;
    const size_t bytes = offsetof(struct cm_mad, private_data) + mad->private_len;
    *place = memory_new(bytes);
    memcpy(*place, mad, bytes);
}
