/* SPDX-License-Identifier: Apache-2.0
 * switch_qos_write - writes queues as priorities, with the thresholds of the first lossless queue
 * for the switch. */
#include "scenarios/device/switch_qos.h"

#include "base/quantity.h"
#include "base/units.h"

#include <string.h>

enum { ENTRIES_IN_LINE = 14, KMAX_MOST = 1 << 30 };

struct writer {
    struct device *device;
    struct switch_qos *qos;
    FILE *out;
    int priority_of[QOS_QUEUES]; /* by queue: its priority in the scenario */
    int items;                   /* number of items in the current section */
};

static void note_file(struct writer *writer, const char *text)
{
    notes_add(&writer->device->notes,
              (struct diag_place){.file = writer->device->lines.file->name, .line = 1, .column = 1},
              "%s", text);
}

static void note_queue(struct writer *writer, int queue, const char *text)
{
    const struct diag_place place = writer->qos->queues[queue].place;
    if (place.file == NULL)
        note_file(writer, arena_format(&writer->device->arena, "queue %d %s", queue, text));
    else
        notes_add(&writer->device->notes, place, "queue %d %s", queue, text);
}

/* ---- numbers ---- */

/* Gives each lossless queue the number of its PFC priority; the queue that had this number gets the
 * freed one. */
static void number_queues(struct writer *writer)
{
    unsigned taken = 0;
    for (int q = 0; q < QOS_QUEUES; q++)
        writer->priority_of[q] = q;
    for (int q = 0; q < QOS_QUEUES; q++) {
        const struct qos_queue *queue = &writer->qos->queues[q];
        const int wanted = queue->pfc_priority == QOS_UNSET ? q : queue->pfc_priority;
        int other = 0;
        if (!queue->lossless)
            continue;
        while (writer->priority_of[other] != wanted)
            other++;
        if (taken >> wanted & 1) {
            note_queue(writer, q,
                       "pauses with the PFC priority of another queue: it gets its own priority in "
                       "the scenario");
            continue;
        }
        taken |= 1U << wanted;
        if (other == q)
            continue;
        writer->priority_of[other] = writer->priority_of[q];
        writer->priority_of[q] = wanted;
        note_queue(writer, q,
                   arena_format(&writer->device->arena,
                                "pauses with PFC priority %d and is priority %d in the scenario; "
                                "queue %d is priority %d",
                                wanted, wanted, other, writer->priority_of[other]));
    }
}

static int queue_of(const struct writer *writer, int priority)
{
    int queue = 0;
    while (writer->priority_of[queue] != priority)
        queue++;
    return queue;
}

/* ---- sections ---- */

static void begin_item(struct writer *writer, const char *section, const char *key)
{
    if (writer->items++ == 0)
        fprintf(writer->out, "    %s: {", section);
    else
        fputs(", ", writer->out);
    fprintf(writer->out, "%s: ", key);
}

static void write_value(struct writer *writer, const char *section, const char *key,
                        enum quantity_kind kind, int64_t value)
{
    char text[QUANTITY_TEXT_BYTES];
    if (value == QOS_UNSET)
        return;
    quantity_format(kind, value, text, sizeof text);
    begin_item(writer, section, key);
    fputs(text, writer->out);
}

/* Writes decimal units as in the configuration, such as 256KB, not 250KiB. */
static void put_bytes(struct writer *writer, const char *section, const char *key, int64_t bytes)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {{"MB", 1000000}, {"KB", 1000}, {"B", 1}};
    size_t unit = 0;
    if (bytes == QOS_UNSET)
        return;
    while (bytes % units[unit].bytes != 0 || (bytes == 0 && unit < 2))
        unit++;
    begin_item(writer, section, key);
    fprintf(writer->out, "%lld%s", (long long)(bytes / units[unit].bytes), units[unit].name);
}

static void put_ms(struct writer *writer, const char *key, int64_t ms)
{
    write_value(writer, "watchdog", key, QUANTITY_TIME,
                ms == QOS_UNSET ? QOS_UNSET : ms * PS_PER_MS);
}

static void end_section(struct writer *writer, const char *comment)
{
    if (writer->items > 0)
        fprintf(writer->out, "}%s%s\n", comment == NULL ? "" : " # ",
                comment == NULL ? "" : comment);
    writer->items = 0;
}

