/* SPDX-License-Identifier: Apache-2.0
 * scenario_workloads - loads `workloads:`. */
#include "scenarios/load/scenario_load.h"
#include "scenarios/load/scenario_subsystems.h"
#include "scenarios/load/select.h"

#include "base/nearest.h"
#include "base/plural.h"
#include "base/rng.h"
#include "nvme/target/target.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/fio/fio.h"
#include "scenarios/load/pairing.h"
#include "scenarios/workload/workload.h"
#include "tcp/tcp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORKLOADS_MAX = 10000 };

/* Parameters of every kind. */
struct common {
    int64_t start, stop; /* stop -1: the end of the run */
    int64_t start_jitter;
    int64_t pairing;        /* enum pairing */
    int64_t loopback;       /* bool */
    int64_t dscp, priority; /* -1: that of the host */
    int64_t nic, peer_nic;  /* -1: all in turn */
    int64_t paths;          /* -1: none, -2: all */
    int64_t transport;      /* index in nvme_carriers */
};

#define FIELD(name) offsetof(struct common, name)

const struct opt scenario_workload_opts[] = {
    {"start", OPT_TIME, FIELD(start), "0s", NULL, NULL, NULL,
     "Time at which the workload starts "
     "to issue I/O.",
     "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"start-jitter", OPT_TIME, FIELD(start_jitter), "0s", NULL, NULL, NULL,
     "Maximum random delay of the start, drawn separately for each instance (pair of hosts).",
     "own; processes of different hosts never start at the same picosecond",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"stop", OPT_TIME, FIELD(stop), "end", NULL, NULL, "end",
     "Time at which the workload stops issuing I/O; end: when `duration` ends.", "own",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"pairing", OPT_CHOICE, FIELD(pairing), "round-robin", NULL, NULL, OPT_WORDS(PAIRINGS),
     "How the hosts in `from` are paired with the hosts in `to`. round-robin: both lists advance "
     "by one host for each pair, and the shorter list repeats; all-to-all: each host with each; "
     "one-to-one: two lists of equal length, in order; permutation: each host in `from` with "
     "another random host in `to`.",
     "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"loopback", OPT_BOOL, FIELD(loopback), "false", NULL, NULL, NULL,
     "true: a host that is both in `from` and in `to` is also paired with itself. Its traffic "
     "stays in the NIC and crosses PCIe twice. false: it is not.",
     "own; Collie, NSDI 2022", OPT_ACTS(ASKED, ANY, TRACE)},
    {"dscp", OPT_DSCP, FIELD(dscp), "auto", "0", "63", "auto",
     "DSCP of the connections, in both directions; auto: rnic.dscp or tcp.dscp of the hosts, "
     "depending on the transport.",
     "librdmacm RDMA_OPTION_ID_TOS, nvme connect --tos; IBTA Vol 1 12.7.11",
     OPT_ACTS(CLASSES, ANY, TRACE)},
    {"priority", OPT_INT, FIELD(priority), "auto", "0", "7", "auto",
     "Priority of the traffic at the ports of the hosts in `from`; auto: the priority to which "
     "these hosts map the DSCP.",
     "mlnx_qos --trust dscp; the service level of a REQ, IBTA Vol 1 12.7",
     OPT_ACTS(CLASSES, ANY, TRACE)},
    {"nic", OPT_INT, FIELD(nic), "auto", "0", "7", "auto",
     "NIC of the hosts in `from`, counted from 0; auto: queue pairs use all pairs of NICs that "
     "can reach each other.",
     "perftest -d, nvme connect --host-iface", OPT_ACTS(PATHS, ANY, TRACE)},
    {"peer-nic", OPT_INT, FIELD(peer_nic), "auto", "0", "7", "auto",
     "NIC of the hosts in `to`, counted from 0; auto: the same number as `nic` if the host has "
     "that NIC.",
     "nvme connect --traddr", OPT_ACTS(PATHS, ANY, TRACE)},
    {"paths", OPT_INT, FIELD(paths), "none", "1", "16", "none|all",
     "Number of NVMe controllers of an instance, each on another pair of NICs, as paths to one "
     "namespace. all: one for each pair of NICs that can reach each other; none: one controller "
     "without multipath.",
     "Linux 6.1 nvme_core: multipath; nvme connect-all", OPT_ACTS(PATHS, ANY, TRACE)},
    {"transport", OPT_CHOICE, FIELD(transport), "rdma", NULL, NULL, &nvme_carrier_words[1],
     "Transport of the workload. rdma: NVMe over RDMA (RoCE, InfiniBand); tcp: NVMe over TCP, "
     "with the hosts' `tcp` parameters; iscsi: SCSI commands over iSCSI and TCP in place of NVMe "
     "commands; fc: NVMe over Fibre Channel, which needs fabric.kind: fibre-channel; iwarp: RDMA "
     "over TCP, for NVMe and for the rdma-* kinds. Without a value, an NVMe workload uses "
     "hosts.defaults.transport.",
     "nvme connect -t rdma, nvme connect -t tcp, iscsiadm", OPT_ACTS(LATENCY, ANY, TRACE)},
    {0}};

