/* SPDX-License-Identifier: Apache-2.0
 * target_logs - log pages, whole and in parts.
 * A page is written whole, then the part that the host asks for goes out; what it asks for
 * beyond the end is zeroes.
 * Source: base 5.14; fabrics 5.3 (discovery); drivers/nvme/target/admin-cmd.c and discovery.c.
 * Errors: an offset that is not of whole double words, or beyond the page, is Invalid Field. */
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
    ANA_HEAD_BYTES = 48, /* the page's header and the one group's */
    ANA_BYTES = 16 + 32 * TARGET_ANA_GROUPS + 4 * TARGET_NAMESPACES_MAX, /* with every group */
    DISCOVERY_RECORDS = 2,
    PAGE_MAX = ANA_BYTES,
    SMART_UNIT = 512000, /* bytes; base 5.14.1.2: a thousand units of 512 */
    GENERATION = 1,      /* the records never change */
    PORT_ID = 1,
};

_Static_assert((int)ERROR_BYTES <= (int)PAGE_MAX, "the longest page is that of ANA");

/* ---- errors: base 5.14.1.1 ---- */

static unsigned char *error_entry(const struct target_controller *controller, uint64_t number)
{
    return controller->errors + number % TARGET_ERROR_ENTRIES * ERROR_ENTRY_BYTES;
}

void nvme_target_logs_error(const struct target_command *command)
{
    struct target_controller *controller = command->queue->controller;
    const struct nvme_command *sqe = &command->sqe;
    if (controller == NULL)
        return; /* a Connect that is refused has none */
    if (controller->errors == NULL)
        controller->errors = memory_new(ERROR_BYTES);
    unsigned char *entry = error_entry(controller, controller->error_count++);
    memset(entry, 0, ERROR_ENTRY_BYTES);
    wire_put64(entry, controller->error_count);
    wire_put16(entry + 8, command->queue->qid);
    wire_put16(entry + 10, sqe->cid);
    wire_put16(entry + 12, (uint16_t)(command->status << 1)); /* above the phase bit */
    wire_put16(entry + 14, UINT16_MAX);                       /* no byte of the command is named */
    wire_put64(entry + 16, command->queue->qid > 0 ? nvme_capsule_lba(sqe) : 0);
    wire_put32(entry + 24, sqe->nsid);
    entry[29] = nvme_target_ops(controller->target)->type;
}

/* ---- pages ----
 * Each writes its page, which is cleared, and returns its length. */

/* The newest first. */
static uint64_t log_errors(const struct target_command *command, unsigned char *page)
{
    const struct target_controller *controller = command->queue->controller;
    const uint64_t newest = controller->error_count;
    for (uint64_t i = 0; i < TARGET_ERROR_ENTRIES && i < newest; i++)
        memcpy(page + i * ERROR_ENTRY_BYTES, error_entry(controller, newest - 1 - i),
               ERROR_ENTRY_BYTES);
    return ERROR_BYTES;
}

static uint64_t log_firmware(const struct target_command *command, unsigned char *page)
{
    (void)command, (void)page;
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
    const unsigned io_count = nvme_target_zeroes(command->queue->target) ? sizeof io : 3;
    for (unsigned i = 0; i < sizeof admin; i++)
        wire_put32(page + (size_t)4 * admin[i], 1);
    for (unsigned i = 0; i < io_count; i++)
        wire_put32(page + 1024 + (size_t)4 * io[i], 1);
    return EFFECTS_BYTES;
}

static uint64_t log_smart(const struct target_command *command, unsigned char *page)
{
    const struct nvme_target_stats *stats = &command->queue->target->stats;
    wire_put64(page + 32, (stats->bytes_read + SMART_UNIT - 1) / SMART_UNIT);
    wire_put64(page + 48, (stats->bytes_written + SMART_UNIT - 1) / SMART_UNIT);
    wire_put64(page + 64, stats->reads);
    wire_put64(page + 80, stats->writes);
    wire_put64(page + 176, command->queue->controller->error_count);
    return SMART_BYTES;
}

/* One group, optimized, with every namespace: base 5.14.1.12.  Hosts count with all the groups and
 * namespaces that Identify allows, and may read that much in parts. */
static uint64_t log_ana(const struct target_command *command, unsigned char *page)
{
    const bool groups_only = (command->sqe.cdw10 >> 8 & 1) != 0;
    const uint32_t count = groups_only ? 0 : command->queue->target->namespace_count;
    wire_put64(page, 1);      /* change count */
    wire_put16(page + 8, 1);  /* groups */
    wire_put32(page + 16, 1); /* this group */
    wire_put32(page + 20, count);
    wire_put64(page + 24, 1);
    page[32] = 1; /* optimized */
    for (uint32_t i = 0; i < count; i++)
        wire_put32(page + ANA_HEAD_BYTES + (size_t)4 * i, i + 1);
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
        .port_id = PORT_ID,
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

static uint64_t log_discovery(const struct target_command *command, unsigned char *page)
{
    const struct target_port *port = command->queue->port;
    const struct nvme_discovery_header header = {GENERATION, DISCOVERY_RECORDS};
    nvme_discovery_encode_header(&header, page);
    page += NVME_DISCOVERY_BYTES;
    put_record(port, NVME_SUBTYPE_CURRENT, NVME_DISCOVERY_NQN, page);
    page += NVME_DISCOVERY_BYTES;
    put_record(port, NVME_SUBTYPE_NVM, NVME_SUBSYSTEM_NQN, page);
    return (uint64_t)(1 + DISCOVERY_RECORDS) * NVME_DISCOVERY_BYTES;
}

/* ---- the command ---- */

static const struct log {
    uint8_t id;
    bool discovery; /* the one page of a discovery controller */
    uint64_t (*write)(const struct target_command *command, unsigned char *page);
} logs[] = {
    {NVME_LOG_ERROR, false, log_errors},       {NVME_LOG_SMART, false, log_smart},
    {NVME_LOG_FIRMWARE, false, log_firmware},  {NVME_LOG_CHANGED, false, log_changed},
    {NVME_LOG_EFFECTS, false, log_effects},    {NVME_LOG_ANA, false, log_ana},
    {NVME_LOG_DISCOVERY, true, log_discovery},
};

static const struct log *find_log(const struct target_command *command)
{
    const uint8_t id = (uint8_t)command->sqe.cdw10;
    for (unsigned i = 0; i < sizeof logs / sizeof logs[0]; i++)
        if (logs[i].id == id && logs[i].discovery == command->queue->controller->discovery)
            return &logs[i];
    return NULL;
}

static uint16_t copy_part(const struct target_command *command, const struct log *log,
                          uint64_t wanted, unsigned char *to)
{
    unsigned char page[PAGE_MAX] = {0};
    const uint64_t offset = nvme_capsule_log_offset(&command->sqe);
    const uint64_t length = log->write(command, page);
    CHECK(length <= PAGE_MAX);
    if (offset % 4 != 0 || offset > length)
        return BAD_FIELD;
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
    uint16_t status = BAD_FIELD;
    if (log != NULL && (log->id != NVME_LOG_SMART || wanted == SMART_BYTES))
        status = copy_part(command, log, wanted, bytes);
    nvme_target_command_done(command, status);
}
