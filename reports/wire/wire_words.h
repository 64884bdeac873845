/* SPDX-License-Identifier: Apache-2.0
 * wire_words - describes a captured frame in words that can be compared between two captures.
 * Values that every machine chooses are left out or replaced by what they refer to: addresses and
 * queue pairs by the connection, PSNs by their step from the previous frame, a key by the command
 * that offered it, a command identifier by the number of its command. Two frames are equal if their
 * words are, up to WIRE_WORDS_APART: words after it are printed but depend on chance or the
 * machine. Usual values are omitted: DSCP and ECN of 0, the default P_Key, MigReq, FECN and BECN
 * not set, no credits. Items in wire_left_out.def are left out.
 * Source of the layouts: reports/wire/wire.h, rnic/cm/cm_mad.h, nvme/wire/capsule.h,
 * nvme/wire/fabrics.h, nvme/iscsi/bhs.h. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_WORDS_H
#define STORMGLASS_REPORTS_WIRE_WIRE_WORDS_H

#include "nvme/iscsi/text.h"
#include "nvme/tcp/pdu.h"
#include "reports/wire/wire.h"
#include "reports/wire/wire_map.h"
#include "reports/wire/wire_page.h"
#include "rnic/cm/cm_mad.h"

enum { WIRE_WORDS_BYTES = 2048 };
#define WIRE_WORDS_APART '~'

/* The sending side: the host connects, the target accepts. Responses are ACKs, NAKs and READ
 * responses. Of NVMe/TCP, CM are ICReq, ICResp and TermReq, requests are CapsuleCmd, and answers
 * are all other PDUs. Of iSCSI, requests are SCSI Commands and task management, answers are data,
 * R2T and their responses, and CM are all other PDUs. */
enum wire_side { WIRE_HOST, WIRE_TARGET, WIRE_SIDES };
enum wire_kind { WIRE_CM, WIRE_REQUESTS, WIRE_ANSWERS, WIRE_KINDS };

/* A command in the capture, for frames that refer to it. */
struct wire_command {
    uint64_t address;
    uint32_t length;
    uint32_t number; /* number among its connection's commands, from 1 */
    struct wire_page page;
    uint16_t cid;
    bool connect;
};

/* A message of RDMA WRITEs with page data: where its packets belong. */
struct wire_transfer {
    uint32_t command; /* index of the command + 1; 0: none */
    uint32_t first_psn, packet_bytes;
    uint64_t at; /* offset in the page */
};

/* Where the PDUs of one side of a TCP connection end before its stream does. */
struct wire_lost {
    uint64_t frame;
    const char *why; /* NULL: they do not */
};

struct wire_connection {
    uint32_t ip[WIRE_SIDES], qpn[WIRE_SIDES], cm_id[WIRE_SIDES];
    uint32_t psn[WIRE_SIDES][WIRE_KINDS]; /* of the previous frame */
    uint32_t index;                       /* index among the capture's connections */
    uint32_t commands;
    struct wire_transfer transfer;
    uint32_t flow_label; /* derived from its ports */
    uint32_t stat_sn;    /* iSCSI: of the last Login Response */
    uint16_t port, qid;
    bool nvme;
    bool ended; /* a DREQ, a DREP or a FIN was captured */
    struct wire_lost lost[WIRE_SIDES];
};

/* The commands of all connections of a capture. */
struct wire_commands {
    struct wire_command *items;
    uint32_t count, room;
    struct wire_map by_cid, by_tag, by_key;
};

void wire_commands_fini(struct wire_commands *commands);

enum wire_kind wire_kind_of(uint8_t opcode);

/* Describe a CM message and a packet of the connection; both update the connection's state. */
void wire_words_cm(struct wire_connection *connection, enum wire_side from,
                   const struct wire_frame *frame, const struct cm_mad *mad,
                   char words[WIRE_WORDS_BYTES]);
/* Whether the words are those of the end of a connection: DREQ, DREP or an iSCSI Logout. */
bool wire_words_end(const char *words);
void wire_words_rc(struct wire_connection *connection, struct wire_commands *commands,
                   enum wire_side from, const struct wire_frame *frame,
                   char words[WIRE_WORDS_BYTES]);
/* A PDU of iSCSI, with the text of a Login; returns the kind of its stream. */
enum wire_kind wire_words_iscsi(struct wire_connection *connection, struct wire_commands *commands,
                                const struct iscsi_pdu *pdu, const struct iscsi_text *text,
                                char words[WIRE_WORDS_BYTES]);
/* A PDU of NVMe/TCP; returns the kind of its stream. */
enum wire_kind wire_words_pdu(struct wire_connection *connection, struct wire_commands *commands,
                              const struct nvme_pdu *pdu, char words[WIRE_WORDS_BYTES]);

#endif
