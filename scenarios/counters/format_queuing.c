/* SPDX-License-Identifier: Apache-2.0
 * format_queuing - NX-OS' `show queuing interface`: boxes of QoS groups, drops of the port, PFC
 * frames by class of service. A QoS group counts as the priority of the same number. */
#include "scenarios/counters/tables.h"

#include <string.h>

static const char blanks[] = " \t";

struct port {
    const char *name;
    const char *part; /* "Port Egress Statistics" */
    int group;        /* QoS group of the box; -1: a run has no such priority */
    bool by_class;    /* PFC rows by class of service follow */
};

static bool head(struct counts_reader *reader)
{
    const char *at = reader->lines.text + strspn(reader->lines.text, blanks);
    static const char *const begins[] = {"Egress Queuing for ", "Ingress Queuing for "};
    for (int i = 0; i < 2; i++) {
        size_t length;
        if (strncmp(at, begins[i], strlen(begins[i])) != 0)
            continue;
        at += strlen(begins[i]);
        const char *word = counts_word(&at, &length);
        if (!counts_is_port(word, length))
            return false;
        struct port *port = arena_take(reader->arena, sizeof *port);
        *port = (struct port){counts_port(reader, word, length), "", -1, false};
        reader->state = port;
        return true;
    }
    return false;
}

/* ---- boxes ---- */

static bool is_number(const struct tables_cell *cell)
{
    int64_t value;
    return counts_number(cell->at, cell->length, &value);
}

/* A label and the numbers after it; unicast and multicast frames are added up. */
static int take_label(struct counts_reader *reader, const struct port *port,
                      const struct tables_cell *cells, int count)
{
    int numbers = 0;
    int64_t sum = 0, value;
    while (1 + numbers < count && is_number(&cells[1 + numbers])) {
        counts_number(cells[1 + numbers].at, cells[1 + numbers].length, &value);
        sum = value > INT64_MAX - sum ? INT64_MAX : sum + value;
        numbers++;
    }
    if (numbers == 0 || port->group < 0)
        return 1 + numbers;
    const char *name = arena_text(reader->arena, cells[0].at, cells[0].length);
    struct counts_item *item = counts_add(
        reader, port->name, arena_format(reader->arena, "QOS GROUP %d %s", port->group, name),
        counts_column(name, port->group), cells[1].at, cells[1].length);
    if (item != NULL)
        item->value = sum;
    return 1 + numbers;
}

static void take_box(struct counts_reader *reader, struct port *port)
{
    struct tables_cell cells[TABLES_CELLS_MAX];
    const int count = tables_cells(reader->lines.text, cells);
    static const char title[] = "QOS GROUP ";
    const char *group = strstr(reader->lines.text, title);
    if (group != NULL && count == 1) {
        const char *number = group + sizeof title - 1;
        const int queue = tables_queue(number, strcspn(number, " |\t"));
        const bool plain = cells[0].at == group && tables_is_queue(reader, queue, number, 1);
        port->group = plain ? queue : -1;
        return;
    }
    for (int i = 0; i < count;)
        i += take_label(reader, port, &cells[i], count - i);
}

/* ---- the port ---- */

/* "Ingress MMU Drop Pkts        10". Values of a slice are skipped because a slice has several
 * ports. */
static bool take_line(struct counts_reader *reader, struct port *port)
{
    struct tables_cell cells[TABLES_CELLS_MAX];
    const int count = tables_cells(reader->lines.text, cells);
    if (count < 2 || !is_number(&cells[count - 1]) || is_number(&cells[0]))
        return false;
    const struct tables_cell *last = &cells[count - 2];
    const char *name =
        arena_text(reader->arena, cells[0].at, (size_t)(last->at - cells[0].at) + last->length);
    struct counts_meaning what = counts_column(name, -1);
    if (strncmp(port->part, "Per Slice", 9) == 0)
        what.name = NULL;
    counts_add(reader, port->name, arena_format(reader->arena, "%s: %s", port->part, name), what,
               cells[count - 1].at, cells[count - 1].length);
    return true;
}

/* "TxPPP:  11, RxPPP:  12". */
static bool take_totals(struct counts_reader *reader, const struct port *port)
{
    static const char *const names[] = {"TxPPP", "RxPPP"};
    bool any = false;
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(reader->lines.text, names[i]);
        if (at == NULL || at[5] != ':')
            continue;
        at += 6;
        at += strspn(at, blanks);
        counts_add(reader, port->name, arena_format(reader->arena, "queuing %s", names[i]),
                   counts_column(names[i], -1), at, strcspn(at, ", \t"));
        any = true;
    }
    return any;
}

/* "3  3  3  Active  7  Active  8": class, .., TxPause, TxCount, RxPause, RxCount. */
static bool take_class(struct counts_reader *reader, const struct port *port)
{
    struct tables_cell cells[TABLES_CELLS_MAX];
    const int count = tables_cells(reader->lines.text, cells);
    if (!port->by_class || count < 5 || !is_number(&cells[0]))
        return false;
    const int class = tables_queue(cells[0].at, cells[0].length);
    if (!tables_is_queue(reader, class, cells[0].at, cells[0].length))
        return true;
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "TxCount" : "RxCount";
        const struct tables_cell *cell = &cells[i == 0 ? count - 3 : count - 1];
        counts_add(reader, port->name, arena_format(reader->arena, "COS %d %s", class, name),
                   counts_column(name, class), cell->at, cell->length);
    }
    return true;
}

static bool row(struct counts_reader *reader)
{
    struct port *port = reader->state;
    const char *at = reader->lines.text + strspn(reader->lines.text, blanks);
    if (*at == '|') {
        take_box(reader, port);
        return true;
    }
    if (strstr(at, "TxCount") != NULL && strstr(at, "RxCount") != NULL) {
        port->by_class = true;
        return true;
    }
    if (strpbrk(at, "0123456789") == NULL && strstr(at, "Statistics") != NULL) {
        port->part = arena_text(reader->arena, at, strcspn(at, ":"));
        return true;
    }
    /* Tables of bandwidth and buffers are configuration and are skipped. */
    (void)(take_totals(reader, port) || take_class(reader, port) || take_line(reader, port));
    return true;
}

const struct counts_format format_queuing = {
    .name = "show queuing interface", .head = head, .row = row};
