/* SPDX-License-Identifier: Apache-2.0
 * counters_grafana - a Grafana dashboard for the metrics of `counters --as openmetrics`.
 * One panel for each counter of the run, with a query for each of its metrics, so that the
 * dashboard names only metrics that exist. Counters are shown as rates, times as shares of time,
 * and watermarks as they are.
 * Source: Grafana, "Dashboard JSON model"; units of @grafana/data, valueFormats/categories.ts. */
#include "reports/text/json_members.h"
#include "reports/tools/counters.h"
#include "reports/tools/counters_families.h"

#include <string.h>

enum { COLUMNS = 3, WIDTH = 8, HEIGHT = 8, EXPRESSION_BYTES = 512, SCHEMA_VERSION = 36 };

static const char *const titles[] = {
    [COUNTER_OF_PRIORITY] = "Priorities",
    [COUNTER_OF_PORT] = "Ports",
    [COUNTER_OF_RNIC] = "RNICs",
    [COUNTER_OF_TCP] = "TCP",
    [COUNTER_OF_CREDITS] = "Credits",
    [COUNTER_OF_SWITCH_PRIORITY] = "Queues, priority groups and watchdogs",
    [COUNTER_OF_SWITCH_PORT] = "Drops by cause",
};

struct dashboard {
    struct json json;
    bool of_switch;
    int panel;  /* number of panels so far, rows included */
    int target; /* of the current panel */
    int column, y;
    enum counter_id id; /* of the current panel; COUNTER_COUNT: none yet */
    enum counter_scope scope;
};

/* A member of the panel that was begun last. */
static const char *panel_member(const struct dashboard *dashboard, char path[JSON_PATH_BYTES],
                                const char *name)
{
    return json_member(path, "panels", (size_t)dashboard->panel - 1, name);
}

static void panel_text(struct dashboard *dashboard, const char *name, const char *value)
{
    char path[JSON_PATH_BYTES];
    json_text(&dashboard->json, panel_member(dashboard, path, name), value);
}

static void panel_integer(struct dashboard *dashboard, const char *name, int64_t value)
{
    char path[JSON_PATH_BYTES];
    json_integer(&dashboard->json, panel_member(dashboard, path, name), value);
}

static void begin_panel(struct dashboard *dashboard, const char *type, const char *title,
                        int height)
{
    const int x = dashboard->column * WIDTH, width = height == 1 ? COLUMNS * WIDTH : WIDTH;
    dashboard->panel++;
    panel_integer(dashboard, "id", dashboard->panel);
    panel_text(dashboard, "type", type);
    panel_text(dashboard, "title", title);
    panel_integer(dashboard, "gridPos.x", x);
    panel_integer(dashboard, "gridPos.y", dashboard->y);
    panel_integer(dashboard, "gridPos.w", width);
    panel_integer(dashboard, "gridPos.h", height);
}

static void begin_row(struct dashboard *dashboard, enum counter_scope scope)
{
    char path[JSON_PATH_BYTES];
    if (dashboard->column > 0)
        dashboard->y += HEIGHT;
    dashboard->column = 0;
    dashboard->scope = scope;
    begin_panel(dashboard, "row", titles[scope], 1);
    json_boolean(&dashboard->json, panel_member(dashboard, path, "collapsed"), false);
    json_empty(&dashboard->json, panel_member(dashboard, path, "panels"));
    dashboard->y++;
}

/* Watermarks and longest times are no sums, so they have no rate. */
static bool is_maximum(enum counter_id id)
{
    const char *name = counters_about[id].name;
    return strstr(name, "peak") != NULL || strstr(name, "longest") != NULL;
}

struct scale {
    const char *unit, *divisor; /* of the expression */
};

static struct scale scale_of(enum counter_id id)
{
    const char *unit = counters_about[id].unit;
    const bool maximum = is_maximum(id);
    if (strcmp(unit, "bytes") == 0)
        return (struct scale){maximum ? "decbytes" : "Bps", ""};
    if (strcmp(unit, "us") == 0)
        return (struct scale){maximum ? "s" : "percentunit", " / 1e6"};
    if (strcmp(unit, "ps") == 0)
        return (struct scale){maximum ? "s" : "percentunit", " / 1e12"};
    return (struct scale){maximum ? "short" : "cps", ""};
}

/* "tx_prio%d_pause" as "tx_prioN_pause". */
static void title_of(char title[COUNTER_NAME_BYTES], const char *name)
{
    const char *place = strstr(name, "%d");
    if (place == NULL)
        snprintf(title, COUNTER_NAME_BYTES, "%s", name);
    else
        snprintf(title, COUNTER_NAME_BYTES, "%.*sN%s", (int)(place - name), name, place + 2);
}

