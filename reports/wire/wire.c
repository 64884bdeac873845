/* SPDX-License-Identifier: Apache-2.0
 * wire - encodes and decodes frames header by header. */
#include "reports/wire/wire.h"

#include "base/big_endian.h"
#include "base/check.h"
#include "net/frame/frame.h"

#include <string.h>

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_MAC_CONTROL = 0x8808,
    ETHERTYPE_ROCE_V1 = 0x8915,
    FCS = 4,
    LRH_HEADER = 8,
    LNH_LOCAL = 2,  /* a BTH follows the LRH */
    LNH_GLOBAL = 3, /* a GRH follows */
    VCRC = 2,
    GRH_HEADER = 40,
    GRH_NEXT_IBA = 0x1B, /* a BTH follows */
    GRH_HOPS = 64,
    IP_HEADER = 20,
    IP_TCP = 6,
    IP_UDP = 17,
    TCP_HEADER = 20,
    UDP_HEADER = 8,
    BTH_HEADER = 12,
    IB_CNP = 0x80, /* of InfiniBand: IBTA Vol 1 annex A10 */
    ICRC = 4,
    ROCE_PORT = 4791,
    SMALLEST = 60, /* without FCS */
};

struct writer {
    uint8_t *bytes;
    size_t count;
};

static void put(struct writer *to, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        to->bytes[to->count++] = (uint8_t)(value >> (8 * i));
}

static void put_bytes(struct writer *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to->bytes + to->count, from, bytes);
    to->count += bytes;
}

void wire_mac(uint32_t node, uint16_t port, uint8_t mac[6])
{
    mac[0] = 0x02; /* locally administered, unicast: IEEE 802 8.2 */
    mac[1] = (uint8_t)(node >> 16);
    mac[2] = (uint8_t)(node >> 8);
    mac[3] = (uint8_t)node;
    mac[4] = (uint8_t)(port >> 8);
    mac[5] = (uint8_t)port;
}

static void put_ethernet(struct writer *to, const struct wire_frame *frame, uint16_t type)
{
    put_bytes(to, frame->destination_mac, 6);
    put_bytes(to, frame->source_mac, 6);
    put(to, type, 2);
}

/* RFC 1071, over an even number of bytes. */
static uint16_t ip_checksum(const uint8_t *bytes, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}

static void put_ip(struct writer *to, const struct wire_frame *frame, uint32_t length,
                   uint8_t protocol)
{
    const size_t start = to->count;
    put(to, 0x45, 1);
    put(to, frame->tos, 1);
    put(to, length, 2);
    put(to, 0x00004000, 4); /* identification 0, do not fragment */
    put(to, frame->ttl, 1);
    put(to, protocol, 1);
    put(to, 0, 2);
    put(to, frame->source_ip, 4);
    put(to, frame->destination_ip, 4);
    const uint16_t checksum = ip_checksum(to->bytes + start, IP_HEADER);
    to->bytes[start + 10] = (uint8_t)(checksum >> 8);
    to->bytes[start + 11] = (uint8_t)checksum;
}

static void put_ip_udp(struct writer *to, const struct wire_frame *frame)
{
    const uint32_t length = frame->bytes - (uint32_t)(WIRE_ETHERNET_HEADER + FCS);
    put_ip(to, frame, length, IP_UDP);
    put(to, frame->udp_source, 2);
    put(to, ROCE_PORT, 2);
    put(to, length - IP_HEADER, 2);
    put(to, 0, 2); /* no checksum, as in RoCE over IPv4 */
}

static bool is_tagged(const struct wire_frame *frame)
{
    return frame->v1 && (frame->tos & FRAME_V1_TAGGED) != 0;
}

/* Size of the headers before the BTH. */
static uint32_t outer_bytes(const struct wire_frame *frame)
{
    if (frame->ib)
        return LRH_HEADER + (frame->grh ? GRH_HEADER : 0);
    if (!frame->v1)
        return WIRE_ETHERNET_HEADER + IP_HEADER + UDP_HEADER;
    return WIRE_ETHERNET_HEADER + (is_tagged(frame) ? WIRE_VLAN_BYTES : 0) + GRH_HEADER;
}

