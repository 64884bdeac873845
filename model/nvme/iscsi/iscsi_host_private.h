/* SPDX-License-Identifier: Apache-2.0
 * iscsi_host_private - a host's session and its commands. */
#ifndef STORMGLASS_NVME_ISCSI_ISCSI_HOST_PRIVATE_H
#define STORMGLASS_NVME_ISCSI_ISCSI_HOST_PRIVATE_H

#include "nvme/iscsi/iscsi_private.h"
#include "nvme/iscsi/scsi.h"

/* A command of the core. */
struct host_slot {
    struct nvme_command command;
    struct iscsi_connection *connection; /* of its PDUs; NULL: it has had none */
    struct nvme_buffer *data;
    uint32_t bytes;    /* of data */
    uint32_t received; /* Data-In so far */
    uint32_t granted;  /* by R2Ts so far, after the first burst */
    uint32_t unsent;   /* its PDUs in the line */
    uint16_t cid;
    bool busy, out;
    bool decided; /* its response is below, and is due at on_later */
    struct nvme_response response;
    unsigned char list[SCSI_UNMAP_BYTES];
    /* An admin command that is one or more SCSI commands: */
    unsigned char *answer; /* their data; NULL: none */
    uint32_t answer_room;
    enum scsi_kind asks;
    struct nvme_identify_controller controller; /* Identify Controller so far */
};

struct host_queue_conn {
    struct nvme_transport_conn base;
    struct nvme_transport_host user;
    struct host_slot *slots; /* by tag */
    uint32_t decided;        /* slots that are */
    uint16_t entries;
    uint16_t sqhd;    /* of the last response */
    bool established; /* reported */
};

/* What Linux's scan has found (unit_scan.def). */
struct host_scan {
    uint32_t next;      /* row */
    uint32_t announced; /* bytes of the answer that the last row began */
    uint32_t limits_bytes;
    bool has_luns, has_capacity, is_over;
    struct nvme_identify_namespace capacity; /* of logical unit 0 */
    unsigned char limits[SCSI_LIMITS_BYTES];
    unsigned char luns[NVME_IDENTIFY_BYTES]; /* as the list of active namespaces */
};

struct host_session {
    struct iscsi_session base;
    uint32_t ip;                      /* of the target */
    struct iscsi_connection *carrier; /* of the next I/O command */
    uint16_t login_tag;               /* of the Connect command that waits for the Login */
    struct iscsi_names names;
    uint32_t cmd_sn, exp_cmd_sn, max_cmd_sn;
    uint16_t tsih;
    uint32_t cc, csts;                       /* properties of the controller */
    uint8_t block_shift;                     /* of logical unit 0 */
    unsigned char sense[SCSI_SENSE_SEGMENT]; /* of the SCSI Response that is arriving */
    bool logging_out;
    struct host_scan *scan; /* NULL: none */
};

static inline struct host_session *iscsi_host_of(struct iscsi_session *session)
{
    return (struct host_session *)(void *)session;
}

static inline struct host_queue_conn *iscsi_host_queue(struct nvme_transport_conn *conn)
{
    return (struct host_queue_conn *)(void *)conn;
}

/* Initiator Task Tag: the command identifier, and the queue in bit 16. */
static inline uint32_t iscsi_host_itt(const struct host_queue_conn *queue,
                                      const struct host_slot *slot)
{
    return (uint32_t)queue->base.index << 16 | slot->cid;
}

/* iscsi_host.c */
extern const struct iscsi_role iscsi_host_role;
/* Sends a SCSI Command that expects `room` bytes in, or writes `bytes` of the slot's data. */
void iscsi_host_scsi(struct host_queue_conn *queue, struct host_slot *slot, uint64_t lun,
                     const unsigned char cdb[ISCSI_CDB_BYTES]);
/* Sends a PDU that begins or continues the slot's exchange. */
void iscsi_host_post(struct host_slot *slot, const struct iscsi_out *out,
                     enum probe_stream_kind kind);
/* The slot's response is known; it is reported later. */
void iscsi_host_decide(struct host_queue_conn *queue, struct host_slot *slot, uint16_t status,
                       uint64_t result);
/* The connection of the command with that identifier; of one that is not known, the leading one. */
struct iscsi_connection *iscsi_host_carrier(struct iscsi_session *session, unsigned index,
                                            uint16_t cid);
/* Login failed or succeeded: the Connect command has its response. */
void iscsi_host_connected(struct host_session *session, uint16_t status);

/* iscsi_host_session.c */
/* Connects the connections after the leading one, which has completed its Login. */
void iscsi_host_connect_further(struct host_session *session);
/* All connections are in the full feature phase. */
bool iscsi_host_is_complete(const struct iscsi_session *session);

/* iscsi_host_login.c */
void iscsi_host_login(struct iscsi_connection *connection, uint32_t itt);
bool iscsi_host_on_login(struct iscsi_connection *connection, const struct iscsi_pdu *pdu,
                         struct iscsi_fault *fault);

/* iscsi_host_scan.c */
/* Identify Controller is the scan: the next command after an answer of `length` bytes, or the end.
 * False: the unit's INQUIRY data cannot be read. */
bool iscsi_host_scan_advance(struct host_queue_conn *queue, struct host_slot *slot, bool good,
                             uint32_t length);
void iscsi_host_scan_begin(struct host_queue_conn *queue, struct host_slot *slot);

/* iscsi_host_admin.c */
/* Sends a SCSI command of the slot's admin command. */
void iscsi_host_ask(struct host_queue_conn *queue, struct host_slot *slot, enum scsi_kind kind,
                    uint8_t page, uint32_t room, uint32_t nsid);
void iscsi_host_admin(struct host_queue_conn *queue, struct host_slot *slot);
/* A SCSI command of the slot ended. length: of its data. */
void iscsi_host_admin_answered(struct host_queue_conn *queue, struct host_slot *slot,
                               uint16_t status, uint32_t length);

#endif
