/* SPDX-License-Identifier: Apache-2.0
 * draw_io - one command on the wire: a lane for each node, an arrow for each hop of a frame.
 * Time runs downwards, but not linearly: a wait of a millisecond would collapse frames of
 * microseconds onto one line. The distance between two times grows with the logarithm of the time
 * between them, and is at least the height of their labels. */
#include "base/check.h"
#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/words.h"
#include "reports/draw/draw.h"
#include "reports/draw/picture_style.h"
#include "reports/wire/io_frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 170,
    RIGHT = 290,
    LANE_GAP = 200,
    TOP = 110,
    LEGEND = 70,
    WORDS_GAP = 15,
    ARROW_GAP = 34
};

/* A time and its labels. */
struct moment {
    int64_t at_ps;
    bool at_host, at_target, sent; /* labels left, right, on an arrow */
    double y;
};

struct sheet {
    const struct io_frames *frames;
    FILE *out;
    struct moment *moments;
    uint32_t count;
};

static const struct {
    const char *words;
    bool at_target;
} moment_words[IO_MOMENTS] = {
    [IO_ISSUED] = {"issued", false},
    [IO_POSTED] = {"capsule posted", false},
    [IO_CAPSULE] = {"capsule received", true},
    [IO_FETCH] = {"data requested", true},
    [IO_FETCHED] = {"data received", true},
    [IO_MEDIA] = {"media submitted", true},
    [IO_MEDIA_BEGUN] = {"media started", true},
    [IO_MEDIA_DONE] = {"media done", true},
    [IO_RESPONSE_SENT] = {"response posted", true},
    [IO_RESPONSE] = {"response received", false},
    [IO_COMPLETED] = {"completed", false},
};

static int by_time(const void *x, const void *y)
{
    const struct moment *a = x, *b = y;
    return a->at_ps < b->at_ps ? -1 : a->at_ps > b->at_ps;
}

static double y_of(const struct sheet *sheet, int64_t at_ps)
{
    const struct moment key = {.at_ps = at_ps};
    const struct moment *found = bsearch(&key, sheet->moments, sheet->count, sizeof key, by_time);
    CHECK(found != NULL);
    return found->y;
}

static double lane_x(uint32_t lane)
{
    return LEFT + (double)lane * LANE_GAP;
}

static void collect(struct sheet *sheet)
{
    const struct io_frames *f = sheet->frames;
    sheet->moments = memory_zeroed(2 * (size_t)f->hop_count + IO_MOMENTS, sizeof *sheet->moments);
    for (int i = 0; i < IO_MOMENTS; i++)
        if (f->moments[i] > 0)
            sheet->moments[sheet->count++] =
                (struct moment){.at_ps = f->moments[i],
                                .at_host = !moment_words[i].at_target,
                                .at_target = moment_words[i].at_target};
    for (uint32_t i = 0; i < f->hop_count; i++) {
        sheet->moments[sheet->count++] =
            (struct moment){.at_ps = f->hops[i].at_ps, .sent = f->hops[i].first};
        sheet->moments[sheet->count++] = (struct moment){.at_ps = f->hops[i].arrives_ps};
    }
    qsort(sheet->moments, sheet->count, sizeof *sheet->moments, by_time);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sheet->count; i++) {
        struct moment *last = kept == 0 ? NULL : &sheet->moments[kept - 1];
        if (last == NULL || last->at_ps != sheet->moments[i].at_ps) {
            sheet->moments[kept++] = sheet->moments[i];
            continue;
        }
        last->at_host |= sheet->moments[i].at_host;
        last->at_target |= sheet->moments[i].at_target;
        last->sent |= sheet->moments[i].sent;
    }
    sheet->count = kept;
}

/* Computes the positions and returns the total height. */
static double place_moments(struct sheet *sheet)
{
    double y = TOP, host = 0, target = 0, sent = 0;
    for (uint32_t i = 0; i < sheet->count; i++) {
        struct moment *m = &sheet->moments[i];
        if (i > 0)
            y += 3 + 9 * log10(1 + (double)(m->at_ps - m[-1].at_ps) / 20e3);
        if (m->at_host && y < host + WORDS_GAP)
            y = host + WORDS_GAP;
        if (m->at_target && y < target + WORDS_GAP)
            y = target + WORDS_GAP;
        /* a later arrow falls less steeply, so its label would overlap those above */
        if (m->sent && y < sent + ARROW_GAP)
            y = sent + ARROW_GAP;
        host = m->at_host ? y : host;
        target = m->at_target ? y : target;
        sent = m->sent ? y : sent;
        m->y = y;
    }
    return y + LEGEND;
}

