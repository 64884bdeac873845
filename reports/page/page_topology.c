/* SPDX-License-Identifier: Apache-2.0
 * page_topology - the fabric as SVG, colored by the pause time of its ports.
 * One row per tier, with hosts at the bottom in the order of their switches; switches of one tier
 * that are linked to each other are in a ring, since a row would hide these links. Larger fabrics
 * are drawn as pods (page_pods.c). */
#include "base/memory.h"
#include "base/printable.h"
#include "replay/database/words.h"
#include "replay/explain/account.h"
#include "reports/draw/picture_style.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 640, /* about the pixels that the drawing has, so that names stay readable */
    ROW = 84,
    TOP = 30,
    BOTTOM = 70,  /* room for the names of hosts, up to 9 letters */
    BOTTOM_LEVEL = 36,
    RING_MIN = 3, /* switches */
    RING_X = 120, /* radii of the ellipses of switches and hosts */
    RING_Y = 52,
    RING_HOSTS_X = 215,
    RING_HOSTS_Y = 100,
    HOSTS_DRAWN = 256,
    SWITCHES_DRAWN = 100,
    HOST_SIZE_MAX = 18,
    NAMED_HOSTS = 40,
    HOST_LETTERS = 12,
    LETTER_WIDTH = 11, /* of the letters of hosts on a narrow screen */
    NAME_LEAST = 4,    /* letters of a shortened name of a switch */
    NAME_MOST = 64,
    SWITCH_WIDTH = 76,
    LETTERS_MIN = 7, /* letter height */
    LETTERS_MAX = 13,
    LETTERS_NARROW = 22,
    HOSTS_NARROW = 8, /* named on a narrow screen, if no name is longer than */
    LETTERS_FEW = 6,
    TIERS_MAX = 16,
    NODES_MAX = 1 << 20 /* limit, because the database is untrusted */
};

struct spot {
    int x, y, width;
    bool shown;
};

struct map {
    struct spot *spots; /* by node */
    int64_t nodes;
    int tiers; /* number of switch tiers */
    bool ring;
    int height;
    int hosts;
    int host_size;
    int letters; /* of the longest name of a host that is written */
};

static struct spot spot_of(const struct map *map, int64_t node)
{
    return node >= 0 && node < map->nodes ? map->spots[node] : (struct spot){0};
}

static void put_spot(struct map *map, int64_t node, struct spot spot)
{
    if (node >= 0 && node < map->nodes)
        map->spots[node] = spot;
}

static int row_y(const struct map *map, int64_t tier)
{
    return TOP + ROW * (int)(map->tiers - tier);
}

static int switch_width(int64_t beside_each_other)
{
    const int64_t room = WIDTH / beside_each_other * 9 / 10;
    return (int)(room > SWITCH_WIDTH ? SWITCH_WIDTH : room < 3 ? 3 : room);
}

/* Hosts are tier 0; switches with an unknown tier are in tier 1. */
static void place_tier(const struct page *page, struct map *map, int tier)
{
    struct store_statement *rows = store_prepare(
        page->store, "SELECT node, count(*) OVER () AS of_tier FROM node WHERE kind='switch'"
                     " AND max(tier, 1)=? ORDER BY node");
    store_bind(rows, 1, STORE_I(tier));
    for (int64_t i = 0; store_step(rows); i++)
        put_spot(map, store_int(rows, "node"),
                 (struct spot){.x = (int)((2 * i + 1) * WIDTH / (2 * store_int(rows, "of_tier"))),
                               .y = row_y(map, tier),
                               .width = switch_width(store_int(rows, "of_tier")),
                               .shown = true});
    store_finish(rows);
}

static void place_hosts(const struct page *page, struct map *map)
{
    struct store_statement *rows = store_prepare(
        page->store, "SELECT n.node, min(p.peer_node) AS at FROM node n JOIN port p USING(node)"
                     " WHERE n.kind='host' GROUP BY n.node ORDER BY at, n.node");
    for (int64_t i = 0; store_step(rows); i++)
        put_spot(map, store_int(rows, "node"),
                 (struct spot){.x = (int)((2 * i + 1) * WIDTH / (2 * map->hosts)),
                               .y = row_y(map, 0),
                               .shown = true});
    store_finish(rows);
}

