/* SPDX-License-Identifier: Apache-2.0
 * io_frames - finds the rows of table frame that belong to a row of table io. */
#include "reports/wire/io_frames_private.h"

#include "base/memory.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP_BITS = 96 }; /* wire_ps includes the gap after the frame; IEEE 802.3, 4.4.2 */
enum { LATEST_ACK_PS = 20000000 };

int64_t io_number(const struct store_statement *row, const char *column)
{
    const int64_t value = store_int(row, column), most = INT64_MAX / 8;
    return value < 0 ? 0 : value > most ? most : value;
}

uint64_t io_little(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

static bool read_io(struct io_search *s, int64_t io, char why[IO_WHY_BYTES])
{
    static const char *const moments[IO_MOMENTS] = {
        "issued_ps",        "posted_ps",   "capsule_ps",     "fetch_ps",
        "fetched_ps",       "media_ps",    "media_begun_ps", "media_done_ps",
        "response_sent_ps", "response_ps", "completed_ps"};
    struct store_statement *row = store_prepare(
        s->store,
        "SELECT w.name, operation, io.bytes, lba, cid, h.endpoint AS host, t.endpoint AS target,"
        " issued_ps, posted_ps,"
        " capsule_ps, fetch_ps, fetched_ps, media_ps, media_begun_ps, media_done_ps,"
        " response_sent_ps, response_ps, completed_ps FROM io JOIN workload w USING(workload)"
        " JOIN port h ON h.ip=host_ip JOIN port t ON t.ip=target_ip WHERE io=?1");
    if (row != NULL)
        store_bind(row, 1, STORE_I(io));
    const bool found = store_step(row);
    if (found) {
        struct io_frames *f = s->frames;
        snprintf(f->workload, sizeof f->workload, "%s", store_text(row, "name"));
        snprintf(f->operation, sizeof f->operation, "%s", store_text(row, "operation"));
        f->bytes = io_number(row, "bytes");
        s->lba = f->lba = store_int(row, "lba");
        s->cid = store_int(row, "cid");
        s->host = store_int(row, "host");
        s->target = store_int(row, "target");
        for (int i = 0; i < IO_MOMENTS; i++)
            f->moments[i] = io_number(row, moments[i]);
    } else {
        const int64_t there = store_ask_int(s->store, "SELECT count(*) FROM io", 0);
        const bool more = store_ask_int(s->store, "SELECT sum(completed) FROM workload", 0) > there;
        snprintf(why, IO_WHY_BYTES,
                 "no command %" PRId64 ": the table io has %" PRId64 " of them%s", io, there,
                 more ? "; run with --record packets for more" : "");
    }
    store_finish(row);
    return found;
}

/* Frames between the two ends at their first hop, with: at_ps opcode qpn psn rkey length head
 * payload. */
static struct store_statement *first_hops(const struct io_search *s, int64_t from, int64_t to)
{
    struct store_statement *rows = store_prepare(
        s->store, "SELECT at_ps, opcode, qpn, psn, rkey, length, head, payload_bytes FROM frame f"
                  " JOIN port p USING(node, port) WHERE p.endpoint=f.source AND source=?1 AND"
                  " destination=?2 AND at_ps BETWEEN ?3 AND ?4 AND opcode LIKE 'RC\\_%' ESCAPE '\\'"
                  " ORDER BY at_ps");
    if (rows != NULL) {
        store_bind(rows, 1, STORE_I(from));
        store_bind(rows, 2, STORE_I(to));
        store_bind(rows, 3, STORE_I(s->begin_ps));
        store_bind(rows, 4, STORE_I(s->end_ps));
    }
    return rows;
}

static void add_range(struct io_search *s, int end, int64_t first, int64_t last)
{
    if (s->asked_count[end] < IO_RANGES_MAX)
        s->asked[end][s->asked_count[end]++] = (struct io_range){.first = first, .last = last};
}

static bool has(const char *opcode, const char *part)
{
    return strstr(opcode, part) != NULL;
}

/* Finds the command capsule, and with it the target's queue pair and the key of the data. */
static bool find_command(struct io_search *s)
{
    bool found = false, open = false;
    struct store_statement *rows = first_hops(s, s->host, s->target);
    while (store_step(rows)) {
        const char *opcode = store_text(rows, "opcode");
        size_t bytes;
        const unsigned char *head = store_blob(rows, "head", &bytes);
        if (!found && has(opcode, "SEND_") && bytes >= SQE_LBA + 8 &&
            (int64_t)io_little(head + SQE_CID, 2) == s->cid &&
            (int64_t)io_little(head + SQE_LBA, 8) == s->lba) {
            found = true;
            open = has(opcode, "FIRST");
            s->target_qp = store_int(rows, "qpn");
            s->key = head[SQE_TYPE] >> 4 == KEYED ? (int64_t)io_little(head + SQE_KEY, 4) : -1;
            add_range(s, 0, io_number(rows, "psn"), io_number(rows, "psn"));
        } else if (open && has(opcode, "SEND_") && store_int(rows, "qpn") == s->target_qp) {
            s->asked[0][0].last = io_number(rows, "psn");
            open = !has(opcode, "LAST");
        }
    }
    store_finish(rows);
    return found;
}

/* The response is the last frame with that identifier before the host processed it. */
static bool find_response(struct io_search *s)
{
    bool found = false;
    struct store_statement *rows = first_hops(s, s->target, s->host);
    while (store_step(rows)) {
        size_t bytes;
        const unsigned char *head = store_blob(rows, "head", &bytes);
        if (!has(store_text(rows, "opcode"), "SEND_ONLY") || bytes < CQE_CID + 2 || bytes > 16 ||
            (int64_t)io_little(head + CQE_CID, 2) != s->cid ||
            store_int(rows, "at_ps") > s->frames->moments[IO_RESPONSE])
            continue;
        found = true;
        s->host_qp = store_int(rows, "qpn");
        s->response_psn = io_number(rows, "psn");
    }
    store_finish(rows);
    return found;
}

/* Finds RDMA WRITEs and READs of the target with the key. Responses to a READ have its PSN and the
 * following ones, one per path MTU, up to the target's next request. */
static void find_data(struct io_search *s)
{
    bool writing = false, reading = false;
    struct store_statement *rows = s->key < 0 ? NULL : first_hops(s, s->target, s->host);
    while (store_step(rows)) {
        const char *opcode = store_text(rows, "opcode");
        const int64_t psn = io_number(rows, "psn");
        const uint32_t count = s->asked_count[1];
        struct io_range *last = count == 0 ? NULL : &s->asked[1][count - 1];
        if (store_int(rows, "qpn") != s->host_qp || has(opcode, "ACK") || has(opcode, "RESPONSE"))
            continue;
        if (reading && last != NULL)
            last->last = psn - 1;
        reading = false;
        const bool named = store_int(rows, "rkey") == s->key && has(opcode, "RC_WRITE");
        if (named || (store_int(rows, "rkey") == s->key && has(opcode, "READ_REQUEST"))) {
            add_range(s, 1, psn, psn);
            reading = !named;
            writing = has(opcode, "FIRST");
        } else if (writing && has(opcode, "RC_WRITE") && last != NULL) {
            last->last = psn;
            writing = !has(opcode, "LAST");
        }
    }
    store_finish(rows);
    add_range(s, 1, s->response_psn, s->response_psn);
}

static bool asked(const struct io_search *s, int end, int64_t psn)
{
    for (uint32_t i = 0; i < s->asked_count[end]; i++)
        if (psn >= s->asked[end][i].first && psn <= s->asked[end][i].last)
            return true;
    return false;
}

/* A request has its sender's PSN, a response that of the other end's request. */
static bool belongs(const struct io_search *s, struct store_statement *row, bool from_host)
{
    const char *opcode = store_text(row, "opcode");
    const bool answer = has(opcode, "ACK") || has(opcode, "RESPONSE");
    return store_int(row, "qpn") == (from_host ? s->target_qp : s->host_qp) &&
           asked(s, from_host == answer, io_number(row, "psn"));
}

/* The middle of a long message, which is left out. */
static bool is_long_middle(const struct io_search *s, struct store_statement *row, bool from_host)
{
    const char *opcode = store_text(row, "opcode");
    const int64_t psn = io_number(row, "psn");
    const int end = from_host == has(opcode, "RESPONSE");
    for (uint32_t i = 0; i < s->asked_count[end]; i++) {
        const struct io_range *range = &s->asked[end][i];
        if (psn > range->first + MIDDLES_KEPT && psn < range->last - 1)
            return has(opcode, "MIDDLE");
    }
    return false;
}

static uint32_t add_lane(struct io_frames *f, uint32_t at, int64_t node, const char *name)
{
    if (f->lane_count == IO_LANES_MAX)
        return IO_LANES_MAX - 1;
    memmove(&f->lanes[at + 1], &f->lanes[at], (f->lane_count - at) * sizeof f->lanes[0]);
    memmove(&f->nodes[at + 1], &f->nodes[at], (f->lane_count - at) * sizeof f->nodes[0]);
    f->nodes[at] = node;
    snprintf(f->lanes[at], IO_NAME_BYTES, "%s", name);
    f->lane_count++;
    return at;
}

static uint32_t lane_of(const struct io_frames *f, int64_t node)
{
    for (uint32_t i = 0; i < f->lane_count; i++)
        if (f->nodes[i] == node)
            return i;
    return IO_LANES_MAX;
}

/* All hops of frames between the two ends, with: at_ps wire_ps delay_ps node peer_node opcode qpn
 * psn bytes payload flags lost source name peer_name first rate_bps syndrome head. */
static struct store_statement *all_hops(const struct io_search *s)
{
    struct store_statement *rows = store_prepare(
        s->store, "SELECT at_ps, wire_ps, delay_ps, f.node, p.peer_node, opcode, qpn, psn, bytes,"
                  " payload_bytes, flags, lost, source, n.name AS node_name, m.name AS peer_name,"
                  " coalesce(p.endpoint=source, 0) AS first, p.rate_bps, coalesce(syndrome, 0) AS "
                  "syndrome_or,"
                  " head"
                  " FROM frame f JOIN port p USING(node, port) JOIN node n USING(node) JOIN node m"
                  " ON m.node=p.peer_node WHERE ((source=?1 AND destination=?2) OR (source=?2 AND"
                  " destination=?1)) AND at_ps BETWEEN ?3 AND ?4 AND opcode LIKE ?5 ESCAPE '\\'"
                  " ORDER BY at_ps, f.node, psn");
    if (rows != NULL) {
        store_bind(rows, 1, STORE_I(s->host));
        store_bind(rows, 2, STORE_I(s->target));
        store_bind(rows, 3, STORE_I(s->begin_ps));
        store_bind(rows, 4, STORE_I(s->end_ps));
        store_bind(rows, 5, STORE_T(s->protocol->opcodes));
    }
    return rows;
}

/* Orders lanes along the path: a node sending towards the target is left of its peer, one sending
 * towards the host right of it. The two ends have lanes from the start. */
static void find_lanes(const struct io_search *s)
{
    struct io_frames *f = s->frames;
    struct store_statement *rows = all_hops(s);
    while (store_step(rows)) {
        const bool from_host = store_int(rows, "source") == s->host;
        const int64_t node = store_int(rows, "node"), peer = store_int(rows, "peer_node");
        if (!s->protocol->belongs(s, rows, from_host))
            continue;
        const uint32_t own = lane_of(f, node), other = lane_of(f, peer);
        if (f->lane_count == 0) {
            add_lane(f, 0, node, store_text(rows, "node_name"));
            add_lane(f, 1, peer, store_text(rows, "peer_name"));
        } else if (own < IO_LANES_MAX && other == IO_LANES_MAX) {
            add_lane(f, from_host ? own + 1 : own, peer, store_text(rows, "peer_name"));
        } else if (own == IO_LANES_MAX && other < IO_LANES_MAX) {
            add_lane(f, from_host ? other : other + 1, node, store_text(rows, "node_name"));
        }
    }
    store_finish(rows);
}

/* "RC_SEND_ONLY_INV" becomes SEND ONLY INV; an acknowledgment may be a NAK: AETH.Syndrome, IBTA
 * Vol 1 9.7.5.2.1. */
static void opcode_words(const struct io_search *s, struct store_statement *row, bool from_host,
                         char words[WORDS_BYTES])
{
    static const char *const answers[4] = {"ACKNOWLEDGE", "RNR NAK", "ACKNOWLEDGE", "NAK"};
    const char *opcode = store_text(row, "opcode");
    (void)s, (void)from_host;
    if (has(opcode, "RC_ACK")) {
        snprintf(words, WORDS_BYTES, "%s", answers[store_int(row, "syndrome_or") >> 5 & 3]);
        return;
    }
    snprintf(words, WORDS_BYTES, "%s", strncmp(opcode, "RC_", 3) == 0 ? opcode + 3 : opcode);
    for (char *at = words; *at != '\0'; at++)
        if (*at == '_')
            *at = ' ';
}

static void read_hops(const struct io_search *s)
{
    struct io_frames *f = s->frames;
    f->hops = memory_zeroed(IO_HOPS_MAX, sizeof *f->hops);
    struct store_statement *rows = all_hops(s);
    while (store_step(rows)) {
        const bool from_host = store_int(rows, "source") == s->host;
        const uint32_t from = lane_of(f, store_int(rows, "node")),
                       to = lane_of(f, store_int(rows, "peer_node"));
        if (!s->protocol->belongs(s, rows, from_host))
            continue;
        if (from == IO_LANES_MAX || to == IO_LANES_MAX || f->hop_count == IO_HOPS_MAX ||
            s->protocol->is_middle(s, rows, from_host)) {
            f->left_out++;
            continue;
        }
        struct io_hop *hop = &f->hops[f->hop_count++];
        *hop = (struct io_hop){.at_ps = io_number(rows, "at_ps"),
                               .from = from,
                               .to = to,
                               .bytes = io_number(rows, "bytes"),
                               .payload = io_number(rows, "payload_bytes"),
                               .again = (store_int(rows, "flags") & 16) != 0,
                               .lost = store_int(rows, "lost") != 0,
                               .first = store_int(rows, "first") != 0};
        hop->arrives_ps = hop->at_ps + io_number(rows, "wire_ps") + io_number(rows, "delay_ps");
        if (store_int(rows, "rate_bps") > 0)
            hop->arrives_ps -= GAP_BITS * PS_PER_S / store_int(rows, "rate_bps");
        hop->number = s->protocol->number(rows, &hop->number_name);
        s->protocol->words(s, rows, from_host, hop->opcode);
    }
    store_finish(rows);
}

static int64_t psn_of(struct store_statement *row, const char **name)
{
    *name = "PSN";
    return io_number(row, "psn");
}

static bool find_roce(struct io_search *s)
{
    if (!find_command(s) || !find_response(s))
        return false;
    find_data(s);
    return true;
}

static const struct io_protocol roce = {
    .opcodes = "RC\\_%",
    .number = psn_of,
    .find = find_roce,
    .belongs = belongs,
    .is_middle = is_long_middle,
    .words = opcode_words,
};

static const struct io_protocol *const protocols[] = {&roce, &io_frames_tcp};

static bool find_frames(struct io_search *s, char why[IO_WHY_BYTES])
{
    if (store_ask_int(s->store, "SELECT EXISTS(SELECT 1 FROM frame)", 0) == 0) {
        snprintf(why, IO_WHY_BYTES, "no frames recorded: run with --record packets");
        return false;
    }
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        s->protocol = protocols[i];
        s->asked_count[0] = s->asked_count[1] = 0;
        if (s->protocol->find(s))
            return true;
    }
    if (s->hidden)
        snprintf(why, IO_WHY_BYTES,
                 "its PDUs are hidden in TLS records: run with"
                 " --set hosts.defaults.nvme.tcp-tls=false --record packets");
    else
        snprintf(why, IO_WHY_BYTES,
                 "none of the recorded frames has its command capsule and response as NVMe over "
                 "RoCE or TCP");
    return false;
}

struct io_frames *io_frames_read(struct store *store, int64_t io, char why[IO_WHY_BYTES])
{
    struct io_search s = {.store = store, .frames = memory_new(sizeof *s.frames)};
    bool well = read_io(&s, io, why);
    s.begin_ps = s.frames->moments[IO_ISSUED];
    s.end_ps = s.frames->moments[IO_COMPLETED] + LATEST_ACK_PS;
    well = well && find_frames(&s, why);
    if (well) {
        find_lanes(&s);
        read_hops(&s);
    }
    if (store_error(store) != NULL) {
        snprintf(why, IO_WHY_BYTES, "%.200s", store_error(store));
        well = false;
    }
    if (well)
        return s.frames;
    io_frames_free(s.frames);
    return NULL;
}

void io_frames_free(struct io_frames *frames)
{
    if (frames == NULL)
        return;
    free(frames->hops);
    free(frames);
}
