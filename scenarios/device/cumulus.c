/* SPDX-License-Identifier: Apache-2.0
 * cumulus - QoS of Cumulus Linux: NVUE commands ("nv set qos .."), its startup.yaml, and the files
 * of /etc/cumulus/datapath/qos (qos_features.conf, qos_infra.conf; traffic.conf before 5.0).
 * All of them define named profiles or port groups. The scenario's switch has one profile of each
 * kind: the one of most ports, else default-global.
 * Source: NVIDIA Cumulus Linux User Guide, Quality of Service and RDMA over Converged Ethernet
 * (defaults of ECN, of the scheduler and of the profile roce). */
#include "scenarios/device/cumulus_private.h"

#include <stdlib.h>
#include <string.h>

struct profile *cumulus_profile(struct cumulus *cumulus, enum profile_kind kind, const char *name,
                                struct diag_place place)
{
    struct switch_qos empty;
    for (size_t i = 0; i < cumulus->count; i++)
        if (cumulus->profiles[i].kind == kind && strcmp(cumulus->profiles[i].name, name) == 0)
            return &cumulus->profiles[i];
    struct profile *made = arena_push(&cumulus->device->arena, (void **)(void *)&cumulus->profiles,
                                      &cumulus->count, sizeof *made);
    qos_begin(&empty, NULL);
    *made = (struct profile){.kind = kind,
                             .name = name,
                             .buffer = QOS_UNSET,
                             .xoff = QOS_UNSET,
                             .xon = QOS_UNSET,
                             .xon_delta = QOS_UNSET,
                             .mark = empty.queues[0],
                             .place = place};
    memcpy(made->queues, empty.queues, sizeof made->queues);
    for (int i = 0; i < QOS_DSCPS; i++)
        made->priority_of_dscp[i] = QOS_UNSET;
    return made;
}

size_t cumulus_ports(const char *text)
{
    size_t count = 0;
    if (strcmp(text, "allports") == 0)
        return 1024;
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const char *digit = at + strcspn(at, "0123456789");
        const char *dash = memchr(at, '-', length);
        const long from = digit < at + length ? strtol(digit, NULL, 10) : 1;
        long to = from;
        if (dash != NULL) {
            const char *end = dash + strcspn(dash, "0123456789");
            to = end < at + length ? strtol(end, NULL, 10) : from;
        }
        count += to >= from && to - from < 1024 ? (size_t)(to - from) + 1 : 1;
        at += length + (at[length] == ',');
    }
    return count;
}

bool cumulus_is_yes(const char *word)
{
    return word != NULL && (strncmp(word, "enable", 6) == 0 || strcmp(word, "on") == 0 ||
                            strcmp(word, "true") == 0 || strcmp(word, "yes") == 0);
}

/* ---- NVUE ---- */

/* "pfc NAME switch-priority 3", "pfc NAME xoff-threshold 20000"; false: unknown command. */
static bool set_pfc(struct cumulus *cumulus, const struct command *command)
{
    struct profile *to = cumulus_profile(cumulus, KIND_PFC, command->words[1], command->place);
    to->is_set = true;
    const char *key = command->words[2], *value = command->words[3];
    int64_t *const bytes = strcmp(key, "port-buffer") == 0      ? &to->buffer
                           : strcmp(key, "xoff-threshold") == 0 ? &to->xoff
                           : strcmp(key, "xon-threshold") == 0  ? &to->xon
                                                                : NULL;
    uint64_t mask;
    if (strcmp(key, "switch-priority") == 0 && qos_mask(value, QOS_QUEUES - 1, &mask)) {
        to->pfc |= mask;
        return true;
    }
    if (bytes != NULL) {
        *bytes = qos_bytes(value, command->words[4]);
        return *bytes != QOS_UNSET;
    }
    if (strcmp(key, "tx") == 0 || strcmp(key, "rx") == 0) {
        to->is_off |= key[0] == 't' && !cumulus_is_yes(value);
        return true;
    }
    if (strcmp(key, "cable-length") == 0) {
        command_note(cumulus->device, command,
                     "not imported: a scenario sets the cable length at the link");
        return true;
    }
    return false;
}

