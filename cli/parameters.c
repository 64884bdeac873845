/* SPDX-License-Identifier: Apache-2.0
 * parameters - fixed tables, then those of the plug-ins. */
#include "cli/parameters.h"

#include "base/memory.h"
#include "net/port/port.h"
#include "net/switch/buffer_kinds.h"
#include "net/switch/switch.h"
#include "nvme/media/media.h"
#include "nvme/multipath/multipath.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/fabric/topology.h"
#include "scenarios/fault/fault_kinds.h"
#include "scenarios/load/load.h"
#include "scenarios/trace/admin_list.h"
#include "scenarios/workload/workload.h"
#include "tcp/tcp.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE_BYTES = 96, PATH_BYTES = 160 };

void parameters_path(const struct parameter *parameter, char *text, size_t size)
{
    const bool top = parameter->where[0] == '\0';
    snprintf(text, size, "%s%s%s", parameter->where, top ? "" : ".", parameter->row->name);
}

static bool each_row(const char *where, const struct opt *rows, parameters_fn *call, void *self)
{
    for (const struct opt *row = rows; row != NULL && row->name != NULL; row++)
        if (!call(self, &(struct parameter){where, row}))
            return false;
    return true;
}

/* Parameters of plug-ins are in the same mapping as the common ones. */
static bool each_own(const struct opt *of, const char *where, parameters_fn *call, void *self)
{
    bool more = true;
    for (size_t i = 0; of == switch_opts && i < BUFFER_POLICIES; i++)
        more = more && each_row(where, buffer_policies[i]->opts, call, self);
    if (of == nvme_host_opts)
        more = more && each_row(where, nvme_multipath_opts, call, self);
    for (size_t i = 0; of == nvme_host_opts && i < NVME_CARRIERS; i++)
        more = more && each_row(where, nvme_carriers[i]->host_opts, call, self);
    for (size_t i = 0; of == nvme_target_opts && i < NVME_CARRIERS; i++)
        more = more && each_row(where, nvme_carriers[i]->target_opts, call, self);
    for (size_t i = 0; of == tcp_base_opts && i < TCP_CCS; i++)
        more = more && each_row(where, tcp_cc_list[i]->opts, call, self);
    return more;
}

static bool each_fixed(parameters_fn *call, void *self)
{
    const struct {
        const char *where;
        const struct opt *rows;
    } tables[] = {
        {"", scenario_top_opts},
        {"fabric.host-links", port_opts},
        {"fabric.switch", switch_opts},
        {"fabric.routing", scenario_routing_opts},
        {"hosts.defaults", scenario_defaults_opts},
        {"hosts.defaults.rnic", rnic_opts},
        {"hosts.defaults.nvme", nvme_host_opts},
        {"hosts.defaults.target", nvme_target_opts},
        {"hosts.defaults.tcp", tcp_base_opts},
        {"hosts.targets.namespaces", nvme_namespace_opts},
        {"hosts.targets.namespaces", scenario_namespace_opts},
        {"hosts.targets.subsystems", nvme_subsystem_opts},
        {"hosts.targets.ana", scenario_ana_opts},
        {"workloads", scenario_workload_opts},
        {"workloads.admin", admin_list_opts},
        {"faults", scenario_fault_opts},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (!each_row(tables[i].where, tables[i].rows, call, self) ||
            !each_own(tables[i].rows, tables[i].where, call, self))
            return false;
    return true;
}

static bool each_topology(parameters_fn *call, void *self)
{
    char where[WHERE_BYTES];
    for (int i = 0; topology_kinds[i] != NULL; i++) {
        const struct topology_ops *ops = topology_kinds[i];
        snprintf(where, sizeof where, "fabric.topology{kind: %s}", ops->name);
        if (ops->opts != NULL && !each_row(where, ops->opts, call, self))
            return false;
    }
    return true;
}

static bool each_fault(parameters_fn *call, void *self)
{
    char where[WHERE_BYTES];
    for (int i = 0; fault_kinds[i] != NULL; i++) {
        snprintf(where, sizeof where, "faults{kind: %s}", fault_kinds[i]->name);
        if (!each_row(where, fault_kinds[i]->opts, call, self))
            return false;
    }
    return true;
}

static bool each_control(parameters_fn *call, void *self)
{
    char where[WHERE_BYTES];
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++) {
        snprintf(where, sizeof where, "hosts.defaults.rnic.congestion-control{kind: %s}",
                 preset->name);
        if (preset->settings == NULL && !each_row(where, preset->ops->opts, call, self))
            return false;
    }
    return true;
}