/* ------------------------------------------------------------------ rings */

static const double pi = 3.14159265358979323846;

/* Whether all switches are of one tier, and each is linked to at least two others. */
static bool is_ring(const struct page *page)
{
    return store_ask_int(page->store, "SELECT max(max(tier, 1)) FROM node WHERE kind='switch'",
                         0) == 1 &&
           store_ask_int(page->store, "SELECT count(*) FROM node WHERE kind='switch'", 0) >=
               RING_MIN &&
           store_ask_int(page->store,
                         "SELECT count(*) FROM node n WHERE kind='switch' AND (SELECT"
                         " count(DISTINCT p.peer_node) FROM port p JOIN node m"
                         " ON m.node=p.peer_node WHERE p.node=n.node AND m.kind='switch'"
                         " AND m.node<>n.node)<2",
                         0) == 0;
}

static struct spot ring_spot(double angle, int radius_x, int radius_y)
{
    return (struct spot){.x = (int)lround(WIDTH / 2 + radius_x * cos(angle)),
                         .y = (int)lround(TOP + RING_HOSTS_Y + radius_y * sin(angle)),
                         .shown = true};
}

/* The first switch without a place among those of a query, or -1. */
static int64_t next_of(const struct page *page, const struct map *map, const char *sql,
                       int64_t node)
{
    struct store_statement *rows = store_prepare(page->store, sql);
    int64_t found = -1;
    store_bind(rows, 1, STORE_I(node));
    while (found < 0 && store_step(rows))
        if (!spot_of(map, store_int(rows, "node")).shown)
            found = store_int(rows, "node");
    store_finish(rows);
    return found;
}

/* Along the links, clockwise from the top. */
static void place_ring(const struct page *page, struct map *map)
{
    const int64_t all =
        store_ask_int(page->store, "SELECT count(*) FROM node WHERE kind='switch'", 0);
    const int width = switch_width(all * 2 / 3);
    int64_t node = -1;
    for (int64_t i = 0; i < all; i++) {
        struct spot spot = ring_spot(2 * pi * (double)i / (double)all - pi / 2, RING_X, RING_Y);
        node = next_of(page, map,
                       "SELECT DISTINCT m.node FROM port p JOIN node m ON m.node=p.peer_node"
                       " WHERE p.node=?1 AND m.kind='switch' ORDER BY m.node",
                       node);
        if (node < 0)
            node = next_of(page, map,
                           "SELECT node FROM node WHERE kind='switch' AND ?1=?1 ORDER BY node", 0);
        spot.width = width;
        put_spot(map, node, spot);
    }
}

/* Outside their switch. */
static void place_ring_hosts(const struct page *page, struct map *map)
{
    const int64_t all =
        store_ask_int(page->store, "SELECT count(*) FROM node WHERE kind='switch'", 0);
    struct store_statement *rows = store_prepare(
        page->store, "SELECT node, at, row_number() OVER (PARTITION BY at ORDER BY node) AS place,"
                     " count(*) OVER (PARTITION BY at) AS many FROM (SELECT n.node,"
                     " min(p.peer_node) AS at FROM node n JOIN port p USING(node)"
                     " WHERE n.kind='host' GROUP BY n.node) ORDER BY at, node");
    while (store_step(rows)) {
        const struct spot at = spot_of(map, store_int(rows, "at"));
        const double middle = atan2((double)(at.y - TOP - RING_HOSTS_Y) / RING_Y,
                                    (double)(at.x - WIDTH / 2) / RING_X);
        const double part =
            ((double)store_int(rows, "place") - 0.5) / (double)store_int(rows, "many") - 0.5;
        put_spot(map, store_int(rows, "node"),
                 ring_spot(middle + part * 0.8 * 2 * pi / (double)all, RING_HOSTS_X, RING_HOSTS_Y));
    }
    store_finish(rows);
}

static int longest_name(const struct page *page)
{
    return (int)store_ask_int(page->store,
                              "SELECT max(min(length(name), 12)) FROM node WHERE kind='host'", 0);
}

/* Whether names fit side by side, on a narrow screen with larger letters, too. */
static bool is_level(const struct map *map)
{
    return map->hosts > 0 && WIDTH / map->hosts >= LETTER_WIDTH * (map->letters + 1);
}