/* Sets a value of a queue: "NAME traffic-class 0,3 KEY VALUE". */
static bool set_queue(struct qos_queue *queue, const struct command *command)
{
    const char *key = command->words[4], *value = command->words[5], *unit = command->words[6];
    if (strcmp(key, "min-threshold") == 0) {
        queue->kmin = qos_bytes(value, unit);
        return queue->kmin != QOS_UNSET;
    }
    if (strcmp(key, "max-threshold") == 0) {
        queue->kmax = qos_bytes(value, unit);
        return queue->kmax != QOS_UNSET;
    }
    if (strcmp(key, "probability") == 0) {
        queue->pmax = (int)qos_number(value, 100);
        return queue->pmax != QOS_UNSET;
    }
    if (strcmp(key, "ecn") == 0) {
        queue->ecn = cumulus_is_yes(value);
        return true;
    }
    if (strcmp(key, "bw-percent") == 0) {
        const int percent = (int)qos_number(value, 100);
        queue->weight = percent == 0 ? 1 : percent;
        return percent != QOS_UNSET;
    }
    if (strcmp(key, "mode") == 0 && value != NULL) {
        const bool strict = strcmp(value, "strict") == 0;
        queue->weight = strict ? 0 : queue->weight > 0 ? queue->weight : 1;
        return true;
    }
    return strcmp(key, "red") == 0 && !cumulus_is_yes(value);
}

static bool set_queues(struct cumulus *cumulus, const struct command *command,
                       enum profile_kind kind)
{
    struct profile *to = cumulus_profile(cumulus, kind, command->words[1], command->place);
    to->is_set = true;
    uint64_t mask;
    if (command->count < 6 || strcmp(command->words[2], "traffic-class") != 0 ||
        !qos_mask(command->words[3], QOS_QUEUES - 1, &mask))
        return false;
    for (int q = 0; q < QOS_QUEUES; q++) {
        if (!(mask >> q & 1))
            continue;
        /* Thresholds alone enable marking, too: ecn is on unless it is disabled. */
        if (kind == KIND_ECN && strcmp(command->words[4], "ecn") != 0)
            to->queues[q].ecn = true;
        to->queues[q].place = command->place;
        if (!set_queue(&to->queues[q], command))
            return false;
    }
    return true;
}

/* "mapping NAME dscp 26 switch-priority 3", "mapping NAME trust l3" */
static bool set_map(struct cumulus *cumulus, const struct command *command)
{
    struct profile *to = cumulus_profile(cumulus, KIND_MAP, command->words[1], command->place);
    to->is_set = true;
    const char *key = command->words[2], *value = command->words[3];
    uint64_t mask;
    if (strcmp(key, "trust") == 0 && value != NULL) {
        to->trusts_dscp = strcmp(value, "l3") == 0 || strcmp(value, "both") == 0;
        to->trusts_pcp = strcmp(value, "l2") == 0;
        if (to->trusts_pcp)
            command_note(
                cumulus->device, command,
                "trust in 802.1p (the VLAN tag's priority): the scenario uses the DSCP instead");
        return true;
    }
    if (strcmp(key, "dscp") == 0 && qos_mask(value, QOS_DSCPS - 1, &mask) && command->count >= 6) {
        const int priority = (int)qos_number(command->words[5], QOS_QUEUES - 1);
        for (int i = 0; i < QOS_DSCPS && priority != QOS_UNSET; i++)
            if (mask >> i & 1)
                to->priority_of_dscp[i] = priority;
        to->has_dscps = true;
        return priority != QOS_UNSET;
    }
    if (strcmp(key, "pcp") != 0)
        return false;
    command_note(cumulus->device, command, "a map of 802.1p priorities: left out");
    return true;
}

static bool set_roce(struct cumulus *cumulus, const struct command *command)
{
    const char *key = command->words[1], *value = command->words[2];
    cumulus->roce = true;
    if (key == NULL)
        return true;
    if (strcmp(key, "enable") == 0 || strcmp(key, "state") == 0)
        cumulus->roce_off = !cumulus_is_yes(value);
    else if (strcmp(key, "mode") == 0 && value != NULL)
        cumulus->lossy_roce = strncmp(value, "lossy", 5) == 0;
    else if (strcmp(key, "cable-length") == 0)
        command_note(cumulus->device, command,
                     "not imported: a scenario sets the cable length at the link");
    else
        return false;
    return true;
}

/* Reads the words after "nv set qos". */
static bool set_qos(struct cumulus *cumulus, const struct command *command)
{
    if (command_is(command, 0, "roce"))
        return set_roce(cumulus, command);
    if (command_is(command, 0, "egress-queue-mapping * switch-priority * traffic-class *")) {
        const int queue = (int)qos_number(command->words[5], QOS_QUEUES - 1);
        uint64_t mask;
        if (queue == QOS_UNSET || !qos_mask(command->words[3], QOS_QUEUES - 1, &mask))
            return false;
        for (int p = 0; p < QOS_QUEUES; p++)
            if (mask >> p & 1)
                cumulus->queue_of[p] = queue;
        cumulus->has_queues = true;
        return true;
    }
    if (command->count < 3)
        return false;
    if (command_is(command, 0, "pfc"))
        return set_pfc(cumulus, command);
    if (command_is(command, 0, "congestion-control"))
        return set_queues(cumulus, command, KIND_ECN);
    if (command_is(command, 0, "egress-scheduler"))
        return set_queues(cumulus, command, KIND_SCHEDULER);
    return command_is(command, 0, "mapping") && set_map(cumulus, command);
}

