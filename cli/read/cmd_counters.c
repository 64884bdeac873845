/* SPDX-License-Identifier: Apache-2.0
 * cmd_counters - stormglass counters. */
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "replay/database/stored.h"
#include "reports/tools/counters.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option counters_options[] = {
    {"as", 0, "FORM",
     "ethtool (the default), sonic, json, openmetrics, grafana-ethtool, grafana-sonic, fos, nx-os, "
     "perfquery, nstat or ss"},
    {"csv", 0, NULL, "one CSV row for each counter"},
    {"port", 'p', "PORT", "a port, or all ports of a host or switch; repeatable"},
    {0},
};

static bool read_form(const struct cli_args *args, enum counters_form *form)
{
    static const char *const words[] = {"ethtool",         "sonic",         "json", "openmetrics",
                                        "grafana-ethtool", "grafana-sonic", "fos",  "nx-os",
                                        "perfquery",       "nstat",         "ss"};
    const char *word = cli_value(args, "as");
    *form = cli_given(args, "csv") ? COUNTERS_CSV : COUNTERS_ETHTOOL;
    if (word == NULL)
        return true;
    if (*form == COUNTERS_CSV) {
        cli_error("counters: --as and --csv: expected one of them");
        return false;
    }
    for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
        if (strcmp(words[i], word) != 0)
            continue;
        *form = (enum counters_form)i;
        return true;
    }
    cli_error("counters: --as %s: expected ethtool, sonic, json, openmetrics, grafana-ethtool, "
              "grafana-sonic, fos, nx-os, perfquery, nstat or ss",
              word);
    return false;
}

static bool choose_one(const struct port_counters *counters, const char *name, bool *chosen)
{
    const struct port_counters_port *one = port_counters_find(counters, name);
    struct nearest nearest = nearest_to(name);
    bool found = false;
    for (uint32_t i = 0; i < counters->port_count; i++) {
        const struct port_counters_port *port = &counters->ports[i];
        nearest_offer(&nearest, port->name);
        nearest_offer(&nearest, port->node);
        if (port != one && strcmp(port->node, name) != 0)
            continue;
        chosen[i] = found = true;
    }
    if (!found)
        cli_error("counters: unknown port or node '%s'%s", name, nearest_hint(&nearest).text);
    return found;
}

/* Equipment of Fibre Channel and InfiniBand has no counters of another link layer. NULL: any. */
static const char *layer_of(enum counters_form form)
{
    return form == COUNTERS_PERFQUERY                       ? "infiniband"
           : form == COUNTERS_FOS || form == COUNTERS_NX_OS ? "fibre-channel"
                                                            : NULL;
}

static bool fits(const struct port_counters_port *port, const char *layer)
{
    return layer == NULL || strcmp(port->link_layer, layer) == 0;
}

/* `port`: NULL if no port of the run fits. */
static bool refuse(const struct cli_args *args, const struct port_counters *counters,
                   const char *needed, const struct port_counters_port *port)
{
    if (port == NULL)
        cli_error("counters: --as %s needs a run with fabric.kind: %s; this one has %s",
                  cli_value(args, "as"), needed, counters->ports[0].link_layer);
    else
        cli_error("counters: --as %s needs ports of %s; %s has %s", cli_value(args, "as"), needed,
                  port->name, port->link_layer);
    return false;
}

/* Without --port: all ports whose equipment has such counters. */
static bool choose(const struct cli_args *args, const struct port_counters *counters,
                   enum counters_form form, bool *chosen)
{
    const char *layer = layer_of(form);
    uint32_t count, fitting = 0;
    const char **names = cli_values(args, "port", &count);
    for (uint32_t i = 0; i < counters->port_count; i++) {
        chosen[i] = count == 0 && fits(&counters->ports[i], layer);
        fitting += fits(&counters->ports[i], layer);
    }
    if (fitting == 0 && counters->port_count > 0)
        return refuse(args, counters, layer, NULL);
    for (uint32_t i = 0; i < count; i++)
        if (!choose_one(counters, names[i], chosen))
            return false;
    for (uint32_t i = 0; i < counters->port_count; i++)
        if (chosen[i] && !fits(&counters->ports[i], layer))
            return refuse(args, counters, layer, &counters->ports[i]);
    return true;
}

static int print(const struct cli_args *args, struct store *store, enum counters_form form)
{
    struct port_counters counters;
    port_counters_load(&counters, store);
    bool *chosen = memory_zeroed(counters.port_count, sizeof *chosen);
    int code = CLI_USAGE;
    if (store_error(store) != NULL)
        cli_error("%s: %s", args->operands[0], store_error(store));
    else if (choose(args, &counters, form, chosen)) {
        if (form == COUNTERS_SS)
            counters_ss(store, &counters, chosen, stdout);
        else
            counters_print(&counters, chosen, form, stdout);
        code = CLI_DONE;
    }
    if (code == CLI_DONE && store_error(store) != NULL) {
        cli_error("%s: %s", args->operands[0], store_error(store));
        code = CLI_USAGE;
    }
    free(chosen);
    port_counters_free(&counters);
    return code;
}

static int run_counters(const struct cli_args *args)
{
    char error[STORE_ERROR_BYTES];
    enum counters_form form;
    if (!read_form(args, &form))
        return CLI_USAGE;
    struct store *store = stored_open(args->operands[0], error);
    if (store == NULL) {
        cli_error("%s: %s", args->operands[0], error);
        return CLI_USAGE;
    }
    const int code = print(args, store, form);
    store_close(store);
    return code;
}

const struct cli_command cmd_counters = {
    .name = "counters",
    .operands = "RUN.db",
    .about =
        "print the port counters of a run in the format of ethtool -S, SONiC, Brocade, Cisco MDS, "
        "perfquery or OpenMetrics",
    .details =
        "stormglass import counters reads ethtool, sonic and json; stormglass diff compares real "
        "counters with\nthose of a run. grafana-ethtool and grafana-sonic are Grafana dashboards "
        "for "
        "the metrics of\nopenmetrics: of hosts, and of switches.\nfos (Brocade) and nx-os (Cisco "
        "MDS) are for "
        "fabrics of Fibre Channel, perfquery for InfiniBand, nstat and ss for hosts with "
        "TCP.",
    .examples =
        (const struct cli_example[]){
            {"The counters of a host's ports as ethtool -S prints them",
             "stormglass run pause-storm -o storm.db && stormglass counters storm.db --port host0"},
            {"The counters of a switch in SONiC's format",
             "stormglass counters storm.db --port leaf0 --as sonic"},
            {"The counters for Prometheus", "stormglass counters storm.db --as openmetrics"},
            {"The counters of Fibre Channel as Brocade switches print them",
             "stormglass run fibre-channel -o fc.db && stormglass counters fc.db --port leaf1 --as "
             "fos"},
            {"The TCP connections of a host as ss -tin prints them",
             "stormglass run tcp-incast -o tcp.db && stormglass counters tcp.db --port host0 --as "
             "ss"},
            {"A Grafana dashboard for the ports of switches",
             "stormglass counters storm.db --as grafana-sonic > sonic-dashboard.json"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the counters were printed"},
            {2, "the command line is wrong, or the file is no run database"},
            {3, "the output could not be written"},
            {0}},
    .options = counters_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run_counters,
};
