/* SPDX-License-Identifier: Apache-2.0
 * io_frames_tcp - finds the segments of an NVMe/TCP command.
 * The streams between the two ends are read from their SYNs on, because only their lengths tell
 * where PDUs begin. The command's connection is the one whose CapsuleCmd has its identifier and
 * first block. Its PDUs from there to the response are byte ranges of the two streams, and a
 * segment belongs to it if it has some of these bytes, or only acknowledges some of them. */
#include "base/big_endian.h"
#include "base/memory.h"
#include "reports/wire/io_frames_private.h"
#include "reports/wire/wire_tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACK_AT = 8 };
enum { TLS_HANDSHAKE = 22, CONNECTIONS_MAX = 65536, PLEN_AT = 4 };

struct tcp_io;

struct connection {
    struct tcp_io *of;
    int64_t ports;                 /* the qpn of segments of the host */
    struct wire_stream streams[2]; /* by the host, by the target */
    uint32_t at[2];                /* sequence number of the next PDU */
};

/* One direction of a connection. */
struct side {
    struct connection *of;
    int end; /* 0: by the host */
};

struct tcp_io {
    struct io_search *search;
    struct connection **connections;
    uint32_t count, room;
    struct connection *found; /* that of the command */
    int64_t now_ps;
    bool answered;
};

/* The source port is in the high half, the destination port in the low half. */
static int64_t reversed(int64_t ports)
{
    const uint32_t word = (uint32_t)ports;
    return (int64_t)(word << 16 | word >> 16);
}

static struct connection *connection_of(struct tcp_io *io, int64_t ports)
{
    for (uint32_t i = io->count; i-- > 0;) /* the latest one is the likeliest */
        if (io->connections[i]->ports == ports)
            return io->connections[i];
    if (io->count == CONNECTIONS_MAX)
        return NULL;
    io->connections = memory_grown(io->connections, io->count, &io->room, sizeof *io->connections);
    struct connection *connection = memory_zeroed(1, sizeof *connection);
    connection->of = io;
    connection->ports = ports;
    io->connections[io->count++] = connection;
    return connection;
}

/* ---- PDUs ---- */

static bool is_command(const struct io_search *s, const struct nvme_pdu *pdu)
{
    return pdu->type == NVME_PDU_COMMAND && (int64_t)io_little(pdu->entry + SQE_CID, 2) == s->cid &&
           (int64_t)io_little(pdu->entry + SQE_LBA, 8) == s->lba;
}

static bool is_response(const struct io_search *s, const struct nvme_pdu *pdu)
{
    if (pdu->type == NVME_PDU_RESPONSE)
        return (int64_t)io_little(pdu->entry + CQE_CID, 2) == s->cid;
    return pdu->type == NVME_PDU_C2H_DATA && pdu->cid == s->cid &&
           (pdu->flags & NVME_PDU_SUCCESS) != 0;
}

static bool names_command(const struct io_search *s, const struct nvme_pdu *pdu)
{
    const bool of_data = pdu->type == NVME_PDU_H2C_DATA || pdu->type == NVME_PDU_C2H_DATA ||
                         pdu->type == NVME_PDU_R2T;
    return is_response(s, pdu) || (of_data && pdu->cid == s->cid);
}

static void take_pdu(struct connection *connection, int end, const struct nvme_pdu *pdu)
{
    struct tcp_io *io = connection->of;
    struct io_search *s = io->search;
    const uint32_t bytes = (uint32_t)io_little(connection->streams[end].head + PLEN_AT, 4);
    const uint32_t at = connection->at[end];
    connection->at[end] += bytes;
    if (end == 0 && io->found == NULL && io->now_ps >= s->begin_ps && is_command(s, pdu))
        io->found = connection;
    else if (io->found != connection || io->answered || !names_command(s, pdu))
        return;
    if (s->asked_count[end] < IO_RANGES_MAX)
        s->asked[end][s->asked_count[end]++] =
            (struct io_range){at, (int64_t)at + bytes, nvme_pdu_name(pdu->type)};
    io->answered |= is_response(s, pdu);
}

static void on_pdu(void *self, const struct nvme_pdu *pdu, const char *fault)
{
    struct side *side = self;
    (void)fault; /* there are no more PDUs */
    if (pdu == NULL)
        return;
    wire_streams_learn(side->of->streams, pdu);
    take_pdu(side->of, side->end, pdu);
}

/* ---- segments ---- */

/* Of the row's head; false: it is not a segment. */
static bool read_segment(struct store_statement *row, struct wire_segment *segment)
{
    size_t count;
    const unsigned char *head = store_blob(row, "head", &count);
    *segment = (struct wire_segment){.seq = 0};
    const size_t before = wire_segment_head(head, count, segment);
    if (before == 0)
        return false;
    const int64_t length = io_number(row, "payload_bytes");
    segment->length = length > UINT16_MAX ? UINT16_MAX : (uint32_t)length;
    segment->bytes = head + before;
    segment->count = count - before;
    if (segment->count > segment->length)
        segment->count = segment->length;
    return true;
}

static void take_segment(struct connection *connection, int end, const struct wire_segment *segment)
{
    struct wire_stream *stream = &connection->streams[end];
    struct side side = {connection, end};
    struct io_search *s = connection->of->search;
    if (segment->syn && connection != connection->of->found) {
        connection->at[end] = segment->seq + 1;
        wire_stream_begin(stream, segment->seq, end == 0, false);
    }
    if (end == 0 && stream->begun && segment->seq == connection->at[0] && segment->count > 0 &&
        segment->bytes[0] == TLS_HANDSHAKE)
        s->hidden = true;
    wire_stream_take(stream, segment, &(struct wire_pdu_reader){on_pdu, NULL, &side});
}

