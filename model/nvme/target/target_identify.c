/* SPDX-License-Identifier: Apache-2.0
 * target_identify - the Identify command.
 * Three identities: our own, with the values of nvmet and another name; nvmet of Linux 6.1; SPDK
 * 22.01 with a subsystem that reports ANA (nvmf_create_subsystem -r).
 * Source: base 5.15; Fabrics 4.1, 5.2; drivers/nvme/target/admin-cmd.c and discovery.c, and values
 * captured between two Linux 6.1 machines; lib/nvmf/ctrlr.c and ctrlr_bdev.c of SPDK 22.01
 * (spdk_nvmf_ctrlr_identify_ctrlr, nvmf_ctrlr_cdata_init, nvmf_rdma_cdata_init). Optional commands
 * are offered when the store supports them. */
#include "nvme/target/target_private.h"

#include "nvme/wire/discovery.h"
#include "nvme/wire/pi.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <string.h>

enum {
    BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR,
    VERSION = 0x00010300,
    IO_CONTROLLER = 1,
    DISCOVERY_CONTROLLER = 2,
    SPDK_NAMESPACES = 32,      /* NVMF_SUBSYSTEM_DEFAULT_NAMESPACES */
    SPDK_SGL_ENTRIES = 16,     /* SPDK_NVMF_MAX_SGL_ENTRIES */
    SPDK_RESERVATIONS_AT = 31, /* RESCAP: all types and the old key semantics; no persistence */
    SPDK_RESERVATIONS = 0xFE,
    SPDK_VENDOR = 0x8086,
    SPDK_OUI = 0x5CD2E4,
};

uint32_t nvme_target_events_offered(const struct target_controller *controller)
{
    return controller->discovery
               ? UINT32_C(1) << NVME_EVENT_BIT_DISCOVERY
               : UINT32_C(1) << NVME_EVENT_BIT_NAMESPACES | UINT32_C(1) << NVME_EVENT_BIT_ANA;
}

static uint8_t mdts(const struct nvme_target *target)
{
    uint8_t shift = 0;
    while ((INT64_C(1) << (shift + 1)) * NVME_PAGE_BYTES <= target->params.max_transfer)
        shift++;
    return shift;
}

/* One serial number per subsystem. */
static unsigned long long serial(const struct nvme_target *target,
                                 const struct target_subsystem *subsystem)
{
    const uint64_t own = hash_text(target->site.env->owner, 0);
    const bool first = subsystem == NULL || subsystem->index == 0;
    return (unsigned long long)hash_mix(first ? own : own ^ hash_text(subsystem->nqn, 0));
}

const char *nvme_target_firmware(const struct nvme_target *target)
{
    static const char *const revisions[] = {[NVME_TARGET_IS_OWN] = "1",
                                            [NVME_TARGET_IS_NVMET] = "6.1.0",
                                            [NVME_TARGET_IS_SPDK] = "22.01"};
    return revisions[target->params.identity];
}

uint32_t nvme_target_most_namespaces(const struct nvme_target *target)
{
    if (target->params.identity != NVME_TARGET_IS_SPDK)
        return TARGET_NAMESPACES_MAX;
    return target->namespace_count > SPDK_NAMESPACES ? target->namespace_count : SPDK_NAMESPACES;
}

static void name_target(const struct target_controller *controller,
                        struct nvme_identify_controller *identify)
{
    static const char *const models[] = {[NVME_TARGET_IS_OWN] = "stormglass",
                                         [NVME_TARGET_IS_NVMET] = "Linux",
                                         [NVME_TARGET_IS_SPDK] = "SPDK bdev Controller"};
    const int64_t is = controller->target->params.identity;
    const unsigned long long number = serial(controller->target, controller->subsystem);
    if (is == NVME_TARGET_IS_SPDK) /* as in SPDK's examples: a word and 14 digits */
        snprintf(identify->serial, sizeof identify->serial, "SPDK%014llu",
                 number % 100000000000000ULL);
    else
        snprintf(identify->serial, sizeof identify->serial, "%016llx", number);
    identify->serial_of_nuls = is == NVME_TARGET_IS_NVMET;
    snprintf(identify->model, sizeof identify->model, "%s", models[is]);
    snprintf(identify->firmware, sizeof identify->firmware, "%s",
             nvme_target_firmware(controller->target));
}