static const char *const file_keys[] = {"name", "kind",      "from",  "to",
                                        "file", "subsystem", "admin", NULL};
static const char *const fio_keys[] = {"name",      "kind",    "from", "to", "file",
                                       "subsystem", "options", "jobs", NULL};

struct entry {
    const struct tree_node *written;
    const struct tree_node *kind;
    bool is_fio, has_file;
    struct scenario_workload made;
};

static bool name_is_fine(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t length = strlen(name);
    return length > 0 && length < WORKLOAD_NAME_BYTES && strspn(name, letters) == length;
}

static const char *read_name(struct loader *loader, const struct tree_node *written)
{
    const struct tree_node *name = scenario_word(loader, written, "name");
    if (name != NULL && name_is_fine(name->text))
        return name->text;
    tree_error(loader->diag, name == NULL ? written : name,
               "expected name: letters, digits, '_' and '-', at most %d", WORKLOAD_NAME_BYTES - 1);
    return NULL;
}

static void unknown_kind(struct loader *loader, const struct tree_node *kind)
{
    struct nearest nearest = nearest_to(kind->text);
    for (int i = 0; workload_kinds[i] != NULL; i++)
        nearest_offer(&nearest, workload_kinds[i]->name);
    nearest_offer(&nearest, "fio");
    tree_error(loader->diag, kind, "there is no workload kind '%.64s'%s", kind->text,
               nearest_hint(&nearest).text);
}

/* A fio job is a workload of kind nvme. */
static bool read_kind(struct loader *loader, struct entry *entry)
{
    entry->kind = scenario_word(loader, entry->written, "kind");
    if (entry->kind == NULL) {
        tree_error(loader->diag, entry->written, "expected kind: such as nvme or rdma-write");
        return false;
    }
    entry->is_fio = strcmp(entry->kind->text, "fio") == 0;
    entry->made.ops = workload_find(entry->is_fio ? "nvme" : entry->kind->text);
    if (entry->made.ops == NULL)
        unknown_kind(loader, entry->kind);
    else
        entry->has_file = entry->is_fio || entry->made.ops->read_file != NULL;
    return entry->made.ops != NULL;
}

static void read_common(struct loader *loader, struct entry *entry, const struct block *block)
{
    const struct common *common = block->params;
    const time_ps end = loader->scenario->duration;
    entry->made.start = common->start;
    entry->made.start_jitter = common->start_jitter;
    entry->made.class = (struct verbs_class){
        .tos_set = common->dscp >= 0,
        .priority_set = common->priority >= 0,
        .tos = (uint8_t)(common->dscp < 0 ? 0 : common->dscp << 2),
        .priority = (uint8_t)(common->priority < 0 ? 0 : common->priority),
    };
    entry->made.nic = (int8_t)common->nic;
    entry->made.transport = (uint8_t)common->transport;
    const struct nvme_carrier *carrier = nvme_carriers[common->transport];
    const bool nvme = entry->made.ops->needs_nvme_target;
    entry->made.own_verbs = !nvme && !entry->made.ops->needs_tcp && carrier->verbs != NULL;
    entry->made.by_tcp =
        entry->made.ops->needs_tcp || ((nvme || entry->made.own_verbs) && carrier->by_tcp);
    entry->made.paths = common->paths == -1   ? 0
                        : common->paths == -2 ? NICS_PATHS_MAX
                                              : (uint32_t)common->paths;
    entry->made.peer_nic = (int8_t)common->peer_nic;
    entry->made.stop = common->stop < 0 || common->stop > end ? end : common->stop;
    if (common->start_jitter < entry->made.stop - common->start)
        return;
    const bool late = common->start >= entry->made.stop;
    const struct tree_node *start = tree_get(entry->written, late ? "start" : "start-jitter");
    tree_error(loader->diag, start == NULL ? entry->written : start,
               late ? "'%s' would start after its stop"
                    : "members of '%s' might start after its stop",
               entry->made.name);
}

