/* SPDX-License-Identifier: Apache-2.0
 * cabling_management - detects cables of management networks. They carry no storage traffic, and
 * their switch would connect parts of the fabric that are separate.
 * Source: Cumulus' topology converter (oob-mgmt-switch, oob-mgmt-server, eth0 next to swp ports);
 * management ports of EOS (Management1), NX-OS (mgmt0), Junos (fxp0, em0, me0). */
#include "scenarios/import/cabling.h"

#include "base/plural.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* `anywhere`: also within a longer word, such as leafmgmt. */
static bool has_word(const char *name, const char *word, bool anywhere)
{
    for (const char *at = name; *at != '\0'; at++)
        if ((anywhere || at == name || !isalpha((unsigned char)at[-1])) &&
            strncasecmp(at, word, strlen(word)) == 0)
            return true;
    return false;
}

bool cabling_is_management(const char *name)
{
    return has_word(name, "mgmt", true) || has_word(name, "management", true) ||
           has_word(name, "oob", false) || has_word(name, "ipmi", false);
}

static bool is_management_node(const struct cabling *cabling, const struct cabling_node *node)
{
    const bool called = node->is_management || cabling_is_management(node->name);
    return called && !cabling_fits(cabling->host_pattern, node->name);
}

/* True for names such as "mgmt0", "Management1/1", "fxp0". */
static bool is_management_port(const char *port)
{
    static const char *const begins[] = {"mgmt", "management", "fxp", "me",    "em", "ma",
                                         "ipmi", "bmc",        "ilo", "idrac", "oob"};
    for (size_t i = 0; port != NULL && i < sizeof begins / sizeof begins[0]; i++) {
        const size_t length = strlen(begins[i]);
        if (strncasecmp(port, begins[i], length) == 0 &&
            (port[length] == '\0' || isdigit((unsigned char)port[length])))
            return true;
    }
    return false;
}

static bool is_swp(const struct cabling_end *end)
{
    return end->port != NULL && strncmp(end->port, "swp", 3) == 0;
}

/* True for a cable of a management network. Out: the management node, or NULL if the reason is the
 * port at an end. */
static bool is_management(const struct cabling *cabling, const struct cabling_link *link,
                          const bool *has_swp, struct cabling_node **network)
{
    *network = NULL;
    for (int i = 0; i < 2; i++)
        if (is_management_node(cabling, link->ends[i].node))
            *network = link->ends[i].node;
    if (*network != NULL)
        return true;
    for (int i = 0; i < 2; i++) {
        const struct cabling_end *end = &link->ends[i];
        if (is_management_port(end->port) ||
            (end->port != NULL && strcmp(end->port, "eth0") == 0 && has_swp[end->node->index]))
            return true;
    }
    return false;
}

static void note_network(struct cabling *cabling, const struct cabling_node *node, size_t cables)
{
    if (cables > 0)
        notes_add(&cabling->notes, node->place, "%s is a management network: %zu %s left out",
                  notes_clean(cabling->arena, node->name), cables,
                  plural(cables, "cable is", "cables are"));
}

void cabling_drop_management(struct cabling *cabling)
{
    bool *has_swp = arena_array(cabling->arena, cabling->node_count + 1, sizeof *has_swp);
    size_t *cables = arena_array(cabling->arena, cabling->node_count + 1, sizeof *cables);
    size_t kept = 0;
    for (size_t i = 0; i < cabling->link_count; i++)
        for (int end = 0; end < 2; end++)
            if (is_swp(&cabling->links[i].ends[end]))
                has_swp[cabling->links[i].ends[end].node->index] = true;
    for (size_t i = 0; i < cabling->link_count; i++) {
        const struct cabling_link *link = &cabling->links[i];
        struct cabling_node *network;
        if (!is_management(cabling, link, has_swp, &network)) {
            cabling->links[kept] = *link;
            cabling->links[kept].ends[0].link = cabling->links[kept].ends[1].link = (uint32_t)kept;
            kept++;
        } else if (network == NULL) {
            notes_add(&cabling->notes, link->place, "a cable at a port for management: left out");
        } else {
            cables[network->index]++;
            network->is_left_out = true;
        }
    }
    cabling->link_count = kept;
    for (size_t i = 0; i < cabling->node_count; i++)
        note_network(cabling, cabling->nodes[i], cables[i]);
}