static void text(FILE *out, const char *style, const char *anchor, double x, double y, double size,
                 const char *words)
{
    fprintf(out,
            "<g class=\"node %s\"><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.1f\""
            " fill=\"%s\">",
            style, x, y, anchor, size, picture_style(style)->light.text);
    picture_escape(out, words);
    fputs("</text></g>\n", out);
}

static void draw_lanes(const struct sheet *sheet, double height)
{
    for (uint32_t i = 0; i < sheet->frames->lane_count; i++) {
        const bool end = i == 0 || i + 1 == sheet->frames->lane_count;
        const char *style = end ? "host" : "switch";
        const struct picture_colours *colours = &picture_style(style)->light;
        fprintf(
            sheet->out,
            "<g class=\"edge dim\"><path d=\"M%.1f %dV%.1f\" stroke=\"%s\" fill=\"none\"/></g>\n"
            "<g class=\"node %s\"><path d=\"M%.1f %dh88v26h-88z\" fill=\"%s\" stroke=\"%s\"/>"
            "</g>\n",
            lane_x(i), TOP - 26, height - LEGEND + 12, picture_style("dim")->light.line, style,
            lane_x(i) - 44, TOP - 52, colours->fill, colours->line);
        text(sheet->out, style, "middle", lane_x(i), TOP - 35, 12, sheet->frames->lanes[i]);
    }
}

/* The times at host and target, relative to the start of the command. */
static void draw_moments(const struct sheet *sheet)
{
    const struct io_frames *f = sheet->frames;
    const double ends[2] = {lane_x(0), lane_x(f->lane_count - 1)};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sheet->count; i++) {
            char line[160] = "";
            const struct moment *m = &sheet->moments[i];
            for (int k = 0; k < IO_MOMENTS; k++)
                if (f->moments[k] == m->at_ps && moment_words[k].at_target == (side == 1)) {
                    const size_t used = strlen(line);
                    snprintf(line + used, sizeof line - used, "%s%s", used > 0 ? ", " : "",
                             moment_words[k].words);
                }
            if (line[0] == '\0')
                continue;
            const size_t used = strlen(line);
            if (m->at_ps > f->moments[IO_ISSUED])
                snprintf(line + used, sizeof line - used, " %s",
                         words_time(m->at_ps - f->moments[IO_ISSUED]).text);
            fprintf(sheet->out,
                    "<g class=\"node root\"><path d=\"M%.1f %.1fh8\" stroke=\"%s\""
                    " stroke-width=\"2\"/></g>\n",
                    ends[side] - 4, m->y, picture_style("root")->light.line);
            text(sheet->out, "plain", side == 0 ? "end" : "start",
                 ends[side] + (side == 0 ? -9 : 9), m->y + 3, 9.5, line);
        }
    if (f->moments[IO_MEDIA_BEGUN] > 0 && f->moments[IO_MEDIA_DONE] > f->moments[IO_MEDIA_BEGUN]) {
        const double begin = y_of(sheet, f->moments[IO_MEDIA_BEGUN]);
        fprintf(sheet->out,
                "<g class=\"node victim\"><path d=\"M%.1f %.1fh6v%.1fh-6z\" fill=\"%s\""
                " stroke=\"%s\"><title>media service</title></path></g>\n",
                ends[1] - 3, begin, y_of(sheet, f->moments[IO_MEDIA_DONE]) - begin,
                picture_style("victim")->light.fill, picture_style("victim")->light.line);
    }
}

static bool is_answer(const struct io_hop *hop)
{
    return strstr(hop->opcode, "NAK") != NULL || strstr(hop->opcode, "ACK") != NULL;
}

/* Data in one color, capsules in another; ACKs are dim. */
static const char *hop_style(const struct io_hop *hop)
{
    if (hop->again || hop->lost || strstr(hop->opcode, "NAK") != NULL)
        return "lost";
    if (is_answer(hop))
        return "dim";
    const bool capsule =
        strncmp(hop->opcode, "SEND", 4) == 0 || strncmp(hop->opcode, "Capsule", 7) == 0;
    return capsule ? "switch" : "data";
}