static uint32_t sgls(const struct target_port *port)
{
    return NVME_SGLS_SUPPORTED |
           (nvme_target_ops(port)->keyed_sgl ? (uint32_t)NVME_SGLS_KEYED : 0) |
           (nvme_target_capsule_room(port) > 0 ? (uint32_t)NVME_SGLS_OFFSET : 0);
}

static uint16_t optional_commands(const struct nvme_target *target)
{
    return (
        uint16_t)((nvme_target_zeroes(target) ? NVME_ONCS_DATASET | NVME_ONCS_WRITE_ZEROES : 0) |
                  (nvme_target_compares(target) ? NVME_ONCS_COMPARE : 0));
}

/* The values of nvmet that our own identity does not share. */
static void fill_nvmet(struct nvme_identify_controller *identify)
{
    identify->nwpc = 1;
    identify->power_max = 0x9C4;
    identify->power_entry = 0x10;
    identify->power_exit = 4;
}

static void fill_spdk(const struct target_port *port, struct nvme_identify_controller *identify)
{
    const struct nvme_target *target = port->target;
    identify->vendor = identify->subsystem_vendor = SPDK_VENDOR;
    identify->ieee = SPDK_OUI;
    identify->type = 0;
    identify->ctratt = NVME_CTRATT_HOST_ID_128;
    identify->acl = 0;
    identify->lpa = NVME_LPA_EFFECTS | NVME_LPA_PARTS;
    identify->kas = 100;
    identify->anacap = 0x47; /* no change and no persistent loss state; group ids do not change */
    identify->ana_groups = identify->namespaces = nvme_target_most_namespaces(target);
    identify->vwc = 5; /* present; Flush does not support the broadcast NSID */
    identify->max_commands = (uint16_t)target->params.max_queue_size;
    identify->oncs = (uint16_t)((identify->oncs & ~NVME_ONCS_COMPARE) | NVME_ONCS_RESERVATIONS);
    identify->fuses = NVME_FUSES_COMPARE_WRITE;
    identify->acwu = 1;
    if (nvme_target_ops(port)->keyed_sgl) /* nvmf_rdma_cdata_init */
        identify->msdbd = SPDK_SGL_ENTRIES;
}

static void identify_controller(const struct target_controller *controller, unsigned char *bytes)
{
    const struct nvme_target *target = controller->target;
    /* nvmet does not accept in-capsule data with protection information */
    const uint32_t room = nvme_target_is_protected(controller->subsystem)
                              ? 0
                              : nvme_target_capsule_room(controller->port);
    struct nvme_identify_controller identify = {
        .rab = 6,
        .cmic = NVME_CMIC_MULTI_PORT | NVME_CMIC_MULTI_CTRL | NVME_CMIC_ANA,
        .mdts = mdts(target),
        .type = IO_CONTROLLER,
        .cntlid = controller->cntlid,
        .version = VERSION,
        .oaes = nvme_target_events_offered(controller),
        .ctratt = NVME_CTRATT_HOST_ID_128 | NVME_CTRATT_TBKAS,
        .acl = 3,
        .aerl = TARGET_EVENT_REQUESTS - 1,
        .frmw = 3,
        .lpa = 7,
        .elpe = TARGET_ERROR_ENTRIES - 1,
        .kas = 10,
        .anatt = 10,
        .anacap = 0x1F,
        .ana_groups = NVME_ANA_GROUPS_MAX,
        .sqes = 0x66,
        .cqes = 0x44,
        .vwc = 1,
        .max_commands = 1024,
        .oncs = optional_commands(target),
        .namespaces = TARGET_NAMESPACES_MAX,
        .sgls = sgls(controller->port),
        .ioccsz = (NVME_SQE_BYTES + room) / 16,
        .iorcsz = NVME_CQE_BYTES / 16,
        .msdbd = 1,
    };
    snprintf(identify.subsystem_nqn, sizeof identify.subsystem_nqn, "%s",
             controller->subsystem->nqn);
    name_target(controller, &identify);
    if (target->params.identity == NVME_TARGET_IS_NVMET)
        fill_nvmet(&identify);
    if (target->params.identity == NVME_TARGET_IS_SPDK)
        fill_spdk(controller->port, &identify);
    nvme_identify_encode_controller(&identify, bytes);
}