static bool each_medium(parameters_fn *call, void *self)
{
    char where[WHERE_BYTES];
    for (int i = 0; media_kinds[i] != NULL; i++) {
        snprintf(where, sizeof where, "hosts.targets.namespaces.media{kind: %s}",
                 media_kinds[i]->name);
        if (!each_row(where, media_kinds[i]->opts, call, self))
            return false;
    }
    return true;
}

static bool each_workload(parameters_fn *call, void *self)
{
    char where[WHERE_BYTES];
    for (int i = 0; workload_kinds[i] != NULL; i++) {
        snprintf(where, sizeof where, "workloads{kind: %s}", workload_kinds[i]->name);
        if (!each_row(where, workload_kinds[i]->opts, call, self))
            return false;
    }
    return true;
}

void parameters_each(parameters_fn *call, void *self)
{
    (void)(each_fixed(call, self) && each_control(call, self) && each_medium(call, self) &&
           each_workload(call, self) && each_topology(call, self) && each_fault(call, self));
}

/* ------------------------------------------------------------------ paths of --set */

struct paths {
    parameters_path_fn *call;
    void *self;
    char (*reported)[PATH_BYTES];
    uint32_t count, room;
};

/* Removes the kind in braces: "workloads{kind: nvme}.read" becomes "workloads.0.read". */
static void make_plain_path(const char *path, char text[PATH_BYTES])
{
    static const char *const lists[] = {"hosts.targets.namespaces", "workloads", "faults"};
    const size_t head = strcspn(path, "{");
    const char *behind = path[head] == '\0' ? "" : strchr(path, '}') + 1;
    size_t list = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const size_t length = strlen(lists[i]);
        if (strncmp(path, lists[i], length) == 0 && !isalnum((unsigned char)path[length]))
            list = length;
    }
    snprintf(text, PATH_BYTES, "%.*s%s%.*s%s", (int)list, path, list > 0 ? ".0" : "",
             (int)(head - list), path + list, behind);
}

static bool report_path(struct paths *paths, const char *path, const char *about)
{
    char text[PATH_BYTES];
    make_plain_path(path, text);
    for (uint32_t i = 0; i < paths->count; i++)
        if (strcmp(paths->reported[i], text) == 0)
            return true;
    paths->reported =
        memory_grown(paths->reported, paths->count, &paths->room, sizeof *paths->reported);
    memcpy(paths->reported[paths->count++], text, sizeof text);
    return paths->call(paths->self, text, about);
}

/* Congestion controls and media are chosen by their own key, other plug-ins by `kind`. */
static bool tell_kind(struct paths *paths, const char *where)
{
    char path[PATH_BYTES];
    const size_t head = strcspn(where, "{");
    if (where[head] == '\0')
        return true;
    const bool word =
        strstr(where, ".congestion-control{") != NULL || strstr(where, ".media{") != NULL;
    snprintf(path, sizeof path, "%.*s%s", (int)head, where, word ? "" : ".kind");
    return report_path(paths, path, "Kind.");
}

static bool tell_parameter(void *self, const struct parameter *parameter)
{
    char path[PATH_BYTES];
    parameters_path(parameter, path, sizeof path);
    return tell_kind(self, parameter->where) && report_path(self, path, parameter->row->about);
}

void parameters_each_path(parameters_path_fn *call, void *self)
{
    struct paths paths = {.call = call, .self = self};
    parameters_each(tell_parameter, &paths);
    free(paths.reported);
}
