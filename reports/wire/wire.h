/* SPDX-License-Identifier: Apache-2.0
 * wire - a recorded frame as the bytes on the wire.
 * From Ethernet's destination to the ICRC, without preamble and FCS, as in captures; of InfiniBand
 * from the LRH to the VCRC. Payload that
 * the model only keeps as a tag is filled with that tag. Telemetry and the packets that a NAK of
 * selective repeat names are not in the standard; only their length is recorded, so they are
 * written as zeros before the ICRC.
 * Source: IEEE 802.3, RFC 791, RFC 768, IBTA Vol 1 9.2 and annexes A16 (RoCE v1) and A17 (RoCEv2,
 * ICRC A17.3.3), CNP A17.9.3; MAC control IEEE 802.3 annex 31B, IEEE 802.1Q-2018 36. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_BYTES_MAX = 16384 };

/* As in the column frame.flags. */
enum wire_flags {
    WIRE_ACK_REQUEST = 1,
    WIRE_BECN = 2,
    WIRE_SOLICITED = 4,
    WIRE_DAMAGED = 8,
    WIRE_RESENT = 16
};

/* With headers of their own; FC and TCP are values that BTH does not use. */
enum wire_opcode { WIRE_UD_SEND_ONLY = 0x64, WIRE_CNP = 0x81, WIRE_FC = 0xFB, WIRE_TCP = 0xFD };

struct wire_frame {
    bool mac_control; /* PFC, PAUSE: no BTH */
    bool has_reth, has_aeth, has_ieth, has_immediate;
    bool migreq, fecn; /* BTH.M, BTH.F */
    bool v1;           /* RoCE v1; tos: see frame_v1_tos */
    bool ib, grh;      /* InfiniBand; tos: see frame_ib_tos */
    uint8_t lane;      /* InfiniBand: virtual lane */
    uint16_t pkey;
    uint16_t type;  /* of a captured frame: EtherType after all tags */
    uint8_t opcode; /* BTH.OpCode */
    uint8_t tos, ttl, flags;
    uint16_t udp_source;
    uint16_t bytes, payload; /* Ethernet header to FCS, or LRH to VCRC; transport payload without
                              * pad */
    uint32_t source_ip, destination_ip;
    uint32_t qpn, psn;
    uint8_t syndrome; /* AETH */
    uint32_t msn;
    uint64_t address; /* RETH */
    uint32_t rkey, length;
    uint32_t immediate;
    uint32_t content;
    const unsigned char *head; /* start of the payload; MAC control: all of it */
    size_t head_bytes;
    uint8_t source_mac[6], destination_mac[6];
    uint16_t source_lid, destination_lid;
};

/* A locally administered address derived from node and port. */
void wire_mac(uint32_t node, uint16_t port, uint8_t mac[6]);

/* Whether the sizes of its parts add up to its size, as in every frame sent by the model. */
bool wire_adds_up(const struct wire_frame *frame);

/* The frame must add up. Returns the number of bytes. */
size_t wire_bytes(const struct wire_frame *frame, uint8_t bytes[WIRE_BYTES_MAX]);

enum { WIRE_ETHERTYPE_VLAN = 0x8100, WIRE_ETHERNET_HEADER = 14 };

/* The number of bytes before the network header: Ethernet and its tags (IEEE 802.1Q, 802.1ad); 0 if
 * they are truncated. `type` becomes the EtherType after the tags. */
size_t wire_skip_ethernet(const uint8_t *bytes, size_t count, uint16_t *type);

/* The same of a frame of Fibre Channel, whose header is the beginning of `head`: from SOF to EOF
 * (FC-FS-4 clause 8), class 3. */
bool wire_fc_adds_up(const struct wire_frame *frame);
size_t wire_fc_bytes(const struct wire_frame *frame, uint8_t bytes[WIRE_BYTES_MAX]);

/* Decodes the headers of a captured frame. `head` is its payload as far as it was captured. Returns
 * false if it is neither a RoCE v1 frame nor a RoCEv2 frame over IPv4, or its headers are
 * truncated. */
bool wire_parse(const uint8_t *bytes, size_t count, struct wire_frame *frame);

/* The invariant CRC of an IPv4 packet from its header to the end of its payload, IBTA A17.3.3, in
 * wire byte order. */
uint32_t wire_icrc(const uint8_t *ip, size_t bytes);

/* The ICRC of a RoCE v1 frame, from its GRH on: IBTA Vol 1 7.8.1. */
uint32_t wire_icrc_v1(const uint8_t *grh, size_t bytes);

/* The ICRC of an InfiniBand packet, from its LRH on, and its VCRC, which covers the ICRC too: IBTA
 * Vol 1 7.8. */
uint32_t wire_icrc_ib(const uint8_t *lrh, size_t bytes, bool grh);
uint16_t wire_vcrc(const uint8_t *lrh, size_t bytes);

#endif