static void no_nic(struct loader *loader, const struct entry *entry, const char *key, int8_t nic,
                   uint32_t node)
{
    const struct tree_node *written = tree_get(entry->written, key);
    const struct scenario_node *host = &loader->scenario->nodes[node];
    if (host->is_aggregate) {
        tree_error(loader->diag, written == NULL ? entry->written : written,
                   "%s: the NICs of %s are aggregated by rnic.lag, which selects the NIC of each "
                   "queue pair",
                   key, host->name);
        return;
    }
    tree_error(loader->diag, written == NULL ? entry->written : written,
               "%s: %s has no NIC %d with a link: it has %u, numbered from 0", key, host->name, nic,
               host->outer_ports);
}

static bool has_nic(const struct loader *loader, uint32_t node, int8_t nic)
{
    const struct scenario_node *host = &loader->scenario->nodes[node];
    return nic < 0 || (!host->is_aggregate && nic < host->outer_ports &&
                       host->ports[nic].link != SCENARIO_NO_LINK);
}

/* Reports an explicit number of paths that the NICs do not allow. */
static void check_paths(struct loader *loader, const struct entry *entry,
                        const struct scenario_pair *pairs)
{
    const struct scenario_workload *made = &entry->made;
    const struct tree_node *written = tree_get(entry->written, "paths");
    struct nic_pair list[NICS_PATHS_MAX];
    if (made->paths > 0 && !made->ops->needs_nvme_target) {
        tree_error(loader->diag, written == NULL ? entry->written : written,
                   "paths: kind %s has no NVMe controllers", made->ops->name);
        return;
    }
    for (uint32_t i = 0; i < made->pair_count && made->paths < NICS_PATHS_MAX; i++) {
        const uint32_t there =
            made->paths == 0 ? 0 : nics_paths(loader->scenario, made, &pairs[i], list);
        if (there >= made->paths)
            continue;
        tree_error(
            loader->diag, written == NULL ? entry->written : written,
            "paths: from %s to %s there %s %u, one for each pair of NICs that reach each other",
            loader->scenario->nodes[pairs[i].from].name, loader->scenario->nodes[pairs[i].to].name,
            plural(there, "is", "are"), there);
        return;
    }
}

static void take_nics(struct loader *loader, struct entry *entry, struct scenario_pair *pairs)
{
    const struct scenario_workload *made = &entry->made;
    for (uint32_t i = 0; i < made->pair_count; i++) {
        const bool is_from = !has_nic(loader, pairs[i].from, made->nic);
        if (!is_from && has_nic(loader, pairs[i].to, made->peer_nic))
            continue;
        no_nic(loader, entry, is_from ? "nic" : "peer-nic", is_from ? made->nic : made->peer_nic,
               is_from ? pairs[i].from : pairs[i].to);
        return;
    }
    if (!scenario_make_loopback(loader, made, tree_get(entry->written, "loopback")))
        return;
    nics_give_turns(loader->scenario, made, pairs);
    check_paths(loader, entry, pairs);
}

