/* SPDX-License-Identifier: Apache-2.0
 * scenario_rnic_checks - values of an RNIC that are within their range, but not possible. */
#include "rnic/host/rnic.h"
#include "scenarios/load/scenario_load.h"

/* InfiniBand verbs have five MTU sizes: enum ibv_mtu. */
static void check_path_mtu(struct loader *loader, const struct tree_node *map,
                           const struct rnic_params *rnic)
{
    const struct tree_node *written = tree_get(map, "path-mtu");
    if (written != NULL && (rnic->path_mtu & (rnic->path_mtu - 1)) != 0)
        tree_error(loader->diag, written,
                   "path-mtu: expected 256B, 512B, 1024B, 2048B or 4096B, but found \"%.32s\"",
                   written->text == NULL ? "" : written->text);
}

/* Linux rxe speaks RoCEv2 alone. */
static void check_roce_version(struct loader *loader, const struct tree_node *map,
                               const struct rnic_params *rnic)
{
    const struct tree_node *written = tree_get(map, "roce-version");
    if (rnic->soft.software && rnic->roce_version == 1)
        tree_error(
            loader->diag, written == NULL ? map : written,
            "roce-version: 1 needs an RNIC in hardware, and this one is software: true, which has "
            "RoCEv2 alone; expected roce-version: 2");
}

void scenario_check_rnic(struct loader *loader, const struct tree_node *map,
                         const struct rnic_params *rnic)
{
    check_path_mtu(loader, map, rnic);
    check_roce_version(loader, map, rnic);
}