/* Slanted names need more room below the hosts, long ones most. */
static int room_for_names(const struct map *map)
{
    if (is_level(map))
        return BOTTOM_LEVEL;
    return map->letters > 9 ? 20 + 6 * map->letters : BOTTOM;
}

static void make_map(const struct page *page, struct map *map)
{
    map->nodes = store_ask_int(page->store, "SELECT max(node)+1 FROM node", 0);
    map->nodes = map->nodes < 0 ? 0 : map->nodes > NODES_MAX ? NODES_MAX : map->nodes;
    map->spots = memory_zeroed((size_t)map->nodes, sizeof *map->spots);
    map->tiers = (int)store_ask_int(page->store,
                                    "SELECT max(max(tier, 1)) FROM node WHERE kind='switch'", 0);
    map->tiers = map->tiers < 0 ? 0 : map->tiers > TIERS_MAX ? TIERS_MAX : map->tiers;
    map->hosts = (int)store_ask_int(page->store, "SELECT count(*) FROM node WHERE kind='host'", 0);
    map->host_size = map->hosts == 0 ? 0 : WIDTH * 7 / 10 / map->hosts;
    if (map->host_size > HOST_SIZE_MAX)
        map->host_size = HOST_SIZE_MAX;
    map->ring = is_ring(page);
    map->letters = longest_name(page);
    map->height = map->ring ? 2 * (TOP + RING_HOSTS_Y) : row_y(map, 0) + room_for_names(map);
    if (map->ring) {
        place_ring(page, map);
        place_ring_hosts(page, map);
        return;
    }
    for (int tier = 1; tier <= map->tiers; tier++)
        place_tier(page, map, tier);
    place_hosts(page, map);
}

void page_put_held(const struct page *page, const char *name, int64_t held)
{
    if (page->counts == NULL)
        page_put(page->out, "%s %s for %s", name, page->flow->held, words_time(held).text);
    else
        page_put(page->out, "%s: %s %s", name, words_count(held).text, page->counts->words);
}

