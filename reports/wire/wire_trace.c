/* SPDX-License-Identifier: Apache-2.0
 * wire_trace - one pass over the capture, then a stable sort of its lines into streams.
 * A CM message identifies its connection by the sender's or the receiver's identifier, a packet by
 * its destination, a TCP segment by the host's address and port. */
#include "reports/wire/wire_trace.h"

#include "base/memory.h"
#include "net/frame/frame.h"
#include "nvme/wire/spec.h"
#include "reports/wire/wire_tcp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { QPN_GSI = 1, CONNECTIONS_MAX = 1 << 20 };

/* A TCP connection to the port of NVMe/TCP or of iSCSI. */
struct tcp_pair {
    struct wire_stream sides[WIRE_SIDES];
    uint64_t stuck_at[WIRE_SIDES]; /* frame since which a side has no PDUs; 0: it has */
    uint32_t ip[WIRE_SIDES];
    uint16_t port[WIRE_SIDES];
    uint32_t connection;
    uint32_t older; /* pair of the same host address and port, or WIRE_MAP_NONE */
};

struct reader {
    struct wire_trace *trace;
    struct wire_commands commands;
    struct wire_map by_qp, by_id; /* to connection * 2 + side */
    struct wire_map by_port;      /* a host's address and TCP port; to its newest tcp_pair */
    struct tcp_pair *tcp_pairs;
    size_t text_used, text_room;
    uint32_t line_room, connection_room, tcp_count, tcp_room;
};

const char *wire_side_name(unsigned stream)
{
    return stream / WIRE_KINDS == WIRE_HOST ? "host" : "target";
}

const char *wire_kind_name(unsigned stream)
{
    static const char *const names[WIRE_KINDS] = {"cm", "requests", "answers"};
    return names[stream % WIRE_KINDS];
}

/* ------------------------------------------------------------------ storage */

static size_t keep_text(struct reader *reader, const char *words)
{
    const size_t at = reader->text_used, bytes = strlen(words) + 1;
    if (at + bytes > reader->text_room) {
        reader->text_room = reader->text_room == 0 ? 65536 : reader->text_room * 2;
        reader->trace->text = memory_resized(reader->trace->text, reader->text_room, 1);
    }
    memcpy(reader->trace->text + at, words, bytes);
    reader->text_used += bytes;
    return at;
}

static void keep_line(struct reader *reader, const struct wire_connection *connection,
                      unsigned stream, uint64_t number, const char *words)
{
    struct wire_trace *trace = reader->trace;
    trace->lines =
        memory_grown(trace->lines, trace->line_count, &reader->line_room, sizeof *trace->lines);
    trace->lines[trace->line_count++] = (struct wire_line){
        .words = keep_text(reader, words),
        .number = (uint32_t)number,
        .connection = connection->index,
        .stream = (uint8_t)stream,
    };
}

/* ------------------------------------------------------------------ connection of a frame */

static void name_side(struct wire_map *map, uint32_t ip, uint32_t name,
                      const struct wire_connection *connection, enum wire_side side)
{
    wire_map_put(map, wire_map_pair(ip, name), connection->index * WIRE_SIDES + side);
}

static struct wire_connection *named(const struct reader *reader, const struct wire_map *map,
                                     uint32_t ip, uint32_t name, enum wire_side *side)
{
    const uint32_t found = wire_map_get(map, wire_map_pair(ip, name));
    if (found == WIRE_MAP_NONE)
        return NULL;
    *side = (enum wire_side)(found % WIRE_SIDES);
    return &reader->trace->connections[found / WIRE_SIDES];
}

/* From the frame's source to its destination; NULL: too many. */
static struct wire_connection *new_connection(struct reader *reader, const struct wire_frame *frame)
{
    struct wire_trace *trace = reader->trace;
    if (trace->connection_count == CONNECTIONS_MAX)
        return NULL;
    trace->connections = memory_grown(trace->connections, trace->connection_count,
                                      &reader->connection_room, sizeof *trace->connections);
    struct wire_connection *connection = &trace->connections[trace->connection_count];
    *connection = (struct wire_connection){.ip = {frame->source_ip, frame->destination_ip},
                                           .index = trace->connection_count++};
    return connection;
}

