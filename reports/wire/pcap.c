/* SPDX-License-Identifier: Apache-2.0
 * pcap - converts rows of frames to packets of a capture.
 * Without ports: one interface per RNIC port, and each frame once, where it leaves an RNIC. With
 * ports: what captures at these ports would contain, in both directions. */
#include "reports/wire/pcap.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"
#include "net/frame/frame.h"
#include "reports/wire/pcapng.h"
#include "reports/wire/wire.h"

#include <stdlib.h>
#include <string.h>

/* A record of an Endace card, with the types of Wireshark's wiretap/erf.h. */
enum { ERF_HEADER = 16, ERF_TYPE_INFINIBAND = 21, ERF_VARYING_LENGTH = 4 };

struct interface {
    uint64_t key; /* node << 16 | port */
    char name[128];
    uint64_t speed_bps;
    enum pcapng_link link_type;
};

struct capture {
    struct store *store;
    const struct pcap_options *options;
    FILE *out;
    struct interface *interfaces; /* sorted by key */
    uint32_t count;
    bool damaged;
    uint8_t bytes[ERF_HEADER + WIRE_BYTES_MAX];
};

#define FRAME_COLUMNS                                                                              \
    "f.node, f.port, p.peer_node, p.peer_port, f.bth, s.ip AS source_ip, "                         \
    "d.ip AS destination_ip, f.qpn, f.psn, f.bytes, "                                              \
    "f.payload_bytes, f.priority, f.source, f.destination, f.tos, f.flags, f.lost, f.ttl, "        \
    "f.udp_source, f.syndrome, f.msn, f.address, "                                                 \
    "f.rkey, f.length, f.immediate, f.content, f.head, s.migreq, "                                 \
    "s.node AS from_node, s.port AS from_port, d.node AS to_node, d.port AS to_port, "             \
    "n.link_layer FROM frame f JOIN node n ON n.node=f.node "                                      \
    "JOIN port p ON p.node=f.node AND p.port=f.port "                                              \
    "LEFT JOIN temp.address s ON s.endpoint=f.source "                                             \
    "LEFT JOIN temp.address d ON d.endpoint=f.destination "

/* ------------------------------------------------------------------ interfaces */

static bool is_wanted(const struct pcap_options *options, const char *name)
{
    for (uint32_t i = 0; i < options->port_count; i++)
        if (strcmp(options->ports[i], name) == 0)
            return true;
    return false;
}

static bool is_layer(const struct store_statement *row, const char *word)
{
    return strcmp(store_text(row, "link_layer"), word) == 0;
}

static void find_interfaces(struct capture *capture)
{
    struct store_statement *rows = store_prepare(
        capture->store,
        "SELECT p.node, p.port, p.name, p.rate_bps, p.endpoint IS NOT NULL AS of_rnic, "
        "n.link_layer FROM port p JOIN node n ON n.node=p.node ORDER BY p.node, p.port");
    uint32_t room = 0;
    while (store_step(rows)) {
        const char *name = store_text(rows, "name");
        const bool wanted = capture->options->port_count == 0 ? store_int(rows, "of_rnic") != 0
                                                              : is_wanted(capture->options, name);
        if (!wanted)
            continue;
        capture->interfaces =
            memory_grown(capture->interfaces, capture->count, &room, sizeof(struct interface));
        struct interface *made = &capture->interfaces[capture->count++];
        made->key = (uint64_t)store_int(rows, "node") << 16 | (uint64_t)store_int(rows, "port");
        made->speed_bps = (uint64_t)store_int(rows, "rate_bps");
        made->link_type = is_layer(rows, "infiniband")      ? PCAPNG_ERF
                          : is_layer(rows, "fibre-channel") ? PCAPNG_FC
                                                            : PCAPNG_ETHERNET;
        snprintf(made->name, sizeof made->name, "%s", name);
    }
    store_finish(rows);
}

static int by_key(const void *key, const void *of)
{
    const uint64_t a = *(const uint64_t *)key, b = ((const struct interface *)of)->key;
    return a < b ? -1 : a > b;
}

static uint32_t interface_at(const struct capture *capture, int64_t node, int64_t port)
{
    const uint64_t key = (uint64_t)node << 16 | (uint64_t)port;
    const struct interface *found =
        bsearch(&key, capture->interfaces, capture->count, sizeof *found, by_key);
    CHECK(found != NULL);
    return (uint32_t)(found - capture->interfaces);
}

/* ------------------------------------------------------------------ packets */

static uint32_t u32(const struct store_statement *row, const char *column)
{
    return (uint32_t)store_int(row, column);
}

static bool there(const struct store_statement *row, const char *column)
{
    return !store_is_null(row, column);
}

/* Switches route what has an IP header, and bridge RoCE v1, which keeps the addresses of its
 * hosts. */
static void put_macs(const struct store_statement *row, struct wire_frame *frame)
{
    const bool v1 = frame->v1;
    wire_mac(u32(row, v1 ? "from_node" : "node"), (uint16_t)u32(row, v1 ? "from_port" : "port"),
             frame->source_mac);
    wire_mac(u32(row, v1 ? "to_node" : "peer_node"),
             (uint16_t)u32(row, v1 ? "to_port" : "peer_port"), frame->destination_mac);
}