/* nvmet_execute_disc_identify */
static void fill_nvmet_discovery(struct nvme_identify_controller *identify)
{
    identify->ctratt = 0;
    identify->aerl = 0;
    identify->kas = 0;
}

/* The values of spdk_nvmf_ctrlr_identify_ctrlr for both kinds of subsystems. */
static void fill_spdk_discovery(const struct nvme_target *target,
                                struct nvme_identify_controller *identify)
{
    identify->serial[0] = identify->model[0] = '\0';
    identify->names_of_nuls = true;
    identify->type = 0;
    identify->ctratt = 0;
    identify->kas = 0;
    identify->mdts = mdts(target);
    identify->elpe = TARGET_ERROR_ENTRIES - 1;
    identify->max_commands = (uint16_t)target->params.max_queue_size;
    identify->fuses = NVME_FUSES_COMPARE_WRITE;
    identify->acwu = 1;
}

/* Fabrics 5.2: no namespaces, no I/O queues. */
static void identify_discovery(const struct target_controller *controller, unsigned char *bytes)
{
    struct nvme_identify_controller identify = {
        .type = DISCOVERY_CONTROLLER,
        .cntlid = controller->cntlid,
        .version = VERSION,
        .oaes = nvme_target_events_offered(controller),
        .ctratt = NVME_CTRATT_HOST_ID_128 | NVME_CTRATT_TBKAS,
        .aerl = TARGET_EVENT_REQUESTS - 1,
        .lpa = NVME_LPA_PARTS,
        .kas = 10,
        .max_commands = 1024,
        .sgls = sgls(controller->port),
        .subsystem_nqn = NVME_DISCOVERY_NQN,
    };
    name_target(controller, &identify);
    if (controller->target->params.identity == NVME_TARGET_IS_NVMET)
        fill_nvmet_discovery(&identify);
    if (controller->target->params.identity == NVME_TARGET_IS_SPDK)
        fill_spdk_discovery(controller->target, &identify);
    nvme_identify_encode_controller(&identify, bytes);
}

/* An inactive NSID returns a page of zeros, an invalid one an error (base 2.0, 5.17.2.1). A
 * namespace that is inaccessible by this port reports no used blocks, as in nvmet. */
static uint16_t identify_namespace(const struct target_command *command, unsigned char *bytes)
{
    const struct target_queue *queue = command->queue;
    const struct target_controller *controller = queue->controller;
    const struct target_namespace *ns = nvme_target_namespace(controller, command->sqe.nsid);
    if (command->sqe.nsid == NVME_NSID_ALL)
        return NVME_STATUS_INVALID_NAMESPACE | NVME_STATUS_DNR;
    if (ns == NULL)
        return nvme_target_valid_namespace(controller, command->sqe.nsid)
                   ? NVME_STATUS_OK
                   : (uint16_t)controller->target->conduct->identify_invalid_namespace;
    const uint8_t state = queue->port->ana[ns->ana_group];
    const unsigned type = nvme_target_protection_type(ns);
    const bool spdk = queue->target->params.identity == NVME_TARGET_IS_SPDK;
    const bool away = state == NVME_ANA_INACCESSIBLE || state == NVME_ANA_PERSISTENT_LOSS;
    const struct nvme_identify_namespace identify = {
        .blocks = ns->blocks,
        .used = away ? 0 : ns->blocks,
        .nsfeat = 0x12, /* its own atomicity and alignment fields, 0's based 0 */
        .nmic = 1,
        .flbas = type > 0 ? NVME_FLBAS_EXTENDED : 0,
        .mc = type > 0 ? NVME_MC_EXTENDED : 0,
        .dpc = type > 0 ? NVME_DPC_TYPES | NVME_DPC_FIRST | NVME_DPC_LAST : 0,
        .dps = (uint8_t)type,
        .metadata = type > 0 ? NVME_PI_BYTES : 0,
        .dlfeat = ns->store->ops->zero != NULL && !spdk ? NVME_DLFEAT_ZEROS : 0,
        .ana_group = ns->ana_group,
        .block_shift = (uint8_t)__builtin_ctz(ns->block_bytes),
    };
    nvme_identify_encode_namespace(&identify, bytes);
    if (spdk)
        bytes[SPDK_RESERVATIONS_AT] = SPDK_RESERVATIONS;
    return NVME_STATUS_OK;
}

