/* SPDX-License-Identifier: Apache-2.0
 * target_admin - the admin commands, answered as nvmet 6.1 does.
 * Source: base 5; drivers/nvme/target/admin-cmd.c; values seen on the wire between two Linux
 * 6.1 machines.  Write zeroes and dataset management are offered where a store can zero. */
#include "nvme/target_private.h"

#include "nvme/wire.h"

#include <stdio.h>
#include <string.h>

enum {
    BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR,
    SMART_BYTES = 512,
    SMART_UNIT = 512000,    /* bytes; base 5.14.1.2: a thousand units of 512 */
    EVENTS_OFFERED = 0x900, /* OAES: namespace attributes, ANA change */
};

/* Where the answer's data goes, cleared; NULL, and the command is done, when the length is
 * another. */
static unsigned char *answer(struct target_command *command, uint64_t length)
{
    if (!nvme_target_command_expects(command, length))
        return NULL;
    if (command->data == NULL) { /* of no length, or in the capsule */
        nvme_target_command_done(command, BAD_FIELD);
        return NULL;
    }
    memset(command->data->bytes, 0, length);
    return command->data->bytes;
}

/* ---- Identify ---- */

static uint8_t mdts(const struct nvme_target *target)
{
    uint8_t shift = 0;
    while ((INT64_C(1) << (shift + 1)) * NVME_PAGE_BYTES <= target->params.max_transfer)
        shift++;
    return shift;
}

