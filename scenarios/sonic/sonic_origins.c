/* SPDX-License-Identifier: Apache-2.0
 * sonic_origins - writes comments with the rows, and their lines, from which a switch's values
 * come. */
#include "scenarios/sonic/sonic_private.h"

struct origin {
    const char *what, *table;
    const struct tree_item *row;
};

/* "      # lossless: BUFFER_PROFILE pg_lossless_100000_5m_profile (line 55), .." */
static void put_origins(struct sonic_import *import, FILE *out, const struct origin *list,
                        size_t count)
{
    const char *between = "      #";
    for (size_t i = 0; i < count; i++) {
        if (list[i].row == NULL)
            continue;
        fprintf(out, "%s %s%s %s (line %d)", between, list[i].what, list[i].table,
                sonic_clean(import, list[i].row->key), list[i].row->key_place.line);
        between = ",";
    }
    if (between[0] == ',')
        fputc('\n', out);
}

void sonic_pfc_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from)
{
    const struct origin list[] = {
        {"", "BUFFER_PROFILE", from->lossless},
        {"", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", from->computed},
        {"headroom: ", "BUFFER_PROFILE", from->headroom == from->lossless ? NULL : from->headroom}};
    put_origins(import, out, list, sizeof list / sizeof *list);
}

void sonic_buffer_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from)
{
    const struct origin groups[] = {{"lossless: ", "BUFFER_PROFILE", from->lossless},
                                    {"lossy: ", "BUFFER_PROFILE", from->lossy}};
    const struct origin queues[] = {{"lossless queues: ", "BUFFER_PROFILE", from->lossless_queue},
                                    {"lossy queues: ", "BUFFER_PROFILE", from->lossy_queue}};
    put_origins(import, out, groups, 2);
    put_origins(import, out, queues, 2);
}

void sonic_origin(struct sonic_import *import, FILE *out, const char *table,
                  const struct tree_item *row)
{
    put_origins(import, out, &(struct origin){"", table, row}, 1);
}

void sonic_dscp_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from)
{
    const struct origin list[] = {{"", "DSCP_TO_TC_MAP", from->dscp},
                                  {"", "TC_TO_QUEUE_MAP", from->queue}};
    put_origins(import, out, list, from->dscp == NULL ? 0 : 2);
}
