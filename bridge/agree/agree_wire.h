/* SPDX-License-Identifier: Apache-2.0
 * agree_wire - format of the messages exchanged by two ends of the bridge before a run.
 * Little-endian; every message begins with a magic number and a version and ends with a tag
 * (agree_proof.h). A request is the private data of a connection request, an answer that of the
 * reply or the rejection; moments are sent over the connection. Readers check lengths and ranges
 * and return false for messages that are not ours or are invalid.
 * Units: ps. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_WIRE_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_WIRE_H

#include "base/digest.h"
#include "base/units.h"
#include "bridge/access/access.h"
#include "scenarios/fabric/nics.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    AGREE_VERSION = 2,
    AGREE_REQUEST_BYTES = 56, /* VERBS_REQ_PRIVATE_MAX */
    AGREE_ANSWER_BYTES = 148, /* VERBS_REJ_PRIVATE_MAX, so that both replies and rejections have
                               * room */
    AGREE_NONCE_BYTES = 16,
    AGREE_TEXT_BYTES = 105, /* text of an answer, including its terminator */
    AGREE_MOMENT_BYTES = 32 + 4 * NICS_MAX + ACCESS_TAG_BYTES
};

/* JOIN: is this your scenario, too? COMPARE: are our first `prefix` lines equal, and what is your
 * next line? CHALLENGE: request for a nonce for the proof of the secret. Only JOIN can be
 * accepted. */
enum agree_question { AGREE_JOIN, AGREE_COMPARE, AGREE_CHALLENGE };

struct agree_request {
    uint16_t version;
    enum agree_question question;
    bool proven;          /* it has a tag */
    uint64_t nonce;       /* of the host, so that an old answer does not match */
    struct digest digest; /* of the scenario's lines; JOIN */
    uint32_t lines;       /* JOIN */
    uint32_t target;      /* expected node of the target; JOIN */
    uint32_t prefix;      /* COMPARE */
    uint64_t prefix_hash; /* COMPARE */
};

/* The values up to AGREE_NOT_LOCAL are sent without a proof and reveal nothing. */
enum agree_verdict {
    AGREE_OTHER_VERSION,
    AGREE_CHALLENGED,     /* nonce: content of the proof */
    AGREE_SECRET_NEEDED,  /* the request has no proof */
    AGREE_WRONG_SECRET,   /* the proof is wrong, or its nonce has expired */
    AGREE_NO_SECRET,      /* the target has no secret */
    AGREE_NOT_LOCAL,      /* likewise, and the host is another machine */
    AGREE_WELCOME,        /* nonce: of this session */
    AGREE_OTHER_SCENARIO, /* text: first line of the target */
    AGREE_OTHER_TARGET,   /* text: host that the target represents */
    AGREE_FULL,
    AGREE_SAME,      /* answer to COMPARE; text: line `prefix` of the target */
    AGREE_DIFFERENT, /* answer to COMPARE */
    AGREE_VERDICTS
};

struct agree_answer {
    uint16_t version;
    enum agree_verdict verdict;
    uint32_t lines;
    unsigned char nonce[AGREE_NONCE_BYTES];
    char text[AGREE_TEXT_BYTES];
};

/* PING and PONG measure the round trip; BEGIN proposes moment 0, BEGUN returns the valid one. Both
 * are on the target's clock. */
enum agree_kind { AGREE_PING, AGREE_PONG, AGREE_BEGIN, AGREE_BEGUN, AGREE_KINDS };

struct agree_moment {
    enum agree_kind kind;
    uint32_t sequence;
    time_ps clock;          /* of the sender */
    time_ps zero;           /* TIME_NEVER: unknown */
    uint32_t ips[NICS_MAX]; /* BEGIN: addresses of the sender, 0 for none */
};

/* Writers leave the tag at the end to agree_proof. */
void agree_write_request(const struct agree_request *request, unsigned char *bytes);
bool agree_read_request(const unsigned char *bytes, size_t length, struct agree_request *request);
void agree_write_answer(const struct agree_answer *answer, unsigned char *bytes);
bool agree_read_answer(const unsigned char *bytes, size_t length, struct agree_answer *answer);
void agree_write_moment(const struct agree_moment *moment, unsigned char *bytes);
bool agree_read_moment(const unsigned char *bytes, size_t length, struct agree_moment *moment);

#endif