static struct wire_connection *add_connection(struct reader *reader, const struct wire_frame *frame,
                                              const struct cm_mad *req)
{
    struct wire_connection *connection = new_connection(reader, frame);
    if (connection == NULL)
        return NULL;
    connection->qpn[WIRE_HOST] = req->qpn;
    connection->cm_id[WIRE_HOST] = req->local_id;
    connection->port = (uint16_t)req->service_id;
    connection->nvme = req->service_id == CM_SERVICE_ID(NVME_RDMA_PORT);
    name_side(&reader->by_id, frame->source_ip, req->local_id, connection, WIRE_HOST);
    name_side(&reader->by_qp, frame->source_ip, req->qpn, connection, WIRE_HOST);
    return connection;
}

static void learn_target(struct reader *reader, struct wire_connection *connection,
                         const struct cm_mad *mad)
{
    connection->qpn[WIRE_TARGET] = mad->qpn;
    connection->cm_id[WIRE_TARGET] = mad->local_id;
    const uint32_t ip = connection->ip[WIRE_TARGET];
    name_side(&reader->by_id, ip, mad->local_id, connection, WIRE_TARGET);
    name_side(&reader->by_qp, ip, mad->qpn, connection, WIRE_TARGET);
}

/* Finds the connection by the sender's identifier or the receiver's; a new REQ creates one. */
static struct wire_connection *cm_connection(struct reader *reader, const struct wire_frame *frame,
                                             const struct cm_mad *mad, enum wire_side *from)
{
    struct wire_connection *connection =
        named(reader, &reader->by_id, frame->source_ip, mad->local_id, from);
    if (mad->attribute == CM_REQ && (connection == NULL || connection->qpn[*from] != mad->qpn)) {
        *from = WIRE_HOST;
        return add_connection(reader, frame, mad);
    }
    if (connection != NULL && frame->destination_ip == connection->ip[!*from])
        return connection;
    connection = named(reader, &reader->by_id, frame->destination_ip, mad->remote_id, from);
    *from = (enum wire_side) !*from;
    return connection;
}

/* ------------------------------------------------------------------ frames */

static bool is_cm(const struct wire_frame *frame, struct cm_mad *mad)
{
    return frame->opcode == FRAME_UD_SEND_ONLY && frame->qpn == QPN_GSI &&
           frame->payload == CM_MAD_BYTES && frame->head_bytes == CM_MAD_BYTES &&
           cm_mad_decode(frame->head, mad);
}

static bool take_cm(struct reader *reader, const struct wire_frame *frame, const struct cm_mad *mad,
                    uint64_t number)
{
    char words[WIRE_WORDS_BYTES];
    enum wire_side from = WIRE_HOST;
    struct wire_connection *connection = cm_connection(reader, frame, mad, &from);
    if (connection == NULL)
        return false;
    if (mad->attribute == CM_REP && from == WIRE_TARGET)
        learn_target(reader, connection, mad);
    wire_words_cm(connection, from, frame, mad, words);
    keep_line(reader, connection, wire_stream(from, WIRE_CM), number, words);
    return true;
}

static bool take_packet(struct reader *reader, const struct wire_frame *frame, uint64_t number)
{
    char words[WIRE_WORDS_BYTES];
    enum wire_side to = WIRE_HOST;
    struct wire_connection *connection =
        named(reader, &reader->by_qp, frame->destination_ip, frame->qpn, &to);
    const bool ours = connection != NULL && frame->opcode < FRAME_UD_SEND_ONLY &&
                      connection->ip[!to] == frame->source_ip;
    if (!ours)
        return false;
    const enum wire_side from = (enum wire_side) !to;
    wire_words_rc(connection, &reader->commands, from, frame, words);
    keep_line(reader, connection, wire_stream(from, wire_kind_of(frame->opcode)), number, words);
    return true;
}

