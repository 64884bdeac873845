/* SPDX-License-Identifier: Apache-2.0
 * host_steps - the commands that bring a controller up, in the order of Linux 6.1.
 * A discovery controller has no I/O queues or namespaces; its log is read instead. The order is
 * that of nvmf_create_ctrl, nvme_rdma_setup_ctrl, nvme_init_ctrl_finish, nvme_start_ctrl and
 * nvme_scan_work; the block layer's reads are optional (partition-scan). */
#include "nvme/host/host_private.h"

#include "base/plural.h"
#include "nvme/wire/pi.h"
#include "nvme/wire/wire.h"

#include <stdio.h>

/* ---- properties ---- */

static void property(struct host_request *request, enum nvme_fctype type, enum nvme_property which)
{
    request->command.opcode = NVME_FABRICS;
    request->command.nsid = (uint32_t)type;
    request->command.cdw10 = which == NVME_PROPERTY_CAP ? 1 : 0; /* 8 bytes or 4 */
    request->command.cdw11 = (uint32_t)which;
}

static void build_get_cap(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    property(request, NVME_FCTYPE_GET, NVME_PROPERTY_CAP);
}

static enum host_verdict judge_cap(struct nvme_host *host, const struct host_request *request)
{
    host->cap = request->result;
    host->cc = NVME_CC_IOSQES | NVME_CC_IOCQES;
    if (host->cap & NVME_CAP_CSS_CSI)
        host->cc |= NVME_CC_CSS_CSI;
    return HOST_NEXT;
}

static void build_set_cc(const struct nvme_host *host, struct host_request *request)
{
    property(request, NVME_FCTYPE_SET, NVME_PROPERTY_CC);
    request->command.cdw12 = host->cc;
}

static void build_get_cc(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    property(request, NVME_FCTYPE_GET, NVME_PROPERTY_CC);
}

/* nvme_enable_ctrl reads CC back, and CAP once more because some controllers change CAP.TO with
 * CC.CRIME. */
static enum host_verdict judge_cap_again(struct nvme_host *host, const struct host_request *request)
{
    host->cap = request->result;
    host->cc |= NVME_CC_ENABLE;
    return HOST_NEXT;
}

static void build_get_csts(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    property(request, NVME_FCTYPE_GET, NVME_PROPERTY_CSTS);
}

static enum host_verdict judge_ready(struct nvme_host *host, const struct host_request *request)
{
    (void)host;
    if (request->result & NVME_CSTS_FATAL)
        return HOST_GIVE_UP;
    return request->result & NVME_CSTS_READY ? HOST_NEXT : HOST_AGAIN_LATER;
}

static void build_get_vs(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    property(request, NVME_FCTYPE_GET, NVME_PROPERTY_VS);
}

static void build_shutdown(const struct nvme_host *host, struct host_request *request)
{
    property(request, NVME_FCTYPE_SET, NVME_PROPERTY_CC);
    request->command.cdw12 = host->cc | NVME_CC_SHN_NORMAL;
}

static enum host_verdict judge_stopped(struct nvme_host *host, const struct host_request *request)
{
    (void)host;
    return (request->result & NVME_CSTS_SHST_MASK) == NVME_CSTS_SHST_DONE ? HOST_NEXT
                                                                          : HOST_AGAIN_LATER;
}

/* ---- Identify, logs, features ---- */

static void identify(struct host_request *request, enum nvme_cns cns, uint32_t nsid)
{
    request->command.opcode = NVME_ADMIN_IDENTIFY;
    request->command.nsid = nsid;
    request->command.cdw10 = (uint32_t)cns;
    request->bytes = NVME_IDENTIFY_BYTES;
}

static void build_identify(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    identify(request, NVME_CNS_CONTROLLER, 0);
}

static uint32_t least(uint32_t a, uint64_t b)
{
    return b < a ? (uint32_t)b : a;
}

static enum host_verdict judge_identify(struct nvme_host *host, const struct host_request *request)
{
    struct nvme_identify_controller *c = &host->controller;
    nvme_identify_decode_controller(c, request->data->bytes);
    const bool keyed = !host->site.transport->ops->keyed_sgl || (c->sgls & NVME_SGLS_KEYED) != 0;
    /* Fabrics 1.1, 4.1: keep-alive is mandatory; nvme_init_identify requires it of all but
     * discovery controllers. */
    const bool kept = host->site.discovery || c->kas > 0;
    const bool usable =
        c->cntlid == host->cntlid && keyed && kept && c->icdoff == 0 && c->max_commands > 1;
    if (!usable)
        return HOST_GIVE_UP;
    host->io_queue_size =
        least((uint32_t)host->params.queue_size, (host->cap & NVME_CAP_MQES_MASK) + 1);
    host->io_queue_size = least(host->io_queue_size, c->max_commands);
    host->max_transfer = (uint32_t)host->params.max_transfer;
    if (c->mdts > 0 && c->mdts < 20)
        host->max_transfer = least(host->max_transfer, (uint64_t)NVME_PAGE_BYTES << c->mdts);
    return host->io_queue_size < 2 ? HOST_GIVE_UP : HOST_NEXT;
}

