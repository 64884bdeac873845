/* SPDX-License-Identifier: Apache-2.0
 * frame - one Ethernet frame in flight, in one cache line.
 * Sizes on the wire are exact to the byte. The content is what the model needs: the transport
 * headers, a content tag for bulk data, and a blob where real bytes are transferred (capsules,
 * MADs, Identify data).
 * Source: IEEE 802.3 (preamble 8, gap 12, FCS 4), RFC 791, RFC 768, RFC 9293, IBTA Vol 1 ch. 9 and
 * annexes A16 (RoCE v1) and A17 (RoCEv2), IEEE 802.1Q-2018 9.6 (VLAN tag). */
#ifndef STORMGLASS_NET_FRAME_FRAME_H
#define STORMGLASS_NET_FRAME_FRAME_H

#include "base/pool.h"
#include "base/units.h"
#include "net/frame/telemetry.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum {
    WIRE_GAP_BYTES = 20, /* preamble and SFD 8, inter-packet gap 12 */
    WIRE_PREAMBLE_BYTES = 8,
    WIRE_ETHERNET_BYTES = 18, /* header 14, FCS 4: bytes that a netdev MTU does not count */
    WIRE_ROCE_BYTES = 62,     /* Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4 */
    WIRE_V1_MORE = 12,        /* RoCE v1: GRH 40 in place of IPv4 20 and UDP 8 */
    WIRE_IP_UDP_BTH = 40,
    WIRE_RETH_BYTES = 16,
    WIRE_AETH_BYTES = 4,
    WIRE_IETH_BYTES = 4,
    WIRE_SACK_BYTES = 4, /* of a selective-repeat NAK, after the AETH */
    WIRE_IMM_BYTES = 4,
    WIRE_DETH_BYTES = 8,
    WIRE_CNP_PAYLOAD = 16, /* reserved bytes, IBTA A17.9.3 */
    WIRE_PFC_BYTES = 64,
    WIRE_CREDIT_BYTES = 8, /* a flow-control packet of InfiniBand: 4 B, LPCRC 2, delimiters 2 */
    WIRE_IB_BYTES = 26,    /* LRH 8, BTH 12, ICRC 4, VCRC 2 */
    WIRE_IB_MOST = 126,    /* headers, ICRC and VCRC of the longest packet, IBTA Vol 1 7.7.8 */
    WIRE_GRH_BYTES = 40,
    WIRE_FC_BYTES = 36,     /* SOF 4, header 24, CRC 4, EOF 4: FC-FS */
    WIRE_FC_GAP_BYTES = 24, /* six fill words between two frames, FC-FS */
    WIRE_FC_WORD_BYTES = 4, /* a primitive signal, such as R_RDY */
    WIRE_FC_DATA_MOST = 2112,
    WIRE_LEAST_BYTES = WIRE_ROCE_BYTES, /* minimum frame size */
    WIRE_MAD_BYTES = 256,
    WIRE_VLAN_BYTES = 4,
};

/* BTH opcodes; <infiniband/opcode.h> lacks SEND with invalidate, UD names and CNP. PFC and PAUSE
 * are MAC control frames, CREDIT is a link's credit update, TCP is a TCP segment, FC a frame of
 * Fibre Channel: they have no BTH, and BTH does not use their values. */
