/* SPDX-License-Identifier: Apache-2.0
 * page_fabric - the data of the topology's replay: ports, their counters, and per port utilization,
 * pauses, queue and ECN marks over time. fabric.js reads it. */
#include "base/memory.h"
#include "reports/page/page_layout.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES_MAX = 120,
    FRAMES_MIN = 8,
    CELLS_MAX = 60000, /* bounds frames times ports, and so the size of the page */
    PORTS_MAX = 20000,
    LEVELS = 4095, /* a value is two digits to the base 64 */
    COUNTERS_MAX = 12000,
    DROPS_MAX = 200,
    QPS_MAX = 200
};

enum layer { UTILIZATION, PAUSES, QUEUE, MARKS, LAYERS };
static const char *const layer_names[LAYERS] = {"utilization", "pauses", "queue", "marks"};

struct replay {
    const struct page *page;
    time_ps *until;        /* by frame */
    int64_t first;         /* the first sample */
    time_ps from;          /* its begin */
    int64_t samples, each; /* each: samples of a frame */
    int frames;
    int64_t ports;
    double *cells; /* by layer, port and frame */
    double scale[LAYERS];
};

static double *cell(const struct replay *replay, int layer, int64_t port, int frame)
{
    return &replay->cells[(layer * replay->ports + port) * replay->frames + frame];
}

/* A short last sample joins the frame before it. */
static int frame_of(const struct replay *replay, int64_t sample)
{
    const uint64_t frame = ((uint64_t)sample - (uint64_t)replay->first) / (uint64_t)replay->each;
    return frame >= (uint64_t)replay->frames ? replay->frames - 1 : (int)frame;
}

static void read_frames(struct replay *replay)
{
    struct store *store = replay->page->store;
    const int64_t whole = store_ask_int(store, "SELECT count(*) FROM series WHERE NOT partial", 0);
    replay->ports = store_ask_int(store, "SELECT count(*) FROM port", 0);
    replay->samples = store_ask_int(store, "SELECT count(*) FROM series", 0);
    replay->first = store_ask_int(store, "SELECT min(sample) FROM series", 0);
    replay->from = store_ask_int(store, "SELECT min(from_ps) FROM series", 0);
    const int64_t last = store_ask_int(store, "SELECT max(sample) FROM series", 0);
    if (whole < 1 || replay->ports < 1 || replay->ports > PORTS_MAX || replay->from < 0 ||
        (uint64_t)last - (uint64_t)replay->first != (uint64_t)replay->samples - 1)
        return;
    int64_t most = CELLS_MAX / replay->ports;
    most = most > FRAMES_MAX ? FRAMES_MAX : most < FRAMES_MIN ? FRAMES_MIN : most;
    replay->each = (whole + most - 1) / most;
    replay->frames = (int)((whole + replay->each - 1) / replay->each);
    replay->until = memory_zeroed((size_t)replay->frames, sizeof *replay->until);
    replay->cells =
        memory_zeroed((size_t)(LAYERS * replay->ports * replay->frames), sizeof *replay->cells);
}

static void read_times(struct replay *replay)
{
    struct store_statement *rows =
        store_prepare(replay->page->store, "SELECT sample, until_ps FROM series ORDER BY sample");
    while (replay->frames > 0 && store_step(rows))
        replay->until[frame_of(replay, store_int(rows, "sample"))] = store_int(rows, "until_ps");
    store_finish(rows);
}

static double frame_seconds(const struct replay *replay, int frame)
{
    const time_ps from = frame == 0 ? replay->from : replay->until[frame - 1];
    return ((double)replay->until[frame] - (double)from) / 1e12;
}

/* The priorities of a port share its rate and its queue; a global pause holds all of them. */
static void read_cells(struct replay *replay)
{
    struct store_statement *rows = store_prepare(
        replay->page->store, PAGE_NUMBERED
        "SELECT p.i, sample, rate_bps, sum(tx_bytes) AS tx, max(blocked_ps) AS blocked,"
        " sum(queue_bytes) AS queue, sum(ecn_marked_frames) AS marks"
        " FROM series_port JOIN p USING(node, port) GROUP BY p.i, sample");
    while (store_step(rows)) {
        const int64_t port = store_int(rows, "i"), sample = store_int(rows, "sample");
        if (port < 0 || port >= replay->ports || sample < replay->first ||
            (uint64_t)sample - (uint64_t)replay->first >= (uint64_t)replay->samples)
            continue;
        const int frame = frame_of(replay, sample);
        const double length = frame_seconds(replay, frame),
                     rate = (double)store_int(rows, "rate_bps");
        double *queue = cell(replay, QUEUE, port, frame);
        if (length <= 0 || rate <= 0)
            continue;
        *cell(replay, UTILIZATION, port, frame) +=
            8 * (double)store_int(rows, "tx") / (length * rate);
        *cell(replay, PAUSES, port, frame) += (double)store_int(rows, "blocked") / 1e12 / length;
        *queue = fmax(*queue, (double)store_int(rows, "queue"));
        *cell(replay, MARKS, port, frame) += (double)store_int(rows, "marks");
    }
    store_finish(rows);
}