/* Links of suspects of an incident are marked, too: their roots have a port. */
static void draw_links(const struct page *page, const struct map *map)
{
    struct store_statement *rows = store_prepare(
        page->store, PAGE_NUMBERED
        ", held AS (SELECT node, port, max(value) AS ps FROM " PAGE_BLOCKED " GROUP BY node, port)"
        " SELECT a_node, b_node, p.i AS a_i, q.i AS b_i, l.name, coalesce(a.ps, 0) AS a_ps, "
        "coalesce(b.ps, 0) AS b_ps,"
        " p.name AS a_name, q.name AS b_name, p.rate_bps, EXISTS(SELECT 1 FROM pause_root r WHERE"
        " (r.node=a_node AND r.port=a_port) OR (r.node=b_node AND r.port=b_port)) AS is_root"
        " FROM link l"
        " JOIN p ON p.node=a_node AND p.port=a_port"
        " JOIN p q ON q.node=b_node AND q.port=b_port"
        " LEFT JOIN held a ON a.node=a_node AND a.port=a_port"
        " LEFT JOIN held b ON b.node=b_node AND b.port=b_port"
        " ORDER BY max(coalesce(a.ps, 0), coalesce(b.ps, 0)), l.link");
    while (store_step(rows)) {
        const struct spot a = spot_of(map, store_int(rows, "a_node")),
                          b = spot_of(map, store_int(rows, "b_node"));
        const time_ps a_ps = store_int(rows, "a_ps"), b_ps = store_int(rows, "b_ps");
        if (!a.shown || !b.shown)
            continue;
        fprintf(page->out, "<line class=\"h%d%s\"",
                page_heat(a_ps > b_ps ? a_ps : b_ps, page->span),
                page->counts != NULL && store_int(rows, "is_root") != 0 ? " root" : "");
        page_fabric_link(page, store_int(rows, "a_i"), store_int(rows, "b_i"));
        fprintf(page->out, " x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"><title>", a.x, a.y, b.x, b.y);
        page_put(page->out, "%s, %s\n", store_text(rows, "name"),
                 words_rate((double)store_int(rows, "rate_bps")).text);
        page_put_held(page, store_text(rows, "a_name"), a_ps);
        fputc('\n', page->out);
        page_put_held(page, store_text(rows, "b_name"), b_ps);
        fputs("</title></line>\n", page->out);
    }
    store_finish(rows);
}

/* The height with which so many letters fit into a width. */
static int letters_that_fit(int letters, int width, int most)
{
    const int fits = width * 7 / (letters * 5);
    return fits > most ? most : fits;
}

/* The number of smallest letters that fit into a width. */
static int room_for_letters(int width)
{
    const int room = width * 7 / (LETTERS_MIN * 5);
    return room > NAME_MOST ? NAME_MOST : room;
}

/* A name of more letters ends with an ellipsis. A letter may have several bytes. */
static void write_start(const struct page *page, const char *name, int letters)
{
    char start[NAME_MOST * 4 + 1];
    size_t length = 0, cut = 0;
    for (int i = 0; i < letters && name[length] != '\0'; i++) {
        uint32_t code;
        const size_t bytes = printable_utf8(name + length, &code);
        cut = length;
        length += bytes == 0 ? 1 : bytes;
    }
    const bool whole = name[length] == '\0';
    memcpy(start, name, length);
    start[whole ? length : cut] = '\0';
    page_text(page->out, start);
    fputs(whole ? "" : "&hellip;", page->out);
}

/* On a narrow screen the drawing has half its size, and names are as large as their boxes allow. */
void page_topology_name(const struct page *page, const char *class, int x, int y, int width,
                        const char *name)
{
    const int all = (int)strlen(name), room = room_for_letters(width);
    const int letters = all < room ? all : room;
    if (letters == 0 || (letters < all && letters < NAME_LEAST))
        return;
    fprintf(page->out, "<text%s x=\"%d\" y=\"%d\" style=\"--size:%dpx;--narrow:%dpx\">", class, x,
            y, letters_that_fit(letters, width, LETTERS_MAX),
            letters_that_fit(letters, width, LETTERS_NARROW));
    write_start(page, name, letters);
    fputs("</text>", page->out);
}

static void draw_switch(const struct page *page, const struct map *map,
                        const struct store_statement *row)
{
    const struct spot at = spot_of(map, store_int(row, "node"));
    const time_ps held = store_int(row, "held_ps");
    fprintf(page->out,
            " class=\"switch%s\"><rect class=\"h%d\" x=\"%d\" y=\"%d\" width=\"%d\""
            " height=\"28\" rx=\"6\"/>",
            store_int(row, "is_root") != 0 ? " root" : "", page_heat(held, page->span),
            at.x - at.width / 2, at.y - 14, at.width);
    page_topology_name(page, "", at.x, at.y + 5, at.width, store_text(row, "name"));
    fputs("<title>", page->out);
    if (page->counts == NULL)
        page_put(page->out, "%s: its %s port %s for %s", store_text(row, "name"), page->flow->most,
                 page->flow->was, words_time(held).text);
    else
        page_put_held(page, store_text(row, "name"), held);
    fputs("</title></g>\n", page->out);
}

static void draw_host(const struct page *page, const struct map *map,
                      const struct store_statement *row)
{
    const struct spot at = spot_of(map, store_int(row, "node"));
    const int size = map->host_size < 2 ? 2 : map->host_size;
    const time_ps held = store_int(row, "held_ps"), caused = store_int(row, "caused_ps");
    fprintf(page->out,
            " class=\"host%s%s\"><rect class=\"h%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\""
            " rx=\"3\"/>",
            store_int(row, "is_root") != 0 ? " root" : "",
            map->hosts <= HOSTS_NARROW && map->letters <= LETTERS_FEW ? " few" : "",
            page_heat(held, page->span), at.x - size / 2, at.y - size / 2, size, size);
    if (map->hosts <= NAMED_HOSTS) {
        const int away = at.x < WIDTH / 2 ? -1 : 1;
        if (map->ring)
            fprintf(page->out, "<text x=\"%d\" y=\"%d\"%s>", at.x + away * (size / 2 + 4), at.y + 4,
                    away < 0 ? " text-anchor=\"end\"" : "");
        else if (is_level(map))
            fprintf(page->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", at.x,
                    at.y + size / 2 + 16);
        else
            fprintf(page->out, "<text transform=\"translate(%d %d) rotate(60)\">", at.x - 3,
                    at.y + size / 2 + 9);
        write_start(page, store_text(row, "name"), HOST_LETTERS);
        fputs("</text>", page->out);
    }
    fputs("<title>", page->out);
    if (page->counts != NULL)
        page_put_held(page, store_text(row, "name"), held);
    else
        page_put(page->out,
                 page->flow->credits ? "%s: %s for %s; its switch waited for its credits for %s"
                                     : "%s: %s for %s, paused its switch for %s",
                 store_text(row, "name"), page->flow->held, words_time(held).text,
                 words_time(caused).text);
    fputs("</title></g>\n", page->out);
}

static void draw_nodes(const struct page *page, const struct map *map)
{
    struct store_statement *rows = store_prepare(
        page->store,
        "WITH held AS (SELECT node, port, max(value) AS ps FROM " PAGE_BLOCKED
        " GROUP BY node, port)"
        " SELECT n.node, n.name, coalesce(max(h.ps), 0) AS held_ps,"
        " EXISTS(SELECT 1 FROM pause_root r WHERE r.position<?1 AND r.node=n.node) AS is_root,"
        " coalesce(max(o.ps), 0) AS caused_ps, n.kind='host' AS is_host"
        " FROM node n LEFT JOIN port p USING(node) LEFT JOIN held h ON h.node=p.node AND"
        " h.port=p.port LEFT JOIN held o ON o.node=p.peer_node AND o.port=p.peer_port"
        " GROUP BY n.node ORDER BY n.node");
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(account_causes(page->store)));
    for (int64_t i = 0; store_step(rows); i++) {
        if (!spot_of(map, store_int(rows, "node")).shown)
            continue;
        fputs("<g", page->out);
        page_fabric_node(page, i);
        if (store_int(rows, "is_host") != 0)
            draw_host(page, map, rows);
        else
            draw_switch(page, map, rows);
    }
    store_finish(rows);
}

