/* SPDX-License-Identifier: Apache-2.0
 * sonic_list - reads cables from a plain list, one per line: a switch, its port, the neighbor and
 * the neighbor's port.
 *     leaf0 Ethernet0 server0 eth0
 * Words are separated by blanks or commas; a host's port may be missing; '#' begins a comment. */
#include "scenarios/sonic/sonic_private.h"

#include "scenarios/format/lines.h"

#include <string.h>

enum { WORDS = 4 };

static const char between[] = " \t\r,";

/* Next word of a line; NULL: none. */
static const char *next_word(struct sonic_import *import, const struct lines *lines,
                             const char **at, struct diag_place *place)
{
    *at += strspn(*at, between);
    const size_t length = **at == '#' ? 0 : strcspn(*at, " \t\r,#");
    const char *word = *at;
    if (length == 0)
        return NULL;
    *place = lines_place(lines, word, length);
    *at += length;
    return arena_text(&import->arena, word, length);
}

static void read_line(struct sonic_import *import, const struct lines *lines)
{
    const char *words[WORDS + 1] = {NULL}, *at = lines->text;
    struct diag_place places[WORDS + 1];
    int count = 0;
    while (count <= WORDS && (words[count] = next_word(import, lines, &at, &places[count])) != NULL)
        count++;
    if (count == 0)
        return;
    if (count < WORDS - 1 || count > WORDS) {
        sonic_cable_error(import, lines->file, places[count > WORDS ? WORDS : 0],
                          "expected a switch, its port, the neighbor and its port, such as "
                          "'leaf0 Ethernet0 spine0 Ethernet8'");
        return;
    }
    const struct sonic_cable cable = {
        .ends = {{.node = words[0], .port = words[1], .place = places[1]},
                 {.node = words[2], .port = words[3], .place = places[count - 1]}}};
    sonic_cable(import, lines->file, &cable);
}

void sonic_list(struct sonic_import *import, const struct tree_file *file)
{
    struct lines lines = {.file = file};
    for (int count = 0; lines_next(&lines, &import->arena); count++) {
        if (count == SONIC_CABLES_MAX) {
            sonic_cable_error(import, file, lines_place(&lines, lines.text, 1),
                              arena_format(&import->arena, "expected at most %d lines of cables",
                                           SONIC_CABLES_MAX));
            return;
        }
        read_line(import, &lines);
        if (import->diag->errors >= DIAG_MAX)
            return;
    }
}
