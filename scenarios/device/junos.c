/* SPDX-License-Identifier: Apache-2.0
 * junos - class-of-service of a Junos switch (QFX, EX): forwarding classes, classifiers of DSCPs,
 * congestion notification profiles (PFC), schedulers with drop profiles (ECN), the shared buffer.
 * Drop profiles and buffers are in percent of a memory whose size is not in the configuration. Such
 * values are reported, and the switch keeps its defaults.
 * Source: Junos OS Traffic Management User Guide (QFX Series and EX4600): DSCP-based PFC, ECN,
 * schedulers, shared buffer (alpha of dynamic-threshold N is 2^(N-7)); Apstra's configlets for AI
 * fabrics. */
#include "scenarios/device/junos_private.h"

#include <string.h>

/* Named objects, one table with few rows for each kind. */
struct class
{ /* forwarding class */
    const char *name;
    int queue, pfc_priority;
    bool no_loss, is_preset;
    struct diag_place place;
};

struct scheduler {
    const char *name, *drops; /* `drops`: its drop profile, or NULL */
    int weight;
    bool ecn;
    struct diag_place place;
};

struct drops { /* drop profile */
    const char *name;
    int least_fill, most_fill, most; /* percent, or QOS_UNSET */
    struct diag_place place;
};

struct pair { /* entry of a scheduler map or a classifier */
    const char *of, *class, *scheduler;
    uint64_t dscps;
};

struct used { /* number of interfaces that use the name */
    const char *name;
    size_t ports;
};

struct junos {
    struct device *device;
    struct switch_qos qos;
    struct class *classes;
    struct scheduler *schedulers;
    struct drops *drops;
    struct pair *maps, *classifiers;
    struct used *used_maps, *used_classifiers;
    size_t class_count, scheduler_count, drops_count, map_count, classifier_count;
    size_t used_map_count, used_classifier_count;
    uint64_t pfc_dscps;
    unsigned pfc_codes; /* mask of the IEEE 802.1p code points that pause */
    int lossless_percent, lossy_percent;
    size_t read;
};

static void *push_row(struct junos *junos, void *rows, size_t *count, size_t bytes)
{
    return arena_push(&junos->device->arena, rows, count, bytes);
}

/* ---- lookup by name ---- */

static struct class *class_named(struct junos *junos, const char *name)
{
    for (size_t i = 0; i < junos->class_count; i++)
        if (strcmp(junos->classes[i].name, name) == 0)
            return &junos->classes[i];
    struct class *class = push_row(junos, &junos->classes, &junos->class_count, sizeof *class);
    *class = (struct class){.name = name, .queue = QOS_UNSET, .pfc_priority = QOS_UNSET};
    return class;
}

static struct scheduler *scheduler_named(struct junos *junos, const char *name)
{
    for (size_t i = 0; i < junos->scheduler_count; i++)
        if (strcmp(junos->schedulers[i].name, name) == 0)
            return &junos->schedulers[i];
    struct scheduler *made =
        push_row(junos, &junos->schedulers, &junos->scheduler_count, sizeof *made);
    *made = (struct scheduler){.name = name, .weight = QOS_UNSET};
    return made;
}

static struct drops *drops_named(struct junos *junos, const char *name)
{
    for (size_t i = 0; i < junos->drops_count; i++)
        if (strcmp(junos->drops[i].name, name) == 0)
            return &junos->drops[i];
    struct drops *made = push_row(junos, &junos->drops, &junos->drops_count, sizeof *made);
    *made = (struct drops){
        .name = name, .least_fill = QOS_UNSET, .most_fill = QOS_UNSET, .most = QOS_UNSET};
    return made;
}

static void count_use(struct junos *junos, struct used **rows, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*rows)[i].name, name) == 0) {
            (*rows)[i].ports++;
            return;
        }
    struct used *made = push_row(junos, rows, count, sizeof *made);
    *made = (struct used){.name = name, .ports = 1};
}

