/* SPDX-License-Identifier: Apache-2.0 */
#include "draw_pen.h"

#include "draw_value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pen_open(struct pen *pen, unsigned indent, const char *line)
{
    script_add(pen->script, indent, "%s", line);
    pen->indent = indent + 2;
    pen->used_count = 0;
}

struct pen pen_inner(const struct pen *pen, const char *line)
{
    struct pen inner = *pen;
    inner.rng = rng_stream(pen->rng.key, line, "inner");
    inner.rng.drawn = pen->rng.drawn;
    pen_open(&inner, pen->indent, line);
    inner.indent = pen->indent + 2;
    return inner;
}

static bool use(struct pen *pen, const char *key)
{
    for (unsigned i = 0; i < pen->used_count; i++)
        if (strcmp(pen->used[i], key) == 0)
            return false;
    CHECK(pen->used_count < PEN_KEYS);
    snprintf(pen->used[pen->used_count++], PEN_KEY_BYTES, "%s", key);
    return true;
}

void pen_put(struct pen *pen, const char *key, const char *format, ...)
{
    char text[SCRIPT_WIDTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (use(pen, key))
        script_add(pen->script, pen->indent, "%s: %.140s", key, text);
}

static bool is_kin(const struct opt *row, const struct opt *other)
{
    const size_t head = strcspn(row->name, "-");
    return other != NULL && strcspn(other->name, "-") == head &&
           strncmp(row->name, other->name, head) == 0;
}

/* Rows of one first word are often nothing alone (iotlb-entries, iotlb-miss-cost): some are drawn
 * together. */
void pen_rows(struct pen *pen, const char *where, unsigned percent)
{
    const struct draw_rows *rows = draw_rows();
    const struct opt *head = NULL;
    for (unsigned i = 0; i < rows->count; i++) {
        char text[DRAW_VALUE_BYTES];
        const struct opt *row = rows->list[i].row;
        if (strcmp(rows->list[i].where, where) != 0 ||
            rng_below(&pen->rng, 100) >= (is_kin(row, head) ? 75 : percent))
            continue;
        if (!is_kin(row, head))
            head = rng_below(&pen->rng, 2) == 0 ? row : NULL;
        draw_value(&pen->rng, where, row, text);
        pen_put(pen, row->name, "%s", text);
    }
}

/* ------------------------------------------------------------------ places */

static void keep(char list[PLACES_MAX][PLACE_BYTES], unsigned *count, const char *name)
{
    if (*count < PLACES_MAX)
        snprintf(list[(*count)++], PLACE_BYTES, "%.47s", name);
}

void pen_learn(struct pen *pen, const struct scenario *scenario)
{
    struct places *places = pen->places;
    memset(places, 0, sizeof *places);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (node->kind == SCENARIO_HOST)
            keep(places->hosts, &places->host_count, node->name);
        else
            keep(places->switches, &places->switch_count, node->name);
        for (unsigned p = 0; p < node->port_count; p++)
            if (node->ports[p].link != SCENARIO_NO_LINK)
                keep(places->ports, &places->port_count, scenario_port_name(node, p).text);
    }
    for (uint32_t i = 0; i < scenario->link_count; i++)
        keep(places->links, &places->link_count, scenario->links[i].name);
}

const char *pen_place(struct pen *pen)
{
    struct places *places = pen->places;
    switch (rng_below(&pen->rng, 5)) {
    case 0:
        return places->hosts[rng_below(&pen->rng, places->host_count)];
    case 1:
        return places->hosts[0]; /* the target that all use */
    case 2:
        return places->switches[rng_below(&pen->rng, places->switch_count)];
    case 3:
        return places->links[rng_below(&pen->rng, places->link_count)];
    default:
        return places->ports[rng_below(&pen->rng, places->port_count)];
    }
}

bool pen_redraw(struct pen *pen, unsigned line)
{
    static const char *const keys[] = {"where", "via", "to", "at"};
    char *text = pen->script->lines[line];
    if (line > 0 && strncmp(pen->script->lines[line - 1], "    from:", 9) == 0)
        return false;
    const size_t indent = strspn(text, " -");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const size_t length = strlen(keys[i]);
        if (strncmp(text + indent, keys[i], length) != 0 || text[indent + length] != ':' ||
            (text[indent + length + 2] >= '0' && text[indent + length + 2] <= '9'))
            continue;
        snprintf(text + indent + length, SCRIPT_WIDTH - indent - length, ": \"%s\"",
                 pen_place(pen));
        return true;
    }
    return false;
}
