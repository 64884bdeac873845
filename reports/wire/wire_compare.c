/* SPDX-License-Identifier: Apache-2.0
 * wire_compare - compares stream by stream up to the first difference, and counts all frames. */
#include "reports/wire/wire_compare.h"

#include "base/memory.h"
#include "reports/text/json.h"
#include "reports/wire/wire_partners.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3, IP_TEXT = 16 };

static const char *words_at(const struct wire_comparison *c, const struct wire_pair *pair, int side,
                            uint32_t index)
{
    return wire_trace_words(c->side[side], &pair->line[side][index]);
}

/* The connection must have a partner. */
static struct wire_pair pair_of(const struct wire_comparison *c, uint32_t connection,
                                unsigned stream)
{
    return wire_pair_up(c->side, connection, c->partner[connection], stream);
}

/* The frame number in the first capture; if the stream ended there, that of its last frame. */
static uint32_t parting_number(const struct wire_pair *pair)
{
    if (pair->equal < pair->count[0])
        return pair->line[0][pair->equal].number;
    return pair->equal == 0 ? 0 : pair->line[0][pair->equal - 1].number;
}

/* ------------------------------------------------------------------ comparison */

/* The stream with the next frame in a capture; WIRE_STREAMS if there are no more frames. */
static unsigned next_stream(const struct wire_pair *pairs, int side, const uint32_t *at)
{
    unsigned best = WIRE_STREAMS;
    for (unsigned i = 0; i < WIRE_STREAMS; i++)
        if (at[i] < pairs[i].count[side] &&
            (best == WIRE_STREAMS ||
             pairs[i].line[side][at[i]].number < pairs[best].line[side][at[best]].number))
            best = i;
    return best;
}

static bool same_order(const struct wire_pair pairs[WIRE_STREAMS])
{
    uint32_t at[2][WIRE_STREAMS] = {0};
    for (;;) {
        const unsigned a = next_stream(pairs, 0, at[0]), b = next_stream(pairs, 1, at[1]);
        if (a != b)
            return false;
        if (a == WIRE_STREAMS)
            return true;
        at[0][a]++;
        at[1][b]++;
    }
}

static void add_counts(struct wire_counts *to, const struct wire_counts *counts)
{
    to->equal += counts->equal;
    to->reordered += counts->reordered;
    to->missing += counts->missing;
    to->extra += counts->extra;
    to->different += counts->different;
}

static void count_frames(struct wire_comparison *c, const struct wire_pair *pair,
                         uint32_t connection, unsigned stream, struct wire_numbers *numbers)
{
    struct wire_counts *counts = &c->counts[(size_t)connection * WIRE_STREAMS + stream];
    *counts = wire_pair_count(c->side, pair, stream, numbers);
    add_counts(&c->all, counts);
}

static void count_pair(struct wire_comparison *c, const struct wire_pair *pair, uint32_t connection,
                       unsigned stream, uint32_t *earliest)
{
    c->streams += pair->count[0] > 0 || pair->count[1] > 0;
    for (uint32_t i = 0; i < pair->equal; i++)
        c->tags_apart += strcmp(words_at(c, pair, 0, i), words_at(c, pair, 1, i)) != 0;
    if (!wire_pair_parted(pair))
        return;
    c->streams_parted++;
    if (c->parted && parting_number(pair) >= *earliest)
        return;
    *earliest = parting_number(pair);
    c->parted = true;
    c->at_connection = connection;
    c->at_stream = stream;
    c->at_index = pair->equal;
}

