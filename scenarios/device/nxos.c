/* SPDX-License-Identifier: Apache-2.0
 * nxos - QoS of a Nexus: class-maps and policy-maps of the types qos, network-qos and queuing, and
 * where they are applied.
 * A qos-group is a queue. Settings that no policy in force uses are reported.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide (classification, network
 * QoS, queuing, priority flow control); Azure Local top-of-rack reference configurations. */
#include "scenarios/device/switch_qos.h"

#include <string.h>

enum nxos_type { TYPE_QOS, TYPE_NETWORK, TYPE_QUEUING, TYPES };

enum nxos_context { OUTSIDE, CLASS_MAP, POLICY_MAP, POLICY_CLASS, APPLY };

/* Match conditions of a class-map. */
struct class_map {
    const char *name;
    enum nxos_type type;
    uint64_t dscps, groups;
    bool other; /* matches CoS, an access list or the like */
    struct diag_place place;
};

/* Actions of a policy for a class. */
struct action {
    const char *class;
    int group; /* set qos-group, or QOS_UNSET */
    bool pause;
    struct qos_queue queue;
    struct diag_place place;
};

struct policy {
    const char *name;
    enum nxos_type type;
    struct action *actions;
    size_t count;
    size_t used_in, used_out; /* number of interfaces where it is applied */
    bool by_system;
    struct diag_place place;
};

struct nxos {
    struct device *device;
    struct switch_qos qos;
    struct class_map *maps;
    size_t map_count;
    struct policy *policies;
    size_t policy_count;
    enum nxos_context context;
    bool is_interface;
    bool pfc_on, pfc_off, pfc_auto;
};

static enum nxos_type type_of(const struct command *command)
{
    const char *type = command_after(command, "type");
    if (type != NULL && strcmp(type, "network-qos") == 0)
        return TYPE_NETWORK;
    return type != NULL && strcmp(type, "queuing") == 0 ? TYPE_QUEUING : TYPE_QOS;
}

static const char *last_word(const struct command *command)
{
    return command->words[command->count - 1];
}

/* ---- blocks ---- */

static void begin_class_map(struct nxos *nxos, const struct command *command)
{
    struct class_map *map = arena_push(&nxos->device->arena, (void **)(void *)&nxos->maps,
                                       &nxos->map_count, sizeof *map);
    *map = (struct class_map){
        .name = last_word(command), .type = type_of(command), .place = command->place};
    nxos->context = CLASS_MAP;
}

static void begin_policy(struct nxos *nxos, const struct command *command)
{
    struct policy *policy = arena_push(&nxos->device->arena, (void **)(void *)&nxos->policies,
                                       &nxos->policy_count, sizeof *policy);
    *policy = (struct policy){
        .name = last_word(command), .type = type_of(command), .place = command->place};
    nxos->context = POLICY_MAP;
}

static void begin_action(struct nxos *nxos, const struct command *command)
{
    struct policy *policy = &nxos->policies[nxos->policy_count - 1];
    struct action *action = arena_push(&nxos->device->arena, (void **)(void *)&policy->actions,
                                       &policy->count, sizeof *action);
    struct switch_qos empty;
    qos_begin(&empty, NULL);
    *action = (struct action){.class = last_word(command),
                              .group = QOS_UNSET,
                              .queue = empty.queues[0],
                              .place = command->place};
    action->queue.place = command->place;
    nxos->context = POLICY_CLASS;
}

/* ---- match ---- */

static void read_match(struct nxos *nxos, const struct command *command)
{
    struct class_map *map = &nxos->maps[nxos->map_count - 1];
    int at = command_is(command, 1, "ip") ? 2 : 1;
    const bool dscp = command_is(command, at, "dscp");
    if (!dscp && !command_is(command, 1, "qos-group")) {
        map->other = true;
        if (command_is(command, 1, "cos"))
            command_note(
                nxos->device, command,
                "a class by CoS (the VLAN tag's priority): left out, the scenario uses the DSCP");
        else
            command_unknown(nxos->device, command);
        return;
    }
    for (int i = at + 1; i < command->count; i++) {
        uint64_t mask = 0;
        const int named = qos_dscp(command->words[i]);
        if (dscp && named != QOS_UNSET)
            mask = UINT64_C(1) << named;
        else if (!qos_mask(command->words[i], dscp ? QOS_DSCPS - 1 : QOS_QUEUES - 1, &mask))
            command_unknown(nxos->device, command);
        *(dscp ? &map->dscps : &map->groups) |= mask;
    }
}

/* ---- actions ---- */

