/* SPDX-License-Identifier: Apache-2.0
 * wire_words - a captured frame of a connection in words that two captures share.
 * What every machine chooses for itself is left out or named by what it refers to: addresses and
 * queue pairs by the connection, PSNs by their step from the frame before, a key by the command
 * that offered it, a command identifier by the number of its command.  Two frames agree when their
 * words do, up to WIRE_WORDS_APART: what stands behind it is printed, but is luck or the machine's
 * own affair.  What is usual is not said: DSCP and ECN of 0, the default P_Key, MigReq,
 * FECN and BECN that are not set, credits that are not given.  wire_left_out.def is left out.
 * Source of the layouts: reports/wire/wire.h, rnic/cm/cm_mad.h, nvme/wire/capsule.h,
 * nvme/wire/fabrics.h. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_WORDS_H
#define STORMGLASS_REPORTS_WIRE_WIRE_WORDS_H

#include "reports/wire/wire.h"
#include "reports/wire/wire_map.h"
#include "reports/wire/wire_page.h"
#include "rnic/cm/cm_mad.h"

enum { WIRE_WORDS_BYTES = 2048 };
#define WIRE_WORDS_APART '~'

/* Who speaks: the host connects, the target accepts.  Answers are ACKs, NAKs and READ responses. */
enum wire_side { WIRE_HOST, WIRE_TARGET, WIRE_SIDES };
enum wire_kind { WIRE_CM, WIRE_REQUESTS, WIRE_ANSWERS, WIRE_KINDS };

/* A command that was seen, for what refers to it. */
struct wire_command {
    uint64_t address;
    uint32_t length;
    uint32_t number; /* of its connection's commands, from 1 */
    struct wire_page page;
    uint16_t cid;
    bool connect;
};

/* A message of RDMA WRITEs that brings a page: where its packets belong. */
struct wire_transfer {
    uint32_t command; /* its index, and one; 0: none */
    uint32_t first_psn, packet_bytes;
    uint64_t at; /* of the page */
};

struct wire_connection {
    uint32_t ip[WIRE_SIDES], qpn[WIRE_SIDES], cm_id[WIRE_SIDES];
    uint32_t psn[WIRE_SIDES][WIRE_KINDS]; /* of the frame before */
    uint32_t index;                       /* among the connections of its capture */
    uint32_t commands;
    struct wire_transfer transfer;
    uint32_t flow_label; /* that its ports make */
    uint16_t port, qid;
    bool nvme;
    bool ended; /* taken down: a DREQ or DREP was seen */
};

/* The commands of all connections of a capture. */
struct wire_commands {
    struct wire_command *items;
    uint32_t count, room;
    struct wire_map by_cid, by_tag, by_key;
};

void wire_commands_fini(struct wire_commands *commands);

enum wire_kind wire_kind_of(uint8_t opcode);

/* A message of the connection manager, and a packet of the connection; both learn from it. */
void wire_words_cm(struct wire_connection *connection, enum wire_side from,
                   const struct wire_frame *frame, const struct cm_mad *mad,
                   char words[WIRE_WORDS_BYTES]);
/* The words are those of a connection's end, DREQ or DREP. */
bool wire_words_end(const char *words);
void wire_words_rc(struct wire_connection *connection, struct wire_commands *commands,
                   enum wire_side from, const struct wire_frame *frame,
                   char words[WIRE_WORDS_BYTES]);

#endif