struct wire_comparison wire_compare(const struct wire_trace *const side[2],
                                    const char *const name[2])
{
    struct wire_comparison c = {.side = {side[0], side[1]}, .name = {name[0], name[1]}};
    uint32_t earliest = 0;
    struct wire_numbers numbers = {0};
    c.partner = wire_find_partners(side);
    for (uint32_t i = 0; i < side[0]->connection_count; i++)
        c.connections += c.partner[i] != WIRE_ALONE;
    c.counts = memory_zeroed((size_t)side[0]->connection_count * WIRE_STREAMS, sizeof *c.counts);
    for (uint32_t i = 0; i < side[0]->connection_count; i++) {
        struct wire_pair pairs[WIRE_STREAMS];
        if (c.partner[i] == WIRE_ALONE)
            continue;
        for (unsigned stream = 0; stream < WIRE_STREAMS; stream++) {
            pairs[stream] = pair_of(&c, i, stream);
            count_pair(&c, &pairs[stream], i, stream, &earliest);
            count_frames(&c, &pairs[stream], i, stream, &numbers);
        }
        c.orders_equal += same_order(pairs);
        const bool ended[2] = {side[0]->connections[i].ended,
                               side[1]->connections[c.partner[i]].ended};
        c.ended[0] += ended[0] && !ended[1];
        c.ended[1] += ended[1] && !ended[0];
    }
    wire_numbers_fini(&numbers);
    return c;
}

void wire_compare_fini(struct wire_comparison *c)
{
    free(c->partner);
    free(c->counts);
}

bool wire_compare_equal(const struct wire_comparison *c)
{
    return !c->parted && c->side[0]->lost + c->side[1]->lost == 0 &&
           c->connections == c->side[0]->connection_count &&
           c->connections == c->side[1]->connection_count;
}

/* ------------------------------------------------------------------ text */

static const char *ip_text(uint32_t ip, char text[IP_TEXT])
{
    snprintf(text, IP_TEXT, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 0xFF, ip >> 8 & 0xFF, ip & 0xFF);
    return text;
}

static const char *const left_out[] = {
#define LEFT_OUT(text)                                         text,
#define PAGE_OWN(opcode, selector, from, to, stride, own_text) own_text,
#include "base/plural.h"
#include "reports/wire/wire_left_out.def"
};

enum { LEFT_OUT_COUNT = sizeof left_out / sizeof left_out[0] };

static void print_left_out(const struct wire_comparison *c, FILE *out)
{
    fprintf(out,
            "  not compared   tags: different in %" PRIu32 " of these frames\n"
            "                 order between streams: equal in %" PRIu32 " of %" PRIu32 " %s\n"
            "                 ends of connections (DREQ, DREP, FIN) that only one capture has: "
            "%" PRIu32 " and %" PRIu32 "\n",
            c->tags_apart, c->orders_equal, c->connections,
            plural(c->connections, "connection", "connections"), c->ended[0], c->ended[1]);
    for (unsigned i = 0; i < LEFT_OUT_COUNT; i++)
        if (left_out[i] != NULL)
            fprintf(out, "                 %s\n", left_out[i]);
}

static void print_sides(const struct wire_comparison *c, FILE *out)
{
    for (int side = 0; side < 2; side++) {
        const struct wire_trace *trace = c->side[side];
        const char mark = "<>"[side];
        fprintf(out, "  %c %s: %" PRIu32 " %s with %" PRIu32 " %s", mark, c->name[side],
                trace->connection_count,
                plural(trace->connection_count, "connection", "connections"), trace->line_count,
                plural(trace->line_count, "frame", "frames"));
        if (trace->strays > 0)
            fprintf(out, "; %" PRIu32 " %s of connections without a captured REQ or SYN",
                    trace->strays, plural(trace->strays, "frame", "frames"));
        if (trace->others > 0)
            fprintf(out, "; %" PRIu32 " %s neither RoCE nor NVMe/TCP nor iSCSI", trace->others,
                    plural(trace->others, "frame that is", "frames that are"));
        if (trace->cut > 0)
            fprintf(out, "; %" PRIu32 " %s cut to at most %" PRIu32 " B by the capture", trace->cut,
                    plural(trace->cut, "frame", "frames"), trace->kept);
        fputc('\n', out);
        wire_lost_text(trace, mark, out);
    }
}

static void print_counts(const struct wire_counts *counts, FILE *out)
{
    fprintf(out,
            " equal, %" PRIu32 " reordered, %" PRIu32 " missing, %" PRIu32 " extra, %" PRIu32
            " different",
            counts->reordered, counts->missing, counts->extra, counts->different);
}

