/* SPDX-License-Identifier: Apache-2.0
 * text - key=value pairs of Login PDUs, and what both sides agree on by them.
 *   HeaderDigest, DataDigest      a list of preferences; the answer is one of them
 *   InitialR2T                    Yes if either side says so (OR)
 *   ImmediateData                 Yes if both say so (AND)
 *   FirstBurstLength, MaxBurstLength, MaxOutstandingR2T, MaxConnections   the smaller (minimum)
 *   MaxRecvDataSegmentLength      each side declares its own
 * Not modeled: authentication (AuthMethod=None), markers, error recovery above level 0, answers
 * that need more than one Login Request for each stage.
 * Source: RFC 7143, 6, 10 and 13; open-iscsi 2.1 for the keys and their order; LIO for the order of
 * the answers (iscsi_target_parameters.c of Linux 6.1).
 * Errors: a reading function returns false and fills in the fault. */
#ifndef STORMGLASS_NVME_ISCSI_TEXT_H
#define STORMGLASS_NVME_ISCSI_TEXT_H

#include "nvme/iscsi/bhs.h"

#include <stddef.h>

enum {
    ISCSI_KEY_BYTES = 64,    /* RFC 7143 6.1: 63 bytes and NUL */
    ISCSI_VALUE_BYTES = 256, /* 255 bytes and NUL */
    ISCSI_NAME_BYTES = 224,  /* of a node: 223 bytes and NUL */
};

struct iscsi_text {
    char bytes[ISCSI_TEXT_MAX];
    uint32_t length;
};

/* One side's settings, and in the same form what was agreed on. */
struct iscsi_terms {
    bool header_digest, data_digest;
    bool initial_r2t, immediate_data;
    uint32_t first_burst, max_burst, max_r2t, connections;
    uint32_t recv_data; /* own MaxRecvDataSegmentLength */
    uint32_t send_data; /* the peer's; 8192 until it declares one */
};

/* Names in the first Login Request. */
struct iscsi_names {
    char initiator[ISCSI_NAME_BYTES], target[ISCSI_NAME_BYTES];
    bool normal; /* SessionType; false: Discovery */
};

struct iscsi_pair {
    char key[ISCSI_KEY_BYTES], value[ISCSI_VALUE_BYTES];
};

__attribute__((format(printf, 3, 4))) void iscsi_text_put(struct iscsi_text *text, const char *key,
                                                          const char *format, ...);

/* Reads the pair at *at and moves behind it. False without a fault reason: the end. */
bool iscsi_text_next(const struct iscsi_text *text, uint32_t *at, struct iscsi_pair *pair,
                     struct iscsi_fault *fault);

/* The names in an initiator's first request, and how a target reads them. leading: the connection
 * is the first of its session, whose type it declares. */
void iscsi_names_put(struct iscsi_text *text, const struct iscsi_names *names, bool leading);
bool iscsi_names_take(const struct iscsi_text *text, struct iscsi_names *names,
                      struct iscsi_fault *fault);

/* Host: its offer, and how it reads the target's answers. Keys of a session are negotiated in its
 * leading Login (RFC 7143 13: LO); for a further connection, `own` contains their values. */
void iscsi_terms_offer(struct iscsi_text *text, const struct iscsi_terms *own, bool leading);
bool iscsi_terms_take(const struct iscsi_text *text, const struct iscsi_terms *own, bool leading,
                      struct iscsi_terms *agreed, struct iscsi_fault *fault);

/* Of a target's answer: */
struct iscsi_stage {
    bool leading; /* the connection is the first of its session */
    bool first;   /* no answer of the Login was before */
};

/* Target: reads an offer, writes the answers. */
bool iscsi_terms_answer(const struct iscsi_text *offer, const struct iscsi_terms *own,
                        struct iscsi_stage stage, struct iscsi_terms *agreed,
                        struct iscsi_text *answer, struct iscsi_fault *fault);

/* NVMe names hosts and subsystems "nqn.", iSCSI names nodes "iqn."; the rest is the same. False:
 * the name is too long or has another form. */
bool iscsi_name_of_nqn(char name[ISCSI_NAME_BYTES], const char *nqn);
bool iscsi_nqn_of_name(char *nqn, size_t bytes, const char *name);

#endif
