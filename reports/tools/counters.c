/* SPDX-License-Identifier: Apache-2.0
 * counters - a run's counters in the format of real equipment.
 * Source: ethtool(8); nstat(8); sonic-utilities, scripts pfcstat, queuestat, wredstat, pg-drop. */
#include "reports/tools/counters.h"

#include "base/check.h"
#include "replay/database/ss.h"
#include "reports/text/csv.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <string.h>

enum { PRIORITIES = 8 };

struct print {
    const struct port_counters *counters;
    const bool *chosen;
    FILE *out;
    struct csv csv;
    int widest;          /* longest name of a port */
    bool named;          /* print the switch's name before its tables */
    uint32_t first, end; /* ports of the current switch */
};

typedef void counter_fn(struct print *print, const struct port_counters_port *port,
                        const char *name, int priority, int64_t value);

/* Visits every counter of a port that its name identifies: all except the watchdog's, whose names
 * do not include the priority. */
static void each_counter(struct print *print, const struct port_counters_port *port,
                         counter_fn *call)
{
    for (int id = 0; id < COUNTER_COUNT; id++) {
        const enum counter_scope scope = counters_about[id].scope;
        const bool by_name = counter_has_priority((enum counter_id)id);
        if (!port_counters_has(port, (enum counter_id)id) ||
            (scope == COUNTER_OF_SWITCH_PRIORITY && !by_name))
            continue;
        for (int priority = by_name ? 0 : -1; priority < (by_name ? PRIORITIES : 0); priority++) {
            char name[COUNTER_NAME_BYTES];
            counter_text(name, counters_about[id].name, priority);
            call(print, port, name, priority,
                 port_counters_get(print->counters, port, (enum counter_id)id, priority));
        }
    }
}

/* ---- ethtool -S ---- */

static void print_ethtool(struct print *print, const struct port_counters_port *port,
                          const char *name, int priority, int64_t value)
{
    (void)port, (void)priority;
    fprintf(print->out, "     %s: %" PRId64 "\n", name, value);
}

static void ethtool(struct print *print, uint32_t chosen)
{
    for (uint32_t i = 0; i < print->counters->port_count; i++) {
        const struct port_counters_port *port = &print->counters->ports[i];
        if (!print->chosen[i])
            continue;
        if (chosen > 1)
            fprintf(print->out, "==> %s <==\n", port->name);
        fputs("NIC statistics:\n", print->out);
        each_counter(print, port, print_ethtool);
    }
}

/* ---- nstat -asz ---- */

/* nstat has the names of /proc/net/snmp and /proc/net/netstat, and no others. */
static void print_nstat(struct print *print, const struct port_counters_port *port,
                        const char *name, int priority, int64_t value)
{
    (void)port, (void)priority;
    if (strncmp(name, "Tcp", 3) == 0 || strncmp(name, "IpExt", 5) == 0)
        fprintf(print->out, "%-32s%-16" PRId64 "   0.0\n", name, value);
}

static uint32_t count_chosen(const struct port_counters *counters, const bool *chosen)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < counters->port_count; i++)
        count += chosen[i];
    return count;
}

typedef void port_fn(void *self, const struct port_counters_port *port);

static void each_tcp_port(const struct port_counters *counters, const bool *chosen, FILE *out,
                          port_fn *call, void *self)
{
    const bool several = count_chosen(counters, chosen) > 1;
    for (uint32_t i = 0; i < counters->port_count; i++) {
        const struct port_counters_port *port = &counters->ports[i];
        if (!chosen[i] || !port->has_tcp)
            continue;
        if (several)
            fprintf(out, "==> %s <==\n", port->name);
        call(self, port);
    }
}

static void nstat(void *self, const struct port_counters_port *port)
{
    struct print *print = self;
    fputs("#kernel\n", print->out);
    each_counter(print, port, print_nstat);
}

/* ---- ss -tin ---- */

struct ss {
    struct store *store;
    FILE *out;
};

static void ss(void *self, const struct port_counters_port *port)
{
    const struct ss *of = self;
    ss_print_port(of->store, port->name, of->out);
}

void counters_ss(struct store *store, const struct port_counters *counters, const bool *chosen,
                 FILE *out)
{
    struct ss of = {store, out};
    each_tcp_port(counters, chosen, out, ss, &of);
}

/* ---- SONiC ---- */

/* 1234567 as 1,234,567. */
static const char *with_commas(int64_t value, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, value);
    int at = 0;
    CHECK(value >= 0);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static void dashes(struct print *print, const int *widths, int count)
{
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "  " : "", print->out);
        for (int k = 0; k < widths[i]; k++)
            fputc('-', print->out);
    }
    fputc('\n', print->out);
}