static struct wire_frame frame_of(const struct store_statement *row)
{
    struct wire_frame frame = {
        .mac_control = !there(row, "bth"),
        .migreq = store_int(row, "migreq") != 0,
        .pkey = 0xFFFF, /* default partition, full member */
        .has_reth = there(row, "address"),
        .has_aeth = there(row, "syndrome"),
        .has_ieth = there(row, "rkey") && !there(row, "address"),
        .has_immediate = there(row, "immediate"),
        .immediate = u32(row, "immediate"),
        .opcode = (uint8_t)u32(row, "bth"),
        .tos = (uint8_t)u32(row, "tos"),
        .ttl = (uint8_t)u32(row, "ttl"),
        .flags = (uint8_t)u32(row, "flags"),
        .udp_source = (uint16_t)u32(row, "udp_source"),
        .bytes = (uint16_t)u32(row, "bytes"),
        .payload = (uint16_t)u32(row, "payload_bytes"),
        .source_ip = u32(row, "source_ip"),
        .destination_ip = u32(row, "destination_ip"),
        .qpn = u32(row, "qpn"),
        .psn = u32(row, "psn"),
        .syndrome = (uint8_t)u32(row, "syndrome"),
        .msn = u32(row, "msn"),
        .address = (uint64_t)store_int(row, "address"),
        .rkey = u32(row, "rkey"),
        .length = u32(row, "length"),
        .content = u32(row, "content"),
    };
    /* Only for queue pairs with a connection: IBTA Vol 1 17.2.8. */
    frame.migreq &= frame.opcode != WIRE_CNP && frame.opcode != WIRE_UD_SEND_ONLY;
    frame.head = store_blob(row, "head", &frame.head_bytes);
    frame.v1 = !frame.mac_control && frame.opcode != WIRE_TCP && frame_is_v1(frame.tos);
    put_macs(row, &frame);
    return frame;
}

/* A LID for each endpoint, counted from 1. A GRH is what the frame has room for. */
static struct wire_frame ib_frame_of(const struct store_statement *row)
{
    struct wire_frame frame = frame_of(row);
    frame.ib = true;
    frame.v1 = false;
    frame.lane = (uint8_t)u32(row, "priority");
    frame.fecn = (frame.tos & ECN_CE) == ECN_CE;
    frame.source_lid = frame_lid(u32(row, "source"));
    frame.destination_lid = frame_lid(u32(row, "destination"));
    frame.grh = !wire_adds_up(&frame);
    return frame;
}

static const char *comment_of(const struct wire_frame *frame, bool lost)
{
    if (lost)
        return "lost on the link";
    if (frame->opcode == WIRE_CNP)
        return "CNP";
    return (frame->flags & WIRE_RESENT) != 0 ? "retransmission" : NULL;
}

/* Time: a little-endian fixed point of 32.32 bits, s; sizes are big-endian. Returns the size. */
static size_t write_erf(struct capture *capture, const struct wire_frame *frame, int64_t at)
{
    uint8_t *bytes = capture->bytes;
    const size_t length = wire_bytes(frame, bytes + ERF_HEADER), all = ERF_HEADER + length;
    const uint64_t whole = (uint64_t)at / PS_PER_S, part = (uint64_t)at % PS_PER_S;
    const uint64_t fixed =
        whole << 32 | (uint64_t)(((unsigned __int128)part << 32) / (uint64_t)PS_PER_S);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(fixed >> (8 * i));
    bytes[8] = ERF_TYPE_INFINIBAND;
    bytes[9] = ERF_VARYING_LENGTH;
    bytes[10] = (uint8_t)(all >> 8);
    bytes[11] = (uint8_t)all;
    bytes[12] = bytes[13] = 0; /* no losses */
    bytes[14] = (uint8_t)(length >> 8);
    bytes[15] = (uint8_t)length;
    return all;
}

/* Returns false if the row is not a valid frame. */
static bool write_packet(struct capture *capture, const struct store_statement *row)
{
    const bool ib = is_layer(row, "infiniband");
    const struct wire_frame frame = ib ? ib_frame_of(row) : frame_of(row);
    /* Wireshark takes flow-control packets of a link for malformed others, and R_RDYs are no
     * frames. */
    if (!is_layer(row, "ethernet") && frame.mac_control)
        return true;
    if (!wire_adds_up(&frame))
        return false;
    const bool inbound = store_int(row, "inbound") != 0;
    const int64_t at = store_int(row, "at");
    const size_t length = ib ? write_erf(capture, &frame, at) : wire_bytes(&frame, capture->bytes);
    const uint32_t snap = capture->options->snap;
    struct pcapng_packet packet = {
        .at_ns = (uint64_t)at / PS_PER_NS,
        .bytes = capture->bytes,
        .count = snap != 0 && snap < length ? snap : length,
        .length = length,
        .flags = inbound ? PCAPNG_INBOUND : PCAPNG_OUTBOUND,
        .comment = comment_of(&frame, !inbound && store_int(row, "lost") != 0),
    };
    packet.interface = interface_at(capture, store_int(row, inbound ? "peer_node" : "node"),
                                    store_int(row, inbound ? "peer_port" : "port"));
    if (inbound && (frame.flags & WIRE_DAMAGED) != 0)
        packet.flags |= PCAPNG_CRC_ERROR;
    pcapng_write(capture->out, &packet);
    return true;
}

