/* SPDX-License-Identifier: Apache-2.0
 * target_admin - the admin commands, answered as nvmet 6.1 does.
 * A discovery controller knows fewer commands, and less of those that it knows.
 * Source: base 5; fabrics 5; drivers/nvme/target/admin-cmd.c and discovery.c; values seen on the
 * wire between two Linux 6.1 machines.  Write zeroes and dataset management are offered where a
 * store can zero. */
#include "nvme/target/target_private.h"

#include "nvme/wire/discovery.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <string.h>

enum {
    BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR,
    EVENTS_OFFERED = 0x900, /* OAES: namespace attributes, ANA change */
};

#define DISCOVERY_EVENTS_OFFERED (UINT32_C(1) << 31) /* fabrics 5: the log page has changed */

static uint32_t events_offered(const struct target_controller *controller)
{
    return controller->discovery ? DISCOVERY_EVENTS_OFFERED : (uint32_t)EVENTS_OFFERED;
}

unsigned char *nvme_target_admin_answer(struct target_command *command, uint64_t length)
{
    if (!nvme_target_command_expects(command, length))
        return NULL;
    struct nvme_buffer *data = command->transfer.data;
    if (data == NULL) { /* of no length, or in the capsule */
        nvme_target_command_done(command, BAD_FIELD);
        return NULL;
    }
    memset(data->bytes, 0, (size_t)length);
    return data->bytes;
}

/* ---- Identify ---- */

static uint8_t mdts(const struct nvme_target *target)
{
    uint8_t shift = 0;
    while ((INT64_C(1) << (shift + 1)) * NVME_PAGE_BYTES <= target->params.max_transfer)
        shift++;
    return shift;
}

static void name_target(const struct nvme_target *target, struct nvme_identify_controller *identify)
{
    snprintf(identify->serial, sizeof identify->serial, "%016llx",
             (unsigned long long)hash_mix(hash_text(target->site.env->owner, 0)));
    snprintf(identify->model, sizeof identify->model, "stormglass");
    snprintf(identify->firmware, sizeof identify->firmware, "1");
}

static uint32_t sgls(const struct nvme_target *target)
{
    return NVME_SGLS_SUPPORTED |
           (nvme_target_ops(target)->keyed_sgl ? (uint32_t)NVME_SGLS_KEYED : 0) |
           (nvme_target_capsule_room(target) > 0 ? (uint32_t)NVME_SGLS_OFFSET : 0);
}

static void identify_controller(const struct target_controller *controller, unsigned char *bytes)
{
    const struct nvme_target *target = controller->target;
    const uint32_t room = nvme_target_capsule_room(target);
    struct nvme_identify_controller identify = {
        .rab = 6,
        .cmic = NVME_CMIC_MULTI_PORT | NVME_CMIC_MULTI_CTRL | NVME_CMIC_ANA,
        .mdts = mdts(target),
        .type = 1, /* I/O controller */
        .cntlid = controller->cntlid,
        .version = 0x00010300,
        .oaes = events_offered(controller),
        .ctratt = NVME_CTRATT_HOST_ID_128 | NVME_CTRATT_TBKAS,
        .acl = 3,
        .aerl = TARGET_EVENT_REQUESTS - 1,
        .frmw = 3,
        .lpa = 7,
        .elpe = TARGET_ERROR_ENTRIES - 1,
        .kas = 10,
        .anatt = 10,
        .anacap = 0x1F,
        .ana_groups = TARGET_ANA_GROUPS,
        .sqes = 0x66,
        .cqes = 0x44,
        .vwc = 1,
        .max_commands = 1024,
        .oncs = nvme_target_zeroes(target) ? NVME_ONCS_DATASET | NVME_ONCS_WRITE_ZEROES : 0,
        .namespaces = TARGET_NAMESPACES_MAX,
        .sgls = sgls(target),
        .subsystem_nqn = NVME_SUBSYSTEM_NQN,
        .ioccsz = (NVME_SQE_BYTES + room) / 16,
        .iorcsz = NVME_CQE_BYTES / 16,
        .msdbd = 1,
    };
    name_target(target, &identify);
    nvme_identify_encode_controller(&identify, bytes);
}

/* fabrics 5.2: no namespaces, no I/O queues; discovery.c of nvmet. */
static void identify_discovery(const struct target_controller *controller, unsigned char *bytes)
{
    struct nvme_identify_controller identify = {
        .type = 2, /* discovery controller */
        .cntlid = controller->cntlid,
        .version = 0x00010300,
        .oaes = events_offered(controller),
        .ctratt = NVME_CTRATT_HOST_ID_128 | NVME_CTRATT_TBKAS,
        .aerl = TARGET_EVENT_REQUESTS - 1,
        .lpa = NVME_LPA_PARTS,
        .kas = 10,
        .max_commands = 1024,
        .sgls = sgls(controller->target),
        .subsystem_nqn = NVME_DISCOVERY_NQN,
    };
    name_target(controller->target, &identify);
    nvme_identify_encode_controller(&identify, bytes);
}

