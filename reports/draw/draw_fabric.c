/* SPDX-License-Identifier: Apache-2.0
 * draw_fabric - boxes, links, the most paused ports, and a legend. */
#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/flow_words.h"
#include "replay/database/words.h"
#include "reports/draw/draw.h"
#include "reports/draw/fabric_map.h"
#include "reports/draw/picture.h"
#include "reports/draw/picture_style.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 2 * FABRIC_NAME_BYTES + 8, HINT_BYTES = 512, HOT_MAX = 8, RATES_MAX = 6 };
enum { LINES_MANY = 44, LINES_CROWD = 160, TIME_WIDTH = 42, TIME_HEIGHT = 11, SWITCH_HEAD = 20 };

struct drawn {
    const struct fabric_map *map;
    struct picture *picture;
    int64_t rates[RATES_MAX]; /* distinct rates, ascending */
    uint32_t rate_count;
    const struct flow_words *flow;
};

static double part(const struct fabric_map *map, int64_t held_ps)
{
    return map->span_ps <= 0 ? 0 : (double)held_ps / (double)map->span_ps;
}

/* "leaf0", or "leaf0..leaf9": unique, because each node is the first of at most one box. */
static void box_name(const struct fabric_map *map, const struct fabric_box *box,
                     char text[NAME_BYTES])
{
    if (box->members == 1)
        snprintf(text, NAME_BYTES, "%s", map->nodes[box->first].name);
    else
        snprintf(text, NAME_BYTES, "%s..%s", map->nodes[box->first].name,
                 map->nodes[box->last].name);
}

/* Up to 25 Gb/s a hairline; each doubling is thicker. All lines are thinner in a large fabric. */
static double line_width(const struct fabric_map *map, int64_t rate_bps)
{
    const double doublings = log2((double)rate_bps / 25e9);
    const double crowd = map->line_count > LINES_CROWD  ? 0.5
                         : map->line_count > LINES_MANY ? 0.7
                                                        : 1;
    return crowd * (0.8 + (doublings > 0 ? 0.55 * doublings : 0));
}

static void note_rate(struct drawn *drawn, int64_t rate_bps)
{
    uint32_t i = 0;
    while (i < drawn->rate_count && drawn->rates[i] < rate_bps)
        i++;
    if ((i < drawn->rate_count && drawn->rates[i] == rate_bps) || drawn->rate_count == RATES_MAX)
        return;
    memmove(&drawn->rates[i + 1], &drawn->rates[i],
            (drawn->rate_count++ - i) * sizeof drawn->rates[0]);
    drawn->rates[i] = rate_bps;
}

static void draw_box(const struct drawn *drawn, const struct fabric_box *box)
{
    const struct fabric_map *map = drawn->map;
    char name[NAME_BYTES], label[NAME_BYTES + 40], hint[HINT_BYTES];
    const char *kind = box->row == 0 ? "host" : "switch";
    box_name(map, box, name);
    if (box->members == 1)
        snprintf(label, sizeof label, "%s", name);
    else
        snprintf(label, sizeof label, "%" PRIu32 " %s\n%s", box->members,
                 box->row == 0 ? "hosts" : "switches", name);
    const struct words held = words_time(box->held_ps);
    char words[64];
    snprintf(words, sizeof words, ": port %s for ", drawn->flow->held);
    snprintf(hint, sizeof hint, "%s%s%s%s%s", name, box->root ? ": root cause" : "",
             box->held_ps > 0 ? words : "", box->held_ps > 0 ? held.text : "",
             box->links_inside > 0 ? " (links among these are not drawn)" : "");
    picture_node(drawn->picture,
                 &(struct picture_node){
                     .name = name,
                     .label = label,
                     .hint = hint,
                     .style = box->root          ? "root"
                              : map->span_ps > 0 ? picture_heat(part(map, box->held_ps))
                                                 : kind,
                     .bold = box->root,
                     .x = box->x,
                     .y = box->y,
                     .width = box->width,
                     .height = box->height,
                     .font = box->row == 0 && box->members == 1 ? 8
                             : box->members > 1                 ? 7.5
                                                                : 11,
                 });
}