static bool has_effects(const struct nvme_host *host)
{
    return !host->site.discovery && (host->controller.lpa & NVME_LPA_EFFECTS) != 0;
}

static void build_effects(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    nvme_host_live_get_log(request, NVME_LOG_EFFECTS, 0, 4096);
}

static bool has_ana_again(const struct nvme_host *host)
{
    return nvme_host_partitions_wanted(host) && nvme_host_live_has_ana(host);
}

static void build_ana(const struct nvme_host *host, struct host_request *request)
{
    nvme_host_live_get_log(request, NVME_LOG_ANA, NVME_NSID_ALL,
                           (uint32_t)nvme_host_live_ana_bytes(host));
}

static enum host_verdict judge_ana(struct nvme_host *host, const struct host_request *request)
{
    nvme_host_live_take_ana(host, request->data->bytes, request->bytes);
    return HOST_NEXT;
}

static bool is_discovery(const struct nvme_host *host)
{
    return host->site.discovery;
}

static bool has_io(const struct nvme_host *host)
{
    return !host->site.discovery;
}

static bool act_log(struct nvme_host *host)
{
    nvme_host_discovery_begin(host);
    return true;
}

static enum host_verdict judge_log(struct nvme_host *host, const struct host_request *request)
{
    const enum host_log_verdict verdict =
        nvme_host_discovery_take(host, request->data->bytes, request->bytes);
    if (verdict == HOST_LOG_MORE)
        host->step = HOST_STEP_RECORDS - 1;
    return verdict == HOST_LOG_RESTLESS ? HOST_GIVE_UP : HOST_NEXT;
}

/* nvme_hwmon_init reads the temperature. */
static void build_smart(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    nvme_host_live_get_log(request, NVME_LOG_SMART, NVME_NSID_ALL, 512);
}

static void set_features(struct host_request *request, enum nvme_feature feature, uint32_t value)
{
    request->command.opcode = NVME_ADMIN_SET_FEATURES;
    request->command.cdw10 = (uint32_t)feature;
    request->command.cdw11 = value;
}

static void build_queues(const struct nvme_host *host, struct host_request *request)
{
    const uint32_t wanted = nvme_host_queues_asked(host) - 1;
    set_features(request, NVME_FEATURE_QUEUES, wanted << 16 | wanted);
}

static enum host_verdict judge_queues(struct nvme_host *host, const struct host_request *request)
{
    const uint32_t asked = nvme_host_queues_asked(host);
    uint32_t count = least(asked, (request->result & 0xFFFF) + 1);
    count = least(count, (request->result >> 16 & 0xFFFF) + 1);
    if (count < asked) {
        char text[96];
        snprintf(text, sizeof text, "NVMe target grants %u I/O %s; requested: %u", (unsigned)count,
                 plural(count, "queue", "queues"), (unsigned)asked);
        nvme_host_note(host, text);
    }
    nvme_host_make_queues(host, count);
    return HOST_NEXT;
}

/* NVME_AEN_SUPPORTED of Linux: namespace attributes, firmware, ANA, discovery. */
static bool has_events(const struct nvme_host *host)
{
    return host->controller.oaes != 0;
}

static void build_events(const struct nvme_host *host, struct host_request *request)
{
    set_features(request, NVME_FEATURE_ASYNC_EVENT, host->controller.oaes & UINT32_C(0x80000B00));
}

/* ---- namespaces: nvme_scan_work, nvme_scan_ns ---- */

static void build_limits(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    identify(request, NVME_CNS_CSI_CONTROLLER, 0);
}

static bool has_csi(const struct nvme_host *host)
{
    return !host->site.discovery && (host->cap & NVME_CAP_CSS_CSI) != 0;
}

static void build_list(const struct nvme_host *host, struct host_request *request)
{
    (void)host;
    identify(request, NVME_CNS_ACTIVE_LIST, 0);
}

static enum host_verdict judge_list(struct nvme_host *host, const struct host_request *request)
{
    host->found_count = 0;
    for (uint32_t i = 0; i < HOST_NAMESPACES_MAX; i++) {
        const uint32_t nsid = wire_get32(request->data->bytes + (size_t)4 * i);
        if (nsid == 0)
            break;
        host->found[host->found_count++] = (struct nvme_host_namespace){.nsid = nsid};
    }
    host->scanned = 0;
    return HOST_NEXT;
}

static bool has_unscanned(const struct nvme_host *host)
{
    return host->scanned < host->found_count;
}

static void build_descriptors(const struct nvme_host *host, struct host_request *request)
{
    identify(request, NVME_CNS_DESCRIPTORS, host->found[host->scanned].nsid);
}

static void build_namespace(const struct nvme_host *host, struct host_request *request)
{
    identify(request, NVME_CNS_NAMESPACE, host->found[host->scanned].nsid);
}