/* ------------------------------------------------------------------ NVMe/TCP and iSCSI */

/* The PDU that a segment completes. */
struct pdu_place {
    struct reader *reader;
    struct tcp_pair *pair;
    enum wire_side from;
    uint64_t number;
};

static struct wire_connection *connection_at(const struct pdu_place *place)
{
    return &place->reader->trace->connections[place->pair->connection];
}

static void keep_pdu(const struct pdu_place *place, enum wire_kind kind, const char *words)
{
    keep_line(place->reader, connection_at(place), wire_stream(place->from, kind), place->number,
              words);
}

static void keep_fault(const struct pdu_place *place, const char *fault)
{
    char words[WIRE_WORDS_BYTES];
    snprintf(words, sizeof words, "no PDU: %s", fault);
    keep_pdu(place, WIRE_CM, words);
}

static void on_pdu(void *self, const struct nvme_pdu *pdu, const char *fault)
{
    const struct pdu_place *place = self;
    char words[WIRE_WORDS_BYTES];
    if (pdu == NULL) {
        keep_fault(place, fault);
        return;
    }
    wire_streams_learn(place->pair->sides, pdu);
    keep_pdu(place, wire_words_pdu(connection_at(place), &place->reader->commands, pdu, words),
             words);
}

/* The digests of both directions follow the Login Response that ends the Login. */
static void learn_digests(struct tcp_pair *pair, const struct iscsi_pdu *pdu,
                          const struct iscsi_text *text)
{
    struct iscsi_pair key;
    struct iscsi_fault fault = {0};
    uint32_t at = 0;
    if (pdu->opcode != ISCSI_LOGIN_RESPONSE || pdu->data_sn >> 16 != 0)
        return;
    while (iscsi_text_next(text, &at, &key, &fault)) {
        const bool used = strcmp(key.value, "CRC32C") == 0;
        for (int side = 0; side < WIRE_SIDES; side++) {
            if (strcmp(key.key, "HeaderDigest") == 0)
                pair->sides[side].header_digest = used;
            if (strcmp(key.key, "DataDigest") == 0)
                pair->sides[side].data_digest = used;
        }
    }
}

static void on_iscsi(void *self, const struct iscsi_pdu *pdu, const struct iscsi_text *text,
                     const char *fault)
{
    const struct pdu_place *place = self;
    char words[WIRE_WORDS_BYTES];
    if (pdu == NULL) {
        keep_fault(place, fault);
        return;
    }
    learn_digests(place->pair, pdu, text);
    keep_pdu(place,
             wire_words_iscsi(connection_at(place), &place->reader->commands, pdu, text, words),
             words);
}

/* The newest connection between both addresses and ports; NULL: none. */
static struct tcp_pair *find_tcp_pair(const struct reader *reader,
                                      const struct wire_segment *segment, enum wire_side from)
{
    const enum wire_side to = from == WIRE_HOST ? WIRE_TARGET : WIRE_HOST;
    const int host = from == WIRE_HOST ? 0 : 1; /* end of the segment */
    uint32_t index =
        wire_map_get(&reader->by_port, wire_map_pair(segment->ip[host], segment->port[host]));
    while (index != WIRE_MAP_NONE) {
        struct tcp_pair *pair = &reader->tcp_pairs[index];
        if (pair->ip[to] == segment->ip[1] && pair->port[to] == segment->port[1] &&
            pair->ip[from] == segment->ip[0] && pair->port[from] == segment->port[0])
            return pair;
        index = pair->older;
    }
    return NULL;
}

