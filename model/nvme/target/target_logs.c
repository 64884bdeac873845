/* SPDX-License-Identifier: Apache-2.0
 * target_logs - log pages, whole and in parts.
 * A page is written whole, then the requested part is returned; beyond the end of the page it is
 * zeros.
 * Source: base 5.14; Fabrics 5.3 (discovery); drivers/nvme/target/admin-cmd.c and discovery.c.
 * Errors: an offset that is not a multiple of 4 bytes, or beyond the page, is Invalid Field. */
#include "base/memory.h"
#include "nvme/target/target_private.h"

#include "nvme/wire/discovery.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <string.h>

enum {
    BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR,
    ERROR_ENTRY_BYTES = 64,
    ERROR_BYTES = ERROR_ENTRY_BYTES * TARGET_ERROR_ENTRIES,
    SMART_BYTES = 512,
    FIRMWARE_BYTES = 512,
    CHANGED_BYTES = 4096,
    EFFECTS_BYTES = 4096,
    /* With all groups and namespaces. */
    ANA_BYTES = NVME_ANA_HEADER_BYTES + NVME_ANA_GROUP_BYTES * NVME_ANA_GROUPS_MAX +
                4 * TARGET_NAMESPACES_MAX,
    /* Header, the discovery subsystem, the others at the port, a referral to each other port. */
    DISCOVERY_BYTES =
        NVME_DISCOVERY_BYTES * (2 + NVME_TARGET_SUBSYSTEMS_MAX + NVME_TARGET_PORTS_MAX),
    PAGE_MAX = DISCOVERY_BYTES,
    SMART_UNIT = 512000, /* bytes; base 5.14.1.2: 1000 units of 512 */
};

_Static_assert((int)ERROR_BYTES <= (int)PAGE_MAX && (int)ANA_BYTES <= (int)PAGE_MAX,
               "the longest page is that of discovery");

/* ---- errors: base 5.14.1.1 ---- */

static unsigned char *error_entry(const struct target_controller *controller, uint64_t number)
{
    return controller->errors + number % TARGET_ERROR_ENTRIES * ERROR_ENTRY_BYTES;
}

/* Statuses for which nvmet sets no error location, and which it therefore does not log. */
static bool has_place(const struct target_command *command)
{
    const uint16_t code = command->status & NVME_STATUS_CODE;
    if (code == NVME_STATUS_INTERNAL)
        return command->queue->qid > 0; /* blk_to_nvme_status sets one */
    return code != NVME_STATUS_SGL_OFFSET && code != NVME_STATUS_SEQUENCE &&
           code != NVME_STATUS_KEEP_ALIVE_INVALID && code != NVME_STATUS_ASYNC_LIMIT;
}

bool nvme_target_logs_error(const struct target_command *command)
{
    struct target_controller *controller = command->queue->controller;
    const struct nvme_command *sqe = &command->sqe;
    if (controller == NULL)
        return false; /* a rejected Connect has no controller */
    if (controller->target->conduct->names_location != 0 && !has_place(command))
        return false;
    if (controller->errors == NULL)
        controller->errors = memory_new(ERROR_BYTES);
    unsigned char *entry = error_entry(controller, controller->error_count++);
    memset(entry, 0, ERROR_ENTRY_BYTES);
    wire_put64(entry, controller->error_count);
    wire_put16(entry + 8, command->queue->qid);
    wire_put16(entry + 10, sqe->cid);
    wire_put16(entry + 12, (uint16_t)(command->status << 1)); /* the phase bit is bit 0 */
    wire_put16(entry + 14, UINT16_MAX);                       /* no location within the command */
    wire_put64(entry + 16, command->queue->qid > 0 ? nvme_capsule_lba(sqe) : 0);
    wire_put32(entry + 24, sqe->nsid);
    if (controller->target->conduct->error_transport != 0)
        entry[29] = nvme_target_ops(controller->port)->type;
    return true;
}

/* ---- pages ---- Each function writes its page, which is zeroed before, and returns its length. */