/* A frame has arrived with its last bit. Its time on the wire includes a gap of 12 bytes, which is
 * subtracted; InfiniBand has no gap, Fibre Channel one of six words. */
static const char leaves_rnics[] = "SELECT f.at_ps AS at, 0 AS inbound, " FRAME_COLUMNS
                                   "WHERE p.endpoint IS NOT NULL ORDER BY f.rowid";
static const char at_ports[] =
    "SELECT f.at_ps AS at, 0 AS inbound, " FRAME_COLUMNS
    "JOIN temp.tap t ON t.node=f.node AND t.port=f.port "
    "UNION ALL SELECT f.at_ps + f.wire_ps - CASE n.link_layer WHEN 'infiniband' THEN 0 WHEN "
    "'fibre-channel' THEN 192 ELSE 96 END*1000000000000/p.rate_bps + p.delay_ps, 1, " FRAME_COLUMNS
    "JOIN temp.tap t ON t.node=p.peer_node AND t.port=p.peer_port "
    "WHERE f.lost=0 ORDER BY at, inbound";

static void prepare_tables(const struct capture *capture)
{
    struct store *store = capture->store;
    store_exec(store, "CREATE TEMP TABLE address(endpoint INTEGER PRIMARY KEY, ip INTEGER, "
                      "migreq INTEGER, node INTEGER, port INTEGER);"
                      "INSERT OR IGNORE INTO temp.address "
                      "SELECT endpoint, ip, migreq, node, port FROM port "
                      "WHERE endpoint IS NOT NULL;"
                      "CREATE TEMP TABLE tap(node INTEGER, port INTEGER, PRIMARY KEY(node, port))");
    struct store_statement *insert = store_prepare(store, "INSERT INTO temp.tap VALUES(?,?)");
    for (uint32_t i = 0; i < capture->count; i++)
        STORE_INSERT(insert, STORE_I(capture->interfaces[i].key >> 16),
                     STORE_I(capture->interfaces[i].key & 0xFFFF));
    store_finish(insert);
}

static bool write_all(struct capture *capture)
{
    prepare_tables(capture);
    pcapng_begin(capture->out, "stormglass");
    for (uint32_t i = 0; i < capture->count; i++)
        pcapng_interface(capture->out, capture->interfaces[i].name,
                         capture->interfaces[i].speed_bps, capture->interfaces[i].link_type);
    struct store_statement *rows =
        store_prepare(capture->store, capture->options->port_count == 0 ? leaves_rnics : at_ports);
    while (!capture->damaged && store_step(rows))
        capture->damaged = !write_packet(capture, rows);
    store_finish(rows);
    return fflush(capture->out) == 0 && ferror(capture->out) == 0;
}

static bool has_frames(struct store *store)
{
    return store_ask_int(store, "SELECT count(*) FROM (SELECT 1 FROM frame LIMIT 1)", 0) > 0;
}

/* Reports the first requested port that does not exist. */
static void unknown_port(const struct capture *capture, char why[PCAP_WHY_BYTES])
{
    const char *const *wanted = capture->options->ports;
    const uint32_t count = capture->options->port_count;
    snprintf(why, PCAP_WHY_BYTES, "port given twice");
    for (uint32_t i = 0; i < count; i++) {
        struct nearest nearest = nearest_to(wanted[i]);
        struct store_statement *rows = store_prepare(capture->store, "SELECT name FROM port");
        bool found = false;
        while (store_step(rows)) {
            found = found || strcmp(store_text(rows, "name"), wanted[i]) == 0;
            nearest_offer(&nearest, store_text(rows, "name"));
        }
        store_finish(rows);
        if (!found)
            snprintf(why, PCAP_WHY_BYTES, "no port '%.40s' in the run%.180s", wanted[i],
                     nearest_hint(&nearest).text);
    }
}

bool pcap_write(struct store *store, const struct pcap_options *options, FILE *out,
                char why[PCAP_WHY_BYTES])
{
    struct capture *capture = memory_new(sizeof *capture);
    *capture = (struct capture){.store = store, .options = options, .out = out};
    bool written = false;
    why[0] = '\0';
    find_interfaces(capture);
    if (store_error(store) == NULL && !has_frames(store))
        snprintf(why, PCAP_WHY_BYTES, "no frames recorded: run with --record packets");
    else if (options->port_count > 0 && capture->count < options->port_count)
        unknown_port(capture, why);
    else
        written = store_error(store) == NULL && write_all(capture);
    if (capture->damaged)
        snprintf(why, PCAP_WHY_BYTES, "damaged: a frame's parts do not add up to its size");
    if (store_error(store) != NULL)
        snprintf(why, PCAP_WHY_BYTES, "%.200s", store_error(store));
    free(capture->interfaces);
    free(capture);
    return written && why[0] == '\0';
}