static uint16_t active_list(const struct target_command *command, unsigned char *bytes)
{
    const uint16_t behind = (uint16_t)command->queue->target->conduct->list_behind_all;
    if (command->sqe.nsid >= NVME_NSID_ALL - 1 && behind != NVME_STATUS_OK)
        return behind;
    const uint32_t count = command->queue->controller->subsystem->namespace_count;
    uint32_t at = 0;
    for (uint64_t nsid = (uint64_t)command->sqe.nsid + 1; nsid <= count; nsid++, at++)
        wire_put32(bytes + (size_t)4 * at, (uint32_t)nsid);
    return NVME_STATUS_OK;
}

/* UUID and command set, base 5.15.2.3. */
static uint16_t descriptors(const struct target_command *command, unsigned char *bytes)
{
    const struct target_namespace *ns =
        nvme_target_namespace(command->queue->controller, command->sqe.nsid);
    if (ns == NULL)
        return NVME_STATUS_INVALID_NAMESPACE | NVME_STATUS_DNR;
    const uint64_t name = hash_text(command->queue->target->site.env->owner, ns->number);
    bytes[0] = 3;
    bytes[1] = 16;
    wire_put64(bytes + 4, hash_mix(name));
    wire_put64(bytes + 12, hash_mix(name + 1));
    if (command->queue->target->conduct->cap_command_sets != 0) {
        bytes[20] = 4;
        bytes[21] = 1;
    }
    return NVME_STATUS_OK;
}

/* I/O command set specific: NVM is the only one, without limits of its own. */
static uint16_t identify_command_set(const struct target_command *command, uint8_t cns,
                                     unsigned char *bytes)
{
    const bool nvm = command->sqe.cdw11 >> 24 == 0;
    const bool more = command->queue->target->conduct->lists_command_sets != 0;
    switch (cns) {
    case NVME_CNS_CSI_CONTROLLER:
        return nvm ? NVME_STATUS_OK : BAD_FIELD;
    case NVME_CNS_CSI_NAMESPACE:
        if (!nvm || !more)
            return BAD_FIELD;
        return nvme_target_valid_namespace(command->queue->controller, command->sqe.nsid)
                   ? NVME_STATUS_OK
                   : NVME_STATUS_INVALID_NAMESPACE | NVME_STATUS_DNR;
    case NVME_CNS_CSI_ACTIVE_LIST:
        return nvm && more ? active_list(command, bytes) : BAD_FIELD;
    case NVME_CNS_COMMAND_SETS: /* one combination: NVM alone */
        bytes[0] = more;
        return more ? NVME_STATUS_OK : BAD_FIELD;
    default:
        return BAD_FIELD;
    }
}

static uint16_t identify(const struct target_command *command, unsigned char *bytes)
{
    const struct target_controller *controller = command->queue->controller;
    const uint8_t cns = (uint8_t)command->sqe.cdw10;
    if (controller->discovery && cns != NVME_CNS_CONTROLLER)
        return BAD_FIELD;
    switch (cns) {
    case NVME_CNS_NAMESPACE:
        return identify_namespace(command, bytes);
    case NVME_CNS_CONTROLLER:
        (controller->discovery ? identify_discovery : identify_controller)(controller, bytes);
        return NVME_STATUS_OK;
    case NVME_CNS_ACTIVE_LIST:
        return active_list(command, bytes);
    case NVME_CNS_DESCRIPTORS:
        return descriptors(command, bytes);
    default:
        return controller->target->conduct->cap_command_sets != 0
                   ? identify_command_set(command, cns, bytes)
                   : (uint16_t)BAD_FIELD;
    }
}

void nvme_target_identify_run(struct target_command *command)
{
    unsigned char *bytes = nvme_target_admin_answer(command, NVME_IDENTIFY_BYTES);
    if (bytes == NULL)
        return;
    nvme_target_command_done(command, identify(command, bytes));
}