/* ---- statements below class-of-service; false: unknown statement ---- */

/* "class NAME queue-num 4 no-loss pfc-priority 3", "queue 4 NAME" */
static bool read_class(struct junos *junos, const struct command *at)
{
    const bool old = command_is(at, 1, "queue * *");
    if (!old && !command_is(at, 1, "class *"))
        return false;
    struct class *class = class_named(junos, at->words[old ? 3 : 2]);
    const char *queue = old ? at->words[2] : command_after(at, "queue-num");
    const char *pfc = command_after(at, "pfc-priority");
    class->place = at->place;
    if (class->is_preset)
        *class = (struct class){.name = class->name,
                                .queue = class->queue,
                                .pfc_priority = QOS_UNSET,
                                .place = at->place};
    if (queue != NULL)
        class->queue = (int)qos_number(queue, QOS_QUEUES - 1);
    if (pfc != NULL)
        class->pfc_priority = (int)qos_number(pfc, QOS_QUEUES - 1);
    class->no_loss |= command_has(at, "no-loss");
    return (queue == NULL || class->queue != QOS_UNSET) &&
           (queue != NULL || pfc != NULL || command_has(at, "no-loss"));
}

/* "dscp NAME forwarding-class FC loss-priority low code-points 011010" */
static bool read_classifier(struct junos *junos, const struct command *at)
{
    if (command_is(at, 1, "ieee-802.1")) {
        command_note(
            junos->device, at,
            "a classifier by the VLAN tag's priority: left out, the scenario uses the DSCP");
        return true;
    }
    if (!command_is(at, 1, "dscp * forwarding-class * loss-priority * code-points"))
        return command_is(at, 1, "dscp * import default");
    struct pair *pair =
        push_row(junos, &junos->classifiers, &junos->classifier_count, sizeof *pair);
    *pair = (struct pair){
        .of = at->words[2], .class = at->words[4], .dscps = junos_code_points(at, 8, 6)};
    class_named(junos, pair->class);
    return pair->dscps != 0;
}

static bool read_watchdog(struct junos *junos, const struct command *at)
{
    struct switch_qos *qos = &junos->qos;
    const char *action = command_after(at, "watchdog-action");
    const int64_t poll = qos_number(command_after(at, "poll-interval"), 1000);
    const int64_t recovery = qos_number(command_after(at, "recovery"), 60000);
    if (qos->watchdog == NULL)
        qos->watchdog = "drop";
    if (action != NULL)
        qos->watchdog = strcmp(action, "forward") == 0 ? "forward" : "drop";
    qos->poll = poll > 0 ? poll : qos->poll;
    qos->restoration = recovery > 0 ? recovery : qos->restoration;
    return !command_has(at, "detection"); /* the detection time is in polls, so it is not used */
}

/* "NAME input dscp code-point 011010 pfc" */
static bool read_notification(struct junos *junos, const struct command *at)
{
    if (command_is(at, 2, "pfc-watchdog"))
        return read_watchdog(junos, at);
    if (command_is(at, 2, "input cable-length")) {
        command_note(junos->device, at,
                     "not imported: a scenario sets the cable length at the link");
        return true;
    }
    if (command_is(at, 2, "output"))
        return true; /* whether to obey received pauses; the queues that pause always do */
    if (!command_is(at, 2, "input * code-point"))
        return false;
    const bool dscp = command_is(at, 3, "dscp");
    const uint64_t mask = junos_code_points(at, 5, dscp ? 6 : 3);
    if (!command_has(at, "pfc"))
        return command_has(at, "mru");
    if (dscp)
        junos->pfc_dscps |= mask;
    else
        junos->pfc_codes |= (unsigned)mask;
    return mask != 0;
}