/* The newest first. */
static uint64_t log_errors(const struct target_command *command, unsigned char *page)
{
    const struct target_controller *controller = command->queue->controller;
    const uint64_t newest =
        controller->target->conduct->fills_errors != 0 ? controller->error_count : 0;
    for (uint64_t i = 0; i < TARGET_ERROR_ENTRIES && i < newest; i++)
        memcpy(page + i * ERROR_ENTRY_BYTES, error_entry(controller, newest - 1 - i),
               ERROR_ENTRY_BYTES);
    return ERROR_BYTES;
}

static uint64_t log_firmware(const struct target_command *command, unsigned char *page)
{
    const struct nvme_target *target = command->queue->target;
    if (target->conduct->fills_firmware != 0) { /* active slot 1 */
        const char *revision = nvme_target_firmware(target);
        page[0] = 1;
        memset(page + 8, ' ', NVME_FIRMWARE_BYTES);
        memcpy(page + 8, revision, strnlen(revision, NVME_FIRMWARE_BYTES));
    }
    return FIRMWARE_BYTES;
}

static uint64_t log_changed(const struct target_command *command, unsigned char *page)
{
    (void)command, (void)page;
    return CHANGED_BYTES;
}

static uint64_t log_effects(const struct target_command *command, unsigned char *page)
{
    static const uint8_t admin[] = {NVME_ADMIN_GET_LOG,      NVME_ADMIN_IDENTIFY,
                                    NVME_ADMIN_ABORT,        NVME_ADMIN_SET_FEATURES,
                                    NVME_ADMIN_GET_FEATURES, NVME_ADMIN_ASYNC_EVENT,
                                    NVME_ADMIN_KEEP_ALIVE};
    static const uint8_t io[] = {NVME_FLUSH, NVME_WRITE, NVME_READ, NVME_WRITE_ZEROES,
                                 NVME_DATASET};
    const struct nvme_target *target = command->queue->target;
    const unsigned io_count = nvme_target_zeroes(target) ? sizeof io : 3;
    for (unsigned i = 0; i < sizeof admin; i++)
        wire_put32(page + (size_t)4 * admin[i], 1);
    for (unsigned i = 0; i < io_count; i++)
        wire_put32(page + 1024 + (size_t)4 * io[i], 1);
    if (nvme_target_compares(target))
        wire_put32(page + 1024 + (size_t)4 * NVME_COMPARE, 1);
    return EFFECTS_BYTES;
}

static uint64_t log_smart(const struct target_command *command, unsigned char *page)
{
    const struct nvme_target_stats *stats = &command->queue->target->stats;
    if (command->queue->target->conduct->fills_smart == 0)
        return SMART_BYTES;
    wire_put64(page + 32, (stats->bytes_read + SMART_UNIT - 1) / SMART_UNIT);
    wire_put64(page + 48, (stats->bytes_written + SMART_UNIT - 1) / SMART_UNIT);
    wire_put64(page + 64, stats->reads);
    wire_put64(page + 80, stats->writes);
    wire_put64(page + 176, command->queue->controller->error_count);
    return SMART_BYTES;
}

/* A group with namespaces; nvmet also lists group 1 when it has none. */
static bool has_group(const struct target_subsystem *subsystem, uint32_t group)
{
    for (uint32_t i = 0; i < subsystem->namespace_count; i++)
        if (subsystem->namespaces[i]->ana_group == group)
            return true;
    return group == 1;
}

static size_t put_group(const struct target_command *command, uint32_t id, unsigned char *page)
{
    const struct target_subsystem *subsystem = command->queue->controller->subsystem;
    const bool groups_only = (command->sqe.cdw10 >> 8 & 1) != 0;
    struct nvme_ana_group group = {
        .id = id,
        .changes = command->queue->target->ana_changes,
        .state = command->queue->port->ana[id],
    };
    unsigned char *listed = page + NVME_ANA_GROUP_BYTES;
    for (uint32_t i = 0; i < subsystem->namespace_count && !groups_only; i++)
        if (subsystem->namespaces[i]->ana_group == id)
            wire_put32(listed + (size_t)4 * group.namespaces++, i + 1);
    nvme_ana_put_group(&group, page);
    return NVME_ANA_GROUP_BYTES + (size_t)4 * group.namespaces;
}