static bool read_ends(struct loader *loader, struct entry *entry, const struct common *common,
                      uint32_t *pairs_left)
{
    static const char *const keys[2] = {"from", "to"};
    struct selection ends[2];
    for (int i = 0; i < 2; i++) {
        const struct tree_node *written = tree_get(entry->written, keys[i]);
        if (written == NULL) {
            tree_error(loader->diag, entry->written, "expected %s: the hosts to select", keys[i]);
            return false;
        }
        if (!select_from(loader->scenario, written, SELECT_HOSTS, &ends[i], loader->diag))
            return false;
    }
    struct rng rng = rng_stream(loader->scenario->seed, entry->made.name, "permutation");
    struct pairing_list list;
    const struct pairing_way way = {(enum pairing)common->pairing, common->loopback != 0};
    const char *why = pairing_make(loader->arena, &way, &ends[0], &ends[1], &rng, &list);
    if (why == NULL)
        *pairs_left -= list.count < *pairs_left ? list.count : *pairs_left;
    if (why == NULL && *pairs_left == 0)
        why = "more than a million pairs in all";
    if (why != NULL)
        tree_error(loader->diag, tree_get(entry->written, "to"), "%s", why);
    entry->made.pairs = list.pairs;
    entry->made.pair_count = list.count;
    if (why == NULL)
        take_nics(loader, entry, list.pairs);
    return why == NULL;
}

static void check_targets(struct loader *loader, const struct entry *entry)
{
    if (!entry->made.ops->needs_nvme_target)
        return;
    for (uint32_t i = 0; i < entry->made.pair_count; i++) {
        const struct scenario_node *to = &loader->scenario->nodes[entry->made.pairs[i].to];
        if (to->host->namespace_count > 0)
            continue;
        tree_error(loader->diag, tree_get(entry->written, "to"),
                   "%s has no namespaces: hosts: {targets: {where: ..}} must select it", to->name);
        return;
    }
}

/* All queue pairs of an NVMe controller go to one address, so it counts as one. */
static uint32_t queue_pairs_of(const struct scenario_workload *workload)
{
    const char *row = workload->ops->needs_tcp ? "connections" : "qps";
    return workload->ops->needs_nvme_target
               ? 1
               : (uint32_t)opt_value(workload->ops->opts, row, workload->params, 1);
}

static void add_workload(struct loader *loader, const struct entry *entry,
                         const struct block *params, struct scenario_workload_list *out)
{
    struct scenario_workload *added =
        arena_push(loader->arena, (void **)(void *)&out->list, &out->count, sizeof *added);
    *added = entry->made;
    added->params = params->params;
    added->values = params;
    added->copies = 1;
    added->turns = queue_pairs_of(added);
    added->first_job = (uint32_t)(out->count - 1);
    scenario_check_spaces(loader, entry->written, added);
}

static int64_t greatest_namespace(const struct loader *loader, const struct entry *entry)
{
    int64_t greatest = 0;
    for (uint32_t i = 0; i < entry->made.pair_count; i++) {
        const uint32_t to = entry->made.pairs[i].to;
        const struct scenario_host *host = loader->scenario->nodes[to].host;
        for (uint32_t k = 0; k < host->namespace_count; k++) {
            const struct nvme_namespace_params *params = host->namespaces[k].params;
            if (params != NULL && params->size > greatest) /* NULL: invalid, already reported */
                greatest = params->size;
        }
    }
    return greatest;
}

/* Reads the file `name` with `read`, a reader of the workload kind. */
static bool read_named(struct loader *loader, const struct entry *entry, const struct block *params,
                       const struct tree_node *name,
                       bool (*read)(void *params, const struct workload_file *file))
{
    const struct workload_file file = {
        .arena = loader->arena,
        .file = scenario_open(loader, name),
        .diag = loader->diag,
        .workload = entry->made.name,
        .instances = entry->made.pair_count,
        .room = greatest_namespace(loader, entry),
        .start = entry->made.start,
        .stop = entry->made.stop,
    };
    return file.file != NULL && read(params->params, &file);
}

static bool read_file(struct loader *loader, const struct entry *entry, const struct block *params)
{
    const struct workload_ops *ops = entry->made.ops;
    const struct tree_node *name = scenario_word(loader, entry->written, "file");
    const struct tree_node *more =
        ops->more_file == NULL ? NULL : scenario_word(loader, entry->written, ops->more_file);
    if (more != NULL)
        return read_named(loader, entry, params, more, ops->read_more);
    if (ops->read_file == NULL)
        return true;
    if (name != NULL)
        return read_named(loader, entry, params, name, ops->read_file);
    tree_error(loader->diag, entry->written, "expected file: the file that kind %s reads",
               ops->name);
    return false;
}