#define FRAME_OPCODES(X)                                                                           \
    X(RC_SEND_FIRST, 0x00, 0)                                                                      \
    X(RC_SEND_MIDDLE, 0x01, 0)                                                                     \
    X(RC_SEND_LAST, 0x02, 0)                                                                       \
    X(RC_SEND_LAST_IMM, 0x03, WIRE_IMM_BYTES)                                                      \
    X(RC_SEND_ONLY, 0x04, 0)                                                                       \
    X(RC_SEND_ONLY_IMM, 0x05, WIRE_IMM_BYTES)                                                      \
    X(RC_WRITE_FIRST, 0x06, WIRE_RETH_BYTES)                                                       \
    X(RC_WRITE_MIDDLE, 0x07, 0)                                                                    \
    X(RC_WRITE_LAST, 0x08, 0)                                                                      \
    X(RC_WRITE_LAST_IMM, 0x09, WIRE_IMM_BYTES)                                                     \
    X(RC_WRITE_ONLY, 0x0A, WIRE_RETH_BYTES)                                                        \
    X(RC_WRITE_ONLY_IMM, 0x0B, WIRE_RETH_BYTES + WIRE_IMM_BYTES)                                   \
    X(RC_READ_REQUEST, 0x0C, WIRE_RETH_BYTES)                                                      \
    X(RC_READ_RESPONSE_FIRST, 0x0D, WIRE_AETH_BYTES)                                               \
    X(RC_READ_RESPONSE_MIDDLE, 0x0E, 0)                                                            \
    X(RC_READ_RESPONSE_LAST, 0x0F, WIRE_AETH_BYTES)                                                \
    X(RC_READ_RESPONSE_ONLY, 0x10, WIRE_AETH_BYTES)                                                \
    X(RC_ACKNOWLEDGE, 0x11, WIRE_AETH_BYTES)                                                       \
    X(RC_SEND_LAST_INV, 0x16, WIRE_IETH_BYTES)                                                     \
    X(RC_SEND_ONLY_INV, 0x17, WIRE_IETH_BYTES)                                                     \
    X(UD_SEND_ONLY, 0x64, WIRE_DETH_BYTES)                                                         \
    X(CNP, 0x81, WIRE_CNP_PAYLOAD)                                                                 \
    X(FC, 0xFB, 0)                                                                                 \
    X(CREDIT, 0xFC, 0)                                                                             \
    X(TCP, 0xFD, 0)                                                                                \
    X(PFC, 0xFE, 0)                                                                                \
    X(PAUSE, 0xFF, 0)

enum frame_opcode {
#define X(name, value, extension) FRAME_##name = value,
    FRAME_OPCODES(X)
#undef X
};

enum frame_ecn { ECN_NOT_ECT = 0, ECN_ECT1 = 1, ECN_ECT0 = 2, ECN_CE = 3 }; /* RFC 3168 */

enum frame_flags {
    FRAME_ACK_REQUEST = 1 << 0, /* BTH.A */
    FRAME_BECN = 1 << 1,
    FRAME_SOLICITED = 1 << 2,
    FRAME_CORRUPT = 1 << 3,   /* a bit error: the receiver's FCS check fails */
    FRAME_RESENT = 1 << 4,    /* not on the wire: retransmission, for counters */
    FRAME_CONTROL = 1 << 5,   /* not on the wire: MAC control frame or credit update, as its opcode
                               * says */
    FRAME_TELEMETRY = 1 << 6, /* a request collects telemetry, an ACK returns it */
    FRAME_SACK = 1 << 7,      /* NAK with the PSN of the packet that arrived, in rkey */
};

/* Fields of a frame in groups, so that a group is copied at once. */
#define FRAME_HEAD                                                                                 \
    uint16_t bytes;   /* Ethernet header to FCS */                                                 \
    uint8_t opcode;   /* enum frame_opcode */                                                      \
    uint8_t tos;      /* DSCP << 2 | ECN; of RoCE v1: frame_v1_tos */                              \
    uint8_t priority; /* 0..7, as classified by the node that holds the frame */                   \
    uint8_t flags;    /* enum frame_flags */                                                       \
    uint16_t payload  /* transport payload without pad */
#define FRAME_FLOW                                                                                 \
    uint32_t entropy;             /* hash of the 5-tuple, computed once by the sender; input of
                                   * ECMP */    \
    uint32_t source, destination; /* endpoints: index of the RNIC port in the fabric */            \
    uint32_t qpn                  /* BTH.DestQP; TCP: source port << 16 | destination port */

struct frame_head {
    FRAME_HEAD;
};

struct flow_key {
    FRAME_FLOW;
};