/* Reads the words after "nv set interface PORTS qos": the profiles of these ports. */
static bool set_ports(struct cumulus *cumulus, const struct command *command, const char *ports)
{
    static const char *const kinds[KINDS] = {"pfc", "congestion-control", "egress-scheduler",
                                             "mapping"};
    for (int kind = 0; kind < KINDS; kind++)
        if (command_is(command, 0, kinds[kind]) && command->count >= 3 &&
            strcmp(command->words[1], "profile") == 0) {
            cumulus_profile(cumulus, (enum profile_kind)kind, command->words[2], command->place)
                ->ports += cumulus_ports(ports);
            return true;
        }
    return false;
}

static struct command command_rest(const struct command *command, int count)
{
    struct command rest = {.place = command->place};
    for (int i = count; i <= command->count; i++) /* includes the terminating NULL */
        rest.words[i - count] = command->words[i];
    rest.count = command->count > count ? command->count - count : 0;
    return rest;
}

void cumulus_command(struct cumulus *cumulus, const struct command *command)
{
    const bool of_qos = command_is(command, 2, "qos");
    const bool of_ports = command_is(command, 2, "interface * qos");
    const struct command rest = command_rest(command, of_qos ? 3 : 5);
    cumulus->read += of_qos || of_ports;
    if ((of_qos && !set_qos(cumulus, &rest)) ||
        (of_ports && !set_ports(cumulus, &rest, command->words[3])))
        command_unknown(cumulus->device, command);
}

static void read_line(struct cumulus *cumulus)
{
    struct command command;
    const char *equals = strchr(cumulus->device->text, '=');
    command_read(cumulus->device, &command);
    if (command.count == 0 || command.words[0][0] == '#')
        return;
    if (command_is(&command, 0, "sudo"))
        command = command_rest(&command, 1);
    if (command_is(&command, 0, "nv set"))
        cumulus_command(cumulus, &command);
    else if (command_is(&command, 0, "nv"))
        return; /* other commands, such as config apply and show */
    else if (equals != NULL)
        cumulus_setting(cumulus, equals, &command);
    else
        command_unknown(cumulus->device, &command);
}

/* ---- settings in force ---- */

static const struct profile *in_force(struct cumulus *cumulus, enum profile_kind kind)
{
    const struct profile *best = NULL;
    for (size_t i = 0; i < cumulus->count; i++) {
        const struct profile *one = &cumulus->profiles[i];
        if (one->kind != kind)
            continue;
        if (!one->is_set) {
            notes_add(&cumulus->device->notes, one->place,
                      "the profile %s of interfaces has no settings in this file: left out",
                      notes_clean(&cumulus->device->arena, one->name));
            continue;
        }
        const bool is_preset = strcmp(one->name, CUMULUS_PRESET) == 0;
        if (best == NULL || one->ports > best->ports || (is_preset && best->ports == 0))
            best = one;
    }
    for (size_t i = 0; i < cumulus->count; i++) {
        const struct profile *one = &cumulus->profiles[i];
        if (one->kind == kind && one->is_set && one != best &&
            strcmp(one->name, CUMULUS_PRESET) != 0)
            notes_add(&cumulus->device->notes, one->place,
                      "the profile %s is not used by most ports: left out",
                      notes_clean(&cumulus->device->arena, one->name));
    }
    if (best != NULL && best->ports == 0 && strcmp(best->name, CUMULUS_PRESET) != 0)
        notes_add(&cumulus->device->notes, best->place,
                  "no interface of this file has the profile %s: imported as if all had it",
                  notes_clean(&cumulus->device->arena, best->name));
    return best;
}

