/* SPDX-License-Identifier: Apache-2.0
 * iscsi_host_scan - the commands by which Linux scans logical unit 0 of a new session. They follow
 * one another in this model; further units have READ CAPACITY(16) alone. */
#include "nvme/iscsi/iscsi_host_private.h"

#include "base/memory.h"

#include <string.h>

enum { SCAN_ANNOUNCED = UINT16_MAX };

static const struct scan_row {
    enum scsi_kind kind;
    uint8_t page;
    uint16_t bytes;
} rows[] = {
#define UNIT_SCAN(kind, page, bytes) {SCSI_KIND_##kind, page, bytes},
#include "nvme/iscsi/unit_scan.def"
#undef UNIT_SCAN
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static bool take_answer(struct host_scan *scan, struct host_slot *slot, uint32_t length)
{
    const struct scan_row *row = &rows[scan->next - 1];
    scan->announced = scsi_announced(row->kind, slot->answer, length);
    switch (row->kind) {
    case SCSI_KIND_INQUIRY:
        return scsi_take_inquiry(&slot->controller, slot->answer, length);
    case SCSI_KIND_PAGE:
        if (row->page != SCSI_PAGE_LIMITS)
            return true;
        scan->limits_bytes = length < SCSI_LIMITS_BYTES ? length : SCSI_LIMITS_BYTES;
        memcpy(scan->limits, slot->answer, scan->limits_bytes);
        return true;
    case SCSI_KIND_LUNS:
        scan->has_luns = scsi_take_luns(scan->luns, slot->answer, length);
        return true;
    case SCSI_KIND_CAPACITY:
        scan->has_capacity = scsi_take_capacity(&scan->capacity, slot->answer, length);
        return true;
    default:
        return true;
    }
}

/* Limits count blocks, whose size READ CAPACITY(16) has brought. */
static void end_scan(struct host_queue_conn *queue, struct host_slot *slot)
{
    struct host_session *session = iscsi_host_of(queue->base.session);
    struct host_scan *scan = session->scan;
    if (scan->has_capacity) {
        session->block_shift = scan->capacity.block_shift;
        scsi_take_limits(&slot->controller, scan->limits, scan->limits_bytes, session->block_shift);
    }
    scan->is_over = true;
    session->base.iscsi->unit_scanned = true;
}

static void ask_next(struct host_queue_conn *queue, struct host_slot *slot)
{
    struct host_scan *scan = iscsi_host_of(queue->base.session)->scan;
    while (scan->next < ROWS && rows[scan->next].bytes == SCAN_ANNOUNCED &&
           scan->announced <= slot->answer_room)
        scan->next++;
    if (scan->next == ROWS) {
        end_scan(queue, slot);
        return;
    }
    const struct scan_row *row = &rows[scan->next++];
    iscsi_host_ask(queue, slot, row->kind, row->page,
                   row->bytes == SCAN_ANNOUNCED ? scan->announced : row->bytes, 1);
}

void iscsi_host_scan_begin(struct host_queue_conn *queue, struct host_slot *slot)
{
    struct host_session *session = iscsi_host_of(queue->base.session);
    if (session->scan == NULL)
        session->scan = memory_zeroed(1, sizeof *session->scan);
    *session->scan = (struct host_scan){0};
    ask_next(queue, slot);
}

bool iscsi_host_scan_advance(struct host_queue_conn *queue, struct host_slot *slot, bool good,
                             uint32_t length)
{
    struct host_scan *scan = iscsi_host_of(queue->base.session)->scan;
    scan->announced = 0;
    if ((good && !take_answer(scan, slot, length)) || (!good && scan->next == 1))
        return false;
    ask_next(queue, slot);
    return true;
}
