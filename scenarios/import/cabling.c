/* SPDX-License-Identifier: Apache-2.0
 * cabling - collects nodes and links from a reader and derives hosts, switches, names and ports.
 * All ends of all links are sorted by node and port, so the ends of one node form a consecutive
 * run. */
#include "scenarios/import/cabling.h"

#include "base/plural.h"
#include "net/port/port.h"
#include "scenarios/fabric/topology.h"
#include "scenarios/import/flows.h"
#include "scenarios/load/select.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ---- input from readers ---- */

static int by_name(const void *a, const void *b)
{
    const struct cabling_node *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void cabling_begin(struct cabling *cabling, struct arena *arena, const struct tree_file *file,
                   struct diag *diag)
{
    *cabling = (struct cabling){.arena = arena, .file = file, .diag = diag};
    cabling->notes.arena = cabling->names.arena = arena;
}

void cabling_end(struct cabling *cabling)
{
    names_free(&cabling->names);
    while (cabling->by_name != NULL) /* the first member of a tsearch node is the pointer to its
                                      * key */
        tdelete(*(struct cabling_node *const *)cabling->by_name, &cabling->by_name, by_name);
}

struct cabling_node *cabling_find(const struct cabling *cabling, const char *name)
{
    const struct cabling_node wanted = {.name = name};
    struct cabling_node *const *found = tfind(&wanted, &cabling->by_name, by_name);
    return found == NULL ? NULL : *found;
}

/* Finding a line takes time, so it is done only for messages that are kept. */
static const char *line_of(const struct cabling *cabling, struct diag_place place)
{
    return cabling->diag->count < DIAG_MAX ? tree_line(cabling->file, place.line) : NULL;
}

static void too_many(struct cabling *cabling, struct diag_place place, int limit, const char *what)
{
    diag_add(cabling->diag, DIAG_ERROR, place, line_of(cabling, place), "more than %d %s", limit,
             what);
}

struct cabling_node *cabling_node(struct cabling *cabling, const char *name,
                                  struct diag_place place)
{
    struct cabling_node *node = cabling_find(cabling, name);
    if (node != NULL)
        return node;
    if (cabling->node_count == CABLING_NODES_MAX) {
        too_many(cabling, place, CABLING_NODES_MAX, "nodes");
        return NULL;
    }
    node = arena_take(cabling->arena, sizeof *node);
    *node =
        (struct cabling_node){.name = name, .place = place, .index = (uint32_t)cabling->node_count};
    struct cabling_node **slot = arena_push(cabling->arena, (void **)(void *)&cabling->nodes,
                                            &cabling->node_count, sizeof *slot);
    *slot = node;
    tsearch(node, &cabling->by_name, by_name);
    return node;
}

struct cabling_link *cabling_link(struct cabling *cabling, struct diag_place place)
{
    if (cabling->link_count == CABLING_LINKS_MAX) {
        too_many(cabling, place, CABLING_LINKS_MAX, "links");
        return NULL;
    }
    const uint32_t index = (uint32_t)cabling->link_count;
    struct cabling_link *link = arena_push(cabling->arena, (void **)(void *)&cabling->links,
                                           &cabling->link_count, sizeof *link);
    *link = (struct cabling_link){.place = place};
    link->ends[0].link = link->ends[1].link = index;
    return link;
}

bool cabling_set(struct cabling *cabling, struct cabling_link *link, struct cabling_value value)
{
    char why[OPT_WHY_BYTES], text[OPT_WHY_BYTES];
    int64_t number;
    const struct opt *row = opt_find(port_opts, value.name);
    if (!opt_parse(row, value.text, &number, why)) {
        diag_add(cabling->diag, DIAG_ERROR, value.place, line_of(cabling, value.place), "%s: %s",
                 value.name, why);
        return false;
    }
    opt_format(row, number, text, sizeof text);
    value.text = arena_text(cabling->arena, text, strlen(text));
    struct cabling_value *slot = arena_push(cabling->arena, (void **)(void *)&link->values,
                                            &link->value_count, sizeof *slot);
    *slot = value;
    return true;
}

/* ---- the ends of each node ---- */

/* Natural order: numbers in names compare as numbers. */
static int natural(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        const size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
        if (x > 0 && y > 0) {
            const size_t x_zeros = strspn(a, "0"), y_zeros = strspn(b, "0");
            const size_t m = x - (x_zeros < x ? x_zeros : x - 1);
            const size_t n = y - (y_zeros < y ? y_zeros : y - 1);
            const int order = m != n ? (m < n ? -1 : 1) : memcmp(a + x - m, b + y - n, m);
            if (order != 0)
                return order;
            a += x;
            b += y;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != '\0') - (*b != '\0');
}

static int by_port(const void *a, const void *b)
{
    const struct cabling_end *x = *(const struct cabling_end *const *)a;
    const struct cabling_end *y = *(const struct cabling_end *const *)b;
    if (x->node != y->node)
        return x->node->index < y->node->index ? -1 : 1;
    if ((x->port == NULL) != (y->port == NULL))
        return x->port == NULL ? 1 : -1;
    int order = x->port == NULL ? 0 : natural(x->port, y->port);
    if (order == 0 && x->port != NULL)
        order = strcmp(x->port, y->port); /* e01 and e1 are different */
    return order != 0 ? order : x < y ? -1 : x > y;
}

struct run { /* ends of one node */
    struct cabling_end **ends;
    size_t count;
};

static const struct cabling_end *other_end(const struct cabling *cabling,
                                           const struct cabling_end *end)
{
    const struct cabling_link *link = &cabling->links[end->link];
    return end == &link->ends[0] ? &link->ends[1] : &link->ends[0];
}

static struct cabling_end **sorted_ends(struct cabling *cabling)
{
    struct cabling_end **ends =
        arena_array(cabling->arena, 2 * cabling->link_count + 1, sizeof(struct cabling_end *));
    for (size_t i = 0; i < cabling->link_count; i++)
        for (size_t end = 0; end < 2; end++)
            ends[2 * i + end] = &cabling->links[i].ends[end];
    qsort(ends, 2 * cabling->link_count, sizeof(struct cabling_end *), by_port);
    return ends;
}

/* ---- hosts or switches ---- */

static bool fits_one_of(const char *text, const char *const *patterns)
{
    for (; *patterns != NULL; patterns++)
        if (select_matches(*patterns, text))
            return true;
    return false;
}

static void decide(struct cabling_node *node, enum cabling_role role, const char *why)
{
    node->role = role;
    node->why = why;
}

bool cabling_fits(const char *patterns, const char *name)
{
    char pattern[2 * TOPOLOGY_NAME_MAX];
    for (const char *at = patterns; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        if (length > 0 && select_matches(pattern, name))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static void decide_by_ports(const struct cabling *cabling, const struct run *run)
{
    static const char *const of_switches[] = {"swp*", "Ethernet*", "ethernet*", NULL};
    static const char *const of_hosts[] = {"eth?", "eth??", "eno*", "enp*", "ens*",
                                           "enx*", "enP*",  "ib?",  "ib??", NULL};
    struct cabling_node *node = run->ends[0]->node;
    bool all_hosts = true, one_neighbor = true;
    for (size_t i = 0; i < run->count; i++) {
        const struct cabling_end *end = run->ends[i];
        if (end->port != NULL && fits_one_of(end->port, of_switches)) {
            decide(node, CABLING_SWITCH, "a port is called swp or Ethernet");
            return;
        }
        all_hosts &= end->port != NULL && fits_one_of(end->port, of_hosts);
        one_neighbor &= other_end(cabling, end)->node == other_end(cabling, run->ends[0])->node;
    }
    if (all_hosts)
        decide(node, CABLING_HOST, "its ports are called eth0, eno1, enp1s0, ib0 or the like");
    else if (one_neighbor)
        decide(node, CABLING_HOST, "it has one neighbor");
    else
        decide(node, CABLING_SWITCH, "it has several neighbors");
}

static void decide_node(struct cabling *cabling, const struct run *run)
{
    struct cabling_node *node = run->ends[0]->node;
    if (cabling_fits(cabling->host_pattern, node->name))
        decide(node, CABLING_HOST, "the host pattern matches it");
    else if (node->role == CABLING_UNKNOWN)
        decide_by_ports(cabling, run);
}

/* ---- names and numbers ---- */

static const char *new_name(struct cabling *cabling, const struct cabling_node *node)
{
    const char *name = names_pick(&cabling->names, node->name);
    const bool is_host = node->role == CABLING_HOST;
    const char **slot = arena_push(
        cabling->arena, (void **)(void *)(is_host ? &cabling->hosts : &cabling->switches),
        is_host ? &cabling->host_count : &cabling->switch_count, sizeof *slot);
    *slot = name;
    if (is_host) {
        bool *target = arena_push(cabling->arena, (void **)(void *)&cabling->targets,
                                  &cabling->target_count, sizeof *target);
        *target = node->is_target;
    }
    return name;
}

/* Number N of a port named pN, as in a scenario; -1: another name. */
static int own_number(const char *port)
{
    const size_t digits = port == NULL || port[0] != 'p' ? 0 : strspn(port + 1, "0123456789");
    if (digits == 0 || digits > 4 || port[1 + digits] != '\0' || (digits > 1 && port[1] == '0'))
        return -1;
    const int number = (int)strtol(port + 1, NULL, 10);
    return number < TOPOLOGY_PORTS_MAX ? number : -1;
}

static bool have_own_numbers(const struct run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (own_number(run->ends[i]->port) < 0)
            return false;
    return true;
}

/* Each cable counts as a separate NIC, because cabling does not show bonding. */
static void count_nics(struct cabling *cabling, const struct cabling_node *node, size_t cables)
{
    const uint32_t nics = cables > CABLING_NICS_MAX ? CABLING_NICS_MAX : (uint32_t)cables;
    cabling->nics = nics > cabling->nics ? nics : cabling->nics;
    if (cables > CABLING_NICS_MAX)
        notes_add(&cabling->notes, node->place,
                  "the host %s has %zu %s, but a host has at most %d NICs: each %d cables become "
                  "one host",
                  node->called, cables, plural(cables, "cable", "cables"), CABLING_NICS_MAX,
                  CABLING_NICS_MAX);
}

static void number_ports(struct cabling *cabling, const struct run *run)
{
    struct cabling_node *node = run->ends[0]->node;
    const bool is_host = node->role == CABLING_HOST, own = !is_host && have_own_numbers(run);
    node->called = new_name(cabling, node);
    if (strcmp(node->called, node->name) != 0)
        notes_add(&cabling->notes, node->place, "'%s' is called %s here",
                  notes_clean(cabling->arena, node->name), node->called);
    if (is_host)
        count_nics(cabling, node, run->count);
    if (!is_host && run->count > TOPOLOGY_PORTS_MAX)
        too_many(cabling, node->place, TOPOLOGY_PORTS_MAX, "ports of one switch");
    const char *called = node->called;
    for (size_t i = 0; i < run->count; i++) {
        struct cabling_end *end = run->ends[i];
        if (is_host && i > 0 && i % CABLING_NICS_MAX == 0)
            called = new_name(cabling, node);
        end->called = called;
        end->number = is_host ? (uint32_t)i % CABLING_NICS_MAX
                      : own   ? (uint32_t)own_number(end->port)
                              : (uint32_t)i;
    }
}

/* ---- impossible links ---- */

static bool is_named(const struct cabling_end *a, const struct cabling_end *b)
{
    return a->node == b->node && a->port != NULL && b->port != NULL &&
           strcmp(a->port, b->port) == 0;
}

/* A port has one cable; some tools list it at both ends. */
static void check_port(struct cabling *cabling, const struct cabling_end *first,
                       const struct cabling_end *second, bool *dropped)
{
    const struct cabling_link *link = &cabling->links[second->link];
    const int line = cabling->links[first->link].place.line;
    if (!is_named(first, second))
        return;
    if (is_named(other_end(cabling, first), other_end(cabling, second))) {
        notes_add(&cabling->notes, link->place, "the same cable as in line %d: left out", line);
        dropped[second->link] = true;
        return;
    }
    diag_add(cabling->diag, DIAG_ERROR, link->place, line_of(cabling, link->place),
             "port %s of %s has a cable already, in line %d",
             notes_clean(cabling->arena, second->port),
             notes_clean(cabling->arena, second->node->name), line);
}

static void drop_links(struct cabling *cabling)
{
    const size_t count = cabling->link_count;
    bool *dropped = arena_array(cabling->arena, count + 1, sizeof *dropped);
    for (size_t i = 0; i < count; i++) {
        const struct cabling_link *link = &cabling->links[i];
        dropped[i] = link->ends[0].node == link->ends[1].node;
        if (dropped[i])
            notes_add(&cabling->notes, link->place, "a cable from %s to itself: left out",
                      notes_clean(cabling->arena, link->ends[0].node->name));
    }
    struct cabling_end **ends = sorted_ends(cabling);
    const struct cabling_end *last = NULL;
    for (size_t i = 0; i < 2 * count; i++) {
        if (last != NULL && !dropped[ends[i]->link])
            check_port(cabling, last, ends[i], dropped);
        if (!dropped[ends[i]->link])
            last = ends[i];
    }
    cabling->link_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (dropped[i])
            continue;
        struct cabling_link *kept = &cabling->links[cabling->link_count];
        *kept = cabling->links[i];
        kept->ends[0].link = kept->ends[1].link = (uint32_t)cabling->link_count++;
    }
}

/* ---- main function ---- */

typedef void run_fn(struct cabling *cabling, const struct run *run);

static void each_run(struct cabling *cabling, struct cabling_end **ends, run_fn *call)
{
    const size_t count = 2 * cabling->link_count;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && ends[to]->node == ends[from]->node;)
            to++;
        call(cabling, &(struct run){&ends[from], to - from});
    }
}

bool cabling_settle(struct cabling *cabling)
{
    cabling_drop_management(cabling);
    drop_links(cabling);
    if (diag_failed(cabling->diag))
        return false;
    struct cabling_end **ends = sorted_ends(cabling);
    each_run(cabling, ends, decide_node);
    each_run(cabling, ends, number_ports);
    for (size_t i = 0; i < cabling->node_count; i++)
        if (cabling->nodes[i]->called == NULL && !cabling->nodes[i]->is_left_out)
            notes_add(&cabling->notes, cabling->nodes[i]->place, "%s has no cable: left out",
                      notes_clean(cabling->arena, cabling->nodes[i]->name));
    flows_settle(cabling);
    if (cabling->link_count == 0)
        diag_add(cabling->diag, DIAG_ERROR,
                 (struct diag_place){.file = cabling->file->name, .line = 1, .column = 1}, NULL,
                 "expected at least one link between two nodes");
    return !diag_failed(cabling->diag);
}