static void print_connection(const struct wire_comparison *c, uint32_t index, FILE *out)
{
    char host[IP_TEXT], target[IP_TEXT];
    const struct wire_connection *connection = &c->side[0]->connections[index];
    fprintf(out, "  %3" PRIu32 "  %s to %s", index + 1, ip_text(connection->ip[WIRE_HOST], host),
            ip_text(connection->ip[WIRE_TARGET], target));
    if (connection->nvme)
        fprintf(out, ", queue %d", connection->qid);
    fputs(c->partner[index] == WIRE_ALONE ? ": only in the first\n" : "\n", out);
    if (c->partner[index] == WIRE_ALONE)
        return;
    for (unsigned stream = 0; stream < WIRE_STREAMS; stream++) {
        const struct wire_pair pair = pair_of(c, index, stream);
        if (pair.count[0] == 0 && pair.count[1] == 0)
            continue;
        const struct wire_counts *counts = &c->counts[(size_t)index * WIRE_STREAMS + stream];
        fprintf(out, "       %-6s %-8s %7" PRIu32, wire_side_name(stream), wire_kind_name(stream),
                counts->equal);
        if (wire_pair_parted(&pair))
            print_counts(counts, out);
        fputc('\n', out);
    }
}

static void print_line(const struct wire_comparison *c, const struct wire_pair *pair, int side,
                       uint32_t index, char mark, FILE *out)
{
    if (index < pair->count[side])
        fprintf(out, "  %c %6" PRIu32 "  %s\n", mark, pair->line[side][index].number,
                words_at(c, pair, side, index));
    else if (index == pair->count[side])
        fprintf(out, "  %c         end\n", mark);
}

static void print_parting(const struct wire_comparison *c, FILE *out)
{
    const struct wire_pair pair = pair_of(c, c->at_connection, c->at_stream);
    const uint32_t from = pair.equal < CONTEXT ? 0 : pair.equal - CONTEXT;
    fprintf(out, "\nFirst difference: connection %" PRIu32 ", %s %s, frame %" PRIu32 ":\n",
            c->at_connection + 1, wire_side_name(c->at_stream), wire_kind_name(c->at_stream),
            pair.equal + 1);
    for (uint32_t i = from; i < pair.equal; i++)
        print_line(c, &pair, 0, i, ' ', out);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = pair.equal; i < pair.equal + CONTEXT; i++)
            print_line(c, &pair, side, i, "<>"[side], out);
}

void wire_compare_text(const struct wire_comparison *c, FILE *out)
{
    fprintf(out, "Wire            %s\n", wire_compare_equal(c) ? "equal frames" : "frames differ");
    print_sides(c, out);
    for (uint32_t i = 0; i < c->side[0]->connection_count; i++)
        print_connection(c, i, out);
    fprintf(out, "  equal          %" PRIu32 " %s, %" PRIu32 " of %" PRIu32 " %s\n", c->all.equal,
            plural(c->all.equal, "frame", "frames"), c->streams - c->streams_parted, c->streams,
            plural(c->streams, "stream", "streams"));
    if (c->parted)
        fprintf(out,
                "  not equal      %" PRIu32 " reordered; %" PRIu32 " missing (only in the first); "
                "%" PRIu32 " extra (only in the second); %" PRIu32 " different\n",
                c->all.reordered, c->all.missing, c->all.extra, c->all.different);
    print_left_out(c, out);
    if (c->side[0]->connection_count > c->connections ||
        c->side[1]->connection_count > c->connections)
        fprintf(out,
                "\nNo counterpart (same port and queue) for %" PRIu32 " %s of the "
                "first and %" PRIu32 " of the second.\n",
                c->side[0]->connection_count - c->connections,
                plural(c->side[0]->connection_count - c->connections, "connection", "connections"),
                c->side[1]->connection_count - c->connections);
    if (c->parted)
        print_parting(c, out);
}

/* ------------------------------------------------------------------ JSON */