static struct tcp_pair *add_tcp_pair(struct reader *reader, const struct wire_segment *syn)
{
    const struct wire_frame ends = {.source_ip = syn->ip[0], .destination_ip = syn->ip[1]};
    struct wire_connection *connection = new_connection(reader, &ends);
    if (connection == NULL)
        return NULL;
    connection->port = syn->port[1];
    connection->nvme = syn->port[1] == NVME_TCP_PORT;
    reader->tcp_pairs = memory_grown(reader->tcp_pairs, reader->tcp_count, &reader->tcp_room,
                                     sizeof *reader->tcp_pairs);
    struct tcp_pair *pair = &reader->tcp_pairs[reader->tcp_count];
    const uint64_t key = wire_map_pair(syn->ip[0], syn->port[0]);
    *pair = (struct tcp_pair){.ip = {[WIRE_HOST] = syn->ip[0], [WIRE_TARGET] = syn->ip[1]},
                              .port = {[WIRE_HOST] = syn->port[0], [WIRE_TARGET] = syn->port[1]},
                              .connection = connection->index,
                              .older = wire_map_get(&reader->by_port, key)};
    wire_stream_begin(&pair->sides[WIRE_HOST], syn->seq, true, !connection->nvme);
    wire_map_put(&reader->by_port, key, reader->tcp_count++);
    return pair;
}

static bool has_pdus(uint16_t port)
{
    return port == NVME_TCP_PORT || port == ISCSI_PORT;
}

/* False: not of a connection whose SYN was captured. */
static bool take_segment(struct reader *reader, const struct wire_segment *segment, uint64_t number)
{
    const enum wire_side from = has_pdus(segment->port[1]) ? WIRE_HOST : WIRE_TARGET;
    struct tcp_pair *pair = find_tcp_pair(reader, segment, from);
    const bool again = pair != NULL && pair->sides[WIRE_HOST].next == segment->seq + 1;
    if (segment->syn && !segment->ack && from == WIRE_HOST && !again)
        pair = add_tcp_pair(reader, segment);
    if (pair == NULL)
        return false;
    struct pdu_place place = {reader, pair, from, number};
    struct wire_stream *stream = &pair->sides[from];
    if (segment->syn && segment->ack && from == WIRE_TARGET && !stream->begun)
        wire_stream_begin(stream, segment->seq, false, segment->port[0] == ISCSI_PORT);
    wire_stream_take(stream, segment, &(struct wire_pdu_reader){on_pdu, on_iscsi, &place});
    if (stream->lost == NULL && stream->early == NULL)
        pair->stuck_at[from] = 0;
    else if (pair->stuck_at[from] == 0)
        pair->stuck_at[from] = number;
    reader->trace->connections[pair->connection].ended |= segment->fin;
    return true;
}

static bool is_of_pdus(const struct capture_frame *captured, struct wire_segment *segment)
{
    return wire_segment_parse(captured->bytes, captured->count, segment) &&
           (has_pdus(segment->port[0]) || has_pdus(segment->port[1]));
}

static void note_lost(struct reader *reader, struct tcp_pair *pair, enum wire_side side)
{
    struct wire_connection *connection = &reader->trace->connections[pair->connection];
    wire_stream_end(&pair->sides[side]);
    if (pair->sides[side].lost == NULL)
        return;
    connection->lost[side] = (struct wire_lost){pair->stuck_at[side], pair->sides[side].lost};
    reader->trace->lost++;
}

static void end_tcp_pairs(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->tcp_count; i++)
        for (int side = 0; side < WIRE_SIDES; side++) {
            note_lost(reader, &reader->tcp_pairs[i], (enum wire_side)side);
            wire_stream_fini(&reader->tcp_pairs[i].sides[side]);
        }
    free(reader->tcp_pairs);
    wire_map_fini(&reader->by_port);
}

static void count_cut(struct wire_trace *trace, const struct capture_frame *captured)
{
    if (captured->count >= captured->length)
        return;
    trace->cut++;
    if (captured->count > trace->kept)
        trace->kept = (uint32_t)captured->count;
}