/* From the bottom of the upper box to the top of the lower one; within a row, above the boxes. */
static void bend_line(const struct fabric_box *from, const struct fabric_box *to, double bend[8])
{
    const bool level = from->row == to->row;
    const bool down = from->row > to->row;
    const double begin = from->y + (down && !level ? from->height : -from->height) / 2;
    const double end = to->y + (down || level ? -to->height : to->height) / 2;
    const double over = level ? 14 + fabs(to->x - from->x) / 6 : 0;
    const double slack = (end - begin) / 4;
    const double points[8] = {from->x,
                              begin,
                              from->x + (to->x - from->x) / 8,
                              level ? begin - over : begin + slack,
                              to->x - (to->x - from->x) / 8,
                              level ? end - over : end - slack,
                              to->x,
                              end};
    memcpy(bend, points, sizeof points);
}

/* The point at parameter t of the curve. */
static void point_on(const double bend[8], double t, double *x, double *y)
{
    const double u = 1 - t, w[4] = {u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
    *x = *y = 0;
    for (int i = 0; i < 4; i++) {
        *x += w[i] * bend[2 * i];
        *y += w[i] * bend[2 * i + 1];
    }
}

static void line_hint(const struct flow_words *flow, const struct fabric_line *line, const char *a,
                      const char *b, char hint[HINT_BYTES])
{
    int used = snprintf(hint, HINT_BYTES, "%s - %s: ", a, b);
    if (line->links > 1)
        used += snprintf(hint + used, (size_t)(HINT_BYTES - used), "%" PRIu32 " x ", line->links);
    used += snprintf(hint + used, (size_t)(HINT_BYTES - used), "%s",
                     words_rate((double)line->rate_bps).text);
    for (int end = 0; end < 2; end++) {
        if (line->held_ps[end] <= 0)
            continue;
        used += snprintf(hint + used, (size_t)(HINT_BYTES - used), "; %s %s for %s",
                         line->held_at[end], flow->held, words_time(line->held_ps[end]).text);
    }
}

static const char *line_heat(const struct fabric_map *map, const struct fabric_line *line)
{
    const int end = line->held_ps[1] > line->held_ps[0];
    return picture_heat(part(map, line->held_ps[end]));
}

static void draw_line(struct drawn *drawn, const struct fabric_line *line)
{
    const struct fabric_map *map = drawn->map;
    char a[NAME_BYTES], b[NAME_BYTES], hint[HINT_BYTES];
    box_name(map, &map->boxes[line->a], a);
    box_name(map, &map->boxes[line->b], b);
    line_hint(drawn->flow, line, a, b, hint);
    struct picture_edge edge = {
        .from = a,
        .to = b,
        .hint = hint,
        .style = map->span_ps > 0 ? line_heat(map, line) : "dim",
        .width = line_width(map, line->rate_bps),
    };
    bend_line(&map->boxes[line->a], &map->boxes[line->b], edge.bend);
    picture_edge(drawn->picture, &edge);
    note_rate(drawn, line->rate_bps);
}

/* Hotter lines are drawn over colder ones. */
static void draw_lines(struct drawn *drawn)
{
    const struct fabric_map *map = drawn->map;
    for (int heat = 0; heat < PICTURE_HEATS; heat++)
        for (uint32_t i = 0; i < map->line_count; i++)
            if (strcmp(line_heat(map, &map->lines[i]), picture_heat_class(heat)) == 0)
                draw_line(drawn, &map->lines[i]);
}

static void draw_text(const struct drawn *drawn, const char *name, const char *label,
                      const char *style, double x, double y, double font)
{
    const double width = 0.58 * font * (double)strlen(label) + 4; /* approximate text width */
    picture_node(drawn->picture, &(struct picture_node){.name = name,
                                                        .label = label,
                                                        .style = style,
                                                        .shape = PICTURE_TEXT,
                                                        .left = true,
                                                        .x = x + width / 2,
                                                        .y = y,
                                                        .width = width,
                                                        .height = font * 1.5,
                                                        .font = font});
}

/* A position for a label near the transmitter's end of its line that does not overlap earlier
 * labels. */
static void find_free(const double bend[8], int end, double (*taken)[2], int count, double *x,
                      double *y)
{
    static const double tries[] = {0.36, 0.28, 0.44, 0.2, 0.5};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        bool free_here = true;
        point_on(bend, end == 0 ? tries[i] : 1 - tries[i], x, y);
        for (int j = 0; j < count; j++)
            free_here &=
                fabs(*x - taken[j][0]) > TIME_WIDTH || fabs(*y - taken[j][1]) > TIME_HEIGHT;
        if (free_here)
            break;
    }
    taken[count][0] = *x;
    taken[count][1] = *y;
}

