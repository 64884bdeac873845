/* SPDX-License-Identifier: Apache-2.0
 * eos - QoS of an Arista switch: maps of DSCPs to traffic classes and of these to queues, and the
 * PFC and queue settings of interfaces or of their qos profiles.
 * A scenario's switch has one set of settings: the one of most interfaces.
 * Source: Arista EOS User Manual, Quality of Service (defaults of the maps, PFC, ECN, PFC watchdog
 * in seconds); arista.avd documentation of qos_profiles. */
#include "scenarios/device/switch_qos.h"

#include <string.h>

enum eos_context { OUTSIDE, CLASS_MAP, POLICY_MAP, SCOPE, QUEUE };

/* Settings of an interface or a profile. */
struct scope {
    const char *name;
    bool is_profile, is_down, has_settings;
    bool pfc_on, trusts_cos;
    unsigned no_drop; /* mask of priorities */
    struct qos_queue queues[QOS_QUEUES];
    const char *profile; /* profile applied to an interface, or NULL */
    size_t ports;        /* number of ports with these settings */
    struct diag_place place;
};

struct class_map {
    const char *name;
    uint64_t dscps;
};

struct eos {
    struct device *device;
    struct switch_qos qos;
    struct scope *scopes;
    size_t scope_count;
    struct class_map *maps;
    size_t map_count;
    const char *class; /* class of a policy-map, or NULL */
    enum eos_context context;
    int queue; /* queue of the current context */
    int queue_of_class[QOS_QUEUES];
    int class_of_dscp[QOS_DSCPS];
    bool has_dscps;
};

static struct scope *scope_of(struct eos *eos)
{
    return &eos->scopes[eos->scope_count - 1];
}

/* ---- maps ---- */

/* Reads the words up to "to" as a mask; false, with a note, if one is not a number. */
static bool read_list(struct eos *eos, const struct command *command, int from, int most,
                      uint64_t *mask)
{
    *mask = 0;
    for (int i = from; i < command->count && strcmp(command->words[i], "to") != 0; i++) {
        uint64_t part;
        const int dscp = most == QOS_DSCPS - 1 ? qos_dscp(command->words[i]) : QOS_UNSET;
        if (dscp != QOS_UNSET)
            part = UINT64_C(1) << dscp;
        else if (!qos_mask(command->words[i], most, &part)) {
            command_unknown(eos->device, command);
            return false;
        }
        *mask |= part;
    }
    return true;
}

static void set_dscps(struct eos *eos, uint64_t dscps, int class)
{
    for (int i = 0; i < QOS_DSCPS; i++)
        if (dscps >> i & 1)
            eos->class_of_dscp[i] = class;
    eos->has_dscps |= dscps != 0;
}

/* "qos map dscp 24 26 to traffic-class 3", "qos map traffic-class 3 to tx-queue 3" */
static void read_map(struct eos *eos, const struct command *command)
{
    const bool from_dscp = command_is(command, 2, "dscp");
    const bool from_class = command_is(command, 2, "traffic-class");
    const char *to = command_after(command, "to");
    uint64_t mask;
    if (from_dscp && command_has(command, "traffic-class")) {
        const int64_t class = qos_number(command_after(command, "traffic-class"), QOS_QUEUES - 1);
        if (class != QOS_UNSET) {
            if (read_list(eos, command, 3, QOS_DSCPS - 1, &mask))
                set_dscps(eos, mask, (int)class);
            return;
        }
    } else if (from_class && to != NULL && strstr(to, "tx-queue") != NULL) {
        const int64_t queue = qos_number(command_after(command, to), QOS_QUEUES - 1);
        if (strncmp(to, "mc", 2) == 0)
            return; /* RoCE is unicast, so multicast maps are skipped */
        if (queue != QOS_UNSET && read_list(eos, command, 3, QOS_QUEUES - 1, &mask)) {
            for (int class = 0; class < QOS_QUEUES; class ++)
                if (mask >> class & 1)
                    eos->queue_of_class[class] = (int)queue;
            return;
        }
    } else if (from_class && to != NULL) {
        command_note(eos->device, command,
                     "a map of traffic classes to %s rewrites packets that leave: it classifies "
                     "none, left out",
                     notes_clean(&eos->device->arena, to));
        return;
    } else if (command_is(command, 2, "cos")) {
        command_note(eos->device, command, "a map of CoS, the VLAN tag's priority: left out");
        return;
    }
    command_unknown(eos->device, command);
}