static struct target_namespace *namespace_of(const struct target_command *command)
{
    const struct nvme_target *target = command->queue->target;
    const uint32_t nsid = command->sqe.nsid;
    return nsid > 0 && nsid <= target->namespace_count ? &target->namespaces[nsid - 1] : NULL;
}

/* An NSID that is not active has a page of zeroes (base 5.15.2.1). */
static uint16_t identify_namespace(const struct target_command *command, unsigned char *bytes)
{
    const struct target_namespace *ns = namespace_of(command);
    if (command->sqe.nsid == NVME_NSID_ALL)
        return NVME_STATUS_INVALID_NAMESPACE | NVME_STATUS_DNR;
    if (ns == NULL)
        return NVME_STATUS_OK;
    const struct nvme_identify_namespace identify = {
        .blocks = ns->blocks,
        .nsfeat = 0x12, /* its own atomicity and alignment fields, which are 0's based 0 */
        .nmic = 1,
        .dlfeat = ns->store->ops->zero != NULL ? NVME_DLFEAT_ZEROS : 0,
        .ana_group = 1,
        .block_shift = (uint8_t)__builtin_ctz(ns->block_bytes),
    };
    nvme_identify_encode_namespace(&identify, bytes);
    return NVME_STATUS_OK;
}

static void active_list(const struct target_command *command, unsigned char *bytes)
{
    const uint32_t count = command->queue->target->namespace_count;
    uint32_t at = 0;
    for (uint64_t nsid = (uint64_t)command->sqe.nsid + 1; nsid <= count; nsid++, at++)
        wire_put32(bytes + (size_t)4 * at, (uint32_t)nsid);
}

/* UUID and command set, base 5.15.2.3. */
static uint16_t descriptors(const struct target_command *command, unsigned char *bytes)
{
    const uint32_t nsid = command->sqe.nsid;
    if (namespace_of(command) == NULL)
        return NVME_STATUS_INVALID_NAMESPACE | NVME_STATUS_DNR;
    const uint64_t name = hash_text(command->queue->target->site.env->owner, nsid);
    bytes[0] = 3;
    bytes[1] = 16;
    wire_put64(bytes + 4, hash_mix(name));
    wire_put64(bytes + 12, hash_mix(name + 1));
    bytes[20] = 4;
    bytes[21] = 1;
    return NVME_STATUS_OK;
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
        active_list(command, bytes);
        return NVME_STATUS_OK;
    case NVME_CNS_DESCRIPTORS:
        return descriptors(command, bytes);
    case NVME_CNS_CSI_NAMESPACE:
    case NVME_CNS_CSI_CONTROLLER: /* of the NVM command set: no limits of its own */
        return command->sqe.cdw11 >> 24 == 0 ? NVME_STATUS_OK : BAD_FIELD;
    default:
        return BAD_FIELD;
    }
}

static void run_identify(struct target_command *command)
{
    unsigned char *bytes = nvme_target_admin_answer(command, NVME_IDENTIFY_BYTES);
    if (bytes == NULL)
        return;
    nvme_target_command_done(command, identify(command, bytes));
}

/* ---- features ---- */

static uint32_t queues_granted(const struct nvme_target *target)
{
    const uint32_t most = (uint32_t)target->params.max_queues - 1;
    return most << 16 | most;
}

static void set_keep_alive(struct target_controller *controller, uint32_t milliseconds)
{
    const struct env *env = controller->target->site.env;
    controller->keep_alive = ((time_ps)milliseconds + 999) / 1000 * PS_PER_S;
    env_timer_set(env, &controller->keep_alive_timer,
                  milliseconds == 0 ? TIME_NEVER : env_now(env) + controller->keep_alive);
}

/* A discovery controller has the features that a connection needs: discovery.c of nvmet. */
static bool has_feature(const struct target_controller *controller, uint8_t feature)
{
    return !controller->discovery || feature == NVME_FEATURE_KEEP_ALIVE ||
           feature == NVME_FEATURE_ASYNC_EVENT;
}

static uint16_t set_feature(struct target_command *command, uint8_t feature)
{
    struct target_controller *controller = command->queue->controller;
    const uint32_t value = command->sqe.cdw11;
    if (!has_feature(controller, feature))
        return BAD_FIELD;
    switch (feature) {
    case NVME_FEATURE_QUEUES:
        if ((value & 0xFFFF) == 0xFFFF || value >> 16 == 0xFFFF)
            return BAD_FIELD;
        command->result = queues_granted(controller->target);
        return NVME_STATUS_OK;
    case NVME_FEATURE_KEEP_ALIVE:
        set_keep_alive(controller, value);
        command->result = (uint64_t)(controller->keep_alive / PS_PER_S);
        return NVME_STATUS_OK;
    case NVME_FEATURE_ASYNC_EVENT:
        if ((value & ~events_offered(controller)) != 0)
            return BAD_FIELD;
        controller->events_wanted = value;
        command->result = value;
        return NVME_STATUS_OK;
    case NVME_FEATURE_HOST_ID:
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    default:
        return BAD_FIELD;
    }
}

