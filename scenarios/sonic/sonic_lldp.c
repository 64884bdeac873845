/* SPDX-License-Identifier: Apache-2.0
 * sonic_lldp - reads the neighbors printed by `show lldp table`, of one switch or of several.
 *     LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
 *     -----------  --------------  --------------  ------------  -----------------
 *     Ethernet0    spine0          etp3            BR            Ethernet8
 * The table does not contain the name of its switch. The name comes from a line "==> leaf0.lldp
 * <==" before the table, as written by head and tail, or from the name of the file. A cell extends
 * from one group of dashes to the next; it may be empty and may contain blanks. A SONiC switch
 * sends its port's alias as the port ID.
 * Source: sonic-utilities scripts/lldpshow; sonic-buildimage dockers/docker-lldp (lldpmgrd). */
#include "scenarios/sonic/sonic_private.h"

#include "scenarios/format/lines.h"

#include <string.h>

enum lldp_column { LOCAL, DEVICE, PORT, CAPABILITY, DESCRIPTION, LLDP_COLUMNS };

enum lldp_part { OUTSIDE, HEAD, ROWS };

struct lldp {
    struct sonic_import *import;
    struct lines lines;
    const char *owner; /* the switch of the table */
    enum lldp_part part;
    const char *head;
    int head_line;
    size_t from[LLDP_COLUMNS], to[LLDP_COLUMNS]; /* in bytes; `to` 0: no such column */
    size_t rows;
};

static const char *const titles[LLDP_COLUMNS] = {"LocalPort", "RemoteDevice", "RemotePortID",
                                                 "Capability", "RemotePortDescr"};

static void error_at(struct lldp *lldp, const char *at, size_t width, const char *text)
{
    sonic_cable_error(lldp->import, lldp->lines.file, lines_place(&lldp->lines, at, width), text);
}

const char *sonic_owner(struct sonic_import *import, const char *name, size_t length)
{
    const char *end = name + length, *base = name;
    for (const char *at = name; at < end; at++)
        if (*at == '/')
            base = at + 1;
    const char *dot = memchr(base, '.', (size_t)(end - base));
    return arena_text(&import->arena, base, (size_t)((dot == NULL ? end : dot) - base));
}

static bool read_owner(struct lldp *lldp)
{
    const char *line = lldp->lines.text;
    const char *end = strncmp(line, "==> ", 4) == 0 ? strstr(line + 4, " <==") : NULL;
    if (end == NULL)
        return false;
    lldp->owner = sonic_owner(lldp->import, line + 4, (size_t)(end - line - 4));
    lldp->part = OUTSIDE;
    return true;
}

/* ---- heads ---- */

static void trim(const char **from, size_t *length)
{
    while (*length > 0 && ((*from)[0] == ' ' || (*from)[0] == '\t')) {
        (*from)++;
        (*length)--;
    }
    while (*length > 0 && strchr(" \t\r", (*from)[*length - 1]) != NULL)
        (*length)--;
}

/* A group of dashes is a column; the text above it is its title. */
static void take_column(struct lldp *lldp, size_t from, size_t to)
{
    const size_t head_length = strlen(lldp->head);
    if (from >= head_length)
        return;
    const char *title = lldp->head + from;
    size_t length = (to < head_length ? to : head_length) - from;
    trim(&title, &length);
    for (int c = 0; c < LLDP_COLUMNS; c++)
        if (strlen(titles[c]) == length && memcmp(titles[c], title, length) == 0) {
            lldp->from[c] = from;
            lldp->to[c] = to;
        }
}

static void read_dashes(struct lldp *lldp)
{
    const char *line = lldp->lines.text;
    memset(lldp->to, 0, sizeof lldp->to);
    for (size_t at = strspn(line, " "); line[at] == '-';) {
        const size_t dashes = strspn(line + at, "-"), blanks = strspn(line + at + dashes, " ");
        const bool last = line[at + dashes + blanks] != '-';
        take_column(lldp, at, last ? SIZE_MAX : at + dashes + blanks);
        at += dashes + blanks;
    }
    lldp->part = ROWS;
    for (int c = LOCAL; c <= PORT; c++)
        if (lldp->to[c] == 0) {
            error_at(lldp, line, 1,
                     arena_format(&lldp->import->arena,
                                  "expected dashes under the title %s, as the command prints them",
                                  titles[c]));
            lldp->part = OUTSIDE;
            return;
        }
}

/* Determines the switch of the table that begins here; false, with a message, if it is not a switch
 * of these files. */