/* Labels the most paused transmitters with their times. */
static void draw_hottest(const struct drawn *drawn)
{
    const struct fabric_map *map = drawn->map;
    double taken[HOT_MAX][2];
    bool *said = memory_zeroed((size_t)map->line_count * 2, sizeof *said);
    for (int n = 0; n < HOT_MAX; n++) {
        uint32_t hottest = FABRIC_NONE;
        int64_t most = 0;
        for (uint32_t i = 0; i < 2 * map->line_count; i++)
            if (!said[i] && map->lines[i / 2].held_ps[i % 2] > most) {
                most = map->lines[i / 2].held_ps[i % 2];
                hottest = i;
            }
        if (hottest == FABRIC_NONE || part(map, most) < 0.001)
            break;
        said[hottest] = true;
        const struct fabric_line *line = &map->lines[hottest / 2];
        const int end = (int)(hottest % 2);
        double bend[8], x, y;
        bend_line(&map->boxes[line->a], &map->boxes[line->b], bend);
        find_free(bend, end, taken, n, &x, &y);
        char name[NAME_BYTES];
        const struct words label = words_time(most);
        snprintf(name, sizeof name, "%s stopped", line->held_at[end]);
        picture_node(drawn->picture, &(struct picture_node){.name = name,
                                                            .label = label.text,
                                                            .style = "paper",
                                                            .x = x,
                                                            .y = y,
                                                            .width = TIME_WIDTH,
                                                            .height = TIME_HEIGHT,
                                                            .font = 8.5,
                                                            .bold = true});
    }
    free(said);
}

static void draw_swatch(const struct drawn *drawn, int number, const char *style, const char *words,
                        double x, double y)
{
    char name[32], label[80];
    snprintf(name, sizeof name, "legend%d", number);
    picture_node(drawn->picture, &(struct picture_node){.name = name,
                                                        .label = "",
                                                        .hint = words,
                                                        .style = style,
                                                        .x = x + 12,
                                                        .y = y,
                                                        .width = 24,
                                                        .height = 12});
    snprintf(name, sizeof name, "words%d", number);
    snprintf(label, sizeof label, "%s", words);
    draw_text(drawn, name, label, "plain", x + 32, y, 9);
}

static double draw_rates(const struct drawn *drawn, double x, double y)
{
    for (uint32_t i = 0; i < drawn->rate_count; i++, y += 17) {
        char from[32], to[32], words[32];
        snprintf(from, sizeof from, "rate%" PRIu32 "a", i);
        snprintf(to, sizeof to, "rate%" PRIu32 "b", i);
        snprintf(words, sizeof words, "rate%" PRIu32, i);
        const struct words rate = words_rate((double)drawn->rates[i]);
        struct picture_node end = {.label = "", .style = "plain", .shape = PICTURE_TEXT};
        end.y = y;
        end.width = end.height = 1;
        end.name = from;
        end.x = x;
        picture_node(drawn->picture, &end);
        end.name = to;
        end.x = x + 24;
        picture_node(drawn->picture, &end);
        picture_edge(drawn->picture,
                     &(struct picture_edge){.from = from,
                                            .to = to,
                                            .style = drawn->map->span_ps > 0 ? "heat0" : "dim",
                                            .width = line_width(drawn->map, drawn->rates[i]),
                                            .bend = {x, y, x + 8, y, x + 16, y, x + 24, y}});
        draw_text(drawn, words, rate.text, "plain", x + 32, y, 9);
    }
    return y;
}