static void run_set_features(struct target_command *command)
{
    if (nvme_target_command_expects(command, 0))
        nvme_target_command_done(command, set_feature(command, (uint8_t)command->sqe.cdw10));
}

static uint16_t get_feature(struct target_command *command, uint8_t feature)
{
    const struct target_controller *controller = command->queue->controller;
    if (!has_feature(controller, feature))
        return BAD_FIELD;
    switch (feature) {
    case NVME_FEATURE_QUEUES:
        command->result = queues_granted(controller->target);
        return NVME_STATUS_OK;
    case NVME_FEATURE_WRITE_CACHE:
        command->result = 1;
        return NVME_STATUS_OK;
    case NVME_FEATURE_ASYNC_EVENT:
        command->result = controller->events_wanted;
        return NVME_STATUS_OK;
    case NVME_FEATURE_KEEP_ALIVE:
        command->result = (uint64_t)(controller->keep_alive / PS_PER_MS);
        return NVME_STATUS_OK;
    default:
        return BAD_FIELD;
    }
}

/* Only an extended host identifier, which fabrics 4.4 asks for: CDW11 bit 0. */
static void get_host_id(struct target_command *command)
{
    const struct target_controller *controller = command->queue->controller;
    unsigned char *bytes = nvme_target_admin_answer(command, NVME_HOST_ID_BYTES);
    if (bytes == NULL)
        return;
    memcpy(bytes, controller->host_id, NVME_HOST_ID_BYTES);
    nvme_target_command_done(command,
                             (command->sqe.cdw11 & 1) != 0 ? NVME_STATUS_OK : (uint16_t)BAD_FIELD);
}

static void run_get_features(struct target_command *command)
{
    const uint8_t feature = (uint8_t)command->sqe.cdw10;
    if (feature == NVME_FEATURE_HOST_ID && has_feature(command->queue->controller, feature))
        get_host_id(command);
    else if (nvme_target_command_expects(command, 0))
        nvme_target_command_done(command, get_feature(command, feature));
}

/* ---- the rest ---- */

static void run_abort(struct target_command *command)
{
    if (!nvme_target_command_expects(command, 0))
        return;
    command->result = 1; /* not aborted */
    nvme_target_command_done(command, NVME_STATUS_OK);
}

/* Kept until an event happens; none ever does.  It goes with its queue. */
static void run_event_request(struct target_command *command)
{
    struct target_controller *controller = command->queue->controller;
    if (!nvme_target_command_expects(command, 0))
        return;
    if (controller->events == TARGET_EVENT_REQUESTS)
        nvme_target_command_done(command, NVME_STATUS_ASYNC_LIMIT | NVME_STATUS_DNR);
    else
        controller->events++;
}

static void run_keep_alive(struct target_command *command)
{
    if (!nvme_target_command_expects(command, 0))
        return;
    const bool wanted = command->queue->controller->keep_alive > 0;
    nvme_target_command_done(command, wanted ? NVME_STATUS_OK : NVME_STATUS_KEEP_ALIVE_INVALID);
}

uint16_t nvme_target_admin_parse(struct target_command *command)
{
    static const struct {
        uint8_t opcode;
        bool discovery; /* also a discovery controller's */
        void (*run)(struct target_command *);
    } table[] = {
        {NVME_ADMIN_GET_LOG, true, nvme_target_logs_run},
        {NVME_ADMIN_IDENTIFY, true, run_identify},
        {NVME_ADMIN_ABORT, false, run_abort},
        {NVME_ADMIN_SET_FEATURES, true, run_set_features},
        {NVME_ADMIN_GET_FEATURES, true, run_get_features},
        {NVME_ADMIN_ASYNC_EVENT, true, run_event_request},
        {NVME_ADMIN_KEEP_ALIVE, true, run_keep_alive},
    };
    const struct target_controller *controller = command->queue->controller;
    command->queue->target->stats.admin++;
    if (command->sqe.opcode == NVME_FABRICS)
        return nvme_target_connect_parse_property(command);
    if ((controller->cc & NVME_CC_ENABLE) == 0 || (controller->csts & NVME_CSTS_READY) == 0)
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].opcode == command->sqe.opcode &&
            (table[i].discovery || !controller->discovery)) {
            command->run = table[i].run;
            return NVME_STATUS_OK;
        }
    return NVME_STATUS_INVALID_OPCODE | NVME_STATUS_DNR;
}