static void read_weight(struct nxos *nxos, const struct command *command, struct action *action)
{
    const int64_t percent = qos_number(command_after(command, "percent"), 100);
    if (percent == QOS_UNSET)
        command_unknown(nxos->device, command);
    else if (action->queue.weight != 0) /* a priority queue stays a priority queue */
        action->queue.weight = percent == 0 ? 1 : (int)percent; /* 0 would mean strict in a
                                                                 * scenario */
}

static void read_marks(struct nxos *nxos, const struct command *command, struct action *action)
{
    struct qos_queue *queue = &action->queue;
    queue->ecn |= command_has(command, "ecn");
    if (!command_marks(command, "drop-probability", queue))
        command_unknown(nxos->device, command);
    else if (queue->kmin == QOS_UNSET)
        command_note(nxos->device, command,
                     "thresholds of ECN that are no bytes: kmin and kmax are the defaults");
}

/* "pause buffer-size 101920 pause-threshold 46800 resume-threshold 34320": the memory above the
 * pause threshold is headroom. */
static void read_pause_buffer(struct nxos *nxos, const struct command *command,
                              struct action *action)
{
    const int64_t size = qos_bytes(command_after(command, "buffer-size"), NULL);
    const int64_t xoff = qos_bytes(command_after(command, "pause-threshold"), NULL);
    struct qos_queue *queue = &action->queue;
    if (size == QOS_UNSET || xoff == QOS_UNSET || xoff > size) {
        command_unknown(nxos->device, command);
        return;
    }
    queue->xoff = xoff;
    queue->headroom = size - xoff;
    queue->xon = qos_bytes(command_after(command, "resume-threshold"), NULL);
    queue->place = command->place;
}

static void read_pause(struct nxos *nxos, const struct command *command, struct action *action)
{
    const char *cos = command_after(command, "pfc-cos");
    uint64_t mask = 0;
    action->pause = true;
    if (cos == NULL)
        return;
    if (!qos_mask(cos, QOS_QUEUES - 1, &mask) || mask == 0) {
        command_unknown(nxos->device, command);
        return;
    }
    if ((mask & (mask - 1)) != 0)
        command_note(nxos->device, command,
                     "a no-drop class with several CoS values: imported with the lowest one");
    action->queue.pfc_priority = 0;
    while (!(mask >> action->queue.pfc_priority & 1))
        action->queue.pfc_priority++;
}

static void read_action(struct nxos *nxos, const struct command *command)
{
    struct policy *policy = &nxos->policies[nxos->policy_count - 1];
    struct action *action = &policy->actions[policy->count - 1];
    if (command_is(command, 0, "set qos-group *"))
        action->group = (int)qos_number(command->words[2], QOS_QUEUES - 1);
    else if (command_is(command, 0, "pause buffer-size")) {
        read_pause_buffer(nxos, command, action);
        if (command_has(command, "pfc-cos"))
            read_pause(nxos, command, action);
    } else if (command_is(command, 0, "pause"))
        read_pause(nxos, command, action);
    else if (command_is(command, 0, "bandwidth"))
        read_weight(nxos, command, action);
    else if (command_is(command, 0, "priority"))
        action->queue.weight = 0;
    else if (command_is(command, 0, "random-detect"))
        read_marks(nxos, command, action);
    else if (command_is(command, 0, "ecn") || command_is(command, 0, "congestion-control ecn"))
        action->queue.ecn = true;
    else if (!command_is(command, 0, "mtu"))
        command_unknown(nxos->device, command);
}

/* ---- where policies are applied ---- */

static struct policy *policy_named(struct nxos *nxos, enum nxos_type type, const char *name)
{
    for (size_t i = nxos->policy_count; i-- > 0;)
        if (nxos->policies[i].type == type && strcmp(nxos->policies[i].name, name) == 0)
            return &nxos->policies[i];
    return NULL;
}

static void read_service(struct nxos *nxos, const struct command *command)
{
    const enum nxos_type type = type_of(command);
    const char *in = command_after(command, "input"), *out = command_after(command, "output");
    const char *name = in != NULL                  ? in
                       : out != NULL               ? out
                       : command->words[1] == NULL ? NULL
                                                   : command->words[3];
    struct policy *policy = name == NULL ? NULL : policy_named(nxos, type, name);
    if (policy == NULL) {
        command_unknown(nxos->device, command);
        return;
    }
    policy->used_in += out == NULL;
    policy->used_out += out != NULL;
    policy->by_system |= !nxos->is_interface;
}

static void read_watchdog(struct nxos *nxos, const char *interval)
{
    const int64_t ms = qos_number(interval, 1000);
    if (interval != NULL && strcmp(interval, "off") == 0)
        return;
    nxos->qos.watchdog = "drop";
    if (ms > 0)
        nxos->qos.detection = ms;
}

