/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/load/select.h"

#include "base/check.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN_BYTES = 128, PATTERNS_MAX = 4096 }; /* limits of one list */

/* One text of a `where`. */
struct pattern {
    char text[PATTERN_BYTES];
    unsigned kinds; /* kinds that it may select */
    bool is_range;  /* stem with numbers from low to high */
    size_t stem;    /* length of the common part of all members */
    uint64_t low, high;
};

struct search {
    struct scenario *scenario;
    const struct tree_node *where;
    struct diag *diag;
    struct selection *selection;
    struct arena scratch;
    uint8_t *seen;        /* one bit per possible spot */
    uint32_t *first_spot; /* by node: its first bit in `seen` */
    struct nearest nearest;
    size_t found; /* spots found by the current pattern */
};

/* Backtracks only to the last star: linear for one star, never exponential. */
bool select_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* ---- reading a pattern ---- */

static void take_word(struct pattern *pattern)
{
    static const struct {
        const char *word;
        unsigned kinds;
    } words[] = {{"link ", SELECT_LINKS},
                 {"port ", SELECT_PORTS},
                 {"node ", SELECT_HOSTS | SELECT_SWITCHES},
                 {"host ", SELECT_HOSTS},
                 {"switch ", SELECT_SWITCHES}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i].word);
        if (strncmp(pattern->text, words[i].word, length) != 0)
            continue;
        pattern->kinds &= words[i].kinds;
        memmove(pattern->text, pattern->text + length, strlen(pattern->text + length) + 1);
        return;
    }
}

/* Finds where the number at the end of a name begins; false: there is none. */
static bool split_number(const char *name, size_t length, size_t *stem, uint64_t *number)
{
    *stem = length;
    while (*stem > 0 && name[*stem - 1] >= '0' && name[*stem - 1] <= '9')
        (*stem)--;
    if (*stem == length || length - *stem > 9)
        return false;
    *number = strtoull(name + *stem, NULL, 10);
    return true;
}

static bool read_range(struct search *search, struct pattern *pattern, const char *dots)
{
    const size_t first = (size_t)(dots - pattern->text);
    const char *second = dots + 2;
    size_t stem;
    if (!split_number(pattern->text, first, &pattern->stem, &pattern->low) ||
        !split_number(second, strlen(second), &stem, &pattern->high) || stem != pattern->stem ||
        strncmp(pattern->text, second, stem) != 0) {
        tree_error(search->diag, search->where, "expected a range such as host0..host7");
        return false;
    }
    pattern->is_range = true;
    if (pattern->low <= pattern->high)
        return true;
    tree_error(search->diag, search->where, "the range ends before it begins");
    return false;
}

static bool read_pattern(struct search *search, unsigned kinds, struct pattern *pattern)
{
    const struct tree_node *where = search->where;
    *pattern = (struct pattern){.kinds = kinds};
    if (where->kind != TREE_SCALAR || strlen(where->text) >= PATTERN_BYTES ||
        where->text[0] == '\0') {
        tree_error(search->diag, where, "expected a name such as host0, host0..host7 or leaf*");
        return false;
    }
    memcpy(pattern->text, where->text, strlen(where->text) + 1);
    take_word(pattern);
    if (pattern->kinds == 0) {
        tree_error(search->diag, where, "'%.64s' cannot be selected here", where->text);
        return false;
    }
    const char *dots = strstr(pattern->text, "..");
    return dots == NULL || read_range(search, pattern, dots);
}

static bool fits_pattern(const struct pattern *pattern, const char *name)
{
    if (!pattern->is_range)
        return select_matches(pattern->text, name);
    size_t stem;
    uint64_t number;
    return strncmp(name, pattern->text, pattern->stem) == 0 &&
           split_number(name, strlen(name), &stem, &number) && stem == pattern->stem &&
           number >= pattern->low && number <= pattern->high;
}

/* ---- collecting ---- */

static void add_spot(struct search *search, struct scenario_spot spot)
{
    const uint32_t port = spot.port == SCENARIO_ALL_PORTS ? 0 : spot.port + 1u;
    const uint32_t bit = search->first_spot[spot.node] + port;
    search->found++;
    if (search->seen[bit / 8] >> (bit % 8) & 1)
        return;
    search->seen[bit / 8] = (uint8_t)(search->seen[bit / 8] | 1u << (bit % 8));
    if (search->scenario->selected == SELECT_ALL_MAX)
        return;
    search->scenario->selected++;
    struct selection *selection = search->selection;
    struct scenario_spot *added =
        arena_push(&search->scenario->arena, (void **)(void *)&selection->spots, &selection->count,
                   sizeof *added);
    *added = spot;
}

static void search_nodes(struct search *search, const struct pattern *pattern)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const unsigned kind = node->kind == SCENARIO_HOST ? SELECT_HOSTS : SELECT_SWITCHES;
        if ((pattern->kinds & kind) == 0)
            continue;
        if (fits_pattern(pattern, node->name))
            add_spot(search, (struct scenario_spot){i, SCENARIO_ALL_PORTS});
    }
}