/* The GID of an IPv4 address: IPv4-mapped, RFC 4291 2.5.5.2. */
static void put_gid(struct writer *to, uint32_t ip)
{
    put(to, 0, 8);
    put(to, 0xFFFF, 4);
    put(to, ip, 4);
}

/* `after`: bytes of the frame after the ICRC. */
static void put_grh(struct writer *to, const struct wire_frame *frame, uint32_t after)
{
    put(to, 0x60000000, 4); /* version 6, traffic class and flow label 0 */
    put(to, frame->bytes - outer_bytes(frame) - after, 2);
    put(to, GRH_NEXT_IBA, 1);
    put(to, GRH_HOPS, 1);
    put_gid(to, frame->source_ip);
    put_gid(to, frame->destination_ip);
}

/* Ethernet with the VLAN tag, if there is one, and GRH: IBTA Vol 1 8.3 and annex A16. The tag has
 * VLAN ID 0: it carries a priority alone. */
static void put_ethernet_grh(struct writer *to, const struct wire_frame *frame)
{
    put_ethernet(to, frame, is_tagged(frame) ? WIRE_ETHERTYPE_VLAN : ETHERTYPE_ROCE_V1);
    if (is_tagged(frame)) {
        put(to, (uint64_t)(frame->tos >> FRAME_V1_PCP_SHIFT) << 13, 2);
        put(to, ETHERTYPE_ROCE_V1, 2);
    }
    put_grh(to, frame, FCS);
}

/* LRH with or without GRH: IBTA Vol 1 7.7 and 8.3. The length is in words, without the VCRC. */
static void put_lrh_grh(struct writer *to, const struct wire_frame *frame)
{
    put(to, (uint64_t)frame->lane << 4, 1);
    put(to, (uint64_t)(frame->tos >> 2) << 4 | (frame->grh ? LNH_GLOBAL : LNH_LOCAL), 1);
    put(to, frame->destination_lid, 2);
    put(to, (frame->bytes - (uint32_t)VCRC) / 4, 2);
    put(to, frame->source_lid, 2);
    if (frame->grh)
        put_grh(to, frame, VCRC);
}

static unsigned pad_of(const struct wire_frame *frame)
{
    return (4u - frame->payload % 4u) % 4u;
}

static void put_bth(struct writer *to, const struct wire_frame *frame)
{
    const unsigned solicited = (frame->flags & WIRE_SOLICITED) != 0;
    const unsigned becn = (frame->flags & WIRE_BECN) != 0;
    put(to, frame->ib && frame->opcode == WIRE_CNP ? IB_CNP : frame->opcode, 1);
    put(to, solicited << 7 | (unsigned)frame->migreq << 6 | pad_of(frame) << 4, 1);
    put(to, frame->pkey, 2);
    put(to, (unsigned)frame->fecn << 7 | becn << 6, 1);
    put(to, frame->qpn, 3);
    put(to, (frame->flags & WIRE_ACK_REQUEST) != 0 ? 0x80 : 0, 1);
    put(to, frame->psn, 3);
}

static void put_extension(struct writer *to, const struct wire_frame *frame)
{
    if (frame->has_reth) {
        put(to, frame->address, 8);
        put(to, frame->rkey, 4);
        put(to, frame->length, 4);
    } else if (frame->has_aeth) {
        put(to, frame->syndrome, 1);
        put(to, frame->msn, 3);
    } else if (frame->has_ieth) {
        put(to, frame->rkey, 4);
    } else if (frame->opcode == WIRE_UD_SEND_ONLY) {
        put(to, 0x80010000, 4); /* the well-known Q_Key of QP1; the source QP is QP1 */
        put(to, 1, 4);
    } else if (frame->opcode == WIRE_CNP) {
        put(to, 0, 8);
        put(to, 0, 8);
    }
    if (frame->has_immediate)
        put(to, frame->immediate, 4);
}

