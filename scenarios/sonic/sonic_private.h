/* SPDX-License-Identifier: Apache-2.0
 * sonic_private - what the parts of the importer of SONiC's configuration hand to each other.
 * Each file is read into a tree; ports and settings point into it.  All lives in one arena. */
#ifndef STORMGLASS_SCENARIOS_SONIC_SONIC_PRIVATE_H
#define STORMGLASS_SCENARIOS_SONIC_SONIC_PRIVATE_H

#include "scenarios/format/tree.h"
#include "scenarios/import/names.h"
#include "scenarios/import/notes.h"
#include "scenarios/sonic/sonic.h"

#include <stdint.h>

/* Traffic classes: SAI's sai_cos_t is a byte, and devices have 16 of them. */
enum { SONIC_PRIORITIES = 8, SONIC_CLASSES = 256, SONIC_DSCPS = 64, SONIC_CABLES_MAX = 100000 };

#define SONIC_UNSET INT64_MIN /* a number that the file does not write */

/* A table whose rows others refer to by name. */
struct sonic_table {
    const char *name;
    const struct tree_node *rows;     /* NULL: the file has none */
    const struct tree_item **by_name; /* sorted */
};

/* Who is at the other end of a port's cable, as is told at this end. */
struct sonic_neighbor {
    const char *name;        /* NULL: nobody is known */
    const char *port;        /* as the neighbour calls it, or NULL */
    const char *other_port;  /* likewise, another name, or NULL */
    const char *type;        /* "switch" and the like, or NULL */
    struct diag_place place; /* where it is told */
    bool cabled, heard;      /* by a cable beside the configuration; by LLDP */
};

struct sonic_port {
    const char *name, *alias; /* "Ethernet0"; alias may be NULL */
    const struct tree_item *item;
    uint32_t index; /* N of its name pN in the scenario */
    int64_t speed;  /* bits per second, or unset, as what follows */
    int64_t mtu;    /* bytes */
    int64_t length; /* millimetres */
    const char *fec;
    uint32_t lanes;              /* 0: not written */
    const char *down;            /* why no link comes up, or NULL */
    const struct tree_item *qos; /* row of PORT_QOS_MAP, or NULL */
    int64_t pfc, watched;        /* masks of priorities */
    struct sonic_neighbor neighbor;
    const struct tree_item *watchdog;                         /* row of PFC_WD, or NULL */
    const struct tree_item *dscp, *group, *queue, *pfc_queue; /* maps, or NULL */
    const struct tree_item *group_rows[SONIC_PRIORITIES];     /* BUFFER_PG, or NULL */
    const struct tree_item *buffer_rows[SONIC_PRIORITIES];    /* BUFFER_QUEUE, likewise */
    const struct tree_item *queue_rows[SONIC_PRIORITIES];     /* QUEUE, likewise */
    bool linked;
};

/* The rows that a switch's values come from; NULL: none. */
struct sonic_origins {
    const struct tree_item *lossless, *headroom, *lossy, *lossless_queue, *lossy_queue;
    const struct tree_item *wred, *watchdog, *dscp, *queue, *computed;
};

/* What the switch gets, in the base units of quantity.h; unset where the file says nothing. */
struct sonic_settings {
    int64_t buffer, pfc, alpha, alpha_lossy, alpha_egress, reserved, reserved_lossy, reserved_queue;
    int64_t headroom, headroom_pool, headroom_ratio, xoff, xon, xon_offset, egress_limit;
    int64_t lossy_pool, egress_lossy_pool; /* ppm */
    int64_t kmin, kmax, pmax;
    int64_t detection, restoration, poll;
    const char *watchdog;
    int64_t weight[SONIC_PRIORITIES];
    int64_t dscp[SONIC_DSCPS];
    bool has_dscp, static_policy, headroom_auto;
};

struct sonic_switch {
    const char *hostname; /* as written */
    const char *asic;     /* asic_name of a chassis' switch, or NULL */
    const char *name;     /* as a node's name */
    const struct tree_file *file;
    const struct tree_node *root;
    struct sonic_port *ports; /* in the order of their names: Ethernet4 before Ethernet10 */
    uint32_t port_count;
    struct sonic_port **used; /* those with a link: rows of no other port decide a value */
    uint32_t used_count;
    struct sonic_table pools, profiles, wred, schedulers;
    struct sonic_table dscp_maps, group_maps, queue_maps, pfc_maps;
    struct sonic_settings settings;
    struct sonic_origins origins;
};