/* ---- policies ---- */

static void begin_class_map(struct eos *eos, const struct command *command)
{
    struct class_map *map =
        arena_push(&eos->device->arena, (void **)(void *)&eos->maps, &eos->map_count, sizeof *map);
    *map = (struct class_map){.name = command->words[command->count - 1]};
    eos->context = CLASS_MAP;
}

static void read_match(struct eos *eos, const struct command *command)
{
    const int at = command_is(command, 1, "ip") ? 2 : 1;
    uint64_t mask;
    if (command_is(command, at, "dscp") && read_list(eos, command, at + 1, QOS_DSCPS - 1, &mask))
        eos->maps[eos->map_count - 1].dscps |= mask;
    else
        command_unknown(eos->device, command);
}

static void read_policy(struct eos *eos, const struct command *command)
{
    const int64_t class = qos_number(command_after(command, "traffic-class"), QOS_QUEUES - 1);
    if (command_is(command, 0, "class *")) {
        eos->class = command->words[command->count - 1];
    } else if (command_is(command, 0, "set traffic-class *") && class != QOS_UNSET &&
               eos->class != NULL) {
        for (size_t i = 0; i < eos->map_count; i++)
            if (strcmp(eos->maps[i].name, eos->class) == 0)
                set_dscps(eos, eos->maps[i].dscps, (int)class);
    } else {
        command_unknown(eos->device, command);
    }
}

/* ---- interfaces and profiles ---- */

static void begin_scope(struct eos *eos, const struct command *command, bool is_profile)
{
    struct switch_qos empty;
    struct scope *scope = arena_push(&eos->device->arena, (void **)(void *)&eos->scopes,
                                     &eos->scope_count, sizeof *scope);
    qos_begin(&empty, NULL);
    *scope = (struct scope){.name = command->words[command->count - 1],
                            .is_profile = is_profile,
                            .place = command->place};
    memcpy(scope->queues, empty.queues, sizeof scope->queues);
    eos->context = SCOPE;
}

/* Converts seconds with decimals, "0.20", to whole milliseconds; QOS_UNSET: not a number, or above
 * `most`. */
static int64_t seconds(const char *word, int64_t most)
{
    int64_t ms = 0;
    const size_t whole = word == NULL ? 0 : strspn(word, "0123456789");
    if (whole == 0 || whole > 4)
        return QOS_UNSET;
    for (size_t i = 0; i < whole; i++)
        ms = ms * 10 + (word[i] - '0');
    const char *fraction = word + whole + (word[whole] == '.');
    for (int i = 0; i < 3; i++) {
        const bool digit = *fraction >= '0' && *fraction <= '9';
        ms = ms * 10 + (digit ? *fraction - '0' : 0);
        fraction += digit;
    }
    return ms > 0 && ms <= most ? ms : QOS_UNSET;
}

/* "pause watchdog action drop", "pause watchdog default timeout 0.20", "pause watchdog port timer
 * timeout 0.05 polling-interval auto recovery-time 1.11" */