static void put_payload(struct writer *to, const struct wire_frame *frame)
{
    const size_t real = frame->head_bytes < frame->payload ? frame->head_bytes : frame->payload;
    put_bytes(to, frame->head, real);
    for (size_t i = real; i < frame->payload; i++)
        put(to, frame->content >> (24 - 8 * (i % 4)), 1);
    put(to, 0, (int)pad_of(frame));
}

/* RFC 9293 3.1: over a pseudo-header, the header and the data. */
static void put_tcp_checksum(uint8_t *ip, size_t length)
{
    uint8_t *tcp = ip + IP_HEADER;
    uint32_t sum = IP_TCP + (uint32_t)length;
    for (size_t i = 12; i < IP_HEADER; i += 2) /* both addresses */
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    for (size_t i = 0; i < length; i++)
        sum += (uint32_t)tcp[i] << (i % 2 == 0 ? 8 : 0);
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    tcp[16] = (uint8_t)(~sum >> 8);
    tcp[17] = (uint8_t)~sum;
}

/* Bytes of the header, which is the beginning of the head. */
static size_t tcp_header(const struct wire_frame *frame)
{
    return frame->head_bytes < TCP_HEADER ? 0 : 4 * (size_t)(frame->head[12] >> 4);
}

static bool tcp_adds_up(const struct wire_frame *frame)
{
    const size_t header = tcp_header(frame);
    const size_t bytes = WIRE_ETHERNET_HEADER + IP_HEADER + header + frame->payload + FCS;
    return header >= TCP_HEADER && frame->head_bytes >= header && frame->bytes <= WIRE_BYTES_MAX &&
           frame->head_bytes <= header + frame->payload &&
           (frame->bytes == bytes || (frame->bytes == SMALLEST + FCS && frame->bytes > bytes));
}

static size_t tcp_frame(struct writer *to, const struct wire_frame *frame)
{
    const size_t length = tcp_header(frame) + frame->payload;
    put_ethernet(to, frame, ETHERTYPE_IPV4);
    uint8_t *ip = to->bytes + to->count;
    put_ip(to, frame, (uint32_t)(IP_HEADER + length), IP_TCP);
    put_bytes(to, frame->head, frame->head_bytes);
    for (size_t i = frame->head_bytes - tcp_header(frame); i < frame->payload; i++)
        put(to, frame->content >> (24 - 8 * (i % 4)), 1);
    put_tcp_checksum(ip, length);
    while (to->count + FCS < frame->bytes)
        put(to, 0, 1);
    return to->count;
}

static size_t control_frame(struct writer *to, const struct wire_frame *frame)
{
    static const uint8_t group[6] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
    put_bytes(to, group, 6);
    put_bytes(to, frame->source_mac, 6);
    put(to, ETHERTYPE_MAC_CONTROL, 2);
    put_bytes(to, frame->head, frame->head_bytes);
    while (to->count < SMALLEST)
        put(to, 0, 1);
    return to->count;
}

static uint32_t extension_bytes(const struct wire_frame *frame)
{
    const uint32_t immediate = frame->has_immediate ? 4 : 0;
    if (frame->has_reth)
        return 16 + immediate;
    if (frame->has_aeth || frame->has_ieth)
        return 4;
    if (frame->has_immediate)
        return immediate;
    return frame->opcode == WIRE_UD_SEND_ONLY ? 8 : frame->opcode == WIRE_CNP ? 16 : 0;
}

/* Size of all headers and the payload in the standard. */
static uint32_t standard_bytes(const struct wire_frame *frame)
{
    return outer_bytes(frame) + BTH_HEADER + extension_bytes(frame) + frame->payload +
           pad_of(frame) + ICRC + (frame->ib ? VCRC : FCS);
}

/* Bytes that a packet may carry in addition: telemetry written by switches, and the packets named
 * by a NAK of selective repeat. */
