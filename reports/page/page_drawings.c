/* SPDX-License-Identifier: Apache-2.0
 * page_drawings - embeds the drawings of stormglass draw in a page.
 * Each drawing is an SVG with its own style sheet. In a page they share one style sheet and have no
 * ids, which could clash. */
#include "base/memory.h"
#include "replay/database/words.h"
#include "reports/draw/draw.h"
#include "reports/draw/picture_style.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGE = 400000,
    COMMANDS_MAX = 4,
    SMALL = 720 /* wide: can be read when it is as wide as a phone */
};

/* ------------------------------------------------------------------ embedded SVG */

void page_drawing_style(FILE *out)
{
    picture_style_sheet(out);
}

/* The end of an id attribute that starts at `text`, otherwise NULL. */
static const char *past_id(const char *text)
{
    static const char word[] = " id=\"";
    if (strncmp(text, word, sizeof word - 1) != 0)
        return NULL;
    const char *end = strchr(text + sizeof word - 1, '"');
    return end == NULL ? NULL : end + 1;
}

/* The next place where something may be left out, at most `after`. */
static const char *next_part(const char *at, const char *after)
{
    const char *next = at + 1 + strcspn(at + 1, " <");
    return after != NULL && next > after ? after : next;
}

void page_drawing_write(FILE *out, const char *svg)
{
    const char *at = strstr(svg, "<svg");
    const char *sheet = at == NULL ? NULL : strstr(at, "<style>");
    const char *end = sheet == NULL ? NULL : strstr(sheet, "</style>");
    const char *after = at == NULL ? NULL : strstr(at, "</svg>");
    if (after != NULL)
        after += strlen("</svg>"); /* what follows is no drawing */
    const char *width = at == NULL ? NULL : strstr(at, " width=\"");
    fprintf(out, "<div class=\"drawing%s\">",
            width != NULL && atoi(width + strlen(" width=\"")) <= SMALL ? " small" : "");
    while (at != NULL && *at != '\0' && at != after) {
        const char *next = past_id(at);
        if (at == sheet && end != NULL)
            next = end + strlen("</style>");
        if (next == NULL) /* omitted parts start with one of these characters */
            fwrite(at, 1, (size_t)((next = next_part(at, after)) - at), out);
        at = next;
    }
    fputs("</div>\n", out);
}

/* Returns the SVG, owned by the caller, or "" if it cannot be drawn or is too large for a page
 * (stormglass draw can still draw it). */
static char *drawn(bool (*draw)(struct store *store, const void *self, FILE *out, char *why),
                   const struct page *page, const void *self)
{
    char *text = NULL, why[DRAW_WHY_BYTES] = "";
    size_t length = 0;
    FILE *memory = memory_stream(&text, &length);
    const bool well = draw(page->store, self, memory, why);
    memory_stream_end(memory);
    if (!well || length > LARGE)
        text[0] = '\0';
    return text;
}

/* ------------------------------------------------------------------ fabric and pauses */

static bool pauses(struct store *store, const void *self, FILE *out, char *why)
{
    (void)self;
    return draw_pauses.draw(store, "svg", out, why);
}

static bool waits(struct store *store, const void *self, FILE *out, char *why)
{
    (void)self;
    return draw_waits.draw(store, "svg", out, why);
}

static void folded(const struct page *page, const char *heading, const char *svg, bool open)
{
    if (svg[0] == '\0')
        return;
    fprintf(page->out, "<details class=\"drawn\"%s><summary>%s</summary>\n", open ? " open" : "",
            heading);
    page_drawing_write(page->out, svg);
    fputs("</details>\n", page->out);
}

void page_draw_pauses(const struct page *page)
{
    char *svg = drawn(pauses, page, NULL);
    folded(page, "Pause tree: the ports that each root paused, directly or through other ports",
           svg, false);
    free(svg);
}

void page_draw_waits(const struct page *page)
{
    if (store_ask_int(page->store, "SELECT count(*) FROM deadlock", 0) == 0)
        return;
    char *svg = drawn(waits, page, NULL);
    folded(page, "Deadlock: queues that wait for each other", svg, true);
    free(svg);
}

/* ------------------------------------------------------------------ commands on the wire */

static bool command(struct store *store, const void *self, FILE *out, char *why)
{
    const int64_t *io = self;
    return draw_io(store, *io, out, why);
}

/* The first drawing is expanded. */
static bool draw_command(const struct page *page, const struct store_statement *row, bool first)
{
    const int64_t io = store_int(row, "io");
    char *svg = drawn(command, page, &io);
    const bool any = svg[0] != '\0';
    if (any && first)
        page_fold(page, "wire", "Commands on the wire",
                  "Each workload's slowest command, frame by frame and hop by hop. Hover over "
                  "an arrow to see its packet.");
    if (any) {
        fprintf(page->out, "<details class=\"drawn\"%s><summary>", first ? " open" : "");
        page_put(page->out, "%s: the slowest %s, %s", store_text(row, "name"),
                 store_text(row, "operation"), words_time(store_int(row, "longest")).text);
        fputs("</summary>\n", page->out);
        page_drawing_write(page->out, svg);
        fprintf(page->out,
                "<p class=\"about\">Another command: <code>stormglass draw RUN.db N --what "
                "io</code>; this "
                "is number %" PRId64 ".</p></details>\n",
                io);
    }
    free(svg);
    return any;
}

void page_wire(const struct page *page)
{
    char level[32];
    store_ask_text(page->store, "SELECT record FROM meta", level, sizeof level);
    if (strcmp(level, record_level_name(RECORD_PACKETS)) != 0)
        return;
    struct store_statement *rows =
        store_prepare(page->store, "SELECT io, name, operation, max(completed_ps-issued_ps)"
                                   " AS longest FROM io"
                                   " JOIN workload USING(workload) WHERE status=0 GROUP BY workload"
                                   " ORDER BY workload LIMIT ?1");
    store_bind(rows, 1, STORE_I(COMMANDS_MAX));
    bool any = false;
    while (store_step(rows))
        any |= draw_command(page, rows, !any);
    store_finish(rows);
    if (any)
        page_fold_end(page);
}
