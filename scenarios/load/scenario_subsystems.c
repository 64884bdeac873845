/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/load/scenario_subsystems.h"

#include "base/nearest.h"
#include "base/plural.h"
#include "nvme/host/host.h"
#include "nvme/target/target.h"
#include "nvme/wire/discovery.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/load/load.h"

#include <stdlib.h>
#include <string.h>

enum { NQN_MAX = 223, LIST_MAX = 1024 }; /* NQN_MAX: NVMe base 1.4, 7.9 */

/* ---- reading ---- */

/* Checks the form of an NQN: "nqn." and up to 219 more characters without blanks. */
static bool check_nqn(struct loader *loader, const struct tree_node *word)
{
    if (word == NULL)
        return false;
    const size_t length = word->kind == TREE_SCALAR ? strlen(word->text) : 0;
    bool fine = length > 4 && length <= NQN_MAX && strncmp(word->text, "nqn.", 4) == 0;
    for (size_t i = 0; fine && i < length; i++)
        fine = (unsigned char)word->text[i] > ' ' && word->text[i] != 127;
    if (!fine)
        tree_error(loader->diag, word,
                   "expected an NQN such as nqn.2014-08.org.example:gold, at most %d characters",
                   NQN_MAX);
    return fine;
}

static void check_list(struct loader *loader, const struct tree_node *entry, const char *key)
{
    const struct tree_node *list = tree_get(entry, key);
    if (list == NULL)
        return;
    if (list->kind != TREE_LIST || list->count > LIST_MAX) {
        tree_error(loader->diag, list, "expected a list of at most %d", LIST_MAX);
        return;
    }
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].value->kind != TREE_SCALAR)
            tree_error(loader->diag, list->items[i].value, "expected one word or number");
}

static bool is_named_before(const struct tree_node *list, size_t index)
{
    const struct tree_node *nqn = tree_get(list->items[index].value, "nqn");
    for (size_t i = 0; i < index; i++) {
        const struct tree_node *other = tree_get(list->items[i].value, "nqn");
        if (other != NULL && other->kind == TREE_SCALAR && strcmp(other->text, nqn->text) == 0)
            return true;
    }
    return false;
}

static void read_subsystem(struct loader *loader, const char *path, const struct tree_node *list,
                           size_t index)
{
    static const char *const keys[] = {"nqn", "namespaces", "ports", "hosts", NULL};
    static const char *const lists[] = {"namespaces", "ports", "hosts"};
    const struct tree_node *entry = list->items[index].value;
    struct block *limits =
        block_new(loader->arena, path, nvme_subsystem_opts, sizeof(struct nvme_limits));
    const struct block *const known[] = {limits, NULL};
    if (!block_only(entry, keys, known, loader->diag))
        return;
    scenario_take_part(loader, limits, entry, NULL);
    scenario_show(loader, limits, false);
    const struct tree_node *nqn = tree_get(entry, "nqn");
    if (nqn == NULL)
        tree_error(loader->diag, entry, "expected nqn: the name that hosts connect to");
    else if (check_nqn(loader, nqn) && is_named_before(list, index))
        tree_error(loader->diag, nqn, "the target already has a subsystem of this name");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        check_list(loader, entry, lists[i]);
}

static void read_ana(struct loader *loader, const char *path, const struct tree_node *entry)
{
    struct block *block =
        block_new(loader->arena, path, scenario_ana_opts, sizeof(struct scenario_ana));
    const struct block *const known[] = {block, NULL};
    if (!block_only(entry, NULL, known, loader->diag))
        return;
    scenario_take(loader, block, entry, NULL);
    scenario_show(loader, block, false);
}

void scenario_read_names(struct loader *loader, const char *path, const struct tree_node *section,
                         struct scenario_names *names)
{
    *names = (struct scenario_names){0};
    const struct tree_node *nqn = scenario_word(loader, section, "nqn");
    if (nqn != NULL && check_nqn(loader, nqn))
        names->nqn = nqn->text;
    const struct tree_node *subsystems = scenario_list(loader, section, "subsystems");
    const int errors = loader->diag->errors;
    if (subsystems != NULL && subsystems->count > NVME_TARGET_SUBSYSTEMS_MAX)
        tree_error(loader->diag, subsystems, "%zu %s %s more than the limit of %d",
                   subsystems->count, plural(subsystems->count, "subsystem", "subsystems"),
                   plural(subsystems->count, "is", "are"), NVME_TARGET_SUBSYSTEMS_MAX);
    for (size_t i = 0; subsystems != NULL && i < subsystems->count; i++)
        read_subsystem(loader, arena_format(loader->arena, "%s.subsystems[%zu]", path, i),
                       subsystems, i);
    if (subsystems != NULL && loader->diag->errors == errors)
        names->subsystems = subsystems;
    names->subsystems_path = arena_format(loader->arena, "%s.subsystems", path);
    const struct tree_node *ana = scenario_list(loader, section, "ana");
    for (size_t i = 0; ana != NULL && i < ana->count; i++)
        read_ana(loader, arena_format(loader->arena, "%s.ana[%zu]", path, i), ana->items[i].value);
    if (ana != NULL && loader->diag->errors == errors)
        names->ana = ana;
}

