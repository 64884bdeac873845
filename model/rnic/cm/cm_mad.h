/* SPDX-License-Identifier: Apache-2.0
 * cm_mad - encodes and decodes the connection manager's messages.
 * Source: IBTA Vol 1 12.6 (messages), 13.4 (MAD header), annex A11 (IP service header); 256-byte
 * MADs, big-endian. Not modeled: MRA, LAP, APR, SIDR, alternate paths. */
#ifndef STORMGLASS_RNIC_CM_CM_MAD_H
#define STORMGLASS_RNIC_CM_CM_MAD_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CM_MAD_BYTES = 256,
    CM_MAD_HEADER = 24,
    CM_REQ_PRIVATE = 140, /* offsets after the MAD header */
    CM_REP_PRIVATE = 36,
    CM_REJ_PRIVATE = 84,
    CM_IP_HEADER = 36,
};

/* AttributeID */
enum cm_attribute {
    CM_REQ = 0x0010,
    CM_REJ = 0x0012,
    CM_REP = 0x0013,
    CM_RTU = 0x0014,
    CM_DREQ = 0x0015,
    CM_DREP = 0x0016,
};

enum cm_reject_reason {
    CM_REJ_NO_RESOURCES = 3,
    CM_REJ_INVALID_COMM_ID = 6,
    CM_REJ_INVALID_SERVICE_ID = 8,
    CM_REJ_INVALID_MTU = 26,
    CM_REJ_CONSUMER = 28,
};

/* One struct for all messages; each uses only its own fields. */
struct cm_mad {
    uint16_t attribute; /* enum cm_attribute */
    uint64_t tid;
    uint32_t local_id, remote_id;
    /* REQ, REP */
    uint32_t qpn;
    uint32_t starting_psn;
    uint64_t ca_guid;
    uint8_t responder_resources, initiator_depth;
    uint8_t retry_count, rnr_retry;
    bool srq; /* the sender of the REQ or REP uses a shared receive queue */
    /* REQ */
    uint64_t service_id;
    uint32_t source_ip, destination_ip;
    uint16_t source_lid, destination_lid; /* of InfiniBand; else 0 */
    uint16_t source_port;
    uint8_t mtu;         /* enum ibv_mtu */
    uint8_t packet_rate; /* enum ibv_rate */
    uint8_t traffic_class, hop_limit, service_level;
    uint32_t flow_label; /* 20 bits */
    uint16_t p_key;
    uint8_t ack_timeout;                                          /* exponent code of IBTA
                                                                   * 9.7.6.1.3 */
    uint8_t response_timeout, peer_response_timeout, max_retries; /* of this side; of the other
                                                                   * side */
    /* REP */
    uint8_t ack_delay; /* exponent code */
    /* REQ, REP */
    bool flow_control; /* end-to-end flow control */
    /* REJ */
    uint8_t message_rejected; /* 0 REQ, 1 REP, 2 none */
    uint16_t reason;
    /* DREQ */
    uint32_t remote_qpn;

    uint8_t private_len;
    uint8_t private_data[196];
};

/* Service ID of a port in the TCP port space, annex A11. */
#define CM_SERVICE_ID(port) (UINT64_C(0x0000000001060000) | (uint16_t)(port))

/* The flow label that rdma_cm computes from a connection's ports: Linux cma.c
 * cma_get_roce_udp_flow_label. */
static inline uint32_t cm_flow_label(uint16_t source_port, uint16_t destination_port)
{
    return (source_port * 31u + destination_port) & 0xFFFFF;
}

void cm_mad_encode(const struct cm_mad *mad, uint8_t bytes[CM_MAD_BYTES]);

/* Returns false for a message that the model does not support. */
bool cm_mad_decode(const uint8_t bytes[CM_MAD_BYTES], struct cm_mad *mad);

/* Replaces the stored message by a copy of `mad`, sized for its private data; NULL: by nothing.
 * Owner: the caller's pointer. */
void cm_mad_keep(struct cm_mad **place, const struct cm_mad *mad);

#endif