static void read_flow_control(struct nxos *nxos, const struct command *command)
{
    const char *mode = command_after(command, "mode");
    const char *interval = command_after(command, "watch-dog-interval");
    if (mode != NULL) {
        nxos->pfc_on |= strcmp(mode, "on") == 0;
        nxos->pfc_off |= strcmp(mode, "off") == 0;
        nxos->pfc_auto |= strcmp(mode, "auto") == 0;
    } else if (interval != NULL) {
        read_watchdog(nxos, interval);
    } else {
        command_unknown(nxos->device, command);
    }
}

static void read_apply(struct nxos *nxos, const struct command *command)
{
    if (command_is(command, 0, "service-policy"))
        read_service(nxos, command);
    else if (command_is(command, 0, "priority-flow-control"))
        read_flow_control(nxos, command);
    else if (!command_is_plain(command))
        command_strange(nxos->device, command);
}

static bool begin_block(struct nxos *nxos, const struct command *command)
{
    const bool indented = nxos->device->text[0] == ' ' || nxos->device->text[0] == '\t';
    if (command_is(command, 0, "class-map *"))
        begin_class_map(nxos, command);
    else if (command_is(command, 0, "policy-map *"))
        begin_policy(nxos, command);
    else if (command_is(command, 0, "class *") &&
             (nxos->context == POLICY_MAP || nxos->context == POLICY_CLASS))
        begin_action(nxos, command);
    else if (command_is(command, 0, "system qos") || command_is(command, 0, "interface *")) {
        nxos->context = APPLY;
        nxos->is_interface = command_is(command, 0, "interface");
    } else {
        static const char *const inside[] = {
            "match",    "set",           "pause",          "bandwidth",
            "priority", "random-detect", "service-policy", "mtu",
            "ecn",      "queue-limit",   "shape",          "congestion-control",
            NULL};
        bool known = indented;
        for (size_t i = 0; inside[i] != NULL; i++)
            known |= strcmp(command->words[0], inside[i]) == 0;
        nxos->context = known ? nxos->context : OUTSIDE;
        return false;
    }
    return true;
}

static void read_line(struct nxos *nxos)
{
    struct command command;
    command_read(nxos->device, &command);
    if (command.count == 0 || command.words[0][0] == '!' || begin_block(nxos, &command))
        return;
    if (nxos->context == CLASS_MAP && command_is(&command, 0, "match *"))
        read_match(nxos, &command);
    else if (nxos->context == POLICY_CLASS)
        read_action(nxos, &command);
    else if (nxos->context == APPLY)
        read_apply(nxos, &command);
    else if (command_is(&command, 0, "priority-flow-control"))
        read_flow_control(nxos, &command);
    else if (nxos->context != OUTSIDE ? !command_is(&command, 0, "description")
                                      : command_is_of_qos(&command))
        command_unknown(nxos->device, &command);
}

/* ---- settings in force ---- */

static const struct class_map *map_named(const struct nxos *nxos, enum nxos_type type,
                                         const char *name)
{
    for (size_t i = nxos->map_count; i-- > 0;)
        if (nxos->maps[i].type == type && strcmp(nxos->maps[i].name, name) == 0)
            return &nxos->maps[i];
    return NULL;
}

/* Queue of a class: c-out-8q-q3, c-8q-nq3, c-in-q-default, class-default, or a class-map. */
static int queue_of(const struct nxos *nxos, enum nxos_type type, const char *name)
{
    const struct class_map *map = map_named(nxos, type, name);
    const size_t length = strlen(name);
    if (map != NULL) {
        for (int q = 0; q < QOS_QUEUES; q++)
            if (map->groups >> q & 1)
                return q;
        return QOS_UNSET;
    }
    if (length > 7 && strcmp(name + length - 7, "default") == 0)
        return 0;
    if (length > 2 && name[length - 2] == 'q' && name[length - 1] >= '0' && name[length - 1] <= '7')
        return name[length - 1] - '0';
    return QOS_UNSET;
}

/* The policy of most interfaces, else the system's, else the last one; NULL: none. */
static const struct policy *in_force(struct nxos *nxos, enum nxos_type type, bool out)
{
    const struct policy *best = NULL, *last = NULL;
    size_t most = 0;
    for (size_t i = 0; i < nxos->policy_count; i++) {
        const struct policy *policy = &nxos->policies[i];
        const size_t used = out ? policy->used_out : policy->used_in;
        last = policy->type == type && (policy->used_in + policy->used_out == 0) ? policy : last;
        if (policy->type == type && used > most) {
            best = policy;
            most = used;
        }
    }
    if (best == NULL && last != NULL && (type != TYPE_QUEUING || out)) {
        notes_add(&nxos->device->notes, last->place,
                  "the policy-map %s is not applied in this file: imported as if it were",
                  notes_clean(&nxos->device->arena, last->name));
        best = last;
    }
    return best;
}