static bool find(struct io_search *s)
{
    struct tcp_io io = {.search = s};
    struct store_statement *rows = store_prepare(
        s->store, "SELECT at_ps, source, qpn, payload_bytes, head FROM frame f"
                  " JOIN port p USING(node, port) WHERE p.endpoint=f.source AND opcode='TCP' AND"
                  " ((source=?1 AND destination=?2) OR (source=?2 AND destination=?1)) AND"
                  " at_ps<=?3 ORDER BY at_ps");
    if (rows != NULL) {
        store_bind(rows, 1, STORE_I(s->host));
        store_bind(rows, 2, STORE_I(s->target));
        store_bind(rows, 3, STORE_I(s->end_ps));
    }
    while (!io.answered && store_step(rows)) {
        struct wire_segment segment;
        const int end = store_int(rows, "source") != s->host;
        const int64_t ports = store_int(rows, "qpn");
        struct connection *connection = connection_of(&io, end == 0 ? ports : reversed(ports));
        io.now_ps = store_int(rows, "at_ps");
        if (connection != NULL && read_segment(rows, &segment))
            take_segment(connection, end, &segment);
    }
    store_finish(rows);
    if (io.found != NULL) {
        s->target_qp = io.found->ports;
        s->host_qp = reversed(io.found->ports);
    }
    for (uint32_t i = 0; i < io.count; i++) {
        wire_stream_fini(&io.connections[i]->streams[0]);
        wire_stream_fini(&io.connections[i]->streams[1]);
        free(io.connections[i]);
    }
    free(io.connections);
    return io.answered;
}

/* ---- which segments belong to the command ---- */

/* Whether the sequence number is in the range, which may pass the highest one. */
static bool within(const struct io_range *range, uint32_t seq)
{
    return seq - (uint32_t)range->first < (uint32_t)(range->last - range->first);
}

static bool overlaps(const struct io_range *range, const struct wire_segment *segment)
{
    return within(range, segment->seq) || (uint32_t)range->first - segment->seq < segment->length;
}

static uint32_t ack_of(struct store_statement *row)
{
    size_t count;
    return big_get32(store_blob(row, "head", &count) + ACK_AT);
}

/* The end of the connection is not the command's. */
static bool belongs(const struct io_search *s, struct store_statement *row, bool from_host)
{
    struct wire_segment segment;
    if (store_int(row, "qpn") != (from_host ? s->target_qp : s->host_qp) ||
        !read_segment(row, &segment) || segment.syn || segment.fin)
        return false;
    const int end = segment.length > 0 ? !from_host : from_host;
    const uint32_t ack = ack_of(row);
    for (uint32_t i = 0; i < s->asked_count[end]; i++)
        if (segment.length > 0 ? overlaps(&s->asked[end][i], &segment)
                               : within(&s->asked[end][i], ack - 1))
            return true;
    return false;
}

/* Bytes of a PDU before and behind those of the segment. */
static bool is_middle(const struct io_search *s, struct store_statement *row, bool from_host)
{
    struct wire_segment segment;
    if (!read_segment(row, &segment) || segment.length == 0)
        return false;
    for (uint32_t i = 0; i < s->asked_count[!from_host]; i++) {
        const struct io_range *range = &s->asked[!from_host][i];
        const uint32_t before = segment.seq - (uint32_t)range->first;
        const uint32_t all = (uint32_t)(range->last - range->first);
        if (within(range, segment.seq) && before > MIDDLES_KEPT * segment.length &&
            (uint64_t)before + 2 * (uint64_t)segment.length < all)
            return true;
    }
    return false;
}

static int64_t number_of(struct store_statement *row, const char **name)
{
    struct wire_segment segment;
    if (read_segment(row, &segment) && segment.length == 0) {
        *name = "ack";
        return ack_of(row);
    }
    *name = "seq";
    return io_number(row, "psn");
}

static void words_of(const struct io_search *s, struct store_statement *row, bool from_host,
                     char words[WORDS_BYTES])
{
    struct wire_segment segment;
    size_t used = 0;
    if (!read_segment(row, &segment) || segment.length == 0) {
        snprintf(words, WORDS_BYTES, "ACK");
        return;
    }
    words[0] = '\0';
    const struct io_range *ranges = s->asked[!from_host];
    for (uint32_t i = 0; i < s->asked_count[!from_host]; i++)
        if ((uint32_t)ranges[i].first - segment.seq < segment.length && used + 24 < WORDS_BYTES) {
            snprintf(words + used, WORDS_BYTES - used, "%s%s", used > 0 ? " + " : "",
                     ranges[i].name);
            used = strlen(words);
        }
    for (uint32_t i = 0; used == 0 && i < s->asked_count[!from_host]; i++)
        if (within(&ranges[i], segment.seq)) {
            snprintf(words, WORDS_BYTES, "more %s", ranges[i].name);
            return;
        }
}

const struct io_protocol io_frames_tcp = {
    .opcodes = "TCP",
    .number = number_of,
    .find = find,
    .belongs = belongs,
    .is_middle = is_middle,
    .words = words_of,
};