/* The first lossless queue with pause thresholds; NULL: none. */
static const struct qos_queue *pausing_queue(struct writer *writer)
{
    const struct qos_queue *first = NULL;
    for (int q = 0; q < QOS_QUEUES; q++) {
        const struct qos_queue *queue = &writer->qos->queues[q];
        if (!queue->lossless || queue->xoff == QOS_UNSET)
            continue;
        if (first != NULL && (queue->xoff != first->xoff || queue->headroom != first->headroom ||
                              queue->xon != first->xon))
            note_queue(writer, q, "has other pause thresholds: the scenario's switch has one set");
        first = first == NULL ? queue : first;
    }
    return first;
}

static void put_pfc(struct writer *writer, const struct qos_queue *pause)
{
    const char *between = "[";
    begin_item(writer, "pfc", "priorities");
    for (int p = 0; p < QOS_QUEUES; p++)
        if (writer->qos->queues[queue_of(writer, p)].lossless) {
            fprintf(writer->out, "%s%d", between, p);
            between = ", ";
        }
    fputs(between[0] == '[' ? "none" : "]", writer->out);
    if (pause != NULL) {
        put_bytes(writer, "pfc", "xoff", pause->xoff);
        put_bytes(writer, "pfc", "headroom", pause->headroom);
        put_bytes(writer, "pfc", "xon", pause->xon);
        put_bytes(writer, "pfc", "xon-offset", pause->xon_offset);
    }
    end_section(writer, NULL);
}

static void put_buffer(struct writer *writer, const struct qos_queue *pause)
{
    const struct switch_qos *qos = writer->qos;
    if (pause != NULL) {
        begin_item(writer, "buffer", "policy");
        fputs("static", writer->out);
    }
    if (qos->has_alpha)
        write_value(writer, "buffer", "alpha", QUANTITY_PERCENT,
                    qos->alpha_shift >= 0 ? (int64_t)PPM << qos->alpha_shift
                                          : (int64_t)PPM >> -qos->alpha_shift);
    if (qos->lossy_percent != QOS_UNSET)
        write_value(writer, "buffer", "lossy-pool", QUANTITY_PERCENT,
                    (int64_t)qos->lossy_percent * (PPM / 100));
    end_section(writer, NULL);
}

static bool same_marks(const struct qos_queue *a, const struct qos_queue *b)
{
    return a->kmin == b->kmin && a->kmax == b->kmax && a->pmax == b->pmax;
}

/* The queue whose ECN thresholds apply to the switch: the first lossless one, else the first. */
static const struct qos_queue *marking_queue(struct writer *writer)
{
    const struct qos_queue *first = NULL;
    for (int lossy = 0; lossy < 2; lossy++)
        for (int q = 0; q < QOS_QUEUES && first == NULL; q++)
            if (writer->qos->queues[q].ecn && writer->qos->queues[q].lossless == (lossy == 0))
                first = &writer->qos->queues[q];
    for (int q = 0; q < QOS_QUEUES && first != NULL; q++)
        if (writer->qos->queues[q].ecn && !same_marks(first, &writer->qos->queues[q]))
            note_queue(writer, q, "has other ECN thresholds: the scenario's switch has one set");
    return first;
}

static void put_ecn(struct writer *writer)
{
    const struct qos_queue *mark = marking_queue(writer);
    if (mark == NULL) {
        fputs("    ecn: {kmin: 0B, kmax: 0B} # no queue marks\n", writer->out);
        return;
    }
    const bool fits = mark->kmin <= mark->kmax && mark->kmax <= KMAX_MOST;
    if (!fits)
        note_queue(writer, (int)(mark - writer->qos->queues),
                   "has a maximum of ECN below the minimum, or above 1 GiB: left out");
    put_bytes(writer, "ecn", "kmin", fits ? mark->kmin : QOS_UNSET);
    put_bytes(writer, "ecn", "kmax", fits ? mark->kmax : QOS_UNSET);
    if (mark->pmax != QOS_UNSET)
        write_value(writer, "ecn", "pmax", QUANTITY_PERCENT, (int64_t)mark->pmax * (PPM / 100));
    end_section(writer, NULL);
}