static void begin_counter(struct dashboard *dashboard, enum counter_id id)
{
    const struct counter_about *about = &counters_about[id];
    char title[COUNTER_NAME_BYTES];
    if (dashboard->id == COUNTER_COUNT || dashboard->scope != about->scope)
        begin_row(dashboard, about->scope);
    dashboard->id = id;
    dashboard->target = 0;
    title_of(title, dashboard->of_switch ? about->sai : about->name);
    begin_panel(dashboard, "timeseries", title, HEIGHT);
    panel_text(dashboard, "datasource.type", "prometheus");
    panel_text(dashboard, "datasource.uid", "${datasource}");
    panel_text(dashboard, "fieldConfig.defaults.unit", scale_of(id).unit);
    dashboard->column = (dashboard->column + 1) % COLUMNS;
    dashboard->y += dashboard->column == 0 ? HEIGHT : 0;
}

static void target_text(struct dashboard *dashboard, const char *name, const char *value)
{
    char member[64];
    snprintf(member, sizeof member, "targets[%d].%s", dashboard->target, name);
    panel_text(dashboard, member, value);
}

static void add_target(void *self, const struct counters_family *family)
{
    struct dashboard *dashboard = self;
    char expression[EXPRESSION_BYTES], legend[64];
    const char *node = counters_family_node_label(family->of_switch);
    const char *port = counters_family_port_label(family->of_switch);
    const bool maximum = is_maximum(family->id);
    if (dashboard->id != family->id)
        begin_counter(dashboard, family->id);
    snprintf(expression, sizeof expression, "%s%s{%s=~\"$%s\",%s=~\"$%s\"}%s%s",
             maximum ? "" : "rate(", family->name, node, node, port, port,
             maximum ? "" : "[$__rate_interval])", scale_of(family->id).divisor);
    if (family->object != NULL)
        snprintf(legend, sizeof legend, "{{%s}} {{%s}} %s {{%s}}", node, port, family->object,
                 family->object);
    else if (family->priority >= 0)
        snprintf(legend, sizeof legend, "{{%s}} {{%s}} priority %d", node, port, family->priority);
    else
        snprintf(legend, sizeof legend, "{{%s}} {{%s}}", node, port);
    target_text(dashboard, "refId", (const char[]){(char)('A' + dashboard->target), '\0'});
    target_text(dashboard, "expr", expression);
    target_text(dashboard, "legendFormat", legend);
    dashboard->target++;
}

/* A selection of label values; ports are those of the selected nodes. */
static void add_variable(struct json *json, size_t index, bool of_switch, bool is_port)
{
    static const char list[] = "templating.list";
    char path[JSON_PATH_BYTES], query[EXPRESSION_BYTES];
    const char *metric = of_switch ? "SAI_QUEUE_STAT_BYTES" : "node_ethtool_received_packets_phy";
    const char *node = counters_family_node_label(of_switch);
    const char *label = is_port ? counters_family_port_label(of_switch) : node;
    if (is_port)
        snprintf(query, sizeof query, "label_values(%s{%s=~\"$%s\"}, %s)", metric, node, node,
                 label);
    else
        snprintf(query, sizeof query, "label_values(%s, %s)", metric, label);
    json_text(json, json_member(path, list, index, "name"), label);
    json_text(json, json_member(path, list, index, "type"), "query");
    json_text(json, json_member(path, list, index, "datasource.type"), "prometheus");
    json_text(json, json_member(path, list, index, "datasource.uid"), "${datasource}");
    json_text(json, json_member(path, list, index, "query"), query);
    json_integer(json, json_member(path, list, index, "refresh"), 2); /* with the time range */
    json_boolean(json, json_member(path, list, index, "multi"), true);
    json_boolean(json, json_member(path, list, index, "includeAll"), true);
    json_text(json, json_member(path, list, index, "current.value"), "$__all");
}

static void add_variables(struct json *json, bool of_switch)
{
    json_text(json, "templating.list[0].name", "datasource");
    json_text(json, "templating.list[0].type", "datasource");
    json_text(json, "templating.list[0].query", "prometheus");
    add_variable(json, 1, of_switch, false);
    add_variable(json, 2, of_switch, true);
}

void counters_grafana(const struct port_counters *counters, const bool *chosen, bool of_switch,
                      FILE *out)
{
    struct dashboard dashboard = {.of_switch = of_switch, .id = COUNTER_COUNT};
    struct json *json = &dashboard.json;
    json_begin_foreign(json, out);
    json_text(json, "uid", of_switch ? "stormglass-sonic" : "stormglass-ethtool");
    json_text(json, "title", of_switch ? "Switch ports (SONiC)" : "Host ports (node_exporter)");
    json_text(json, "tags[0]", "stormglass");
    json_integer(json, "schemaVersion", SCHEMA_VERSION);
    json_integer(json, "graphTooltip", 1); /* one cursor on all panels */
    json_text(json, "time.from", "now-1h");
    json_text(json, "time.to", "now");
    add_variables(json, of_switch);
    counters_families(counters, chosen, of_switch, add_target, &dashboard);
    if (dashboard.panel == 0)
        json_empty(json, "panels");
    json_end(json);
}