static void read_watchdog(struct eos *eos, const struct command *command)
{
    struct switch_qos *qos = &eos->qos;
    const char *action = command_after(command, "action");
    const char *last = command->words[command->count - 1];
    const int64_t timeout = seconds(command_after(command, "timeout"), 5000);
    const int64_t recovery = seconds(command_after(command, "recovery-time"), 60000);
    const int64_t polling = seconds(command_after(command, "polling-interval"), 1000);
    qos->watchdog = qos->watchdog == NULL ? "alert" : qos->watchdog;
    if (action != NULL && strcmp(action, "drop") == 0)
        qos->watchdog = "drop";
    else if (action != NULL)
        command_note(eos->device, command, "action %s of the watchdog: imported as alert",
                     notes_clean(&eos->device->arena, action));
    qos->detection = timeout == QOS_UNSET ? qos->detection : timeout;
    qos->restoration = recovery == QOS_UNSET ? qos->restoration : recovery;
    qos->poll = polling == QOS_UNSET ? qos->poll : polling;
    if (last[0] >= '0' && last[0] <= '9' && timeout + recovery + polling == 3 * QOS_UNSET)
        command_note(eos->device, command, "a time of the watchdog that is out of range: left out");
}

static void read_flow_control(struct eos *eos, const struct command *command)
{
    struct scope *scope = eos->scope_count == 0 ? NULL : scope_of(eos);
    if (command_has(command, "watchdog")) {
        read_watchdog(eos, command);
        return;
    }
    if (scope == NULL || eos->context == OUTSIDE) {
        command_unknown(eos->device, command);
        return;
    }
    const int64_t priority = qos_number(command_after(command, "priority"), QOS_QUEUES - 1);
    scope->has_settings = true;
    if (command_is(command, 1, "on") || command_is(command, 1, "mode on"))
        scope->pfc_on = true;
    else if (priority != QOS_UNSET && command_has(command, "no-drop"))
        scope->no_drop |= 1U << priority;
    else if (priority != QOS_UNSET && command_has(command, "drop"))
        scope->no_drop &= ~(1U << priority);
    else
        command_unknown(eos->device, command);
}

static void read_marks(struct eos *eos, const struct command *command, struct qos_queue *queue)
{
    if (command_is(command, 1, "ecn count"))
        return;
    if (!command_is(command, 1, "ecn") || !command_marks(command, "max-mark-probability", queue)) {
        command_unknown(eos->device, command);
        return;
    }
    queue->ecn = true;
    if (queue->kmin == QOS_UNSET)
        command_note(
            eos->device, command,
            "thresholds of ECN in segments or time, whose size depends on the switch: kmin "
            "and kmax are the defaults");
}

static void read_queue(struct eos *eos, const struct command *command)
{
    struct scope *scope = scope_of(eos);
    struct qos_queue *queue = &scope->queues[eos->queue];
    const int64_t percent = qos_number(command_after(command, "percent"), 100);
    scope->has_settings = true;
    if (command_is(command, 0, "bandwidth") && percent != QOS_UNSET)
        queue->weight = queue->weight == 0 ? 0 : percent == 0 ? 1 : (int)percent;
    else if (command_is(command, 0, "priority strict"))
        queue->weight = 0;
    else if (command_is(command, 0, "random-detect"))
        read_marks(eos, command, queue);
    else if (command_is(command, 0, "no priority"))
        queue->weight = queue->weight == QOS_UNSET ? 1 : queue->weight;
    else
        command_unknown(eos->device, command);
}

static void read_scope(struct eos *eos, const struct command *command)
{
    struct scope *scope = scope_of(eos);
    if (command_is(command, 0, "qos trust cos")) {
        scope->trusts_cos = true;
        command_note(eos->device, command,
                     "trust in CoS (the VLAN tag's priority): the scenario uses the DSCP instead");
    } else if (command_is(command, 0, "qos trust")) {
        scope->trusts_cos = false;
    } else if (command_is(command, 0, "shutdown")) {
        scope->is_down = true;
    } else if (command_is(command, 0, "service-profile *") ||
               command_is(command, 0, "qos profile *")) {
        scope->profile = command->words[command->count - 1];
    } else if (!command_is_plain(command)) {
        command_strange(eos->device, command);
    }
}

/* ---- lines ---- */