static void json_side(const struct wire_comparison *c, int side, FILE *out)
{
    const struct wire_trace *trace = c->side[side];
    fputs("{\"file\": ", out);
    json_string(out, c->name[side]);
    fprintf(out,
            ", \"connections\": %" PRIu32 ", \"frames\": %" PRIu32 ", \"strays\": %" PRIu32
            ", \"others\": %" PRIu32 ", \"cut\": %" PRIu32,
            trace->connection_count, trace->line_count, trace->strays, trace->others, trace->cut);
    wire_lost_json(trace, out);
}

static void json_words(const struct wire_comparison *c, const struct wire_pair *pair, int side,
                       FILE *out)
{
    if (pair->equal >= pair->count[side]) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"frame\": %" PRIu32 ", \"words\": ", pair->line[side][pair->equal].number);
    json_string(out, words_at(c, pair, side, pair->equal));
    fputc('}', out);
}

static void json_counts(const struct wire_counts *counts, FILE *out)
{
    fprintf(out,
            "\"equal\": %" PRIu32 ", \"reordered\": %" PRIu32 ", \"missing\": %" PRIu32
            ", \"extra\": %" PRIu32 ", \"different\": %" PRIu32,
            counts->equal, counts->reordered, counts->missing, counts->extra, counts->different);
}

static void json_stream(const struct wire_comparison *c, uint32_t connection, unsigned stream,
                        const struct wire_pair *pair, FILE *out)
{
    fprintf(out,
            "{\"connection\": %" PRIu32 ", \"side\": \"%s\", \"kind\": \"%s\", \"frames\": "
            "[%" PRIu32 ", %" PRIu32 "], ",
            connection + 1, wire_side_name(stream), wire_kind_name(stream), pair->count[0],
            pair->count[1]);
    json_counts(&c->counts[(size_t)connection * WIRE_STREAMS + stream], out);
    if (wire_pair_parted(pair)) {
        fputs(", \"parts\": [", out);
        json_words(c, pair, 0, out);
        fputs(", ", out);
        json_words(c, pair, 1, out);
        fputc(']', out);
    }
    fputc('}', out);
}

static void json_left_out(FILE *out)
{
    fputs("\"not_compared\": [", out);
    const char *comma = "";
    for (unsigned i = 0; i < LEFT_OUT_COUNT; i++) {
        if (left_out[i] == NULL)
            continue;
        fputs(comma, out);
        comma = ", ";
        json_string(out, left_out[i]);
    }
    fputc(']', out);
}

void wire_compare_json(const struct wire_comparison *c, FILE *out)
{
    const char *comma = "";
    json_open(out);
    fprintf(out, "\"equal\": %s, \"captures\": [", wire_compare_equal(c) ? "true" : "false");
    json_side(c, 0, out);
    fputs(", ", out);
    json_side(c, 1, out);
    fprintf(out, "], \"frames_equal\": %" PRIu32 ", \"streams_parted\": %" PRIu32 ", \"frames\": {",
            c->all.equal, c->streams_parted);
    json_counts(&c->all, out);
    fprintf(out,
            "}"
            ", \"tags_apart\": %" PRIu32 ", \"orders_equal\": %" PRIu32
            ", \"ends_apart\": [%" PRIu32 ", %" PRIu32 "], ",
            c->tags_apart, c->orders_equal, c->ended[0], c->ended[1]);
    json_left_out(out);
    fputs(", \"streams\": [", out);
    for (uint32_t i = 0; i < c->side[0]->connection_count * WIRE_STREAMS; i++) {
        if (c->partner[i / WIRE_STREAMS] == WIRE_ALONE)
            continue;
        const struct wire_pair pair = pair_of(c, i / WIRE_STREAMS, i % WIRE_STREAMS);
        if (pair.count[0] == 0 && pair.count[1] == 0)
            continue;
        fputs(comma, out);
        comma = ", ";
        json_stream(c, i / WIRE_STREAMS, i % WIRE_STREAMS, &pair, out);
    }
    fputs("]}\n", out);
}