/* "NAME interpolate fill-level 20 60", "NAME fill-level 30 drop-probability 1" */
static bool read_drops(struct junos *junos, const struct command *at)
{
    struct drops *drops = drops_named(junos, at->words[1]);
    bool fill = false, fine = false;
    for (int i = 2; i < at->count; i++) {
        const int value = (int)qos_number(at->words[i], 100);
        const bool is_fill = strcmp(at->words[i], "fill-level") == 0;
        if (value == QOS_UNSET) {
            fill = is_fill || (fill && strcmp(at->words[i], "drop-probability") != 0);
            if (is_fill)
                drops->place = at->place;
            continue;
        }
        fine = true;
        if (!fill) {
            drops->most = value > drops->most ? value : drops->most;
            continue;
        }
        if (drops->least_fill == QOS_UNSET || value < drops->least_fill)
            drops->least_fill = value;
        drops->most_fill = value > drops->most_fill ? value : drops->most_fill;
    }
    return fine;
}

static bool read_scheduler(struct junos *junos, const struct command *at)
{
    struct scheduler *scheduler = scheduler_named(junos, at->words[1]);
    const int64_t percent = qos_number(command_after(at, "percent"), 100);
    scheduler->place = at->place;
    if (command_is(at, 2, "transmit-rate") && percent != QOS_UNSET) {
        if (scheduler->weight != 0)
            scheduler->weight = percent == 0 ? 1 : (int)percent;
    } else if (command_is(at, 2, "transmit-rate remainder")) {
        if (scheduler->weight == QOS_UNSET)
            scheduler->weight = 1;
    } else if (command_is(at, 2, "priority *")) {
        if (strncmp(at->words[3], "strict", 6) == 0)
            scheduler->weight = 0;
        else
            return strcmp(at->words[3], "low") == 0;
    } else if (command_is(at, 2, "explicit-congestion-notification")) {
        scheduler->ecn = true;
    } else if (command_is(at, 2, "drop-profile-map")) {
        scheduler->drops = command_after(at, "drop-profile");
    } else {
        return false;
    }
    return true;
}

static bool read_map(struct junos *junos, const struct command *at)
{
    if (!command_is(at, 2, "forwarding-class * scheduler *"))
        return false;
    struct pair *pair = push_row(junos, &junos->maps, &junos->map_count, sizeof *pair);
    *pair = (struct pair){.of = at->words[1], .class = at->words[3], .scheduler = at->words[5]};
    return true;
}

/* "ingress buffer-partition lossless percent 66", ".. dynamic-threshold 10" */
static bool read_buffer(struct junos *junos, const struct command *at)
{
    const char *partition = command_after(at, "buffer-partition");
    const int64_t percent = qos_number(command_after(at, "percent"), 100);
    const int64_t threshold = qos_number(command_after(at, "dynamic-threshold"), 10);
    if (!command_is(at, 1, "ingress") || partition == NULL)
        return false;
    if (strcmp(partition, "lossless") == 0 && threshold != QOS_UNSET) {
        junos->qos.has_alpha = true;
        junos->qos.alpha_shift = (int)threshold - 7;
        return percent == QOS_UNSET;
    }
    if (percent == QOS_UNSET)
        return false;
    if (strcmp(partition, "lossless") == 0)
        junos->lossless_percent = (int)percent;
    else if (strcmp(partition, "lossy") == 0)
        junos->lossy_percent = (int)percent;
    else {
        command_note(junos->device, at, "%s: %lld percent of a buffer of unknown size: left out",
                     notes_clean(&junos->device->arena, partition), (long long)percent);
        return true;
    }
    return true;
}

static bool read_interface(struct junos *junos, const struct command *at)
{
    const char *map = command_after(at, "scheduler-map"), *dscp = command_after(at, "dscp");
    if (map != NULL)
        count_use(junos, &junos->used_maps, &junos->used_map_count, map);
    else if (command_has(at, "classifiers") && dscp != NULL)
        count_use(junos, &junos->used_classifiers, &junos->used_classifier_count, dscp);
    else
        return command_has(at, "congestion-notification-profile");
    return true;
}