static bool begin_block(struct eos *eos, const struct command *command)
{
    const char *queue = strstr(command->words[0], "tx-queue");
    const int64_t number = qos_number(command->words[1], QOS_QUEUES - 1);
    const bool in_scope = eos->context == SCOPE || eos->context == QUEUE;
    if (command_is(command, 0, "qos profile *") &&
        !(in_scope && !scope_of(eos)->is_profile && eos->device->text[0] == ' '))
        begin_scope(eos, command, true);
    else if (command_is(command, 0, "interface *"))
        begin_scope(eos, command, false);
    else if (queue != NULL && in_scope && number != QOS_UNSET) {
        eos->queue = (int)number;
        eos->context = QUEUE;
    } else if (command_is(command, 0, "class-map *")) {
        begin_class_map(eos, command);
    } else if (command_is(command, 0, "policy-map *")) {
        eos->class = NULL;
        eos->context = POLICY_MAP;
    } else {
        return false;
    }
    return true;
}

/* `words` ends with NULL. */
static bool begins_with(const struct command *command, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(command->words[0], words[i]) == 0)
            return true;
    return false;
}

static bool is_of_queue(const struct command *command)
{
    static const char *const words[] = {"bandwidth", "priority",        "random-detect", "shape",
                                        "no",        "drop-precedence", "latency",       NULL};
    return begins_with(command, words);
}

/* True for a line that belongs to the current block although it is not indented. */
static bool is_inside(const struct command *command)
{
    static const char *const words[] = {"priority-flow-control", "match", "class", "set",
                                        "service-profile",       "qos",   "mtu",   NULL};
    return begins_with(command, words);
}

static void read_line(struct eos *eos)
{
    struct command command;
    const char first = eos->device->text[0];
    command_read(eos->device, &command);
    if (command.count == 0 || command.words[0][0] == '!' || command.words[0][0] == '#')
        return;
    if (command_is(&command, 0, "qos map")) {
        read_map(eos, &command);
        return;
    }
    if (begin_block(eos, &command))
        return;
    if (eos->context == QUEUE && is_of_queue(&command)) {
        read_queue(eos, &command);
        return;
    }
    eos->context = eos->context == QUEUE ? SCOPE : eos->context;
    if (command_is(&command, 0, "priority-flow-control"))
        read_flow_control(eos, &command);
    else if (eos->context == CLASS_MAP && command_is(&command, 0, "match"))
        read_match(eos, &command);
    else if (eos->context == POLICY_MAP &&
             (command_is(&command, 0, "class") || command_is(&command, 0, "set")))
        read_policy(eos, &command);
    else if (eos->context == SCOPE &&
             (first == ' ' || first == '\t' || command_is_plain(&command) ||
              command_is(&command, 0, "qos trust") || command_is(&command, 0, "service-profile")))
        read_scope(eos, &command);
    else if (command_is_of_qos(&command) || (eos->context == POLICY_MAP && is_of_queue(&command)))
        command_unknown(eos->device, &command);
    if (first != ' ' && first != '\t' && eos->context != OUTSIDE && !is_inside(&command))
        eos->context = OUTSIDE;
}

/* ---- settings in force ---- */

static struct scope *profile_named(struct eos *eos, const char *name)
{
    for (size_t i = 0; name != NULL && i < eos->scope_count; i++)
        if (eos->scopes[i].is_profile && strcmp(eos->scopes[i].name, name) == 0)
            return &eos->scopes[i];
    return NULL;
}

static bool same_queues(const struct scope *a, const struct scope *b)
{
    for (int q = 0; q < QOS_QUEUES; q++) {
        const struct qos_queue *x = &a->queues[q], *y = &b->queues[q];
        if (x->weight != y->weight || x->ecn != y->ecn || x->kmin != y->kmin ||
            x->kmax != y->kmax || x->pmax != y->pmax)
            return false;
    }
    return a->pfc_on == b->pfc_on && a->no_drop == b->no_drop;
}

static bool pauses(const struct scope *scope)
{
    return scope->pfc_on && scope->no_drop != 0;
}

/* Counts the ports with equal settings at the first such scope, and returns the scope with most
 * ports. A scope with PFC takes precedence, because ports without PFC do not carry RoCE. */