typedef void row_fn(struct print *print, const struct port_counters_port *port, const void *what);

static void each_switch_port(struct print *print, row_fn *call, const void *what)
{
    for (uint32_t i = print->first; i < print->end; i++)
        if (print->chosen[i])
            call(print, &print->counters->ports[i], what);
    fputc('\n', print->out);
}

/* The vendor's name. Below the name of its switch, "p3" is sufficient. */
static const char *name_of(const struct print *print, const struct port_counters_port *port)
{
    if (port->equipment != NULL)
        return port->equipment;
    return print->named ? port->name + strlen(port->node) + 1 : port->name;
}

enum { VALUE_WIDTH = 15 };

struct by_priority {
    const char *head, *column; /* "Port Rx", "PFC" */
    enum counter_id id;
};

static void priority_row(struct print *print, const struct port_counters_port *port,
                         const void *what)
{
    const struct by_priority *table = what;
    char text[32];
    fprintf(print->out, "%*s", print->widest, name_of(print, port));
    for (int i = 0; i < PRIORITIES; i++)
        fprintf(print->out, "  %*s", VALUE_WIDTH,
                with_commas(port_counters_get(print->counters, port, table->id, i), text));
    fputc('\n', print->out);
}

static void priority_table(struct print *print, const struct by_priority *table)
{
    int widths[1 + PRIORITIES] = {print->widest};
    fprintf(print->out, "%*s", print->widest, table->head);
    for (int i = 0; i < PRIORITIES; i++) {
        char head[16];
        widths[1 + i] = VALUE_WIDTH;
        snprintf(head, sizeof head, "%s%d", table->column, i);
        fprintf(print->out, "  %*s", VALUE_WIDTH, head);
    }
    fputc('\n', print->out);
    dashes(print, widths, 1 + PRIORITIES);
    each_switch_port(print, priority_row, table);
}

/* A column of a table by queue; `counted` is false for columns without a counter in the model. */
struct queue_column {
    const char *head;
    bool counted;
    enum counter_id id;
};

enum { QUEUE_COLUMNS = 4, QUEUE_WIDTH = 5 };

static const struct queue_column queuestat_columns[QUEUE_COLUMNS] = {
    {"Counter/pkts", true, COUNTER_TX_PRIO_PACKETS},
    {"Counter/bytes", true, COUNTER_TX_PRIO_BYTES},
    {"Drop/pkts", true, COUNTER_TX_PRIO_QUEUE_DROPPED},
    {.head = "Drop/bytes"},
};

static const struct queue_column wredstat_columns[QUEUE_COLUMNS] = {
    {.head = "WredDrp/pkts"},
    {.head = "WredDrp/bytes"},
    {"EcnMarked/pkts", true, COUNTER_TX_PRIO_ECN_MARKED},
    {.head = "EcnMarked/bytes"},
};

static void queue_rows(struct print *print, const struct port_counters_port *port, const void *what)
{
    const struct queue_column *columns = what;
    for (int queue = 0; queue < PRIORITIES; queue++) {
        char text[32];
        fprintf(print->out, "%*s  %*s%d", print->widest, name_of(print, port), QUEUE_WIDTH - 1,
                "UC", queue);
        for (int i = 0; i < QUEUE_COLUMNS; i++) {
            const struct queue_column *column = &columns[i];
            const char *value = "N/A";
            if (column->counted)
                value =
                    with_commas(port_counters_get(print->counters, port, column->id, queue), text);
            fprintf(print->out, "  %*s", VALUE_WIDTH, value);
        }
        fputc('\n', print->out);
    }
}

static void queue_table(struct print *print, const struct queue_column *columns)
{
    int widths[2 + QUEUE_COLUMNS] = {print->widest, QUEUE_WIDTH};
    fprintf(print->out, "%*s  %*s", print->widest, "Port", QUEUE_WIDTH, "TxQ");
    for (int i = 0; i < QUEUE_COLUMNS; i++) {
        widths[2 + i] = VALUE_WIDTH;
        fprintf(print->out, "  %*s", VALUE_WIDTH, columns[i].head);
    }
    fputc('\n', print->out);
    dashes(print, widths, 2 + QUEUE_COLUMNS);
    each_switch_port(print, queue_rows, columns);
}

