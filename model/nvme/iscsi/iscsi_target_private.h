/* SPDX-License-Identifier: Apache-2.0
 * iscsi_target_private - a target's session, its queues and its tasks. */
#ifndef STORMGLASS_NVME_ISCSI_ISCSI_TARGET_PRIVATE_H
#define STORMGLASS_NVME_ISCSI_ISCSI_TARGET_PRIVATE_H

#include "nvme/iscsi/iscsi_private.h"
#include "nvme/iscsi/scsi.h"

enum task_kind {
    TASK_SCSI,
    TASK_MANAGEMENT,
    TASK_OWN, /* of the Login, without PDUs */
};

struct target_queue_conn;

/* An NVMe command of the core, and the iSCSI task that it serves. */
struct target_task {
    struct nvme_capsule capsule; /* first member */
    unsigned char sqe[NVME_SQE_BYTES];
    struct nvme_buffer bytes;            /* for data that the core reads; length 0: not mapped */
    struct nvme_buffer bulk;             /* for I/O data that arrives before an R2T */
    struct target_queue_conn *queue;     /* NULL: it is free */
    struct iscsi_connection *connection; /* of its PDUs; NULL: it has none */
    struct nvme_transfer *transfer;
    struct scsi_request request;
    enum task_kind kind;
    uint64_t lun;
    uint32_t itt, sn;  /* sn: its CmdSN */
    uint32_t expected; /* Expected Data Transfer Length */
    uint32_t got;      /* data from the host */
    uint32_t asked;    /* that, and what R2Ts have requested */
    uint32_t r2ts;     /* outstanding */
    uint32_t r2t_sn;
    bool in, out;    /* direction of the data */
    bool collecting; /* unsolicited data is to come */
    bool counts;     /* in the window of commands */
    bool fetches;
    bool answered; /* its last PDU is sent, or is in the line */
    unsigned char list[SCSI_UNMAP_BYTES];
    unsigned char sense[SCSI_SENSE_SEGMENT];
    unsigned char *answer;            /* data that is no I/O; NULL: none */
    struct target_task *next, *older; /* next: in a list of free or of answered tasks */
};

struct target_queue_conn {
    struct nvme_transport_conn base;
    struct nvme_transport_target user;
    struct target_task **slots; /* of commands that have begun, by the core's slot */
    uint32_t slot_count;
    enum nvme_memory memory; /* of I/O data */
    bool accepted;
};

enum { TARGET_TURNS = 1024 }; /* a power of 2, more than a window */

enum target_step {
    STEP_NONE,
    STEP_CONNECT, /* admin queue */
    STEP_LIMITS,
    STEP_ENABLE,
    STEP_BLOCK,
    STEP_QUEUES,
    STEP_IO, /* I/O queue */
    STEP_DONE,
};

/* A CmdSN of a session with several connections, from its arrival until all earlier commands have
 * begun. */
struct target_turn {
    struct target_task *task; /* NULL: a PDU that is no task */
    bool here, ready;         /* ready: all data that comes without an R2T is there */
};

struct target_session {
    struct iscsi_session base;
    struct nvme_transport_request request;
    struct target_task *newest, *free; /* newest: of all */
    struct target_task *first_answered, *last_answered;
    uint32_t exp_cmd_sn, max_cmd_sn;
    struct target_turn *turns; /* by CmdSN, TARGET_TURNS; NULL: commands begin as they arrive */
    uint32_t begin_sn;         /* with turns: CmdSN of the next command to begin */
    /* Login: */
    struct iscsi_names names;
    struct iscsi_terms terms; /* as agreed */
    enum target_step step;
    bool own_done; /* the step's command has its response */
    uint16_t own_status;
    uint64_t own_result;
    uint16_t cntlid;
    uint32_t entries;    /* of an I/O queue, at most */
    uint8_t block_shift; /* of namespace 1 */
};

static inline struct target_session *iscsi_target_of(struct iscsi_session *session)
{
    return (struct target_session *)(void *)session;
}

static inline struct target_queue_conn *iscsi_target_queue(struct nvme_transport_conn *conn)
{
    return (struct target_queue_conn *)(void *)conn;
}

static inline struct target_session *iscsi_task_session(const struct target_task *task)
{
    return iscsi_target_of(task->queue->base.session);
}

/* iscsi_target.c */
/* connection: NULL for a task without PDUs. */
struct target_task *iscsi_task_new(struct target_session *session, struct target_queue_conn *queue,
                                   struct iscsi_connection *connection, enum task_kind kind);
/* Hands the task's command to the core. in_capsule: bytes of its data that are in `data`. */
void iscsi_task_begin(struct target_task *task, struct nvme_command *command,
                      struct nvme_buffer *data, uint32_t in_capsule);
/* Its memory for bytes that the core reads; NULL: none left. */
struct nvme_buffer *iscsi_task_bytes(struct target_task *task);
/* Ends the task: data of an answer, or status and sense. */
void iscsi_task_answer(struct target_task *task, uint16_t status, uint32_t length);
/* A response without PDUs, or whose PDUs are sent, is reported to the core. */
void iscsi_task_done(struct target_session *session, struct target_task *task);

/* Requests the rest of the task's data, as much as may be outstanding. */
void iscsi_task_r2ts(struct target_task *task);

/* iscsi_target_receive.c */
bool iscsi_target_on_header(struct iscsi_connection *connection, struct iscsi_fault *fault);
bool iscsi_target_on_pdu(struct iscsi_connection *connection, struct iscsi_fault *fault);

/* iscsi_target_order.c */
/* The session has several connections from now on. */
void iscsi_target_order(struct target_session *session);
enum target_arrival { TARGET_NEW, TARGET_IGNORED, TARGET_FAULT };

/* A command with a CmdSN has arrived. */
enum target_arrival iscsi_target_count(struct target_session *session, const struct iscsi_pdu *pdu,
                                       struct iscsi_fault *fault);
/* It may begin, after all earlier ones. task: NULL, or begins then. */
void iscsi_target_ready(struct target_session *session, const struct iscsi_pdu *pdu,
                        struct target_task *task);

/* iscsi_target_login.c */
bool iscsi_target_on_login(struct iscsi_connection *connection, struct iscsi_fault *fault);
void iscsi_target_login_later(struct target_session *session);
void iscsi_target_own_done(struct target_session *session, const struct target_task *task,
                           const struct nvme_response *response, bool with_data);

/* iscsi_target_scsi.c */
/* All data that comes without an R2T is there. */
void iscsi_target_start(struct target_session *session, struct target_task *task);
void iscsi_target_manage(struct target_session *session, struct target_task *task,
                         const struct iscsi_pdu *pdu);
/* Length of the answer that the core's data makes; writes it. 0: there is none. */
uint32_t iscsi_target_translate(struct target_task *task, const unsigned char *data);

#endif