static const struct {
    const char *section;
    bool (*read)(struct junos *junos, const struct command *at);
    int least; /* minimum number of words in a statement */
} sections[] = {{"forwarding-classes", read_class, 4},
                {"classifiers", read_classifier, 4},
                {"congestion-notification-profile", read_notification, 3},
                {"drop-profiles", read_drops, 4},
                {"schedulers", read_scheduler, 3},
                {"scheduler-maps", read_map, 3},
                {"shared-buffer", read_buffer, 3},
                {"interfaces", read_interface, 3}};

/* Reads the words from the section on. An excerpt of a configuration may begin at a section. */
static void read_statement(void *context, const struct command *statement)
{
    struct junos *junos = context;
    struct command at = {.place = statement->place};
    const int from = command_is(statement, 0, "class-of-service") ? 1 : 0;
    const bool inside = from == 1;
    at.count = statement->count - from;
    memcpy(at.words, statement->words + from, ((size_t)at.count + 1) * sizeof *at.words);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        /* A top-level "interfaces" does not belong to class-of-service. */
        if (!command_is(&at, 0, sections[i].section) ||
            (!inside && sections[i].read == read_interface))
            continue;
        junos->read++;
        if (at.count < sections[i].least || !sections[i].read(junos, &at))
            command_unknown(junos->device, statement);
        return;
    }
    if (inside)
        command_unknown(junos->device, statement);
}

/* ---- settings in force ---- */

static struct diag_place file_place(const struct junos *junos)
{
    return (struct diag_place){.file = junos->device->lines.file->name, .line = 1, .column = 1};
}

static bool has_rows(const char *name, const struct pair *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].of, name) == 0)
            return true;
    return false;
}

/* The name, among those with rows, that most interfaces use; else the name of the first row; NULL:
 * none. */
static const char *in_force(struct junos *junos, const struct used *used, size_t used_count,
                            const struct pair *rows, size_t count)
{
    const struct used *best = NULL;
    for (size_t i = 0; i < used_count; i++)
        if (!has_rows(used[i].name, rows, count))
            notes_add(&junos->device->notes, file_place(junos),
                      "interfaces have '%s', which this file does not define: left out",
                      notes_clean(&junos->device->arena, used[i].name));
    for (size_t i = 0; i < used_count; i++)
        if (has_rows(used[i].name, rows, count) && (best == NULL || used[i].ports > best->ports))
            best = &used[i];
    return best != NULL ? best->name : count > 0 ? rows[0].of : NULL;
}

static void note_other_rows(struct junos *junos, const char *name, const struct pair *rows,
                            size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].of, name) != 0) {
            notes_add(&junos->device->notes, file_place(junos),
                      "%s %s is not used by most interfaces: left out", what,
                      notes_clean(&junos->device->arena, rows[i].of));
            return;
        }
}

static void take_classes(struct junos *junos)
{
    const bool pauses = junos->pfc_dscps != 0 || junos->pfc_codes != 0;
    const bool one_code = (junos->pfc_codes & (junos->pfc_codes - 1)) == 0;
    for (size_t i = 0; i < junos->class_count; i++) {
        const struct class *class = &junos->classes[i];
        if (class->queue == QOS_UNSET) {
            if (class->place.file != NULL)
                notes_add(&junos->device->notes, class->place,
                          "forwarding class %s has no queue: left out",
                          notes_clean(&junos->device->arena, class->name));
            continue;
        }
        struct qos_queue *queue = &junos->qos.queues[class->queue];
        if (!class->no_loss || class->is_preset)
            continue;
        queue->place = class->place;
        queue->lossless = pauses;
        queue->pfc_priority = class->pfc_priority;
        for (int code = 0; code < QOS_QUEUES; code++)
            if (class->pfc_priority == QOS_UNSET && one_code && (junos->pfc_codes >> code & 1))
                queue->pfc_priority = code;
        if (!pauses)
            notes_add(&junos->device->notes, class->place,
                      "%s is no-loss, but no congestion-notification-profile pauses: it is lossy",
                      notes_clean(&junos->device->arena, class->name));
    }
}