static void search_ports(struct search *search, const struct pattern *pattern)
{
    if ((pattern->kinds & SELECT_PORTS) == 0 || strchr(pattern->text, ':') == NULL)
        return;
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        for (uint16_t port = 0; port < scenario->nodes[i].outer_ports; port++) {
            const struct scenario_node *node = &scenario->nodes[i];
            char name[PATTERN_BYTES], other[PATTERN_BYTES] = "";
            snprintf(name, sizeof name, "%s:p%u", node->name, port);
            if (node->ports[port].name != NULL)
                snprintf(other, sizeof other, "%s:%s", node->name, node->ports[port].name);
            if (fits_pattern(pattern, name) || (other[0] != '\0' && fits_pattern(pattern, other)))
                add_spot(search, (struct scenario_spot){i, port});
        }
    }
}

static void search_links(struct search *search, const struct pattern *pattern)
{
    if ((pattern->kinds & SELECT_LINKS) == 0 || strchr(pattern->text, ':') != NULL)
        return;
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        char reverse[PATTERN_BYTES];
        snprintf(reverse, sizeof reverse, "%s-%s", scenario->nodes[link->node[1]].name,
                 scenario->nodes[link->node[0]].name);
        const bool inner = link->node[0] == link->node[1]; /* a loopback, not a cable */
        if (inner || (!fits_pattern(pattern, link->name) && !fits_pattern(pattern, reverse)))
            continue;
        add_spot(search, (struct scenario_spot){link->node[0], link->port[0]});
        add_spot(search, (struct scenario_spot){link->node[1], link->port[1]});
    }
}

/* ---- roles ---- */

static void add_node(struct search *search, const struct pattern *pattern, uint32_t node)
{
    const bool host = search->scenario->nodes[node].kind == SCENARIO_HOST;
    if ((pattern->kinds & (host ? SELECT_HOSTS : SELECT_SWITCHES)) != 0)
        add_spot(search, (struct scenario_spot){node, SCENARIO_ALL_PORTS});
}

static bool has_namespaces(const struct scenario *scenario, uint32_t node)
{
    for (size_t i = 0; i < scenario->group_count; i++)
        for (size_t k = 0; scenario->groups[i].targets && k < scenario->groups[i].count; k++)
            if (scenario->groups[i].spots[k].node == node)
                return true;
    return false;
}

static void search_hosts(struct search *search, const struct pattern *pattern, bool targets)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].kind == SCENARIO_HOST && has_namespaces(scenario, i) == targets)
            add_node(search, pattern, i);
}

static void search_tier(struct search *search, const struct pattern *pattern, unsigned above)
{
    const struct scenario *scenario = search->scenario;
    unsigned lowest = UINT8_MAX;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].kind == SCENARIO_SWITCH && scenario->nodes[i].tier < lowest)
            lowest = scenario->nodes[i].tier;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].kind == SCENARIO_SWITCH && scenario->nodes[i].tier == lowest + above)
            add_node(search, pattern, i);
}

static void search_group(struct search *search, const struct pattern *pattern, const char *name)
{
    const struct scenario *scenario = search->scenario;
    for (size_t i = 0; i < scenario->group_count; i++)
        for (size_t k = 0;
             strcmp(scenario->groups[i].name, name) == 0 && k < scenario->groups[i].count; k++)
            add_node(search, pattern, scenario->groups[i].spots[k].node);
}

/* Names in a fabric begin with the fabric's letter and a dash. */
static void search_fabric(struct search *search, const struct pattern *pattern, const char *letter)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; strlen(letter) == 1 && i < scenario->node_count; i++) {
        const char *name = scenario->nodes[i].name;
        if (scenario->nodes[i].kind == SCENARIO_SWITCH && name[0] == *letter && name[1] == '-')
            add_node(search, pattern, i);
    }
}

/* Rest of the text after the word; NULL: the text does not begin with it. */
static const char *after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

static void search_roles(struct search *search, const struct pattern *pattern)
{
    const char *rest;
    if (strcmp(pattern->text, "hosts") == 0 || strcmp(pattern->text, "targets") == 0)
        search_hosts(search, pattern, pattern->text[0] == 't');
    else if (strcmp(pattern->text, "leaves") == 0)
        search_tier(search, pattern, 0);
    else if (strcmp(pattern->text, "spines") == 0)
        search_tier(search, pattern, 1);
    else if ((rest = after(pattern->text, "group ")) != NULL)
        search_group(search, pattern, rest);
    else if ((rest = after(pattern->text, "fabric ")) != NULL)
        search_fabric(search, pattern, rest);
}

/* Adds both ends of each link. */
static void add_links_of(struct search *search, uint32_t node)
{
    const struct scenario_node *at = &search->scenario->nodes[node];
    for (uint16_t p = 0; p < at->outer_ports; p++)
        if (at->ports[p].link != SCENARIO_NO_LINK) {
            add_spot(search, (struct scenario_spot){node, p});
            add_spot(search,
                     (struct scenario_spot){at->ports[p].peer_node, at->ports[p].peer_port});
        }
}

