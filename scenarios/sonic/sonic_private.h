/* SPDX-License-Identifier: Apache-2.0
 * sonic_private - interfaces between the parts of the SONiC importer.
 * Each file is read into a tree; ports and settings point into it. Everything is in one arena. */
#ifndef STORMGLASS_SCENARIOS_SONIC_SONIC_PRIVATE_H
#define STORMGLASS_SCENARIOS_SONIC_SONIC_PRIVATE_H

#include "scenarios/format/tree.h"
#include "scenarios/import/names.h"
#include "scenarios/import/notes.h"
#include "scenarios/sonic/sonic.h"

#include <stdint.h>

/* Traffic classes: sai_cos_t of SAI is a byte, and devices have 16 classes. */
enum { SONIC_PRIORITIES = 8, SONIC_CLASSES = 256, SONIC_DSCPS = 64, SONIC_CABLES_MAX = 100000 };

#define SONIC_UNSET INT64_MIN /* a number that is not in the file */

/* A table whose rows are referred to by name. */
struct sonic_table {
    const char *name;
    const struct tree_node *rows;     /* NULL: not in the file */
    const struct tree_item **by_name; /* sorted by name */
};

/* Device at the other end of a port's cable, as known at this end. */
struct sonic_neighbor {
    const char *name;        /* NULL: unknown */
    const char *port;        /* name of the port at the neighbor, or NULL */
    const char *other_port;  /* another name of that port, or NULL */
    const char *type;        /* type such as "switch", or NULL */
    struct diag_place place; /* place of this information */
    bool cabled, heard;      /* from a file of cables; from LLDP */
};

struct sonic_port {
    const char *name, *alias; /* "Ethernet0"; alias may be NULL */
    const struct tree_item *item;
    uint32_t index; /* number N of its name pN in the scenario */
    int64_t speed;  /* bits per second; SONIC_UNSET is possible here and below */
    int64_t mtu;    /* bytes */
    int64_t length; /* millimeters */
    const char *fec;
    uint32_t lanes;              /* 0: not set */
    const char *down;            /* why the link cannot come up, or NULL */
    const struct tree_item *qos; /* row of PORT_QOS_MAP, or NULL */
    int64_t pfc, watched;        /* masks of priorities */
    struct sonic_neighbor neighbor;
    const struct tree_item *watchdog;                         /* row of PFC_WD, or NULL */
    const struct tree_item *dscp, *group, *queue, *pfc_queue; /* maps, or NULL */
    const struct tree_item *group_rows[SONIC_PRIORITIES];     /* BUFFER_PG, or NULL */
    const struct tree_item *buffer_rows[SONIC_PRIORITIES];    /* BUFFER_QUEUE, or NULL */
    const struct tree_item *queue_rows[SONIC_PRIORITIES];     /* QUEUE, or NULL */
    bool linked;
};

/* Rows from which a switch's values come; NULL: none. */
struct sonic_origins {
    const struct tree_item *lossless, *headroom, *lossy, *lossless_queue, *lossy_queue;
    const struct tree_item *wred, *watchdog, *dscp, *queue, *computed;
};

/* Values of the switch, in the base units of quantity.h; unset if they are not in the file. */
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
    const char *hostname; /* as in the file */
    const char *asic;     /* asic_name of a chassis' switch, or NULL */
    const char *name;     /* legal name of the node */
    const struct tree_file *file;
    const struct tree_node *root;
    struct sonic_port *ports; /* in natural order of their names: Ethernet4 before Ethernet10 */
    uint32_t port_count;
    struct sonic_port **used; /* ports with a link; rows of other ports are ignored */
    uint32_t used_count;
    struct sonic_table pools, profiles, wred, schedulers;
    struct sonic_table dscp_maps, group_maps, queue_maps, pfc_maps;
    struct sonic_settings settings;
    struct sonic_origins origins;
};

struct sonic_host {
    const char *neighbor; /* name in DEVICE_NEIGHBOR; first member, because it is the key */
    const char *name;
    size_t number; /* from 1 */
    uint32_t nics; /* number of cables so far, one NIC each */
};

struct sonic_end {
    const struct sonic_switch *node; /* NULL: a host */
    const struct sonic_port *port;
};

struct sonic_link {
    struct sonic_end near, far;
    size_t host;          /* number of the host at the far end, from 1; 0: a switch */
    uint32_t nic;         /* NIC of the host */
    const char *far_port; /* name of the port at the host, or NULL */
};

struct sonic_import {
    struct arena arena;
    struct diag *diag;
    struct sonic_switch *switches;
    uint32_t switch_count;
    struct sonic_host **hosts;
    size_t host_count;
    void *by_neighbor; /* tree of tsearch: the newest host of each name */
    uint32_t nics;     /* NICs of the host with most NICs */
    struct sonic_link *links;
    size_t link_count;
    struct sonic_said *said; /* sonic_notes.c */
    size_t said_count, hidden;
    bool verbose;
    bool cabled;                    /* there was a file of cables */
    const struct tree_file **files; /* all files, in the given order */
    size_t file_count;
    struct notes notes;
    struct names names;               /* node names */
    const struct tree_node *reported; /* last value that was rejected */
};

/* ---- sonic_notes.c ---- */

/* Text that is safe in a message or a comment: printable ASCII, cut to a reasonable length. */
const char *sonic_clean(struct sonic_import *import, const char *text);