static void draw_legend(const struct drawn *drawn)
{
    const struct fabric_map *map = drawn->map;
    const double top = map->height + 44;
    draw_text(drawn, "rates", "Link rate", "plain", 0, top, 10);
    draw_rates(drawn, 0, top + 18);
    if (map->span_ps <= 0)
        return;
    char title[64];
    snprintf(title, sizeof title, "Share of time: %s", drawn->flow->held);
    draw_text(drawn, "heat", drawn->flow->credits ? title : "Share of time paused", "plain", 130,
              top, 10);
    for (int heat = 0; heat < PICTURE_HEATS; heat++) {
        draw_swatch(drawn, heat, picture_heat_class(heat), picture_heat_words(heat),
                    130 + heat / 3 * 110, top + 18 + heat % 3 * 17);
    }
    draw_swatch(drawn, PICTURE_HEATS, "root", "root cause", 350, top + 18);
}

/* How far lines within the top row extend above the drawing. */
static double headroom(const struct fabric_map *map)
{
    double most = 0;
    for (uint32_t i = 0; i < map->line_count; i++) {
        double bend[8];
        bend_line(&map->boxes[map->lines[i].a], &map->boxes[map->lines[i].b], bend);
        if (-bend[3] * 0.75 > most)
            most = -bend[3] * 0.75;
    }
    return most > SWITCH_HEAD ? most : SWITCH_HEAD;
}

static void draw_heading(const struct drawn *drawn, struct store *store)
{
    const struct fabric_map *map = drawn->map;
    char name[256], line[160];
    const struct words span = words_time(map->span_ps);
    const double top = -headroom(map) - 24;
    store_ask_text(store, "SELECT scenario FROM meta", name, sizeof name);
    draw_text(drawn, "title", name, "plain", 0, top - 20, 16);
    const uint32_t switches = map->node_count - map->host_count;
    snprintf(line, sizeof line, "%" PRIu32 " host%s, %" PRIu32 " switch%s, %" PRIu32 " link%s%s%s",
             map->host_count, plural(map->host_count, "", "s"), switches,
             plural(switches, "", "es"), map->link_count, plural(map->link_count, "", "s"),
             map->span_ps > 0 ? ", simulated " : "", map->span_ps > 0 ? span.text : "");
    draw_text(drawn, "subtitle", line, "dim", 0, top, 10);
}

static bool draw(struct store *store, const char *format, FILE *out, char why[DRAW_WHY_BYTES])
{
    struct fabric_map *map = fabric_map_read(store);
    struct drawn drawn = {.map = map, .flow = flow_words(store)};
    bool well = false;
    if (store_error(store) != NULL || map->node_count == 0) {
        snprintf(why, DRAW_WHY_BYTES, "no fabric recorded: %s",
                 store_error(store) != NULL ? store_error(store) : "the table node is empty");
    } else {
        drawn.picture = picture_begin(PICTURE_PLACED, NULL);
        for (uint32_t i = 0; i < map->box_count; i++)
            draw_box(&drawn, &map->boxes[i]);
        draw_lines(&drawn);
        draw_hottest(&drawn);
        draw_heading(&drawn, store);
        draw_legend(&drawn);
        well = picture_write(drawn.picture, format, out);
    }
    picture_free(drawn.picture);
    fabric_map_free(map);
    return well;
}

const struct draw_view draw_fabric = {
    .name = "fabric",
    .of_scenario = true,
    .draw = draw,
};