/* Base 5.14.1.12. Hosts compute the length from all the groups and namespaces that Identify allows,
 * and may read that much in parts. */
static uint64_t log_ana(const struct target_command *command, unsigned char *page)
{
    const struct target_subsystem *subsystem = command->queue->controller->subsystem;
    size_t at = NVME_ANA_HEADER_BYTES;
    uint16_t groups = 0;
    for (uint32_t id = 1; id <= NVME_ANA_GROUPS_MAX; id++)
        if (has_group(subsystem, id)) {
            at += put_group(command, id, page + at);
            groups++;
        }
    nvme_ana_put_header(command->queue->target->ana_changes, groups, page);
    return ANA_BYTES;
}

/* ---- discovery ---- */

static void put_record(const struct target_port *port, enum nvme_discovery_value subtype,
                       const char *subsystem, unsigned char *bytes)
{
    struct nvme_discovery_record record = {
        .transport = port->transport->ops->type,
        .address_family = NVME_ADDRESS_IPV4,
        .subtype = (uint8_t)subtype,
        .requirements = NVME_SECURE_NOT_REQUIRED,
        .port_id = (uint16_t)(port->index + 1),
        .cntlid = NVME_CNTLID_DYNAMIC,
        .admin_queue_size = NVME_ADMIN_QUEUE_SIZE,
    };
    const uint32_t ip = port->ip;
    port->transport->ops->describe(&record);
    snprintf(record.address, sizeof record.address, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 0xFF,
             ip >> 8 & 0xFF, ip & 0xFF);
    snprintf(record.subsystem_nqn, sizeof record.subsystem_nqn, "%s", subsystem);
    nvme_discovery_encode_record(&record, bytes);
}

/* The records at the host's port, in nvmet's order: the discovery subsystem itself, those that the
 * host may use, and referrals. */
static uint64_t log_discovery(const struct target_command *command, unsigned char *page)
{
    const struct target_port *port = command->queue->port;
    const struct nvme_target *target = port->target;
    struct nvme_discovery_header header = {.generation = target->discovery_changes};
    unsigned char *record = page + NVME_DISCOVERY_BYTES;
    put_record(port, NVME_SUBTYPE_CURRENT, NVME_DISCOVERY_NQN, record);
    for (uint32_t i = 0; i < target->subsystem_count; i++) {
        const struct target_subsystem *subsystem = &target->subsystems[i];
        if (nvme_target_has_port(subsystem, port) &&
            nvme_target_allows(subsystem, command->queue->controller->host_nqn))
            put_record(port, NVME_SUBTYPE_NVM, subsystem->nqn, record += NVME_DISCOVERY_BYTES);
    }
    for (uint32_t i = 0; i < target->port_count; i++)
        if (&target->ports[i] != port &&
            target->ports[i].transport->ops->type != NVME_TRANSPORT_NONE)
            put_record(&target->ports[i], NVME_SUBTYPE_REFERRAL, NVME_DISCOVERY_NQN,
                       record += NVME_DISCOVERY_BYTES);
    header.records = (uint64_t)(record - page) / NVME_DISCOVERY_BYTES;
    nvme_discovery_encode_header(&header, page);
    return (header.records + 1) * NVME_DISCOVERY_BYTES;
}

/* ---- the command ---- */

static const struct log {
    uint8_t id;
    bool discovery; /* the only page of a discovery controller */
    uint8_t event;  /* event that reading it clears: NVME_EVENT_BIT_...; 0: none */
    uint64_t (*write)(const struct target_command *command, unsigned char *page);
} logs[] = {
    {NVME_LOG_ERROR, false, 0, log_errors},
    {NVME_LOG_SMART, false, 0, log_smart},
    {NVME_LOG_FIRMWARE, false, 0, log_firmware},
    {NVME_LOG_CHANGED, false, NVME_EVENT_BIT_NAMESPACES, log_changed},
    {NVME_LOG_EFFECTS, false, 0, log_effects},
    {NVME_LOG_ANA, false, NVME_EVENT_BIT_ANA, log_ana},
    {NVME_LOG_DISCOVERY, true, NVME_EVENT_BIT_DISCOVERY, log_discovery},
};