struct frame {
    uint32_t next;    /* next frame in a queue or list */
    uint16_t in_port; /* ingress port at the present node */
    uint8_t ttl;
    uint8_t tcp_accecn; /* TCP: the flag AE, and the AccECN option; otherwise 0 */
    uint32_t psn; /* or TCP sequence number; first of the eight bytes that the digest includes */
    union {
        struct {
            FRAME_HEAD;
        };
        struct frame_head head;
    };
    union {
        struct {
            FRAME_FLOW;
        };
        struct flow_key flow;
    };
    union {
        uint32_t aeth;      /* syndrome << 24 | MSN */
        uint32_t tcp_ack;   /* TCP: acknowledgment number */
        uint32_t immediate; /* immediate data, where the opcode has it */
        uint8_t classes;    /* PFC: class-enable vector */
    };
    union {
        struct { /* RETH; IETH has the rkey alone */
            uint64_t address;
            uint32_t rkey;
            uint32_t length; /* RETH.DMALen */
        };
        uint16_t quanta[8]; /* PFC */
        struct {            /* TCP */
            uint32_t ts_value, ts_echo;
            uint16_t window; /* as in the header */
            uint16_t mss;    /* SYN: the option */
            uint16_t blob_bytes;
            uint8_t tcp_flags;   /* the octet of the header: FIN is bit 0 */
            uint8_t tcp_options; /* SACK blocks, and bits for the other options */
        };
    };
    uint32_t content; /* tag of the bulk data of which this frame carries a part */
    uint32_t blob;    /* real bytes at the start of the payload, or POOL_NONE */
};

static_assert(sizeof(struct frame) == 64, "a frame is one cache line");
static_assert(offsetof(struct frame, tos) + 1 - offsetof(struct frame, psn) == 8, "no gap");

/* Sizes for capsules, MADs and data. A blob's handle is its index and, from bit FRAME_BLOB_SHIFT,
 * its size. */
enum frame_blob_size { FRAME_BLOB_SMALL, FRAME_BLOB_MEDIUM, FRAME_BLOB_LARGE, FRAME_BLOB_SIZES };
enum { FRAME_BLOB_SHIFT = 28, FRAME_BLOB_MAX = 4096 };

/* Frames and blobs of one executor. A frame has one owner: the queue or event that refers to it. */
struct frame_pool {
    struct pool frames;
    struct pool blobs[FRAME_BLOB_SIZES];
    struct telemetry *telemetry; /* by frame handle; NULL: no frame collects telemetry */
};

void frame_pool_init(struct frame_pool *pool);

/* Initializes `count` pools whose frames share one range of handles. Each has its own blobs.
 * frame_pool_fini of the first releases the range. */
void frame_pool_init_several(struct frame_pool *const *pools, uint32_t count);
void frame_pool_fini(struct frame_pool *pool);

/* Allows frames to collect telemetry, in all pools of one range. */
void frame_pool_use_telemetry(struct frame_pool *const *pools, uint32_t count);

/* Releases all frames and blobs, so that the next run finds the pool as new. */
void frame_pool_clear(struct frame_pool *pool);

static inline struct frame *frame_at(const struct frame_pool *pool, uint64_t handle)
{
    return (struct frame *)(void *)pool->frames.items + handle;
}

/* The content is left over from an earlier use, so the caller sets every field; blob is
 * POOL_NONE. */
static inline uint32_t frame_take(struct frame_pool *pool)
{
    const uint32_t handle = pool_take(&pool->frames);
    frame_at(pool, handle)->blob = POOL_NONE;
    return handle;
}

/* Telemetry record of a frame that collects telemetry. */
static inline struct telemetry *frame_telemetry(const struct frame_pool *pool,
                                                const struct frame *frame)
{
    CHECK(pool->telemetry != NULL);
    return &pool->telemetry[frame - (const struct frame *)(const void *)pool->frames.items];
}

void frame_blob_give(struct frame_pool *pool, uint32_t blob);

/* Frees a frame and its blob. */
static inline void frame_give(struct frame_pool *pool, uint32_t handle)
{
    const uint32_t blob = frame_at(pool, handle)->blob;
    if (UNLIKELY(blob != POOL_NONE))
        frame_blob_give(pool, blob);
    pool_give(&pool->frames, handle);
}

/* Attaches room for `bytes` real bytes and returns it; owned by the frame. */
unsigned char *frame_blob_take(struct frame_pool *pool, struct frame *frame, uint32_t bytes);
unsigned char *frame_blob(const struct frame_pool *pool, const struct frame *frame);

/* Size of a frame's blob in use: the number of bytes to allocate for a copy. */
uint32_t frame_blob_kept(const struct frame *frame);

/* Number of real bytes in a frame: `length` in a SEND, which has no RETH; else all. */
uint32_t frame_blob_bytes(const struct frame *frame);

/* Which headers follow the BTH. */
bool frame_has_reth(uint8_t opcode);
bool frame_has_aeth(uint8_t opcode);
bool frame_has_ieth(uint8_t opcode);
bool frame_has_immediate(uint8_t opcode); /* immediate data follows the other headers */