/* Defaults of a queue where the profile has no value: ECN on queue 0, and almost equal weights. */
static void take_presets(struct cumulus *cumulus)
{
    static const int of_roce[QOS_QUEUES] = {50,        QOS_UNSET, QOS_UNSET, 50,
                                            QOS_UNSET, QOS_UNSET, 0,         QOS_UNSET};
    const bool roce = cumulus->roce && !cumulus->roce_off;
    for (int q = 0; q < QOS_QUEUES; q++) {
        struct qos_queue *queue = &cumulus->qos.queues[q];
        queue->weight = roce ? of_roce[q] : 12 + q % 2;
        queue->ecn = q == 0 || (roce && q == 3);
        queue->kmin = 150000;
        queue->kmax = 1500000;
        queue->pmax = 100;
    }
    if (!roce)
        return;
    if (!cumulus->lossy_roce)
        cumulus->qos.queues[3].lossless = true;
    for (int p = 0; p < QOS_QUEUES && !cumulus->has_queues; p++)
        cumulus->queue_of[p] = p == 3 || p == 6 ? p : 0;
}

static void take_pfc(struct cumulus *cumulus, const struct profile *from)
{
    for (int p = 0; from != NULL && p < QOS_QUEUES; p++) {
        if (!(from->pfc >> p & 1) || from->is_off)
            continue;
        struct qos_queue *queue = &cumulus->qos.queues[cumulus->queue_of[p]];
        queue->lossless = true;
        queue->pfc_priority = p;
        if (from->xoff == QOS_UNSET || from->buffer == QOS_UNSET || from->buffer < from->xoff) {
            if (from->xoff != QOS_UNSET || from->buffer != QOS_UNSET)
                notes_add(&cumulus->device->notes, from->place,
                          "the thresholds of PFC of %s are not a buffer and a part of it: left out",
                          notes_clean(&cumulus->device->arena, from->name));
            continue;
        }
        queue->xoff = from->xoff;
        queue->headroom = from->buffer - from->xoff;
        queue->xon = from->xon;
        queue->xon_offset = from->xon == QOS_UNSET ? from->xon_delta : QOS_UNSET;
        queue->place = from->place;
    }
}

static void take_marks(struct cumulus *cumulus, const struct profile *from)
{
    for (int q = 0; from != NULL && q < QOS_QUEUES; q++) {
        struct qos_queue *to = &cumulus->qos.queues[q];
        const struct qos_queue *mark = from->has_mark ? &from->mark : &from->queues[q];
        to->ecn = from->has_mark ? mark->ecn && (from->ecn >> q & 1) : mark->ecn;
        if (!to->ecn)
            continue;
        to->kmin = mark->kmin == QOS_UNSET ? to->kmin : mark->kmin;
        to->kmax = mark->kmax == QOS_UNSET ? to->kmax : mark->kmax;
        to->pmax = mark->pmax == QOS_UNSET ? to->pmax : mark->pmax;
        to->place = from->place;
    }
}

/* In a file, DSCPs that no priority lists have priority 0; NVUE changes a map whose default is
 * DSCP/8. */
static void take_dscps(struct cumulus *cumulus, const struct profile *from)
{
    const bool roce = cumulus->roce && !cumulus->roce_off;
    const bool written = from != NULL && from->has_dscps;
    for (int i = 0; (written || roce || cumulus->has_queues) && i < QOS_DSCPS; i++) {
        int priority = written && cumulus->is_file ? 0 : i / 8;
        if (written && from->priority_of_dscp[i] != QOS_UNSET)
            priority = from->priority_of_dscp[i];
        qos_map(&cumulus->qos, UINT64_C(1) << i, cumulus->queue_of[priority]);
    }
}

void device_cumulus(struct device *device, FILE *out)
{
    struct cumulus cumulus = {.device = device};
    qos_begin(&cumulus.qos, "Cumulus Linux");
    for (int p = 0; p < QOS_QUEUES; p++)
        cumulus.queue_of[p] = p;
    if (cumulus_is_yaml(device->lines.file))
        cumulus_yaml(&cumulus);
    else
        while (device_line(device))
            read_line(&cumulus);
    if (cumulus.read == 0 && !diag_failed(device->diag))
        device_refuse(device, "expected 'nv set qos ..' commands or lines such as "
                              "'pfc.NAME.cos_list = [3]' of qos_features.conf");
    if (diag_failed(device->diag))
        return;
    take_presets(&cumulus);
    const struct profile *scheduler = in_force(&cumulus, KIND_SCHEDULER);
    for (int q = 0; scheduler != NULL && q < QOS_QUEUES; q++)
        cumulus.qos.queues[q].weight = scheduler->queues[q].weight;
    take_pfc(&cumulus, in_force(&cumulus, KIND_PFC));
    take_marks(&cumulus, in_force(&cumulus, KIND_ECN));
    take_dscps(&cumulus, in_force(&cumulus, KIND_MAP));
    qos_write(device, &cumulus.qos, out);
}