static bool is_known_surplus(const struct wire_frame *frame, uint32_t bytes)
{
    return bytes == 0 || bytes == TELEMETRY_BYTES ||
           (frame->has_aeth &&
            (bytes == WIRE_SACK_BYTES || bytes == TELEMETRY_BYTES + WIRE_SACK_BYTES));
}

bool wire_adds_up(const struct wire_frame *frame)
{
    if (frame->mac_control)
        return frame->head_bytes <= SMALLEST;
    if (frame->opcode == WIRE_TCP)
        return tcp_adds_up(frame);
    if (frame->opcode == WIRE_FC)
        return wire_fc_adds_up(frame);
    return frame->bytes <= WIRE_BYTES_MAX && frame->head_bytes <= frame->payload &&
           frame->bytes >= standard_bytes(frame) &&
           is_known_surplus(frame, frame->bytes - standard_bytes(frame));
}

size_t wire_bytes(const struct wire_frame *frame, uint8_t bytes[WIRE_BYTES_MAX])
{
    struct writer to = {.bytes = bytes};
    CHECK(wire_adds_up(frame));
    if (frame->mac_control)
        return control_frame(&to, frame);
    if (frame->opcode == WIRE_TCP)
        return tcp_frame(&to, frame);
    if (frame->opcode == WIRE_FC)
        return wire_fc_bytes(frame, bytes);
    if (frame->ib) {
        put_lrh_grh(&to, frame);
    } else if (frame->v1) {
        put_ethernet_grh(&to, frame);
    } else {
        put_ethernet(&to, frame, ETHERTYPE_IPV4);
        put_ip_udp(&to, frame);
    }
    put_bth(&to, frame);
    put_extension(&to, frame);
    put_payload(&to, frame);
    for (uint32_t i = standard_bytes(frame); i < frame->bytes; i++)
        put(&to, 0, 1);
    if (frame->ib) {
        put(&to, wire_icrc_ib(bytes, to.count, frame->grh), ICRC);
        put(&to, wire_vcrc(bytes, to.count), VCRC);
        return to.count;
    }
    const size_t network = outer_bytes(frame) - (frame->v1 ? GRH_HEADER : IP_HEADER + UDP_HEADER);
    put(&to, (frame->v1 ? wire_icrc_v1 : wire_icrc)(bytes + network, to.count - network), ICRC);
    CHECK(to.count + FCS == frame->bytes);
    return to.count;
}

/* ------------------------------------------------------------------ decoding */

struct reader {
    const uint8_t *at;
    size_t left;
};

static const uint8_t *skip(struct reader *from, size_t bytes)
{
    const uint8_t *at = from->at;
    if (bytes > from->left)
        return NULL;
    from->at += bytes;
    from->left -= bytes;
    return at;
}

static bool parse_ethernet(struct reader *from, struct wire_frame *frame)
{
    const uint8_t *at = from->at;
    const size_t header = wire_skip_ethernet(from->at, from->left, &frame->type);
    if (header == 0 || skip(from, header) == NULL)
        return false;
    memcpy(frame->destination_mac, at, 6);
    memcpy(frame->source_mac, at + 6, 6);
    frame->v1 = frame->type == ETHERTYPE_ROCE_V1;
    if (frame->v1)
        frame->tos = frame_v1_tos(header > WIRE_ETHERNET_HEADER, at[WIRE_ETHERNET_HEADER] >> 5);
    return frame->v1 || frame->type == ETHERTYPE_IPV4;
}

/* Returns the number of bytes after the GRH; 0: none. The addresses are the last four bytes of the
 * GIDs. */
static size_t parse_grh(struct reader *from, struct wire_frame *frame)
{
    const uint8_t *grh = skip(from, GRH_HEADER);
    if (grh == NULL || grh[0] >> 4 != 6 || grh[6] != GRH_NEXT_IBA)
        return 0;
    frame->ttl = grh[7];
    frame->source_ip = big_get32(grh + 20);
    frame->destination_ip = big_get32(grh + 36);
    return (size_t)big_get(grh + 4, 2);
}