struct sonic_host {
    const char *neighbor; /* as DEVICE_NEIGHBOR writes it: first, its key */
    const char *name;
    size_t number; /* from 1 */
    uint32_t nics; /* cables so far, one NIC each */
};

struct sonic_end {
    const struct sonic_switch *node; /* NULL: a host */
    const struct sonic_port *port;
};

struct sonic_link {
    struct sonic_end near, far;
    size_t host;          /* at the far end: its number, from 1; 0: a switch */
    uint32_t nic;         /* of the host */
    const char *far_port; /* as the host calls it, or NULL */
};

struct sonic_import {
    struct arena arena;
    struct diag *diag;
    struct sonic_switch *switches;
    uint32_t switch_count;
    struct sonic_host **hosts;
    size_t host_count;
    void *by_neighbor; /* tsearch: of hosts, the newest of each name */
    uint32_t nics;     /* of the host that has most */
    struct sonic_link *links;
    size_t link_count;
    struct sonic_said *said; /* sonic_notes.c */
    size_t said_count, hidden;
    bool verbose;
    bool cabled;                    /* there was a file of cables */
    const struct tree_file **files; /* all of them, as they were given */
    size_t file_count;
    struct notes notes;
    struct names names;               /* of nodes */
    const struct tree_node *reported; /* the last value that was refused */
};

/* ---- sonic_notes.c ---- */

/* What may stand in a message or a comment: printable ASCII, cut to a bearable length. */
const char *sonic_clean(struct sonic_import *import, const char *text);

/* A note; equal ones become one. */
void sonic_note(struct sonic_import *import, struct diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A note on what does not touch a run: counted only, unless all are asked for. */
void sonic_cosmetic(struct sonic_import *import, struct diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A note on a port; equal ones become "48 ports of 6 switches (leaf0 Ethernet0, ...): ..". */
void sonic_port_note(struct sonic_import *import, const struct sonic_switch *node,
                     const struct sonic_port *port, struct diag_place place, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));

/* ---- sonic_tables.c ---- */

/* The rows of a table of the file, or NULL; a row that is no object is an error. */
const struct tree_node *sonic_rows(struct sonic_import *import, const struct sonic_switch *node,
                                   const char *table);
void sonic_table(struct sonic_import *import, const struct sonic_switch *node, const char *name,
                 struct sonic_table *table);

/* The text of a field, or NULL where it is not written; an error when it is no scalar. */
const char *sonic_field(struct sonic_import *import, const struct tree_node *row,
                        const char *field);

/* A whole number of a field, unset where it is not written; outside the bounds is an error. */
int64_t sonic_number(struct sonic_import *import, const struct tree_node *row, const char *field,
                     int64_t min, int64_t max);
int64_t sonic_number_of(struct sonic_import *import, const struct tree_node *value,
                        const char *what, int64_t min, int64_t max);

/* "3,4" as a mask; unset where it is not written. */
int64_t sonic_mask(struct sonic_import *import, const struct tree_node *row, const char *field);

/* What a field refers to: "x", "TABLE|x", "[TABLE|x]" or "[TABLE_TABLE:x]".  NULL: not written, or
 * an error was reported. */
const struct tree_item *sonic_reference(struct sonic_import *import, const struct tree_node *row,
                                        const char *field, const struct sonic_table *table);

/* For each port and number of a key such as "Ethernet0,Ethernet4|3-4"; ports that are not in PORT
 * are reported, a row "global" is passed over.  Of a chassis' rows, whose keys begin with
 * HOST|ASIC, those of the switch's own count.  `numbers` false: the key has ports only. */
typedef void sonic_each_fn(struct sonic_import *import, struct sonic_port *port, int number,
                           const struct tree_item *row);
void sonic_each(struct sonic_import *import, struct sonic_switch *node, const char *table,
                bool numbers, sonic_each_fn *call);

struct sonic_port *sonic_port(const struct sonic_switch *node, const char *name, size_t length);

/* The key behind "HOST|ASIC|", as a chassis writes it, or all of it; NULL where they name another
 * line card, or another ASIC than asic_name (sonic_chassis.c). */
const char *sonic_own_key(const struct sonic_switch *node, const char *key);

/* A note on fields of the table's rows that are not among the known ones. */
void sonic_other_fields(struct sonic_import *import, const struct sonic_switch *node,
                        const char *table, const char *const *known);

/* A note that the list has other items than the one that the switch gets; `who` has another is
 * "lossless group", `what` it has is "BUFFER_PROFILE" and the like. */
void sonic_note_others(struct sonic_import *import, const struct tree_item *usual,
                       const struct tree_item **list, size_t count, const char *who,
                       const char *what);

/* The item that stands in the list most often, the first in the file of equals; NULL items do not
 * count. */
const struct tree_item *sonic_usual(struct sonic_import *import, const struct tree_item **list,
                                    size_t count);

/* Comments before sections of a switch: where their values come from (sonic_origins.c). */
void sonic_pfc_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from);
void sonic_buffer_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from);
void sonic_dscp_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from);
void sonic_origin(struct sonic_import *import, FILE *out, const char *table,
                  const struct tree_item *row); /* NULL: no comment */

