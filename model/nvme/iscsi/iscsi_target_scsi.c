/* SPDX-License-Identifier: Apache-2.0
 * iscsi_target_scsi - SCSI commands and task management of a session as NVMe commands of the
 * core. */
#include "nvme/iscsi/iscsi_target_private.h"

#include "base/memory.h"

#include <string.h>

enum { BLOCKS_MAX = 65536 /* of one NVMe command */ };

/* Data of an I/O command: all of it is there, or the core fetches it. */
static void begin_io(struct target_task *task, struct nvme_command *command)
{
    const bool whole = task->out && task->got == task->expected;
    command->sgl = (struct nvme_sgl){.type = whole ? NVME_SGL_IN_CAPSULE : NVME_SGL_TRANSPORT,
                                     .length = task->expected};
    iscsi_task_begin(task, command, whole ? &task->bulk : NULL, whole ? task->got : 0);
}

static void begin_unmap(struct target_task *task, struct nvme_command *command)
{
    struct nvme_buffer *data = iscsi_task_bytes(task);
    if (data == NULL || task->got != SCSI_UNMAP_BYTES ||
        !scsi_take_unmap(data->bytes, task->list)) {
        iscsi_task_answer(task, NVME_STATUS_INVALID_FIELD, 0);
        return;
    }
    command->sgl =
        (struct nvme_sgl){.type = NVME_SGL_IN_CAPSULE, .length = NVME_DATASET_RANGE_BYTES};
    iscsi_task_begin(task, command, data, NVME_DATASET_RANGE_BYTES);
}

static void start_io(struct target_task *task)
{
    const struct scsi_request *request = &task->request;
    struct nvme_command command;
    const bool ranged = request->opcode != NVME_FLUSH && request->opcode != NVME_DATASET;
    const bool empty = ranged && request->blocks == 0;
    const uint32_t nsid = scsi_nsid(task->lun);
    if (nsid == 0 || empty || (ranged && request->blocks > BLOCKS_MAX)) {
        iscsi_task_answer(task,
                          nsid == 0 ? NVME_STATUS_INVALID_NAMESPACE
                          : empty   ? NVME_STATUS_OK
                                    : NVME_STATUS_INVALID_FIELD,
                          0);
        return;
    }
    scsi_to_command(&command, request, nsid);
    if (request->opcode == NVME_DATASET)
        begin_unmap(task, &command);
    else
        begin_io(task, &command);
}

static void start_identify(struct target_task *task, enum nvme_cns cns, uint32_t nsid)
{
    struct nvme_command command = {.opcode = NVME_ADMIN_IDENTIFY,
                                   .flags = NVME_FLAGS_SGL,
                                   .nsid = nsid,
                                   .cdw10 = (uint32_t)cns};
    command.sgl = (struct nvme_sgl){.type = NVME_SGL_TRANSPORT, .length = NVME_IDENTIFY_BYTES};
    iscsi_task_begin(task, &command, NULL, 0);
}

void iscsi_target_start(struct target_session *session, struct target_task *task)
{
    (void)session;
    if (!iscsi_is_used(&task->queue->base))
        return;
    switch (task->request.kind) {
    case SCSI_KIND_IO:
        start_io(task);
        break;
    case SCSI_KIND_INQUIRY:
    case SCSI_KIND_PAGE:
        start_identify(task, NVME_CNS_CONTROLLER, 0);
        break;
    case SCSI_KIND_LUNS:
        start_identify(task, NVME_CNS_ACTIVE_LIST, 0);
        break;
    case SCSI_KIND_CAPACITY:
    case SCSI_KIND_MODE:
        start_identify(task, NVME_CNS_NAMESPACE, scsi_nsid(task->lun));
        break;
    case SCSI_KIND_READY:
        iscsi_task_answer(task, NVME_STATUS_OK, 0);
        break;
    default:
        iscsi_task_answer(task, NVME_STATUS_INVALID_OPCODE, 0);
    }
}

void iscsi_target_manage(struct target_session *session, struct target_task *task,
                         const struct iscsi_pdu *pdu)
{
    struct nvme_command command = {.opcode = NVME_ADMIN_ABORT,
                                   .flags = NVME_FLAGS_SGL,
                                   .cdw10 = (pdu->tag & 0xFFFF) << 16 |
                                            (pdu->tag >> 16 == ISCSI_ADMIN ? 0 : 1)};
    (void)session;
    command.sgl = (struct nvme_sgl){.type = NVME_SGL_TRANSPORT};
    if ((pdu->flags & 0x7F) == ISCSI_TASK_ABORT)
        iscsi_task_begin(task, &command, NULL, 0);
    else
        iscsi_task_answer(task, NVME_STATUS_INVALID_FIELD, 0);
}

uint32_t iscsi_target_translate(struct target_task *task, const unsigned char *data)
{
    const struct target_session *session = iscsi_target_of(task->queue->base.session);
    struct nvme_identify_controller controller;
    struct nvme_identify_namespace ns;
    uint32_t length = 0;
    task->answer = memory_zeroed(1, SCSI_ANSWER_MAX);
    switch (task->request.kind) {
    case SCSI_KIND_INQUIRY:
        nvme_identify_decode_controller(&controller, data);
        length = scsi_put_inquiry(task->answer, &controller, scsi_nsid(task->lun) > 0);
        break;
    case SCSI_KIND_PAGE:
        nvme_identify_decode_controller(&controller, data);
        length = scsi_put_page(
            task->answer, task->request.page,
            &(struct scsi_unit){&controller, session->names.target, session->block_shift});
        break;
    case SCSI_KIND_MODE:
        nvme_identify_decode_namespace(&ns, data);
        length = ns.blocks == 0 ? 0 : scsi_put_mode(task->answer, task->request.page, &ns);
        break;
    case SCSI_KIND_LUNS:
        length = scsi_put_luns(task->answer, data);
        break;
    default:
        nvme_identify_decode_namespace(&ns, data);
        length = ns.blocks == 0 ? 0 : scsi_put_capacity(task->answer, &ns);
    }
    return length < task->request.allocation ? length : task->request.allocation;
}