struct scenario_names scenario_names_over(const struct scenario_names *from,
                                          const struct scenario_names *over)
{
    return (struct scenario_names){
        .nqn = over->nqn != NULL ? over->nqn : from->nqn,
        .subsystems = over->subsystems != NULL ? over->subsystems : from->subsystems,
        .subsystems_path = over->subsystems != NULL ? over->subsystems_path : from->subsystems_path,
        .ana = over->ana != NULL ? over->ana : from->ana,
    };
}

/* ---- resolving ---- */

/* False, with a message, if it is not a number in the range. */
static bool read_number(struct loader *loader, const struct tree_node *word, const char *what,
                        uint32_t least, uint32_t most, uint32_t *number)
{
    char *end = NULL;
    const unsigned long value = strtoul(word->text, &end, 10);
    if (word->text[0] >= '0' && word->text[0] <= '9' && *end == '\0' && value >= least &&
        value <= most && most >= least) {
        *number = (uint32_t)value;
        return true;
    }
    if (most < least)
        tree_error(loader->diag, word, "there is no %s", what);
    else
        tree_error(loader->diag, word, "expected a %s, %u to %u", what, least, most);
    return false;
}

static void resolve_namespaces(struct loader *loader, const struct tree_node *list, uint32_t count,
                               struct nvme_target_subsystem *made)
{
    made->namespace_count = list == NULL ? count : (uint32_t)list->count;
    uint32_t *numbers = arena_array(loader->arena, made->namespace_count, sizeof *numbers);
    for (uint32_t i = 0; i < made->namespace_count; i++) {
        numbers[i] = i + 1;
        if (list != NULL && !read_number(loader, list->items[i].value, "number of a namespace", 1,
                                         count, &numbers[i]))
            return;
        for (uint32_t k = 0; k < i && list != NULL; k++)
            if (numbers[k] == numbers[i] - 1) {
                tree_error(loader->diag, list->items[i].value, "namespace %u is there twice",
                           numbers[i]);
                return;
            }
        numbers[i]--;
    }
    made->namespaces = numbers;
}

static void resolve_ports(struct loader *loader, const struct tree_node *list, uint32_t ports,
                          struct nvme_target_subsystem *made)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        uint32_t port;
        if (!read_number(loader, list->items[i].value, "port, the number of a NIC", 0, ports - 1,
                         &port))
            return;
        made->ports |= UINT64_C(1) << port;
    }
    if (list != NULL && list->count == 0)
        tree_error(loader->diag, list, "expected at least one port");
}

static const char *nqn_of(struct loader *loader, uint32_t node)
{
    const char *own = loader->nodes[node].host->names.nqn;
    if (own != NULL)
        return own;
    char *text = arena_take(loader->arena, NVME_NQN_BYTES);
    nvme_host_name(loader->scenario->nodes[node].name, text);
    return text;
}

/* Scenario hosts are given by name, others by NQN. */
static void resolve_hosts(struct loader *loader, const struct tree_node *list,
                          struct nvme_target_subsystem *made)
{
    const char **hosts = arena_array(loader->arena, list == NULL ? 0 : list->count, sizeof *hosts);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct tree_node *word = list->items[i].value;
        const uint32_t node = scenario_find_node(loader->scenario, word->text);
        if (node < loader->scenario->host_count)
            hosts[i] = nqn_of(loader, node);
        else if (strncmp(word->text, "nqn.", 4) != 0)
            tree_error(loader->diag, word, "there is no host '%.64s'; expected a host or an NQN",
                       word->text);
        else if (check_nqn(loader, word))
            hosts[i] = word->text;
    }
    made->hosts = hosts;
    made->host_count = list == NULL ? 0 : (uint32_t)list->count;
    if (list != NULL && list->count == 0)
        tree_error(loader->diag, list,
                   "expected at least one host; without `hosts` every host may connect");
}