static void find_scales(struct replay *replay)
{
    replay->scale[UTILIZATION] = replay->scale[PAUSES] = 1;
    for (int layer = QUEUE; layer < LAYERS; layer++)
        for (int64_t i = 0; i < replay->ports * replay->frames; i++)
            replay->scale[layer] = fmax(replay->scale[layer],
                                        replay->cells[layer * replay->ports * replay->frames + i]);
}

/* A value above 0 stays above 0. */
static int level_of(const struct replay *replay, int layer, int64_t port, int frame)
{
    const double value = *cell(replay, layer, port, frame), scale = replay->scale[layer];
    if (!(value > 0) || !(scale > 0))
        return 0;
    const double level = round(value / scale * LEVELS);
    return level < 1 ? 1 : level > LEVELS ? LEVELS : (int)level;
}

/* Two digits for each frame; zeros at the end are left out. */
static void write_levels(const struct replay *replay, int layer, int64_t port, bool *any, FILE *out)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    int frames = replay->frames;
    while (frames > 0 && level_of(replay, layer, port, frames - 1) == 0)
        frames--;
    if (frames == 0)
        return;
    fprintf(out, "%s\"%" PRId64 "\":\"", *any ? "," : "", port);
    for (int frame = 0; frame < frames; frame++) {
        const int level = level_of(replay, layer, port, frame);
        fputc(digits[level / 64], out);
        fputc(digits[level % 64], out);
    }
    fputc('"', out);
    *any = true;
}

static void write_replay(const struct replay *replay, FILE *out)
{
    fprintf(out, ",\n\"from_ps\":%" PRId64 ",\"until_ps\":[", replay->from);
    for (int frame = 0; frame < replay->frames; frame++)
        fprintf(out, "%s%" PRId64, frame == 0 ? "" : ",", replay->until[frame]);
    fputs("],\"scale\":{", out);
    for (int layer = 0; layer < LAYERS; layer++)
        fprintf(out, "%s\"%s\":%.0f", layer == 0 ? "" : ",", layer_names[layer],
                replay->scale[layer]);
    fputs("},\n\"levels\":{", out);
    for (int layer = 0; layer < LAYERS; layer++) {
        bool any = false;
        fprintf(out, "%s\"%s\":{", layer == 0 ? "" : ",\n", layer_names[layer]);
        for (int64_t port = 0; port < replay->ports && replay->frames > 0; port++)
            write_levels(replay, layer, port, &any, out);
        fputc('}', out);
    }
    fputc('}', out);
}

/* ------------------------------------------------------------------ lists */

/* A row of a query as a JSON array; a NULL is null. */
static void write_row(const struct store_statement *rows, int columns, FILE *out)
{
    for (int i = 0; i < columns; i++) {
        fputc(i == 0 ? '[' : ',', out);
        if (store_column_type(rows, i) == STORE_TEXT)
            json_string(out, store_column_text(rows, i));
        else if (store_column_type(rows, i) == STORE_NULL)
            fputs("null", out);
        else
            fprintf(out, "%" PRId64, store_column_int(rows, i));
    }
    fputc(']', out);
}

static void write_list(const struct page *page, const char *name, int columns, int most,
                       const char *sql, FILE *out)
{
    struct store_statement *rows = store_prepare(page->store, sql);
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(most));
    fprintf(out, ",\n\"%s\":[", name);
    for (bool any = false; store_step(rows); any = true) {
        fputs(any ? "," : "", out);
        write_row(rows, columns, out);
    }
    fputc(']', out);
    store_finish(rows);
}

/* Ports that were paused or dropped frames come first, since a large fabric has more counters than
 * a page has room for. */
#define COUNTERS                                                                                   \
    PAGE_NUMBERED                                                                                  \
    ", h AS (SELECT DISTINCT node, port FROM counter WHERE port IS NOT NULL AND"                   \
    " name GLOB 'tx_prio?_blocked_ps')"                                                            \
    ", c AS (SELECT p.i, k.name, k.value, h.node IS NOT NULL AS held FROM counter k"               \
    " JOIN p USING(node, port) LEFT JOIN h USING(node, port))"                                     \
    " SELECT i, name, value FROM (SELECT * FROM c ORDER BY held DESC, i LIMIT ?1) ORDER BY i, "    \
    "name"