static void count_other(struct wire_trace *trace, const struct wire_frame *frame)
{
    static const uint16_t ordinary[] = {0, 0x0800, 0x0806, 0x8808, 0x8809, 0x88CC, 0x88F7, 0x86DD};
    trace->others++;
    trace->ipv6 += frame->type == 0x86DD;
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++)
        if (frame->type == ordinary[i])
            return;
    if (frame->type < 0x0600) /* it is a length: IEEE 802.3 */
        return;
    if (trace->odd++ == 0)
        trace->odd_type = frame->type;
}

static void take_frame(struct reader *reader, const struct capture_frame *captured)
{
    struct wire_frame frame;
    struct cm_mad mad;
    reader->trace->frames++;
    count_cut(reader->trace, captured);
    struct wire_segment segment;
    if (is_of_pdus(captured, &segment))
        reader->trace->strays += !take_segment(reader, &segment, captured->number);
    else if (!wire_parse(captured->bytes, captured->count, &frame))
        count_other(reader->trace, &frame);
    else if (!(is_cm(&frame, &mad) ? take_cm(reader, &frame, &mad, captured->number)
                                   : take_packet(reader, &frame, captured->number)))
        reader->trace->strays++;
}

/* ------------------------------------------------------------------ all together */

static size_t stream_of(const struct wire_line *line)
{
    return (size_t)line->connection * WIRE_STREAMS + line->stream;
}

/* A counting sort, which preserves the order within a stream. */
static void sort_lines(struct wire_trace *trace)
{
    const size_t streams = (size_t)trace->connection_count * WIRE_STREAMS;
    trace->firsts = memory_zeroed(streams + 1, sizeof *trace->firsts); /* one more for the end */
    uint32_t *next = memory_zeroed(streams, sizeof *next);
    struct wire_line *sorted = memory_zeroed(trace->line_count, sizeof *sorted);
    for (uint32_t i = 0; i < trace->line_count; i++)
        trace->firsts[stream_of(&trace->lines[i]) + 1]++;
    for (size_t i = 0; i < streams; i++) {
        trace->firsts[i + 1] += trace->firsts[i];
        next[i] = trace->firsts[i];
    }
    for (uint32_t i = 0; i < trace->line_count; i++)
        sorted[next[stream_of(&trace->lines[i])]++] = trace->lines[i];
    free(next);
    free(trace->lines);
    trace->lines = sorted;
}

struct wire_trace *wire_trace_read(struct capture *capture, char why[CAPTURE_WHY_BYTES])
{
    struct capture_frame frame;
    struct reader reader = {.trace = memory_zeroed(1, sizeof *reader.trace)};
    while (capture_next(capture, &frame, why))
        take_frame(&reader, &frame);
    snprintf(reader.trace->note, sizeof reader.trace->note, "%s", capture_note(capture));
    capture_close(capture);
    wire_commands_fini(&reader.commands);
    wire_map_fini(&reader.by_qp);
    wire_map_fini(&reader.by_id);
    end_tcp_pairs(&reader);
    sort_lines(reader.trace);
    if (why[0] == '\0')
        return reader.trace;
    wire_trace_free(reader.trace);
    return NULL;
}

void wire_trace_free(struct wire_trace *trace)
{
    if (trace == NULL)
        return;
    free(trace->connections);
    free(trace->lines);
    free(trace->firsts);
    free(trace->text);
    free(trace);
}

void wire_trace_print(const struct wire_trace *trace, FILE *out)
{
    for (uint32_t i = 0; i < trace->connection_count * WIRE_STREAMS; i++) {
        uint32_t count;
        const unsigned stream = i % WIRE_STREAMS;
        const struct wire_line *line = wire_trace_stream(trace, i / WIRE_STREAMS, stream, &count);
        for (uint32_t k = 0; k < count; k++)
            fprintf(out, "%" PRIu32 " %s %s %s\n", i / WIRE_STREAMS + 1, wire_side_name(stream),
                    wire_kind_name(stream), wire_trace_words(trace, &line[k]));
    }
}