/* nvme_configure_metadata: over fabrics, metadata follows each block and must have this size. */
static void take_protection(const struct nvme_host *host, struct nvme_host_namespace *found,
                            const struct nvme_identify_namespace *ns)
{
    const bool known = ns->metadata == NVME_PI_BYTES && (ns->flbas & NVME_FLBAS_EXTENDED) != 0;
    found->pi_type = known ? ns->dps & NVME_DPS_TYPE : 0;
    found->metadata = found->pi_type != 0 && !host->params.pi_act ? NVME_PI_BYTES : 0;
}

static enum host_verdict judge_namespace(struct nvme_host *host, const struct host_request *request)
{
    struct nvme_identify_namespace ns;
    nvme_identify_decode_namespace(&ns, request->data->bytes);
    if (ns.block_shift < 9 || ns.block_shift > 16)
        return HOST_GIVE_UP;
    host->found[host->scanned].block_bytes = UINT32_C(1) << ns.block_shift;
    host->found[host->scanned].blocks = ns.blocks;
    host->found[host->scanned].ana_group = ns.ana_group;
    take_protection(host, &host->found[host->scanned], &ns);
    if (++host->scanned < host->found_count)
        host->step = HOST_STEP_NAMESPACES - 1; /* so that the next step is the first for the next
                                       * namespace */
    return HOST_NEXT;
}

static bool act_ready(struct nvme_host *host)
{
    if (host->reported_ready && !nvme_host_recovery_same_namespaces(host)) {
        nvme_host_fail(host, NVME_STATUS_INVALID_NAMESPACE, "its namespaces are others");
        return false;
    }
    nvme_host_event(host, HOST_ON_SCANNED);
    env_timer_cancel(host->site.env, &host->step_timer);
    nvme_host_ready(host);
    return false;
}

static bool act_closed(struct nvme_host *host)
{
    nvme_host_admin_quiet(host);
    nvme_host_live_quiet(host);
    nvme_host_event(host, HOST_ON_STOPPED);
    for (uint32_t i = 0; i < host->queue_count; i++)
        nvme_host_queue_close(&host->queues[i]);
    nvme_host_parted(host);
    return false;
}

const struct host_step nvme_host_steps[] = {
    {"connecting the admin queue", .act = nvme_host_admin_connect},
    {"Property Get CAP", .build = build_get_cap, .judge = judge_cap, .reserved = true},
    {"Property Set CC", .build = build_set_cc, .reserved = true},
    {"Property Get CC", .build = build_get_cc, .reserved = true},
    {"Property Get CAP again", .build = build_get_cap, .judge = judge_cap_again, .reserved = true},
    {"Property Set CC.EN", .build = build_set_cc, .reserved = true},
    {"Property Get CSTS", .build = build_get_csts, .judge = judge_ready, .reserved = true},
    {"Property Get VS", .build = build_get_vs, .reserved = true},
    {"Identify Controller", .build = build_identify, .judge = judge_identify},
    {"Get Log effects", has_effects, .build = build_effects, .optional = true},
    {"Get Log ANA", nvme_host_live_has_ana, .build = build_ana, .judge = judge_ana,
     .optional = true},
    {"Get Log SMART", has_io, .build = build_smart, .optional = true},
    {"Set Features queues", has_io, .build = build_queues, .judge = judge_queues},
    {"connecting I/O queues", .act = nvme_host_admin_connect_queues},
    {"Set Features events", has_events, .build = build_events, .optional = true},
    {"Async Event Request", .act = nvme_host_live_event},
    {"keep-alive", .act = nvme_host_admin_keep_alive},
    {"beginning the discovery log", is_discovery, .act = act_log},
    [HOST_STEP_RECORDS] = {"Get Log discovery", is_discovery, .build = nvme_host_discovery_build,
                           .judge = judge_log},
    {"Identify limits", has_csi, .build = build_limits, .optional = true},
    {"Identify active namespaces", has_io, .build = build_list, .judge = judge_list},
    [HOST_STEP_NAMESPACES] = {"Identify descriptors", has_unscanned, .build = build_descriptors,
                              .optional = true},
    {"Identify Namespace", has_unscanned, .build = build_namespace},
    {"Identify Namespace again", has_unscanned, .build = build_namespace, .judge = judge_namespace},
    {"reading partition tables", nvme_host_partitions_wanted, .act = nvme_host_partitions_begin},
    {"Get Log ANA again", has_ana_again, .build = build_ana, .optional = true},
    [HOST_STEP_PARTITIONS] = {"waiting for partition tables", nvme_host_partitions_wanted,
                              .act = nvme_host_partitions_await},
    {"live", .act = act_ready},
    [HOST_STEP_SHUTDOWN] = {"Property Set CC.SHN", .build = build_shutdown, .reserved = true},
    {"Property Get CSTS.SHST", .build = build_get_csts, .judge = judge_stopped, .reserved = true},
    {"closed", .act = act_closed},
};

static_assert(sizeof nvme_host_steps / sizeof nvme_host_steps[0] == HOST_STEP_COUNT,
              "the named steps are in their places");
