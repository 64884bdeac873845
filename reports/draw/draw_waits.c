/* SPDX-License-Identifier: Apache-2.0
 * draw_waits - which queues wait for each other in a deadlock.
 * The cycle is drawn as detected; other waiting queues point to the queues of the node that blocks
 * them. */
#include "replay/database/flow_words.h"
#include "replay/database/words.h"
#include "reports/draw/draw.h"
#include "reports/draw/picture.h"

#include <inttypes.h>
#include <string.h>

enum { DEADLOCKS_MAX = 8, QUEUES_MAX = 120, NAME_BYTES = 64, TEXT_BYTES = 400 };

static void queue_name(int64_t deadlock, int64_t position, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "deadlock %" PRId64 " queue %" PRId64, deadlock, position);
}

static struct store_statement *queues_of(struct store *store, int64_t deadlock)
{
    struct store_statement *rows = store_prepare(
        store,
        "SELECT position, role, name, priority, bytes, since_ps FROM deadlock_queue"
        " JOIN port p USING(node, port) WHERE deadlock=?1 AND position<?2 ORDER BY position");
    if (rows != NULL) {
        store_bind(rows, 1, STORE_I(deadlock));
        store_bind(rows, 2, STORE_I(QUEUES_MAX));
    }
    return rows;
}

static void draw_queue(struct picture *picture, const struct flow_words *flow, int64_t deadlock,
                       struct store_statement *row)
{
    char name[NAME_BYTES], label[TEXT_BYTES], hint[TEXT_BYTES];
    const char *role = store_text(row, "role");
    queue_name(deadlock, store_int(row, "position"), name);
    snprintf(label, sizeof label, "%s priority %" PRId64 "%s%s%s", store_text(row, "name"),
             store_int(row, "priority"), store_int(row, "bytes") > 0 ? "\n" : "",
             store_int(row, "bytes") > 0 ? words_bytes(store_int(row, "bytes")).text : "",
             store_int(row, "bytes") > 0 ? " waiting" : "");
    snprintf(hint, sizeof hint, "%s: %s, %s since %s", store_text(row, "name"), role, flow->held,
             words_time(store_int(row, "since_ps")).text);
    picture_node(picture, &(struct picture_node){
                              .name = name,
                              .label = label,
                              .hint = hint,
                              .style = strcmp(role, "cycle") == 0  ? "heat5"
                                       : strcmp(role, "knot") == 0 ? "heat3"
                                                                   : "heat1",
                              .bold = strcmp(role, "cycle") == 0,
                          });
}

/* The edges of the cycle, then those of queues that wait for one of its queues. */
static void draw_lines(struct picture *picture, struct store *store, int64_t deadlock)
{
    struct store_statement *rows = store_prepare(
        store,
        "WITH q AS (SELECT d.*, p.peer_node, coalesce(lead(position) OVER (ORDER BY position),"
        "   min(position) OVER ()) AS next"
        "   FROM deadlock_queue d JOIN port p USING(node, port)"
        "   WHERE deadlock=?1 AND position<?2 AND role='cycle'),"
        " o AS (SELECT d.*, p.peer_node FROM deadlock_queue d JOIN port p USING(node, port)"
        "   WHERE deadlock=?1 AND position<?2)"
        " SELECT position, next, 'heat5' AS style FROM q UNION ALL"
        " SELECT o.position, w.position, 'heat2' FROM o JOIN o w"
        "   ON w.node=o.peer_node AND w.priority=o.priority WHERE o.role<>'cycle'"
        " ORDER BY 1, 2");
    char from[NAME_BYTES], to[NAME_BYTES];
    if (rows != NULL) {
        store_bind(rows, 1, STORE_I(deadlock));
        store_bind(rows, 2, STORE_I(QUEUES_MAX));
    }
    while (store_step(rows)) {
        const bool circle = strcmp(store_text(rows, "style"), "heat5") == 0;
        queue_name(deadlock, store_int(rows, "position"), from);
        queue_name(deadlock, store_int(rows, "next"), to);
        picture_edge(picture, &(struct picture_edge){.from = from,
                                                     .to = to,
                                                     .style = circle ? "heat5" : "heat2",
                                                     .hint = "waits for",
                                                     .width = circle ? 2.5 : 1,
                                                     .arrow = true});
    }
    store_finish(rows);
}

static bool draw(struct store *store, const char *format, FILE *out, char why[DRAW_WHY_BYTES])
{
    char title[TEXT_BYTES] = "";
    store_ask_text(store, "SELECT text FROM deadlock ORDER BY deadlock LIMIT 1", title,
                   sizeof title);
    if (store_error(store) != NULL || title[0] == '\0') {
        snprintf(why, DRAW_WHY_BYTES, "%.200s",
                 store_error(store) != NULL ? store_error(store) : "this run had no deadlock");
        return false;
    }
    /* In two lines, since a drawing is as wide as its title. */
    char *gap = strstr(title, "), ");
    if (gap != NULL) {
        gap[1] = '\n';
        memmove(gap + 2, gap + 3, strlen(gap + 3) + 1);
    }
    struct picture *picture = picture_begin(PICTURE_CIRCLE, title);
    struct store_statement *deadlocks =
        store_prepare(store, "SELECT deadlock, text FROM deadlock ORDER BY deadlock LIMIT ?1");
    if (deadlocks != NULL)
        store_bind(deadlocks, 1, STORE_I(DEADLOCKS_MAX));
    while (store_step(deadlocks)) {
        const int64_t deadlock = store_int(deadlocks, "deadlock");
        struct store_statement *rows = queues_of(store, deadlock);
        while (store_step(rows))
            draw_queue(picture, flow_words(store), deadlock, rows);
        store_finish(rows);
        draw_lines(picture, store, deadlock);
    }
    store_finish(deadlocks);
    const bool well = store_error(store) == NULL && picture_write(picture, format, out);
    picture_free(picture);
    return well;
}

const struct draw_view draw_waits = {
    .name = "waits",
    .draw = draw,
};