/* Adds a note; equal notes are merged. */
void sonic_note(struct sonic_import *import, struct diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a note about something that does not affect a run; only counted unless verbose. */
void sonic_cosmetic(struct sonic_import *import, struct diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a note about a port; equal ones become "48 ports of 6 switches (leaf0 Ethernet0, ...):
 * ..". */
void sonic_port_note(struct sonic_import *import, const struct sonic_switch *node,
                     const struct sonic_port *port, struct diag_place place, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));

/* ---- sonic_tables.c ---- */

/* Rows of a table in the file; NULL: no such table. A row that is not an object is an error. */
const struct tree_node *sonic_rows(struct sonic_import *import, const struct sonic_switch *node,
                                   const char *table);
void sonic_table(struct sonic_import *import, const struct sonic_switch *node, const char *name,
                 struct sonic_table *table);

/* Text of a field; NULL: not set. A value that is not a scalar is an error. */
const char *sonic_field(struct sonic_import *import, const struct tree_node *row,
                        const char *field);

/* A whole number in a field; unset if missing. A number out of range is an error. */
int64_t sonic_number(struct sonic_import *import, const struct tree_node *row, const char *field,
                     int64_t min, int64_t max);
int64_t sonic_number_of(struct sonic_import *import, const struct tree_node *value,
                        const char *what, int64_t min, int64_t max);

/* "3,4" as a mask; unset if missing. */
int64_t sonic_mask(struct sonic_import *import, const struct tree_node *row, const char *field);

/* Resolves a reference in a field: "x", "TABLE|x", "[TABLE|x]" or "[TABLE_TABLE:x]". NULL: not set,
 * or an error was reported. */
const struct tree_item *sonic_reference(struct sonic_import *import, const struct tree_node *row,
                                        const char *field, const struct sonic_table *table);

/* Calls `call` for each port and number of keys such as "Ethernet0,Ethernet4|3-4". Ports that are
 * not in PORT are reported; a row "global" is skipped. Of a chassis' rows, whose keys begin with
 * HOST|ASIC, only those of the switch itself count. `numbers` false: keys have ports only. */
typedef void sonic_each_fn(struct sonic_import *import, struct sonic_port *port, int number,
                           const struct tree_item *row);
void sonic_each(struct sonic_import *import, struct sonic_switch *node, const char *table,
                bool numbers, sonic_each_fn *call);

struct sonic_port *sonic_port(const struct sonic_switch *node, const char *name, size_t length);

/* The part of a key after "HOST|ASIC|" as written by a chassis, or the whole key without that
 * prefix; NULL: the row of another line card, or of another ASIC than asic_name
 * (sonic_chassis.c). */
const char *sonic_own_key(const struct sonic_switch *node, const char *key);

/* Adds a note about fields of the table's rows that are not in `known`. */
void sonic_other_fields(struct sonic_import *import, const struct sonic_switch *node,
                        const char *table, const char *const *known);

/* Adds a note if the list has other items than the one that the switch uses; `who` uses another:
 * "lossless group"; `what`: "BUFFER_PROFILE" and similar. */
void sonic_note_others(struct sonic_import *import, const struct tree_item *usual,
                       const struct tree_item **list, size_t count, const char *who,
                       const char *what);

/* The most frequent item in the list; among equals the first one in the file. NULL items do not
 * count. */
const struct tree_item *sonic_usual(struct sonic_import *import, const struct tree_item **list,
                                    size_t count);

/* Write comments before the sections of a switch with the origins of their values
 * (sonic_origins.c). */
void sonic_pfc_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from);
void sonic_buffer_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from);
void sonic_dscp_origins(struct sonic_import *import, FILE *out, const struct sonic_origins *from);
void sonic_origin(struct sonic_import *import, FILE *out, const char *table,
                  const struct tree_item *row); /* NULL: no comment */

/* Converts the tables of a file written by `sonic-db-dump` or `show techsupport`, which has keys
 * TABLE|KEY with the row as `value`. Any other tree is returned unchanged (sonic_dump.c). */
const struct tree_node *sonic_undump(struct sonic_import *import, const struct tree_node *root);

/* ---- cables from separate files ---- */

struct sonic_plug {
    const char *node;
    const char *port, *other_port; /* or NULL */
    const char *type;              /* "switch"; NULL: unknown */
    struct diag_place place;
};

struct sonic_cable {
    struct sonic_plug ends[2];
    bool heard;     /* reported by LLDP at the first end; the second node may be any device */
    bool of_fabric; /* from a file that may have cables between nodes without a configuration */
};

bool sonic_is_cabling(const struct tree_file *file);
void sonic_cabling(struct sonic_import *import, const struct tree_file *file);
void sonic_graph(struct sonic_import *import, const struct tree_file *file);
void sonic_lldp(struct sonic_import *import, const struct tree_file *file);
bool sonic_is_lldpctl(const struct tree_file *file);
void sonic_lldpctl(struct sonic_import *import, const struct tree_file *file);

/* Owner of a file: "out/leaf0.lldp" belongs to leaf0, the name without directory and extensions. */
const char *sonic_owner(struct sonic_import *import, const char *name, size_t length);
void sonic_list(struct sonic_import *import, const struct tree_file *file);

/* Makes the two ports neighbors; reports an error or a note if that is impossible. */
void sonic_cable(struct sonic_import *import, const struct tree_file *file,
                 const struct sonic_cable *cable);
void sonic_cable_error(struct sonic_import *import, const struct tree_file *file,
                       struct diag_place place, const char *text);

/* Finds a switch by name, with or without its domain, or NULL; and suggests a similar name. */
struct sonic_switch *sonic_switch_called(const struct sonic_import *import, const char *name);
const char *sonic_switch_hint(struct sonic_import *import, const char *name);

/* Finds the neighbor's port by any of its names, including aliases, or NULL. */
struct sonic_port *sonic_far_port(const struct sonic_switch *node,
                                  const struct sonic_neighbor *neighbor); /* sonic_cables.c */

/* ---- steps, in this order ---- */

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
