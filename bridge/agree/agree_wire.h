/* SPDX-License-Identifier: Apache-2.0
 * agree_wire - what two ends of the bridge say before they play: the bytes.
 * Little-endian; every message begins with a magic and a version and ends with a tag
 * (agree_proof.h).  A request is the private data of a connection request, an answer that of the
 * reply or the rejection; moments are sent over the connection.  Readers check lengths and
 * ranges: false is a message that is not ours or is wrong.
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
    AGREE_ANSWER_BYTES = 148, /* VERBS_REJ_PRIVATE_MAX, so that both ways have room */
    AGREE_NONCE_BYTES = 16,
    AGREE_TEXT_BYTES = 105, /* of an answer, with its end */
    AGREE_MOMENT_BYTES = 32 + 4 * NICS_MAX + ACCESS_TAG_BYTES
};

/* JOIN: I play this scenario, do you?  COMPARE: are our first `prefix` lines the same, and what is
 * your next one?  CHALLENGE: send me a nonce for my proof of the secret.
 * Only JOIN is ever accepted. */
enum agree_question { AGREE_JOIN, AGREE_COMPARE, AGREE_CHALLENGE };

struct agree_request {
    uint16_t version;
    enum agree_question question;
    bool proven;          /* it has a tag */
    uint64_t nonce;       /* of the host: an old answer does not match it */
    struct digest digest; /* of the plan; JOIN */
    uint32_t lines;       /* JOIN */
    uint32_t target;      /* node that the asked one is thought to play; JOIN */
    uint32_t prefix;      /* COMPARE */
    uint64_t prefix_hash; /* COMPARE */
};

/* The first ones, up to AGREE_NOT_LOCAL, are said without a proof and reveal nothing. */
enum agree_verdict {
    AGREE_OTHER_VERSION,
    AGREE_CHALLENGED,     /* nonce: what the proof is to be about */
    AGREE_SECRET_NEEDED,  /* the request has no proof */
    AGREE_WRONG_SECRET,   /* its proof is wrong, or about a nonce of too long ago */
    AGREE_NO_SECRET,      /* who answers has none */
    AGREE_NOT_LOCAL,      /* the same, and who asks is another machine */
    AGREE_WELCOME,        /* nonce: of this session */
    AGREE_OTHER_SCENARIO, /* text: line 0 of the one who answers */
    AGREE_OTHER_TARGET,   /* text: the host that it plays */
    AGREE_FULL,
    AGREE_SAME,      /* to COMPARE; text: line `prefix` of the one who answers */
    AGREE_DIFFERENT, /* to COMPARE */
    AGREE_VERDICTS
};

struct agree_answer {
    uint16_t version;
    enum agree_verdict verdict;
    uint32_t lines;
    unsigned char nonce[AGREE_NONCE_BYTES];
    char text[AGREE_TEXT_BYTES];
};

/* PING and PONG measure the round trip; BEGIN proposes moment 0, BEGUN says which one holds.  Both
 * are on the clock of the target. */
enum agree_kind { AGREE_PING, AGREE_PONG, AGREE_BEGIN, AGREE_BEGUN, AGREE_KINDS };

struct agree_moment {
    enum agree_kind kind;
    uint32_t sequence;
    time_ps clock;          /* of the sender */
    time_ps zero;           /* TIME_NEVER: not known yet */
    uint32_t ips[NICS_MAX]; /* BEGIN: the sender's addresses, 0 for none */
};

/* Writers leave the tag at the end to agree_proof. */
void agree_write_request(const struct agree_request *request, unsigned char *bytes);
bool agree_read_request(const unsigned char *bytes, size_t length, struct agree_request *request);
void agree_write_answer(const struct agree_answer *answer, unsigned char *bytes);
bool agree_read_answer(const unsigned char *bytes, size_t length, struct agree_answer *answer);
void agree_write_moment(const struct agree_moment *moment, unsigned char *bytes);
bool agree_read_moment(const unsigned char *bytes, size_t length, struct agree_moment *moment);

#endif
