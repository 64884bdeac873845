/* SPDX-License-Identifier: Apache-2.0
 * export_sonic_private - functions shared by the files of export_sonic.
 * Writes JSON whose values are strings: tables of rows of members. */
#ifndef STORMGLASS_SCENARIOS_EXPORT_EXPORT_SONIC_PRIVATE_H
#define STORMGLASS_SCENARIOS_EXPORT_EXPORT_SONIC_PRIVATE_H

#include "net/switch/switch.h"
#include "scenarios/export/export.h"

enum { NAME_BYTES = 128, MM_PER_M = 1000, BPS_PER_MBPS = 1000000 };

struct sonic_out {
    const struct scenario *scenario;
    const struct scenario_node *node;
    const struct switch_params *params;
    FILE *out;
    bool named; /* its linked ports have SONiC names */
    struct notes *notes;
    int tables, rows; /* tables so far; rows of the current table so far */
};

void sonic_table_begin(struct sonic_out *w, const char *name);
void sonic_table_end(struct sonic_out *w);

/* Begins a row with key "KEY" or "KEY|SECOND"; the caller adds the members. */
void sonic_row_begin(struct sonic_out *w, const char *key, const char *second);
void sonic_row_end(struct sonic_out *w);
void sonic_put_text(struct sonic_out *w, bool first, const char *key, const char *value);
void sonic_put_number(struct sonic_out *w, bool first, const char *key, int64_t value);

bool sonic_is_linked(const struct scenario_port *port);

/* Mask of the lossless priorities of the port. */
int64_t sonic_lossless(const struct sonic_out *w, unsigned port);

/* Number and name of the next linked port from `from` on; the number of ports: none. */
unsigned sonic_next_port(const struct sonic_out *w, unsigned from, char name[NAME_BYTES]);

#define EACH_PORT(w, p, name)                                                                      \
    for (unsigned p = sonic_next_port(w, 0, name); p < (w)->node->port_count;                      \
         p = sonic_next_port(w, p + 1, name))

/* Writes BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG and BUFFER_QUEUE. */
void sonic_put_buffers(struct sonic_out *w);

#endif