/* Returns the number of bytes after the UDP header, without the pad of the Ethernet frame; 0:
 * none. */
static size_t parse_ip_udp(struct reader *from, struct wire_frame *frame)
{
    const uint8_t *ip = skip(from, IP_HEADER);
    if (ip == NULL || ip[0] >> 4 != 4 || ip[9] != IP_UDP || (ip[0] & 0xF) * 4 < IP_HEADER ||
        (big_get(ip + 6, 2) & 0x3FFF) != 0)
        return 0; /* a fragment has no RoCE header, or not all of its payload */
    frame->tos = ip[1];
    frame->ttl = ip[8];
    frame->source_ip = big_get32(ip + 12);
    frame->destination_ip = big_get32(ip + 16);
    if (skip(from, (ip[0] & 0xFu) * 4 - IP_HEADER) == NULL)
        return 0;
    const uint8_t *udp = skip(from, UDP_HEADER);
    if (udp == NULL || big_get(udp + 2, 2) != ROCE_PORT || big_get(udp + 4, 2) < UDP_HEADER)
        return 0;
    frame->udp_source = big_get16(udp);
    return (size_t)big_get(udp + 4, 2) - UDP_HEADER;
}

static unsigned parse_bth(const uint8_t *bth, struct wire_frame *frame)
{
    frame->opcode = bth[0];
    frame->flags = (uint8_t)((bth[1] >> 7) * WIRE_SOLICITED | (bth[4] >> 6 & 1) * WIRE_BECN |
                             (bth[8] >> 7) * WIRE_ACK_REQUEST);
    frame->migreq = (bth[1] >> 6 & 1) != 0;
    frame->pkey = big_get16(bth + 2);
    frame->fecn = bth[4] >> 7 != 0;
    frame->qpn = (uint32_t)big_get(bth + 5, 3);
    frame->psn = (uint32_t)big_get(bth + 9, 3);
    frame->has_reth = frame_has_reth(frame->opcode);
    frame->has_aeth = frame_has_aeth(frame->opcode);
    frame->has_ieth = frame_has_ieth(frame->opcode);
    frame->has_immediate = frame_has_immediate(frame->opcode);
    return bth[1] >> 4 & 3; /* pad */
}

static void parse_extension(const uint8_t *at, struct wire_frame *frame)
{
    if (frame->has_reth) {
        frame->address = big_get(at, 8);
        frame->rkey = big_get32(at + 8);
        frame->length = big_get32(at + 12);
    } else if (frame->has_aeth) {
        frame->syndrome = at[0];
        frame->msn = (uint32_t)big_get(at + 1, 3);
    } else if (frame->has_ieth) {
        frame->rkey = big_get32(at);
    }
    if (frame->has_immediate)
        frame->immediate = big_get32(at + (frame->has_reth ? 16 : 0));
}

bool wire_parse(const uint8_t *bytes, size_t count, struct wire_frame *frame)
{
    struct reader from = {bytes, count};
    *frame = (struct wire_frame){0};
    if (!parse_ethernet(&from, frame))
        return false;
    const size_t datagram = frame->v1 ? parse_grh(&from, frame) : parse_ip_udp(&from, frame);
    const uint8_t *bth = skip(&from, BTH_HEADER);
    if (datagram < BTH_HEADER + ICRC || bth == NULL)
        return false;
    const unsigned pad = parse_bth(bth, frame);
    const unsigned extension = frame_extension_bytes(frame->opcode);
    const uint8_t *header = skip(&from, extension);
    if (header == NULL || datagram < BTH_HEADER + extension + pad + ICRC)
        return false;
    parse_extension(header, frame);
    frame->payload = (uint16_t)(datagram - BTH_HEADER - extension - pad - ICRC);
    frame->bytes = (uint16_t)(count + FCS);
    frame->head = from.at;
    frame->head_bytes = from.left < frame->payload ? from.left : frame->payload;
    return true;
}