static void finish_subsystems(struct loader *loader, const struct scenario_node *node,
                              const struct tree_node *list, struct scenario_host *host)
{
    struct nvme_target_subsystem *made = arena_array(loader->arena, list->count, sizeof *made);
    const int errors = loader->diag->errors;
    const uint32_t count = scenario_namespace_count(host);
    if (count == 0)
        tree_error(loader->diag, list, "%s has no namespaces, and therefore no subsystems",
                   node->name);
    for (size_t i = 0; i < list->count && loader->diag->errors == errors; i++) {
        const struct tree_node *entry = list->items[i].value;
        struct block *limits =
            block_new(loader->arena, "subsystems", nvme_subsystem_opts, sizeof made[i].limits);
        made[i].nqn = tree_get(entry, "nqn")->text;
        scenario_take_part(loader, limits, entry, NULL);
        made[i].limits = *(const struct nvme_limits *)limits->params;
        resolve_namespaces(loader, tree_get(entry, "namespaces"), count, &made[i]);
        resolve_ports(loader, tree_get(entry, "ports"), node->port_count, &made[i]);
        resolve_hosts(loader, tree_get(entry, "hosts"), &made[i]);
    }
    if (list->count == 0)
        tree_error(loader->diag, list, "expected at least one subsystem");
    if (loader->diag->errors != errors)
        return;
    host->subsystems = made;
    host->subsystem_count = (uint32_t)list->count;
}

static void finish_ana(struct loader *loader, const struct scenario_node *node,
                       const struct tree_node *list, struct scenario_host *host)
{
    struct scenario_ana *made = arena_array(loader->arena, list->count, sizeof *made);
    for (size_t i = 0; i < list->count; i++) {
        struct block *block =
            block_new(loader->arena, "ana", scenario_ana_opts, sizeof(struct scenario_ana));
        scenario_take_part(loader, block, list->items[i].value, NULL);
        made[i] = *(const struct scenario_ana *)block->params;
        if (made[i].port >= node->port_count)
            tree_error(loader->diag, list->items[i].value, "port: %s has %u, numbered from 0",
                       node->name, node->port_count);
    }
    host->ana = made;
    host->ana_count = (uint32_t)list->count;
}

void scenario_finish_names(struct loader *loader, uint32_t index,
                           const struct scenario_names *names, struct scenario_host *host)
{
    const struct scenario_node *node = &loader->scenario->nodes[index];
    host->nqn = names->nqn;
    if (names->subsystems != NULL)
        finish_subsystems(loader, node, names->subsystems, host);
    if (names->ana != NULL)
        finish_ana(loader, node, names->ana, host);
}

/* ---- subsystem of a workload ---- */

/* A host treats two controllers with the same NQN and different serial numbers as an error, so only
 * the first target has the default NQN. */
void scenario_name_targets(struct loader *loader)
{
    struct scenario *scenario = loader->scenario;
    bool first = true;
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        struct scenario_node *node = &scenario->nodes[i];
        if (node->host->namespace_count == 0 || node->host->subsystem_count > 0)
            continue;
        if (!first)
            node->nqn = arena_format(loader->arena, "%s:%s", NVME_SUBSYSTEM_NQN, node->name);
        first = false;
    }
}

static void no_subsystem(struct loader *loader, const struct tree_node *word,
                         const struct scenario_node *target)
{
    struct nearest nearest = nearest_to(word->text);
    nearest_offer(&nearest, NVME_SUBSYSTEM_NQN);
    for (uint32_t i = 0; i < target->host->subsystem_count; i++)
        nearest_offer(&nearest, target->host->subsystems[i].nqn);
    tree_error(loader->diag, word, "%s has no subsystem '%.64s'%s", target->name, word->text,
               nearest_hint(&nearest).text);
}

void scenario_check_subsystem(struct loader *loader, const struct tree_node *entry,
                              const struct scenario_workload *workload)
{
    const struct tree_node *word = tree_get(entry, "subsystem");
    if (word == NULL)
        return;
    if (!workload->ops->needs_nvme_target) {
        tree_error(loader->diag, word, "subsystem: kind %s does not connect to subsystems",
                   workload->ops->name);
        return;
    }
    if (strcmp(word->text, NVME_DISCOVERY_NQN) == 0)
        return; /* every target has it */
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_node *to = &loader->scenario->nodes[workload->pairs[i].to];
        const bool own = to->host->subsystem_count == 0;
        if (own ? scenario_is_default_nqn(word->text) ||
                      (to->nqn != NULL && strcmp(word->text, to->nqn) == 0)
                : scenario_subsystem_of(to->host, word->text) != NULL)
            continue;
        no_subsystem(loader, word, to);
        return;
    }
}