static void one_switch(struct print *print)
{
    static const struct by_priority rx = {"Port Rx", "PFC", COUNTER_RX_PRIO_PAUSE},
                                    tx = {"Port Tx", "PFC", COUNTER_TX_PRIO_PAUSE},
                                    drops = {"Port", "PG", COUNTER_RX_PRIO_BUFFER_DROPPED};
    print->widest = (int)strlen(rx.head);
    for (uint32_t i = print->first; i < print->end; i++) {
        const int width = (int)strlen(name_of(print, &print->counters->ports[i]));
        print->widest = print->chosen[i] && width > print->widest ? width : print->widest;
    }
    priority_table(print, &rx);
    priority_table(print, &tx);
    queue_table(print, queuestat_columns);
    queue_table(print, wredstat_columns);
    fputs("Ingress PG dropped packets:\n", print->out);
    priority_table(print, &drops);
}

/* Finds the next switch with a chosen port; ports of a switch are contiguous. */
static bool next_switch(struct print *print)
{
    const struct port_counters *counters = print->counters;
    uint32_t at = print->end;
    while (at < counters->port_count && !(print->chosen[at] && counters->ports[at].of_switch))
        at++;
    print->first = print->end = at;
    while (print->end < counters->port_count &&
           strcmp(counters->ports[print->end].node, counters->ports[at].node) == 0)
        print->end++;
    return at < counters->port_count;
}

static void sonic(struct print *print)
{
    int switches = 0;
    while (next_switch(print))
        switches++;
    print->named = switches > 1;
    print->end = 0;
    while (next_switch(print)) {
        if (print->named)
            fprintf(print->out, "==> %s <==\n", print->counters->ports[print->first].node);
        one_switch(print);
    }
}

/* ---- JSON ---- */

static void put_json(struct print *print, const struct port_counters_port *port, const char *name,
                     int priority)
{
    fputs(print->widest++ > 0 ? ",\n  {\"port\": " : "\n  {\"port\": ", print->out);
    json_string(print->out, port->name);
    fputs(", \"priority\": ", print->out);
    if (priority < 0)
        fputs("null", print->out);
    else
        fprintf(print->out, "%d", priority);
    fprintf(print->out, ", \"name\": \"%s\"", name);
}

static void json_moved(struct print *print, const struct port_counters_port *port, const char *name,
                       int priority, int64_t value)
{
    if (value == 0)
        return;
    put_json(print, port, name, priority);
    fprintf(print->out, ", \"difference\": %" PRId64 "}", value);
}

static void json_unmoved(struct print *print, const struct port_counters_port *port,
                         const char *name, int priority, int64_t value)
{
    if (value != 0)
        return;
    put_json(print, port, name, priority);
    fputc('}', print->out);
}

static void json_list(struct print *print, counter_fn *call)
{
    print->widest = 0; /* in JSON output: number of items so far */
    for (uint32_t i = 0; i < print->counters->port_count; i++)
        if (print->chosen[i])
            each_counter(print, &print->counters->ports[i], call);
}

static void json(struct print *print)
{
    fputs("{\"stormglass-counters\": 1, \"counters\": [", print->out);
    json_list(print, json_moved);
    fputs("\n], \"unmoved\": [", print->out);
    json_list(print, json_unmoved);
    fputs("\n]}\n", print->out);
}

/* ---- CSV ---- */

static void put_csv(struct print *print, const struct port_counters_port *port, const char *name,
                    int priority, int64_t value)
{
    csv_text(&print->csv, port->name);
    if (priority < 0)
        csv_empty(&print->csv);
    else
        csv_integer(&print->csv, priority);
    csv_text(&print->csv, name);
    csv_integer(&print->csv, value);
    csv_end_row(&print->csv);
}

static void write_csv(struct print *print)
{
    csv_table(&print->csv, print->out, "port,priority,name,value");
    for (uint32_t i = 0; i < print->counters->port_count; i++)
        if (print->chosen[i])
            each_counter(print, &print->counters->ports[i], put_csv);
}

void counters_print(const struct port_counters *counters, const bool *chosen,
                    enum counters_form form, FILE *out)
{
    struct print print = {.counters = counters, .chosen = chosen, .out = out};
    if (form == COUNTERS_ETHTOOL)
        ethtool(&print, count_chosen(counters, chosen));
    else if (form == COUNTERS_NSTAT)
        each_tcp_port(counters, chosen, out, nstat, &print);
    else if (form == COUNTERS_SONIC)
        sonic(&print);
    else if (form == COUNTERS_OPENMETRICS)
        counters_openmetrics(counters, chosen, out);
    else if (form == COUNTERS_GRAFANA_ETHTOOL || form == COUNTERS_GRAFANA_SONIC)
        counters_grafana(counters, chosen, form == COUNTERS_GRAFANA_SONIC, out);
    else if (form == COUNTERS_FOS || form == COUNTERS_NX_OS || form == COUNTERS_PERFQUERY)
        counters_credits(counters, chosen, form, out);
    else if (form == COUNTERS_CSV)
        write_csv(&print);
    else
        json(&print);
}