static void put_watchdog(struct writer *writer)
{
    const struct switch_qos *qos = writer->qos;
    if (qos->watchdog == NULL)
        return;
    begin_item(writer, "watchdog", "action");
    fputs(qos->watchdog, writer->out);
    put_ms(writer, "detection", qos->detection);
    put_ms(writer, "restoration", qos->restoration);
    put_ms(writer, "poll", qos->poll);
    end_section(writer, NULL);
}

static bool is_used(const struct switch_qos *qos, int queue)
{
    bool used = qos->queues[queue].lossless || !qos->has_dscps;
    for (int i = 0; i < QOS_DSCPS; i++) /* DSCPs that are not configured use queue 0 */
        used |= (qos->queue_of_dscp[i] == QOS_UNSET ? 0 : qos->queue_of_dscp[i]) == queue;
    return used;
}

/* In a scenario, a queue without a weight next to weighted ones would be strict and served before
 * them, so it gets weight 1. */
static void put_weights(struct writer *writer)
{
    const struct switch_qos *qos = writer->qos;
    const char *between = "    scheduler: {weights: {";
    bool weighted = false;
    for (int q = 0; q < QOS_QUEUES; q++)
        weighted |= qos->queues[q].weight > 0;
    for (int p = 0; p < QOS_QUEUES; p++) {
        const int q = queue_of(writer, p);
        int weight = qos->queues[q].weight;
        if (weight == QOS_UNSET && weighted && !qos->rest_is_strict && is_used(qos, q))
            weight = 1;
        if (weight == QOS_UNSET)
            continue;
        fprintf(writer->out, "%s%d: %d", between, p, weight > 100 ? 100 : weight);
        between = ", ";
    }
    if (between[0] == ',')
        fputs("}}\n", writer->out);
}

static void put_dscps(struct writer *writer)
{
    const struct switch_qos *qos = writer->qos;
    if (!qos->has_dscps) {
        note_file(writer, "no DSCP map: a DSCP gets priority DSCP/8");
        return;
    }
    fputs("    dscp: {", writer->out);
    for (int i = 0; i < QOS_DSCPS; i++) {
        const int queue = qos->queue_of_dscp[i] == QOS_UNSET ? 0 : qos->queue_of_dscp[i];
        fprintf(writer->out, "%s%d: %d",
                i == 0                     ? ""
                : i % ENTRIES_IN_LINE == 0 ? ",\n      "
                                           : ", ",
                i, writer->priority_of[queue]);
    }
    fputs("}\n", writer->out);
}

static int priority_of_dscp(const struct writer *writer, int dscp)
{
    const int queue = writer->qos->queue_of_dscp[dscp];
    return !writer->qos->has_dscps ? dscp / QOS_QUEUES
                                   : writer->priority_of[queue == QOS_UNSET ? 0 : queue];
}

/* Writes the DSCP that hosts must use for a lossless class: the conventional one if it is lossless,
 * else the first. */
static void put_hint(struct writer *writer)
{
    enum { ROCE_DSCP = 26 };
    int best = QOS_UNSET;
    for (int i = 0; i < QOS_DSCPS; i++) {
        const int priority = priority_of_dscp(writer, i);
        const bool lossless = writer->qos->queues[queue_of(writer, priority)].lossless;
        if (lossless && (best == QOS_UNSET || i == ROCE_DSCP))
            best = i;
    }
    if (best != QOS_UNSET)
        fprintf(writer->out,
                "# To send in a lossless class: hosts: {defaults: {rnic: {dscp: %d, priority: "
                "%d}}}\n",
                best, priority_of_dscp(writer, best));
}

void qos_write(struct device *device, struct switch_qos *qos, FILE *out)
{
    struct writer writer = {.device = device, .qos = qos, .out = out};
    number_queues(&writer);
    const struct qos_queue *pause = pausing_queue(&writer);
    fprintf(out,
            "# From %s configuration; all other settings are defaults.\n"
            "# A priority is queue and PFC priority at once.\n"
            "fabric:\n  switch:\n",
            qos->vendor);
    put_pfc(&writer, pause);
    put_buffer(&writer, pause);
    put_ecn(&writer);
    put_watchdog(&writer);
    put_weights(&writer);
    put_dscps(&writer);
    put_hint(&writer);
}