/* Bytes of extension headers of an opcode (CNP: its 16 reserved bytes). */
unsigned frame_extension_bytes(uint8_t opcode);
const char *frame_opcode_name(uint8_t opcode);

/* RoCE v1 has no IP header, hence neither a DSCP nor ECN bits: a switch reads the priority from the
 * VLAN tag and puts frames without one in priority 0. In place of the ToS octet such a frame has
 * PCP << 5 | tagged << 2 | ECT(1), an ECN field that no other frame of the model has; so one table
 * classifies all frames. */
enum { FRAME_V1_TAGGED = 1 << 2, FRAME_V1_PCP_SHIFT = 5, FRAME_TOS_VALUES = 256 };

static inline uint8_t frame_v1_tos(bool tagged, unsigned priority)
{
    return (uint8_t)(tagged ? priority << FRAME_V1_PCP_SHIFT | FRAME_V1_TAGGED | ECN_ECT1
                            : ECN_ECT1);
}

static inline bool frame_is_v1(uint8_t tos)
{
    return (tos & 3) == ECN_ECT1;
}

/* Bytes by which a frame with this ToS octet is longer than one of RoCEv2 over IPv4 without a VLAN
 * tag. */
static inline unsigned frame_v1_more(uint8_t tos)
{
    if (!frame_is_v1(tos))
        return 0;
    return (tos & FRAME_V1_TAGGED) != 0 ? WIRE_V1_MORE + WIRE_VLAN_BYTES : WIRE_V1_MORE;
}

/* InfiniBand has a service level in place of the DSCP, FECN in place of the ECN field, and LIDs as
 * addresses; unicast LIDs are 1 to 0xBFFF: IBTA Vol 1 4.1.3. */
enum { FRAME_SERVICE_LEVELS = 16, FRAME_LIDS = 0xBFFF };

static inline uint16_t frame_lid(uint32_t endpoint)
{
    return (uint16_t)(endpoint + 1);
}

static inline uint8_t frame_ib_tos(unsigned service_level)
{
    return (uint8_t)(service_level << 2);
}

/* The part of a ToS octet that a queue pair's class has: all but ECN. */
static inline uint8_t frame_class_tos(uint8_t tos)
{
    return frame_is_v1(tos) ? tos : tos & 0xFC;
}

/* Gives a DSCP its priority in a table that is indexed by ToS octet. RoCE v1 keeps its PCP. */
static inline void frame_classify(uint8_t priority_of_tos[FRAME_TOS_VALUES], unsigned dscp,
                                  uint8_t priority)
{
    memset(&priority_of_tos[4 * dscp], priority, 4);
    priority_of_tos[4 * dscp + ECN_ECT1] = (uint8_t)(4 * dscp >> FRAME_V1_PCP_SHIFT);
}

/* L2 bytes of a RoCEv2 frame over IPv4: headers, extension, payload padded to 4, ICRC and FCS. */
static inline uint16_t frame_roce_bytes(uint8_t opcode, uint32_t payload)
{
    return (uint16_t)(WIRE_ROCE_BYTES + frame_extension_bytes(opcode) + ((payload + 3u) & ~3u));
}

/* The part of a frame that a digest chains, identical on every machine. The shifts match the layout
 * of the fields, so that the compiler emits a single load. */
static inline uint64_t frame_word(const struct frame *frame)
{
    return frame->psn | (uint64_t)frame->bytes << 32 | (uint64_t)frame->opcode << 48 |
           (uint64_t)frame->tos << 56;
}

/* Of a frame of Fibre Channel, as fc/fc_frame.h stores its header: a direction of an exchange, and
 * the frame's place in that direction. A basic link service has no exchange of its own. */
enum { FRAME_FROM_RESPONDER = 1 << 16 };

static inline uint32_t frame_exchange(const struct frame *frame)
{
    return frame->qpn >> 16 | (frame->rkey >> 23 & 1) << 16;
}

static inline uint32_t frame_exchange_number(const struct frame *frame)
{
    return frame->psn & 0xFFFFFF;
}

static inline bool frame_is_of_exchange(const struct frame *frame)
{
    return frame->opcode == FRAME_FC && frame->rkey >> 24 != 0;
}

static inline bool frame_is_mac_control(const struct frame *frame)
{
    return (frame->flags & FRAME_CONTROL) != 0;
}

#endif
