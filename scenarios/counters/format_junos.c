/* SPDX-License-Identifier: Apache-2.0
 * format_junos - Junos' `show interfaces extensive`: for each physical interface, the MAC
 * statistics, PFC by priority, and egress queues. The rest of the text is skipped. */
#include "scenarios/counters/tables.h"

#include <string.h>

static const char blanks[] = " \t";

enum part { PART_NONE, PART_MAC, PART_PFC, PART_QUEUES };

struct port {
    const char *name;
    enum part part;
    bool ingress; /* the queues that follow are ingress queues */
};

/* `show interfaces extensive et-0/0/7 | find "MAC Priority"`: the command names the port. */
static bool head_of_part(struct counts_reader *reader, const char *at)
{
    if (reader->device == NULL || reader->format == &format_junos ||
        strncmp(at, "MAC Priority Flow Control Statistics:", 37) != 0)
        return false;
    struct port *port = arena_take(reader->arena, sizeof *port);
    *port = (struct port){.name = counts_own_port(reader), .part = PART_PFC};
    reader->state = port;
    return true;
}

static bool junos_head(struct counts_reader *reader)
{
    static const char begin[] = "Physical interface: ";
    const char *at = reader->lines.text + strspn(reader->lines.text, blanks);
    if (strncmp(at, begin, sizeof begin - 1) != 0)
        return head_of_part(reader, at);
    at += sizeof begin - 1;
    const size_t length = strcspn(at, ", \t");
    if (!counts_is_port(at, length))
        return false;
    struct port *port = arena_take(reader->arena, sizeof *port);
    port->name = counts_port(reader, at, length);
    reader->state = port;
    return true;
}

/* Reads a heading, which identifies the lines below it. */
static bool take_heading(struct port *port, const char *at)
{
    static const struct {
        const char *begin;
        enum part part;
    } headings[] = {{"MAC statistics:", PART_MAC},
                    {"MAC Priority Flow Control Statistics:", PART_PFC},
                    {"Queue counters:", PART_QUEUES},
                    {"Queue number:", PART_NONE}};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        if (strncmp(at, headings[i].begin, strlen(headings[i].begin)) == 0) {
            port->part = headings[i].part;
            return true;
        }
    if (strncmp(at, "Ingress queues:", 15) == 0 || strncmp(at, "Egress queues:", 14) == 0) {
        port->ingress = *at == 'I';
        return true;
    }
    return false;
}

static bool is_number(const struct tables_cell *cell)
{
    int64_t value;
    return counts_number(cell->at, cell->length, &value);
}

static void add(struct counts_reader *reader, const struct port *port, const char *name,
                int priority, const struct tables_cell *cell)
{
    const char *source = priority < 0 ? name : arena_format(reader->arena, "%s %d", name, priority);
    counts_add(reader, port->name, source, counts_column(name, priority), cell->at, cell->length);
}

/* "3 fcoe  9000  8800  200": queued, transmitted, dropped; the name of the class is optional. */
static void take_queue(struct counts_reader *reader, const struct port *port,
                       const struct tables_cell *cells, int count)
{
    const int queue = tables_queue(cells[0].at, cells[0].length);
    if (port->ingress || count < 4 || !tables_is_queue(reader, queue, cells[0].at, cells[0].length))
        return;
    add(reader, port, "Transmitted packets", queue, &cells[count - 2]);
    add(reader, port, "Dropped packets", queue, &cells[count - 1]);
}

/* "Total packets   7187555   29695303198": received, transmitted. */
static void take_mac(struct counts_reader *reader, const struct port *port,
                     const struct tables_cell *cells, int count)
{
    const int numbers = count > 2 && is_number(&cells[count - 2]) ? 2 : 1;
    if (count <= numbers)
        return;
    const struct tables_cell *last = &cells[count - numbers - 1];
    const char *label =
        arena_text(reader->arena, cells[0].at, (size_t)(last->at - cells[0].at) + last->length);
    for (int i = 0; i < numbers; i++)
        add(reader, port,
            arena_format(reader->arena, "%s %s", label, i == 0 ? "Receive" : "Transmit"), -1,
            &cells[count - numbers + i]);
}

/* "Priority :  3     30     40". */
static void take_pfc(struct counts_reader *reader, const struct port *port,
                     const struct tables_cell *cells, int count)
{
    if (count < 4 || !counts_is(cells[0].at, cells[0].length, "Priority"))
        return;
    const struct tables_cell *number = &cells[count - 3];
    const int priority = tables_queue(number->at, number->length);
    if (!tables_is_queue(reader, priority, number->at, number->length))
        return;
    add(reader, port, "Priority Receive", priority, &cells[count - 2]);
    add(reader, port, "Priority Transmit", priority, &cells[count - 1]);
}

static bool row(struct counts_reader *reader)
{
    struct port *port = reader->state;
    struct tables_cell cells[TABLES_CELLS_MAX];
    const char *at = reader->lines.text + strspn(reader->lines.text, blanks);
    if (take_heading(port, at))
        return true;
    const int count = tables_cells(reader->lines.text, cells);
    if (port->part == PART_NONE || count < 2 || !is_number(&cells[count - 1])) {
        port->part = PART_NONE;
        return true;
    }
    if (port->part == PART_QUEUES)
        take_queue(reader, port, cells, count);
    else if (port->part == PART_MAC)
        take_mac(reader, port, cells, count);
    else
        take_pfc(reader, port, cells, count);
    return true;
}

const struct counts_format format_junos = {
    .name = "show interfaces extensive", .head = junos_head, .row = row};