static void draw_hop(const struct sheet *sheet, const struct io_hop *hop)
{
    const char *style = hop_style(hop), *colour = picture_style(style)->light.line;
    const double x1 = lane_x(hop->from), y1 = y_of(sheet, hop->at_ps);
    const double x2 = lane_x(hop->to), y2 = y_of(sheet, hop->arrives_ps);
    const double length = hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    char line[8 * IO_NAME_BYTES];
    snprintf(line, sizeof line,
             "%s, %s %" PRId64 ", %" PRId64 " %s: %s to %s, sent at %s,"
             " received at %s%s%s",
             hop->opcode, hop->number_name, hop->number, hop->bytes,
             plural(hop->bytes, "byte", "bytes"), sheet->frames->lanes[hop->from],
             sheet->frames->lanes[hop->to], words_time(hop->at_ps).text,
             words_time(hop->arrives_ps).text, hop->again ? ", retransmitted" : "",
             hop->lost ? ", lost" : "");
    fprintf(sheet->out, "<g class=\"edge %s\"><title>", style);
    picture_escape(sheet->out, line);
    fprintf(sheet->out,
            "</title><path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"1.4\""
            " fill=\"none\"%s/><polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"%s\""
            " stroke=\"none\"/></g>\n",
            x1, y1, x2, y2, colour, hop->lost ? " stroke-dasharray=\"4 3\"" : "", x2, y2,
            x2 - 7 * ux - 3 * uy, y2 - 7 * uy + 3 * ux, x2 - 7 * ux + 3 * uy, y2 - 7 * uy - 3 * ux,
            colour);
    if (!hop->first)
        return;
    int used = snprintf(line, sizeof line, "%s", hop->opcode);
    if (hop->payload > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, ", %s",
                         words_bytes(hop->payload).text);
    snprintf(line + used, sizeof line - (size_t)used, ", %s %" PRId64 "%s%s", hop->number_name,
             hop->number, hop->again ? ", retransmitted" : "", hop->lost ? ", lost" : "");
    fprintf(sheet->out, "<g transform=\"translate(%.1f %.1f) rotate(%.2f)\">", x1, y1,
            atan((y2 - y1) / (x2 - x1)) * 180 / acos(-1));
    /* An ACK has its label below, because the frame that it acknowledges is above. */
    text(sheet->out, "plain", x2 > x1 ? "start" : "end", x2 > x1 ? 10 : -10,
         is_answer(hop) ? 9 : -3, 8.5, line);
    fputs("</g>\n", sheet->out);
}

static void draw_heading(const struct sheet *sheet, double height)
{
    const struct io_frames *f = sheet->frames;
    char line[240];
    snprintf(line, sizeof line, "%s of %s at block %" PRId64 ", workload %s: %s", f->operation,
             words_bytes(f->bytes).text, f->lba, f->workload,
             words_time(f->moments[IO_COMPLETED] - f->moments[IO_ISSUED]).text);
    text(sheet->out, "paper", "start", 24, 30, 16, line);
    text(sheet->out, "dim", "start", 24, height - 16, 9.5,
         "Times since issue; gaps are logarithmic.");
    text(sheet->out, "dim", "start", 24, height - 30, 9.5,
         "Blue: capsules; orange: data; gray: acknowledgments; red: lost, NAKed or retransmitted.");
    if (f->left_out == 0)
        return;
    snprintf(line, sizeof line, "%" PRIu32 " %s in the middle of long messages are not drawn.",
             f->left_out, plural(f->left_out, "hop", "hops"));
    text(sheet->out, "dim", "start", 24, height - 44, 9.5, line);
}

bool draw_io(struct store *store, int64_t io, FILE *out, char why[DRAW_WHY_BYTES])
{
    struct io_frames *frames = io_frames_read(store, io, why);
    if (frames == NULL)
        return false;
    struct sheet sheet = {.frames = frames, .out = out};
    collect(&sheet);
    const double height = place_moments(&sheet), width = lane_x(frames->lane_count - 1) + RIGHT;
    picture_begin_svg(out, width, height);
    draw_lanes(&sheet, height);
    for (uint32_t i = 0; i < frames->hop_count; i++)
        draw_hop(&sheet, &frames->hops[i]);
    draw_moments(&sheet);
    draw_heading(&sheet, height);
    picture_end_svg(out);
    free(sheet.moments);
    io_frames_free(frames);
    return fflush(out) == 0 && !ferror(out);
}