static struct scope *usual_scope(struct eos *eos)
{
    struct scope *best = NULL;
    for (size_t i = 0; i < eos->scope_count; i++) {
        struct scope *scope = &eos->scopes[i];
        if (scope->is_profile || scope->is_down)
            continue;
        struct scope *from = scope->has_settings ? scope : profile_named(eos, scope->profile);
        for (size_t k = 0; from != NULL && k < i; k++)
            if (eos->scopes[k].ports > 0 && same_queues(&eos->scopes[k], from)) {
                from = &eos->scopes[k];
                break;
            }
        if (from != NULL)
            from->ports++;
    }
    for (size_t i = 0; i < eos->scope_count; i++) {
        struct scope *scope = &eos->scopes[i];
        if (scope->ports > 0 && (best == NULL || pauses(scope) > pauses(best) ||
                                 (pauses(scope) == pauses(best) && scope->ports > best->ports)))
            best = scope;
    }
    return best;
}

static void note_others(struct eos *eos, const struct scope *usual)
{
    for (size_t i = 0; i < eos->scope_count; i++) {
        const struct scope *scope = &eos->scopes[i];
        const bool other = scope != usual && !scope->is_down && scope->has_settings &&
                           (scope->ports > 0 || scope->is_profile) && !same_queues(scope, usual);
        if (other)
            notes_add(&eos->device->notes, scope->place,
                      "%s has other settings than most ports: a switch has those of %s here",
                      notes_clean(&eos->device->arena, scope->name),
                      notes_clean(&eos->device->arena, usual->name));
    }
}

static void take_scope(struct eos *eos, const struct scope *scope)
{
    if (scope->no_drop != 0 && !scope->pfc_on)
        notes_add(&eos->device->notes, scope->place,
                  "%s has no 'priority-flow-control on': no priority is lossless",
                  notes_clean(&eos->device->arena, scope->name));
    for (int q = 0; q < QOS_QUEUES; q++)
        eos->qos.queues[q] = scope->queues[q];
    for (int class = 0; class < QOS_QUEUES; class ++)
        if (scope->pfc_on && (scope->no_drop >> class & 1)) {
            struct qos_queue *queue = &eos->qos.queues[eos->queue_of_class[class]];
            queue->lossless = true;
            queue->pfc_priority = class;
        }
}

/* EOS maps DSCPs 0 to 7 to traffic class 1 and DSCPs 8 to 15 to class 0. */
static void take_dscps(struct eos *eos)
{
    for (int i = 0; eos->has_dscps && i < QOS_DSCPS; i++) {
        const int preset = i < 16 ? 1 - i / 8 : i / 8;
        const int class = eos->class_of_dscp[i] == QOS_UNSET ? preset : eos->class_of_dscp[i];
        qos_map(&eos->qos, UINT64_C(1) << i, eos->queue_of_class[class]);
    }
}

void device_eos(struct device *device, FILE *out)
{
    struct eos eos = {.device = device};
    qos_begin(&eos.qos, "EOS");
    eos.qos.rest_is_strict = true; /* queues are strict on EOS unless "no priority" is set */
    for (int q = 0; q < QOS_QUEUES; q++)
        eos.queue_of_class[q] = q;
    for (int i = 0; i < QOS_DSCPS; i++)
        eos.class_of_dscp[i] = QOS_UNSET;
    while (device_line(device))
        read_line(&eos);
    struct scope *usual = usual_scope(&eos);
    for (size_t i = 0; usual == NULL && i < eos.scope_count; i++)
        usual = eos.scopes[i].is_profile ? &eos.scopes[i] : NULL;
    if (usual == NULL && !eos.has_dscps)
        device_refuse(device, "expected the configuration of an Arista switch with qos map, qos "
                              "profile or priority-flow-control lines");
    if (diag_failed(device->diag))
        return;
    if (usual != NULL) {
        note_others(&eos, usual);
        take_scope(&eos, usual);
    }
    take_dscps(&eos);
    qos_write(device, &eos.qos, out);
}