bool page_topology_is_large(const struct page *page)
{
    return store_ask_int(page->store, "SELECT count(*) FROM node WHERE kind='host'", 0) >
               HOSTS_DRAWN ||
           store_ask_int(page->store, "SELECT count(*) FROM node WHERE kind='switch'", 0) >
               SWITCHES_DRAWN;
}

void page_topology_legend(const struct page *page)
{
    fprintf(page->out, "<p class=\"legend\">%s: ",
            page->counts == NULL ? page->flow->held : "share of the largest count");
    for (int i = 0; i < PICTURE_HEATS; i++)
        fprintf(page->out, "<span><i class=\"h%d\"></i>%s</span>", i,
                i == 0 && page->counts != NULL ? "none" : picture_heat_words(i));
    fprintf(page->out, "<span><i class=\"root\"></i>%s</span></p>\n",
            page->counts == NULL ? "root cause" : "suspect");
}

void page_topology_drawing(const struct page *page)
{
    struct map map = {0};
    if (page_topology_is_large(page)) {
        page_pods_drawing(page);
        return;
    }
    make_map(page, &map);
    fprintf(page->out,
            "<div class=\"wide\"><svg class=\"topology\" viewBox=\"-10 0 %d %d\" role=\"img\""
            " aria-label=\"topology\">\n",
            WIDTH + 40, map.height);
    draw_links(page, &map);
    draw_nodes(page, &map);
    fputs("</svg></div>\n", page->out);
    free(map.spots);
}

void page_topology(const struct page *page)
{
    char about[256];
    snprintf(about, sizeof about,
             page_topology_is_large(page)
                 ? "Color: %s of the %s port of each pod, and at its top of its "
                   "links to other switches. Click a pod, or search for a host."
                 : "Color: %s of the %s end of a link. Click a link or a node.",
             page->flow->time,
             page_topology_is_large(page) || page->flow->credits ? page->flow->most
                                                                 : "more paused");
    page_section(page, "topology", "Topology", about);
    page_topology_drawing(page);
    page_topology_legend(page);
    page_fabric(page);
    page_section_end(page);
}