static bool is_owned(struct lldp *lldp)
{
    if (sonic_switch_called(lldp->import, lldp->owner) != NULL)
        return true;
    if (lldp->import->switch_count == 1) {
        lldp->owner = lldp->import->switches[0].hostname;
        return true;
    }
    error_at(lldp, lldp->lines.text, 1,
             arena_format(
                 &lldp->import->arena,
                 "expected the table of a switch of these files: its name is in a line '==> NAME "
                 "<==' before the table, or is the name of the file, but there is no switch '%s'%s",
                 sonic_clean(lldp->import, lldp->owner),
                 sonic_switch_hint(lldp->import, lldp->owner)));
    return false;
}

/* ---- rows ---- */

/* NULL: empty, or the row ends before it. */
static const char *cell_text(struct lldp *lldp, int column, struct diag_place *place)
{
    const size_t all = lldp->lines.length, from = lldp->from[column];
    if (lldp->to[column] == 0 || from >= all)
        return NULL;
    const char *text = lldp->lines.text + from;
    size_t length = (lldp->to[column] < all ? lldp->to[column] : all) - from;
    trim(&text, &length);
    if (length == 0)
        return NULL;
    *place = lines_place(&lldp->lines, text, length);
    return arena_text(&lldp->import->arena, text, length);
}

/* False, with a message, if a word crosses the border of a column, so the blanks of the table were
 * changed. */
static bool is_aligned(struct lldp *lldp)
{
    const char *line = lldp->lines.text;
    for (int c = 0; c < LLDP_COLUMNS; c++) {
        const size_t from = lldp->from[c];
        if (lldp->to[c] == 0 || from == 0 || from >= lldp->lines.length || line[from - 1] == ' ')
            continue;
        error_at(lldp, line + from, 1,
                 "expected a row in the columns of the dashes, as the command prints it");
        return false;
    }
    return true;
}

/* "switch" for a bridge or router, by the codes above the table; NULL: hosts have O or no code. */
static const char *is_bridge(const char *codes)
{
    return codes != NULL && strpbrk(codes, "BR") != NULL ? "switch" : NULL;
}

static void read_row(struct lldp *lldp)
{
    struct diag_place place = {0}, far = {0}, ignored;
    struct sonic_import *import = lldp->import;
    if (!is_aligned(lldp))
        return;
    const char *local = cell_text(lldp, LOCAL, &place), *device = cell_text(lldp, DEVICE, &far);
    if (local == NULL || strncmp(local, "eth", 3) == 0) /* management port */
        return;
    if (device == NULL) {
        sonic_note(import, place, "rows without RemoteDevice: left out");
        return;
    }
    const struct sonic_cable cable = {
        .ends = {{.node = lldp->owner, .port = local, .place = place},
                 {.node = device,
                  .port = cell_text(lldp, PORT, &ignored),
                  .other_port = cell_text(lldp, DESCRIPTION, &ignored),
                  .type = is_bridge(cell_text(lldp, CAPABILITY, &ignored)),
                  .place = far}},
        .heard = true};
    sonic_cable(import, lldp->lines.file, &cable);
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line + strspn(line, " "), word, strlen(word)) == 0;
}

static bool ends_table(const char *line)
{
    return line[strspn(line, " -\t\r")] == '\0' || begins(line, "Total entries displayed");
}

static void read_line(struct lldp *lldp)
{
    const char *line = lldp->lines.text;
    if (read_owner(lldp))
        return;
    if (begins(line, titles[LOCAL])) {
        lldp->head = line;
        lldp->part = is_owned(lldp) ? HEAD : OUTSIDE;
    } else if (lldp->part == HEAD) {
        read_dashes(lldp);
    } else if (lldp->part == ROWS && ends_table(line)) {
        lldp->part = OUTSIDE;
    } else if (lldp->part == ROWS) {
        lldp->rows++;
        read_row(lldp);
    }
}

void sonic_lldp(struct sonic_import *import, const struct tree_file *file)
{
    struct lldp lldp = {.import = import,
                        .lines = {.file = file},
                        .owner = sonic_owner(import, file->name, strlen(file->name))};
    while (lines_next(&lldp.lines, &import->arena) && import->diag->errors < DIAG_MAX) {
        if (lldp.rows == SONIC_CABLES_MAX) {
            error_at(&lldp, lldp.lines.text, 1,
                     arena_format(&import->arena, "expected at most %d rows", SONIC_CABLES_MAX));
            return;
        }
        read_line(&lldp);
    }
    if (lldp.rows == 0 && !diag_failed(import->diag))
        sonic_note(import, (struct diag_place){.file = file->name, .line = 1, .column = 1},
                   "tables of LLDP without a row");
}