static void write_lists(const struct page *page, FILE *out)
{
    write_list(page, "ports", 7, PORTS_MAX,
               PAGE_NUMBERED
               "SELECT CASE WHEN p.name=n.name||':p'||p.port THEN NULL ELSE p.name END,"
               " n.i, q.i, p.rate_bps, p.mtu_bytes, p.length_mm, p.port FROM p"
               " JOIN n USING(node) LEFT JOIN p q ON q.node=p.peer_node AND"
               " q.port=p.peer_port ORDER BY p.i LIMIT ?1",
               out);
    write_list(page, "names", 3, PORTS_MAX,
               "SELECT name, sonic, unit FROM counter WHERE port IS NOT NULL GROUP BY name"
               " ORDER BY name LIMIT ?1",
               out);
    write_list(page, "drops", 7, DROPS_MAX,
               PAGE_NUMBERED
               "SELECT p.i, priority, cause, lossless, frames, first_ps, last_ps"
               " FROM dropped JOIN p USING(node, port) ORDER BY frames DESC, p.i LIMIT ?1",
               out);
    write_list(page, "qps", 4, QPS_MAX,
               PAGE_NUMBERED
               "SELECT qpn, p.i, (SELECT n.i FROM port r JOIN n USING(node)"
               " WHERE r.ip=s.peer_ip LIMIT 1), min(s.rate_bps) FROM series_flow s"
               " JOIN p USING(node, port) GROUP BY p.i, qpn ORDER BY p.i, qpn LIMIT ?1",
               out);
    write_list(page, "xoff", 6, PORTS_MAX,
               PAGE_NUMBERED
               "SELECT p.i, priority, min(threshold_bytes) FILTER (WHERE edge='xoff'),"
               " max(threshold_bytes) FILTER (WHERE edge='xoff'),"
               " min(threshold_bytes) FILTER (WHERE edge='xon'),"
               " max(threshold_bytes) FILTER (WHERE edge='xon')"
               " FROM pause_edge JOIN p USING(node, port)"
               " GROUP BY p.i, priority HAVING count(*) FILTER (WHERE edge='xoff')>0"
               " ORDER BY p.i, priority LIMIT ?1",
               out);
    write_list(page, "settings", 2, PORTS_MAX,
               "SELECT path, value FROM setting WHERE path IN ('fabric.switch.ecn-kmin',"
               " 'fabric.switch.ecn-kmax', 'fabric.switch.alpha', 'fabric.switch.headroom',"
               " 'fabric.switch.xon-offset') ORDER BY path LIMIT ?1",
               out);
}

/* Per port a list of numbers: of a counter's name, and its value. */
static void write_counters(const struct page *page, FILE *out)
{
    struct store_statement *rows = store_prepare(
        page->store,
        "WITH names AS (SELECT name, row_number() OVER (ORDER BY name)-1 AS number FROM"
        " (SELECT DISTINCT name FROM counter WHERE port IS NOT NULL))"
        " SELECT i, number, value FROM (" COUNTERS ") JOIN names USING(name) ORDER BY i, number");
    int64_t last = -1;
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(COUNTERS_MAX));
    fputs(",\n\"counters\":{", out);
    while (store_step(rows)) {
        const int64_t port = store_int(rows, "i");
        if (port != last)
            fprintf(out, "%s\"%" PRId64 "\":[", last < 0 ? "" : "],", port);
        fprintf(out, "%s%" PRId64 ",%" PRId64, port != last ? "" : ",", store_int(rows, "number"),
                store_int(rows, "value"));
        last = port;
    }
    fputs(last < 0 ? "}" : "]}", out);
    store_finish(rows);
}

static bool write_fabric(const void *self, FILE *out)
{
    const struct page *page = self;
    struct replay replay = {.page = page};
    struct store_statement *rows =
        store_prepare(page->store, "SELECT name, kind='host' AS host FROM node ORDER BY node");
    fprintf(
        out,
        "{\"flow\":{\"credits\":%s,\"many\":\"%s\",\"one\":\"%s\",\"was\":\"%s\"},\n\"nodes\":[",
        page->flow->credits ? "true" : "false", page->flow->many, page->flow->one, page->flow->was);
    for (bool any = false; store_step(rows); any = true) {
        fputs(any ? "," : "", out);
        write_row(rows, 2, out);
    }
    fputc(']', out);
    store_finish(rows);
    write_lists(page, out);
    write_counters(page, out);
    if (page_topology_is_large(page))
        page_pods_data(page, out);
    read_frames(&replay);
    if (replay.frames > 0) {
        read_times(&replay);
        read_cells(&replay);
        find_scales(&replay);
    }
    write_replay(&replay, out);
    fputs("}\n", out);
    free(replay.cells);
    free(replay.until);
    return store_error(page->store) == NULL;
}

/* The numbers that fabric.js uses for a link and a node. */
void page_fabric_link(const struct page *page, int64_t a, int64_t b)
{
    if (page->side == 0)
        fprintf(page->out, " data-ends=\"%" PRId64 " %" PRId64 "\"", a, b);
}

void page_fabric_node(const struct page *page, int64_t node)
{
    if (page->side == 0)
        fprintf(page->out, " data-node=\"%" PRId64 "\"", node);
}

void page_fabric(const struct page *page)
{
    if (page->side == 0)
        page_data(page->out, "fabric", write_fabric, page);
}
