/* SPDX-License-Identifier: Apache-2.0
 * agree_proof - proves that a message is new and that its sender has the shared secret.
 *   host    CHALLENGE                           -> target
 *   target  CHALLENGED, a nonce for this address -> host
 *   host    JOIN, its nonce, a tag over both     -> target
 *   target  WELCOME, a nonce, a tag over all     -> host
 *   both    moments with tags, using a key derived from all of these
 * The target stores nothing about a challenge: it recomputes the nonce from its own key, the
 * address and the time. Without a secret, tags are zeros and every message counts as proven. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_PROOF_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_PROOF_H

#include "bridge/agree/agree_wire.h"

/* Sender of a moment. */
enum agree_side { AGREE_HOST, AGREE_TARGET };

struct agree_session {
    unsigned char key[ACCESS_KEY_BYTES];
    bool secret;
};

/* Nonce that a request from this address must prove; `ago`: 0 for the current period, 1 for the
 * previous one. */
void agree_challenge(const unsigned char key[ACCESS_KEY_BYTES], uint32_t ip, time_ps now,
                     unsigned ago, unsigned char nonce[AGREE_NONCE_BYTES]);

void agree_prove_request(const struct access *access, const unsigned char *challenge,
                         unsigned char *request);
bool agree_request_is_proven(const struct access *access, const unsigned char *challenge,
                             const unsigned char *request);
void agree_prove_answer(const struct access *access, const unsigned char *request,
                        unsigned char *answer);
bool agree_answer_is_proven(const struct access *access, const unsigned char *request,
                            const unsigned char *answer);
/* Both ends derive the same session from the request and the WELCOME. */
void agree_session_make(struct agree_session *session, const struct access *access,
                        const unsigned char *request, const unsigned char *answer);
void agree_prove_moment(const struct agree_session *session, enum agree_side side,
                        unsigned char *moment);
bool agree_moment_is_proven(const struct agree_session *session, enum agree_side side,
                            const unsigned char *moment);

#endif
