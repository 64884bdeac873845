/* SPDX-License-Identifier: Apache-2.0
 * carrier_iscsi - NVMe commands as SCSI commands over iSCSI. */
#include "scenarios/carrier/nvme_carrier.h"

#include "nvme/iscsi/iscsi.h"

#include <stdio.h>

static struct nvme_transport *create(const struct nvme_carrier_site *site,
                                     const struct iscsi_params *params)
{
    const struct iscsi_site of = {site->env, site->streams, site->stream};
    return iscsi_create(&of, params);
}

static struct nvme_transport *of_host(const struct nvme_carrier_site *site, const void *own)
{
    const struct iscsi_params params = {
        .class = nvme_carrier_stream_class(site),
        .host = *(const struct iscsi_host_params *)own,
    };
    return create(site, &params);
}

static struct nvme_transport *of_target(const struct nvme_carrier_site *site, const void *own)
{
    const struct iscsi_params params = {.target = *(const struct iscsi_target_params *)own};
    return create(site, &params);
}

/* RFC 7143, 13.14: a first burst must not exceed a burst. */
static bool has_bursts(const struct iscsi_keys *keys, const char *block, const char *name,
                       struct nvme_carrier_conflict *conflict)
{
    if (keys->first_burst <= keys->max_burst)
        return true;
    conflict->row = "iscsi-first-burst";
    snprintf(conflict->text, sizeof conflict->text,
             "%s.iscsi-first-burst of %s is %lld B, more than its iscsi-max-burst: expected at "
             "most %lld B",
             block, name, (long long)keys->first_burst, (long long)keys->max_burst);
    return false;
}

static bool has_digest(const char *row, int64_t host, int64_t target,
                       struct nvme_carrier_conflict *conflict)
{
    if (!host || target)
        return true;
    conflict->row = row;
    snprintf(conflict->text, sizeof conflict->text,
             "%s requires a digest (nvme.%s) that %s does not support: expected target.%s: true "
             "there, or no digest",
             conflict->from, row, conflict->to, row);
    return false;
}

/* A host opens all of its connections, or none. */
static bool has_connections(int64_t host, int64_t target, struct nvme_carrier_conflict *conflict)
{
    if (host <= target)
        return true;
    conflict->row = "iscsi-connections";
    snprintf(conflict->text, sizeof conflict->text,
             "nvme.iscsi-connections of %s is %lld, more than target.iscsi-max-connections of %s: "
             "expected at most %lld",
             conflict->from, (long long)host, conflict->to, (long long)target);
    return false;
}

/* The other keys always have a common value. */
static bool agree(const void *of_host, const void *of_target,
                  struct nvme_carrier_conflict *conflict)
{
    const struct iscsi_keys *host = &((const struct iscsi_host_params *)of_host)->keys;
    const struct iscsi_keys *target = &((const struct iscsi_target_params *)of_target)->keys;
    if (!has_bursts(host, "nvme", conflict->from, conflict))
        return false;
    conflict->at_target = true;
    if (!has_bursts(target, "target", conflict->to, conflict))
        return false;
    conflict->at_target = false;
    return has_connections(host->connections, target->connections, conflict) &&
           has_digest("iscsi-header-digest", host->header_digest, target->header_digest,
                      conflict) &&
           has_digest("iscsi-data-digest", host->data_digest, target->data_digest, conflict);
}

static void narrow(const void *of_host, const void *of_target, struct nvme_carrier_depth *depth)
{
    const int64_t own = ((const struct iscsi_host_params *)of_host)->queue_depth;
    const int64_t window = ((const struct iscsi_target_params *)of_target)->window;
    if (own < depth->commands)
        *depth = (struct nvme_carrier_depth){own, "nvme.iscsi-queue-depth", false, false};
    if (window < depth->commands)
        *depth = (struct nvme_carrier_depth){window, "target.iscsi-window", true, false};
}

const struct nvme_carrier carrier_iscsi = {
    .by_tcp = true,
    .host_opts = iscsi_host_opts,
    .host_bytes = sizeof(struct iscsi_host_params),
    .target_opts = iscsi_target_opts,
    .target_bytes = sizeof(struct iscsi_target_params),
    .of_host = of_host,
    .of_target = of_target,
    .agree = agree,
    .narrow = narrow,
    .most_queues = 1,
    .only_blocks = true,
};