/* The tables of a file that `sonic-db-dump` or `show techsupport` wrote: keys TABLE|KEY with the
 * row as `value`.  Any other tree is given back as it is (sonic_dump.c). */
const struct tree_node *sonic_undump(struct sonic_import *import, const struct tree_node *root);

/* ---- cables beside the configuration ---- */

struct sonic_plug {
    const char *node;
    const char *port, *other_port; /* or NULL */
    const char *type;              /* "switch", or NULL: not told */
    struct diag_place place;
};

struct sonic_cable {
    struct sonic_plug ends[2];
    bool heard;     /* by LLDP at the first end: the other end may be anybody's */
    bool of_fabric; /* of a file that may have cables of nodes without a configuration */
};

bool sonic_is_cabling(const struct tree_file *file);
void sonic_cabling(struct sonic_import *import, const struct tree_file *file);
void sonic_graph(struct sonic_import *import, const struct tree_file *file);
void sonic_lldp(struct sonic_import *import, const struct tree_file *file);
bool sonic_is_lldpctl(const struct tree_file *file);
void sonic_lldpctl(struct sonic_import *import, const struct tree_file *file);

/* "out/leaf0.lldp" is leaf0's: the name without folder and endings. */
const char *sonic_owner(struct sonic_import *import, const char *name, size_t length);
void sonic_list(struct sonic_import *import, const struct tree_file *file);

/* Makes the two ports neighbours; an error or a note where that cannot be. */
void sonic_cable(struct sonic_import *import, const struct tree_file *file,
                 const struct sonic_cable *cable);
void sonic_cable_error(struct sonic_import *import, const struct tree_file *file,
                       struct diag_place place, const char *text);

/* The switch of that name, with or without its domain, or NULL; and what was perhaps meant. */
struct sonic_switch *sonic_switch_called(const struct sonic_import *import, const char *name);
const char *sonic_switch_hint(struct sonic_import *import, const char *name);

/* The neighbour's port by any of the names that it goes by, aliases too, or NULL. */
struct sonic_port *sonic_far_port(const struct sonic_switch *node,
                                  const struct sonic_neighbor *neighbor); /* sonic_cables.c */

/* ---- the steps, in this order ---- */

bool sonic_read_switch(struct sonic_import *import, const struct tree_file *file,
                       struct sonic_switch *node);                          /* sonic_read.c */
void sonic_qos(struct sonic_import *import, struct sonic_switch *node);     /* sonic_qos.c */
void sonic_queues(struct sonic_import *import, struct sonic_switch *node);  /* sonic_queues.c */
void sonic_buffers(struct sonic_import *import, struct sonic_switch *node); /* sonic_buffers.c */
void sonic_cables(struct sonic_import *import);                             /* sonic_cables.c */
void sonic_defaults(struct sonic_import *import);                           /* sonic_defaults.c */
void sonic_notes(struct sonic_import *import);                              /* sonic_notes.c */
void sonic_write(struct sonic_import *import, FILE *out);                   /* sonic_write.c */

#endif