static const struct log *find_log(const struct target_command *command)
{
    const uint8_t id = (uint8_t)command->sqe.cdw10;
    for (unsigned i = 0; i < sizeof logs / sizeof logs[0]; i++)
        if (logs[i].id == id && logs[i].discovery == command->queue->controller->discovery)
            return &logs[i];
    return NULL;
}

/* Lengths that nvmet accepts for a page that cannot be read in parts; reads of the other pages end
 * where its copies do. */
static uint16_t judge_whole(const struct log *log, uint64_t wanted)
{
    enum { TOO_SHORT = NVME_STATUS_SGL_LENGTH | NVME_STATUS_DNR };
    switch (log->id) {
    case NVME_LOG_SMART:
        return wanted == SMART_BYTES ? NVME_STATUS_OK : NVME_STATUS_INTERNAL;
    case NVME_LOG_CHANGED:
        return wanted == CHANGED_BYTES ? NVME_STATUS_OK : NVME_STATUS_INTERNAL;
    case NVME_LOG_EFFECTS:
        return wanted >= EFFECTS_BYTES ? NVME_STATUS_OK : TOO_SHORT;
    case NVME_LOG_ANA:
        return wanted >= NVME_ANA_HEADER_BYTES ? NVME_STATUS_OK : TOO_SHORT;
    default:
        return NVME_STATUS_OK;
    }
}

static uint16_t judge_namespace(const struct target_command *command, const struct log *log)
{
    const struct target_controller *controller = command->queue->controller;
    const struct target_conduct *conduct = controller->target->conduct;
    const uint32_t nsid = command->sqe.nsid;
    if (nsid == NVME_NSID_ALL)
        return NVME_STATUS_OK;
    if (log->id != NVME_LOG_SMART)
        return nsid == 0 ? NVME_STATUS_OK : (uint16_t)conduct->log_of_namespace;
    if (nsid == 0)
        return (uint16_t)conduct->smart_of_none;
    return nvme_target_namespace(controller, nsid) != NULL ? NVME_STATUS_OK
                                                           : (uint16_t)conduct->smart_of_namespace;
}

static uint16_t copy_part(const struct target_command *command, const struct log *log,
                          uint64_t wanted, unsigned char *to)
{
    unsigned char page[PAGE_MAX] = {0};
    const struct target_conduct *conduct = command->queue->target->conduct;
    const bool parts = conduct->log_parts != 0 || log->discovery;
    const uint64_t offset = parts ? nvme_capsule_log_offset(&command->sqe) : 0;
    uint16_t status = judge_namespace(command, log);
    if (status == NVME_STATUS_OK && !parts)
        status = judge_whole(log, wanted);
    if (status != NVME_STATUS_OK)
        return status;
    const uint64_t length = log->write(command, page);
    CHECK(length <= PAGE_MAX);
    if (offset % 4 != 0)
        return BAD_FIELD;
    if (offset > length)
        return (uint16_t)conduct->log_offset_behind;
    const uint64_t there = length - offset;
    memcpy(to, page + offset, (size_t)(wanted < there ? wanted : there));
    return NVME_STATUS_OK;
}

void nvme_target_logs_run(struct target_command *command)
{
    const uint64_t wanted = nvme_capsule_log_bytes(&command->sqe);
    const struct log *log = find_log(command);
    unsigned char *bytes = nvme_target_admin_answer(command, wanted);
    if (bytes == NULL)
        return;
    const uint16_t status = log != NULL ? copy_part(command, log, wanted, bytes)
                                        : (uint16_t)command->queue->target->conduct->unknown_log;
    const bool retains = (command->sqe.cdw10 & NVME_LOG_RETAIN_EVENT) != 0;
    if (status == NVME_STATUS_OK && log->event != 0 && !retains)
        nvme_target_event_read(command->queue->controller, log->event);
    nvme_target_command_done(command, status);
}