static bool is_among(const char *const *keys, const char *key)
{
    while (*keys != NULL && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* Reports parameters of kind nvme that a fio job sets in its file or in `options`. */
static bool is_of_job(struct loader *loader, const struct tree_node *written,
                      const struct block *params)
{
    for (size_t i = 0; i < written->count; i++) {
        const struct tree_item *item = &written->items[i];
        const bool of_entry =
            is_among(fio_keys, item->key) || opt_find(scenario_workload_opts, item->key) != NULL;
        if (of_entry || (opt_find(params->rows, item->key) == NULL && !fio_has_option(item->key)))
            continue;
        /* The key may come from another file than its mapping, after --set; the value has the right
         * file. */
        const bool here = item->key_place.file == written->file->name;
        tree_message(loader->diag, DIAG_ERROR, here ? written : item->value, item->key_place,
                     "this setting belongs to the fio job file: expected options, such as "
                     "{iodepth: 8, bs: 4k, rate_iops: 2000}, or another file");
        return true;
    }
    return false;
}

static void load_entry(struct loader *loader, const struct tree_node *written, uint32_t *pairs_left,
                       struct scenario_workload_list *out)
{
    struct entry entry = {.written = written, .made = {.place = written->place}};
    entry.made.name = entry.made.entry = read_name(loader, written);
    if (entry.made.name == NULL || !read_kind(loader, &entry))
        return;
    const char *path = arena_format(loader->arena, "workloads.%s", entry.made.name);
    struct block *common =
        block_new(loader->arena, path, scenario_workload_opts, sizeof(struct common));
    common->words = scenario_tos_words;
    struct block *params =
        block_new(loader->arena, path, entry.made.ops->opts, entry.made.ops->params_bytes);
    const struct block *const known[] = {common, entry.is_fio ? NULL : params, NULL};
    const char *const admin = entry.made.ops->read_admin == NULL ? "name" : "admin";
    const char *const more = entry.made.ops->more_file;
    const char *const more_keys[] = {"name", "kind", "from", "to", "subsystem", admin, more, NULL};
    const char *const *keys = entry.is_fio ? fio_keys : entry.has_file ? file_keys : more_keys;
    if ((entry.is_fio && is_of_job(loader, written, params)) ||
        !block_only(written, keys, known, loader->diag))
        return;
    scenario_take_part(loader, common, written, NULL);
    scenario_take_transport(loader, &entry.made, common);
    scenario_show(loader, common, false);
    read_common(loader, &entry, common);
    if (!read_ends(loader, &entry, common->params, pairs_left))
        return;
    check_targets(loader, &entry);
    scenario_check_transport(loader, written, &entry.made);
    const struct tree_node *subsystem = scenario_word(loader, written, "subsystem");
    entry.made.subsystem = subsystem == NULL ? NULL : subsystem->text;
    scenario_check_subsystem(loader, written, &entry.made);
    if (entry.is_fio) {
        scenario_add_fio(loader, written, &entry.made, out);
        return;
    }
    scenario_take_part(loader, params, written, keys);
    scenario_take_queues(loader, written, &entry.made, params);
    if (!read_file(loader, &entry, params) ||
        !scenario_read_admin(loader, written, &entry.made, params->params))
        return;
    scenario_show(loader, params, false);
    add_workload(loader, &entry, params, out);
}

void scenario_load_workloads(struct loader *loader)
{
    const struct tree_node *written = scenario_list(loader, loader->root, "workloads");
    struct scenario_workload_list list = {0};
    if (written == NULL || written->count == 0 || written->count > WORKLOADS_MAX) {
        tree_error(loader->diag, written == NULL ? loader->root : written,
                   "expected workloads: a list of at least one and at most %d", WORKLOADS_MAX);
        return;
    }
    uint32_t pairs_left = PAIRING_MAX + 1;
    for (size_t i = 0; i < written->count && pairs_left > 0 && list.count <= WORKLOADS_MAX; i++)
        load_entry(loader, written->items[i].value, &pairs_left, &list);
    if (list.count > WORKLOADS_MAX)
        tree_error(loader->diag, written, "more than %d workloads, fio jobs counted",
                   WORKLOADS_MAX);
    scenario_finish_workloads(loader, &list, written);
    loader->scenario->workloads = list.list;
    loader->scenario->workload_count = (uint32_t)list.count;
}