static void note_unused(struct nxos *nxos, const struct policy *const *used, size_t count)
{
    for (size_t i = 0; i < nxos->policy_count; i++) {
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known |= used[k] == &nxos->policies[i];
        if (!known)
            notes_add(&nxos->device->notes, nxos->policies[i].place,
                      "the policy-map %s is not applied to most ports: left out",
                      notes_clean(&nxos->device->arena, nxos->policies[i].name));
    }
}

static void take_groups(struct nxos *nxos, const struct policy *policy)
{
    for (size_t i = 0; policy != NULL && i < policy->count; i++) {
        const struct action *action = &policy->actions[i];
        const struct class_map *map = map_named(nxos, TYPE_QOS, action->class);
        if (map != NULL && action->group != QOS_UNSET)
            qos_map(&nxos->qos, map->dscps, action->group);
        else if (map == NULL && strcmp(action->class, "class-default") != 0)
            notes_add(&nxos->device->notes, action->place, "there is no class-map %s: left out",
                      notes_clean(&nxos->device->arena, action->class));
    }
}

/* Applies the actions of a policy to the queues of its classes. */
static void take_queues(struct nxos *nxos, const struct policy *policy)
{
    for (size_t i = 0; policy != NULL && i < policy->count; i++) {
        const struct action *action = &policy->actions[i];
        const int q = queue_of(nxos, policy->type, action->class);
        struct qos_queue *to = &nxos->qos.queues[q == QOS_UNSET ? 0 : q];
        const struct qos_queue *from = &action->queue;
        if (q == QOS_UNSET) {
            notes_add(&nxos->device->notes, action->place,
                      "the queue of class %s is not known: left out",
                      notes_clean(&nxos->device->arena, action->class));
            continue;
        }
        to->place = from->place;
        to->lossless |= action->pause;
        if (from->pfc_priority != QOS_UNSET)
            to->pfc_priority = from->pfc_priority;
        if (from->weight != QOS_UNSET)
            to->weight = from->weight;
        if (from->ecn) {
            to->ecn = true;
            to->kmin = from->kmin;
            to->kmax = from->kmax;
            to->pmax = from->pmax;
        } else if (from->kmin != QOS_UNSET) {
            notes_add(&nxos->device->notes, from->place,
                      "random-detect without ecn drops early: not modeled, left out");
        }
        if (from->xoff != QOS_UNSET) {
            to->xoff = from->xoff;
            to->headroom = from->headroom;
            to->xon = from->xon;
        }
    }
}

static void decide_pfc(struct nxos *nxos)
{
    const struct diag_place place = {
        .file = nxos->device->lines.file->name, .line = 1, .column = 1};
    if (nxos->pfc_on)
        return;
    if (nxos->pfc_off && !nxos->pfc_auto) {
        notes_add(&nxos->device->notes, place,
                  "priority-flow-control mode is off: no priority is lossless");
        for (int q = 0; q < QOS_QUEUES; q++)
            nxos->qos.queues[q].lossless = false;
    } else {
        notes_add(&nxos->device->notes, place,
                  "no interface has priority-flow-control mode on; auto depends on the neighbor "
                  "(DCBX): imported as on");
    }
}

void device_nxos(struct device *device, FILE *out)
{
    struct nxos nxos = {.device = device};
    qos_begin(&nxos.qos, "NX-OS");
    while (device_line(device))
        read_line(&nxos);
    if (nxos.policy_count == 0 && !diag_failed(device->diag))
        device_refuse(device, "expected the configuration of a Nexus with policy-map lines");
    if (diag_failed(device->diag))
        return;
    const struct policy *const used[] = {
        in_force(&nxos, TYPE_QOS, false), in_force(&nxos, TYPE_NETWORK, false),
        in_force(&nxos, TYPE_QUEUING, false), in_force(&nxos, TYPE_QUEUING, true)};
    note_unused(&nxos, used, sizeof used / sizeof used[0]);
    take_groups(&nxos, used[0]);
    for (size_t i = 1; i < sizeof used / sizeof used[0]; i++)
        take_queues(&nxos, used[i]);
    decide_pfc(&nxos);
    qos_write(device, &nxos.qos, out);
}