/* True if the text begins with "links of"; the links have then been found, or an error reported. */
static bool search_links_of(struct search *search, const struct tree_node *where, unsigned kinds)
{
    const char *rest = where->kind == TREE_SCALAR ? after(where->text, "links of ") : NULL;
    if (rest == NULL)
        return false;
    struct tree_node alone = *where;
    struct selection nodes = {0};
    alone.text = rest;
    if ((kinds & SELECT_LINKS) == 0 || after(rest, "links of ") != NULL) {
        tree_error(search->diag, where, "'%.64s' cannot be selected here", where->text);
        return true;
    }
    if (!select_from(search->scenario, &alone, SELECT_HOSTS | SELECT_SWITCHES, &nodes,
                     search->diag))
        return true;
    for (size_t i = 0; i < nodes.count; i++)
        add_links_of(search, nodes.spots[i].node);
    if (search->found == 0)
        tree_error(search->diag, where, "the selected nodes have no links");
    return true;
}

/* Compares candidates only now, because messages may take longer than lookups. */
static void offer_names(struct search *search, const struct pattern *pattern)
{
    const struct scenario *scenario = search->scenario;
    search->nearest = nearest_to(pattern->text);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const unsigned kind =
            scenario->nodes[i].kind == SCENARIO_HOST ? SELECT_HOSTS : SELECT_SWITCHES;
        if (pattern->kinds & kind)
            nearest_offer(&search->nearest, scenario->nodes[i].name);
    }
    for (uint32_t i = 0; (pattern->kinds & SELECT_LINKS) && i < scenario->link_count; i++)
        nearest_offer(&search->nearest, scenario->links[i].name);
}

static const char *kinds_name(unsigned kinds)
{
    if (kinds == SELECT_HOSTS)
        return "host";
    if (kinds == SELECT_SWITCHES)
        return "switch";
    if ((kinds & (SELECT_HOSTS | SELECT_SWITCHES)) == 0)
        return kinds == SELECT_LINKS ? "link" : "port or link";
    return "node, port or link";
}

static void nothing_found(struct search *search, const struct pattern *pattern)
{
    offer_names(search, pattern);
    const char *kind = kinds_name(pattern->kinds);
    if (strchr(pattern->text, ',') != NULL)
        tree_error(search->diag, search->where,
                   "no %s is called '%s'; to select several, write a list: [%s]", kind,
                   pattern->text, pattern->text);
    else if (search->diag->count == DIAG_MAX || pattern->is_range)
        tree_error(search->diag, search->where, "no %s is called '%s'", kind, pattern->text);
    else
        tree_error(search->diag, search->where, "no %s is called '%s'%s", kind, pattern->text,
                   nearest_hint(&search->nearest).text);
}

/* All members of a range must exist. */
static void check_range(struct search *search, const struct pattern *pattern)
{
    if (!pattern->is_range || search->found >= pattern->high - pattern->low + 1)
        return;
    tree_error(search->diag, search->where, "only %zu of the %llu in this range exist",
               search->found, (unsigned long long)(pattern->high - pattern->low + 1));
}

static bool search_one(struct search *search, const struct tree_node *where, unsigned kinds)
{
    struct pattern pattern;
    search->where = where;
    search->found = 0;
    if (search_links_of(search, where, kinds))
        return search->found > 0;
    if (!read_pattern(search, kinds, &pattern))
        return false;
    search_nodes(search, &pattern);
    if (search->found == 0)
        search_roles(search, &pattern);
    search_ports(search, &pattern);
    /* leaf* selects the leaves, not also every link whose name begins with one. */
    if (search->found == 0)
        search_links(search, &pattern);
    if (search->found == 0)
        nothing_found(search, &pattern);
    else
        check_range(search, &pattern);
    return search->found > 0;
}

bool select_from(struct scenario *scenario, const struct tree_node *where, unsigned kinds,
                 struct selection *selection, struct diag *diag)
{
    const int errors = diag->errors;
    *selection = (struct selection){0};
    struct search search = {.scenario = scenario, .diag = diag, .selection = selection};
    uint32_t spots = 0;
    search.first_spot = arena_array(&search.scratch, scenario->node_count, sizeof spots);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        search.first_spot[i] = spots;
        spots += 1u + scenario->nodes[i].port_count;
    }
    search.seen = arena_take(&search.scratch, spots / 8 + 1);
    if (where->count > PATTERNS_MAX) {
        tree_error(diag, where, "more than %d names: use ranges or wildcards", PATTERNS_MAX);
        return false;
    }
    if (where->kind != TREE_LIST)
        search_one(&search, where, kinds);
    for (size_t i = 0; where->kind == TREE_LIST && i < where->count; i++)
        search_one(&search, where->items[i].value, kinds);
    arena_free(&search.scratch);
    if (diag->errors == errors && scenario->selected == SELECT_ALL_MAX)
        tree_error(diag, where, "more than %d selections in total", SELECT_ALL_MAX);
    else if (diag->errors == errors && selection->count == 0)
        tree_error(diag, where, "expected at least one name");
    return diag->errors == errors;
}