static void take_classifier(struct junos *junos)
{
    const char *name = in_force(junos, junos->used_classifiers, junos->used_classifier_count,
                                junos->classifiers, junos->classifier_count);
    for (size_t i = 0; name != NULL && i < junos->classifier_count; i++) {
        const struct pair *pair = &junos->classifiers[i];
        const struct class *class = class_named(junos, pair->class);
        if (strcmp(pair->of, name) == 0 && class->queue != QOS_UNSET)
            qos_map(&junos->qos, pair->dscps, class->queue);
    }
    if (name != NULL)
        note_other_rows(junos, name, junos->classifiers, junos->classifier_count, "the classifier");
}

/* Fill levels are in percent of a queue's buffer, so only the probability can be used. */
static void take_drops(struct junos *junos, const struct scheduler *from, struct qos_queue *to)
{
    const struct drops *drops = from->drops == NULL ? NULL : drops_named(junos, from->drops);
    if (drops == NULL || drops->most_fill == QOS_UNSET) {
        notes_add(&junos->device->notes, from->place,
                  "scheduler %s has ECN without fill levels: kmin and kmax are the defaults",
                  notes_clean(&junos->device->arena, from->name));
        return;
    }
    to->pmax = drops->most;
    notes_add(&junos->device->notes, drops->place,
              "ECN from %d to %d percent of a queue's buffer of unknown size: kmin and kmax are "
              "the defaults; write them as bytes below ecn",
              drops->least_fill, drops->most_fill);
}

static void take_schedulers(struct junos *junos)
{
    const char *name =
        in_force(junos, junos->used_maps, junos->used_map_count, junos->maps, junos->map_count);
    for (size_t i = 0; name != NULL && i < junos->map_count; i++) {
        const struct pair *pair = &junos->maps[i];
        const struct class *class = class_named(junos, pair->class);
        const struct scheduler *from = scheduler_named(junos, pair->scheduler);
        if (strcmp(pair->of, name) != 0 || class->queue == QOS_UNSET)
            continue;
        struct qos_queue *to = &junos->qos.queues[class->queue];
        to->weight = from->weight == QOS_UNSET ? to->weight : from->weight;
        to->ecn |= from->ecn;
        if (from->ecn)
            take_drops(junos, from, to);
    }
    if (name != NULL)
        note_other_rows(junos, name, junos->maps, junos->map_count, "the scheduler map");
}

static void take_presets(struct junos *junos)
{
    static const struct class presets[] = {
        {.name = "best-effort", .queue = 0},
        {.name = "fcoe", .queue = 3, .no_loss = true},
        {.name = "no-loss", .queue = 4, .no_loss = true},
        {.name = "network-control", .queue = 7},
    };
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        struct class *class = class_named(junos, presets[i].name);
        *class = presets[i];
        class->pfc_priority = QOS_UNSET;
        class->is_preset = true;
    }
}

void device_junos(struct device *device, FILE *out)
{
    struct junos junos = {
        .device = device, .lossless_percent = QOS_UNSET, .lossy_percent = QOS_UNSET};
    qos_begin(&junos.qos, "Junos");
    take_presets(&junos);
    junos_scan(device, read_statement, &junos);
    if (junos.read == 0 && !diag_failed(device->diag))
        device_refuse(device, "expected a Junos configuration with class-of-service, in braces or "
                              "as set commands");
    if (diag_failed(device->diag))
        return;
    take_classes(&junos);
    take_classifier(&junos);
    take_schedulers(&junos);
    const int all = junos.lossless_percent + junos.lossy_percent;
    if (junos.lossless_percent > 0 && junos.lossy_percent > 0)
        junos.qos.lossy_percent = junos.lossy_percent * 100 / all;
    qos_write(device, &junos.qos, out);
}