static void identify_controller(const struct target_controller *controller, unsigned char *bytes)
{
    const struct nvme_target *target = controller->target;
    const uint32_t room = (uint32_t)target->params.in_capsule & ~15u;
    struct nvme_identify_controller identify = {
        .model = "stormglass",
        .firmware = "1",
        .rab = 6,
        .cmic = NVME_CMIC_MULTI_PORT | NVME_CMIC_MULTI_CTRL | NVME_CMIC_ANA,
        .mdts = mdts(target),
        .type = 1, /* I/O controller */
        .cntlid = controller->cntlid,
        .version = 0x00010300,
        .oaes = EVENTS_OFFERED,
        .ctratt = NVME_CTRATT_HOST_ID_128 | NVME_CTRATT_TBKAS,
        .acl = 3,
        .aerl = TARGET_EVENT_REQUESTS - 1,
        .frmw = 3,
        .lpa = 7,
        .elpe = 127,
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
        .sgls = NVME_SGLS_SUPPORTED | NVME_SGLS_KEYED | (room > 0 ? (uint32_t)NVME_SGLS_OFFSET : 0),
        .subsystem_nqn = NVME_SUBSYSTEM_NQN,
        .ioccsz = (NVME_SQE_BYTES + room) / 16,
        .iorcsz = NVME_CQE_BYTES / 16,
        .msdbd = 1,
    };
    snprintf(identify.serial, sizeof identify.serial, "%016llx",
             (unsigned long long)hash_mix(hash_text(target->site.env->owner, 0)));
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

static void run_identify(struct target_command *command)
{
    unsigned char *bytes = answer(command, NVME_IDENTIFY_BYTES);
    if (bytes == NULL)
        return;
    uint16_t status = NVME_STATUS_OK;
    switch (command->sqe.cdw10 & 0xFF) {
    case NVME_CNS_NAMESPACE:
        status = identify_namespace(command, bytes);
        break;
    case NVME_CNS_CONTROLLER:
        identify_controller(command->queue->controller, bytes);
        break;
    case NVME_CNS_ACTIVE_LIST:
        active_list(command, bytes);
        break;
    case NVME_CNS_DESCRIPTORS:
        status = descriptors(command, bytes);
        break;
    case NVME_CNS_CSI_NAMESPACE:
    case NVME_CNS_CSI_CONTROLLER: /* of the NVM command set: no limits of its own */
        status = command->sqe.cdw11 >> 24 == 0 ? NVME_STATUS_OK : BAD_FIELD;
        break;
    default:
        status = BAD_FIELD;
    }
    nvme_target_command_done(command, status);
}

/* ---- logs ---- */

/* A log page of this many bytes; the host may ask for less, and more than there is is zeroes. */
static void put(unsigned char *bytes, uint64_t length, uint64_t at, unsigned width, uint64_t value)
{
    if (at + width <= length)
        wire_put(bytes + at, width, value);
}

static void log_effects(unsigned char *bytes, uint64_t length)
{
    static const uint8_t admin[] = {NVME_ADMIN_GET_LOG,      NVME_ADMIN_IDENTIFY,
                                    NVME_ADMIN_ABORT,        NVME_ADMIN_SET_FEATURES,
                                    NVME_ADMIN_GET_FEATURES, NVME_ADMIN_ASYNC_EVENT,
                                    NVME_ADMIN_KEEP_ALIVE};
    static const uint8_t io[] = {NVME_FLUSH, NVME_WRITE, NVME_READ};
    for (unsigned i = 0; i < sizeof admin; i++)
        put(bytes, length, (uint64_t)4 * admin[i], 4, 1);
    for (unsigned i = 0; i < sizeof io; i++)
        put(bytes, length, 1024 + (uint64_t)4 * io[i], 4, 1);
}

static void log_smart(const struct nvme_target_stats *stats, unsigned char *bytes, uint64_t length)
{
    put(bytes, length, 32, 8, (stats->bytes_read + SMART_UNIT - 1) / SMART_UNIT);
    put(bytes, length, 48, 8, (stats->bytes_written + SMART_UNIT - 1) / SMART_UNIT);
    put(bytes, length, 64, 8, stats->reads);
    put(bytes, length, 80, 8, stats->writes);
}

/* One group, optimized, with every namespace: base 5.14.1.12. */
static void log_ana(const struct nvme_target *target, unsigned char *bytes, uint64_t length)
{
    put(bytes, length, 0, 8, 1);  /* change count */
    put(bytes, length, 8, 2, 1);  /* groups */
    put(bytes, length, 16, 4, 1); /* this group */
    put(bytes, length, 20, 4, target->namespace_count);
    put(bytes, length, 24, 8, 1);
    put(bytes, length, 32, 1, 1); /* optimized */
    for (uint32_t i = 0; i < target->namespace_count; i++)
        put(bytes, length, 48 + (uint64_t)4 * i, 4, i + 1);
}

static void run_get_log(struct target_command *command)
{
    const struct nvme_target *target = command->queue->target;
    const uint64_t length = nvme_capsule_log_bytes(&command->sqe);
    unsigned char *bytes = answer(command, length);
    if (bytes == NULL)
        return;
    uint16_t status = NVME_STATUS_OK;
    switch (command->sqe.cdw10 & 0xFF) {
    case NVME_LOG_ERROR:
    case NVME_LOG_FIRMWARE:
    case NVME_LOG_CHANGED:
        break; /* nothing to tell */
    case NVME_LOG_SMART:
        status = length == SMART_BYTES ? NVME_STATUS_OK : BAD_FIELD;
        log_smart(&target->stats, bytes, length);
        break;
    case NVME_LOG_EFFECTS:
        log_effects(bytes, length);
        break;
    case NVME_LOG_ANA:
        log_ana(target, bytes, length);
        break;
    default:
        status = BAD_FIELD;
    }
    nvme_target_command_done(command, status);
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

static void run_set_features(struct target_command *command)
{
    struct target_controller *controller = command->queue->controller;
    const uint32_t value = command->sqe.cdw11;
    if (!nvme_target_command_expects(command, 0))
        return;
    uint16_t status = NVME_STATUS_OK;
    switch (command->sqe.cdw10 & 0xFF) {
    case NVME_FEATURE_QUEUES:
        if ((value & 0xFFFF) == 0xFFFF || value >> 16 == 0xFFFF)
            status = BAD_FIELD;
        else
            command->result = queues_granted(controller->target);
        break;
    case NVME_FEATURE_KEEP_ALIVE:
        set_keep_alive(controller, value);
        command->result = (uint64_t)(controller->keep_alive / PS_PER_S);
        break;
    case NVME_FEATURE_ASYNC_EVENT:
        status = (value & ~(uint32_t)EVENTS_OFFERED) == 0 ? NVME_STATUS_OK : BAD_FIELD;
        command->result = value;
        break;
    case NVME_FEATURE_HOST_ID:
        status = NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
        break;
    default:
        status = BAD_FIELD;
    }
    nvme_target_command_done(command, status);
}

static void run_get_features(struct target_command *command)
{
    const struct target_controller *controller = command->queue->controller;
    if (!nvme_target_command_expects(command, 0))
        return;
    uint16_t status = NVME_STATUS_OK;
    switch (command->sqe.cdw10 & 0xFF) {
    case NVME_FEATURE_QUEUES:
        command->result = queues_granted(controller->target);
        break;
    case NVME_FEATURE_WRITE_CACHE:
        command->result = 1;
        break;
    case NVME_FEATURE_KEEP_ALIVE:
        command->result = (uint64_t)(controller->keep_alive / PS_PER_MS);
        break;
    default:
        status = BAD_FIELD;
    }
    nvme_target_command_done(command, status);
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
        void (*run)(struct target_command *);
    } table[] = {
        {NVME_ADMIN_GET_LOG, run_get_log},
        {NVME_ADMIN_IDENTIFY, run_identify},
        {NVME_ADMIN_ABORT, run_abort},
        {NVME_ADMIN_SET_FEATURES, run_set_features},
        {NVME_ADMIN_GET_FEATURES, run_get_features},
        {NVME_ADMIN_ASYNC_EVENT, run_event_request},
        {NVME_ADMIN_KEEP_ALIVE, run_keep_alive},
    };
    const struct target_controller *controller = command->queue->controller;
    command->queue->target->stats.admin++;
    if (command->sqe.opcode == NVME_FABRICS)
        return nvme_target_connect_parse_property(command);
    if ((controller->cc & NVME_CC_ENABLE) == 0 || (controller->csts & NVME_CSTS_READY) == 0)
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].opcode == command->sqe.opcode) {
            command->run = table[i].run;
            return NVME_STATUS_OK;
        }
    return NVME_STATUS_INVALID_OPCODE | NVME_STATUS_DNR;
}
