/* SPDX-License-Identifier: Apache-2.0
 * agree_proof - tags of the three kinds of message. */
#include "bridge/agree/agree_proof.h"

#include "nvme/wire/wire.h"

#include <string.h>

enum {
    REQUEST_TAG_AT = AGREE_REQUEST_BYTES - ACCESS_TAG_BYTES,
    ANSWER_TAG_AT = AGREE_ANSWER_BYTES - ACCESS_TAG_BYTES,
    MOMENT_TAG_AT = AGREE_MOMENT_BYTES - ACCESS_TAG_BYTES
};

/* A host that compares 2^30 lines asks thirty times, a millisecond each. */
static const time_ps period = 30 * PS_PER_S;

void agree_challenge(const unsigned char key[ACCESS_KEY_BYTES], uint32_t ip, time_ps now,
                     unsigned ago, unsigned char nonce[AGREE_NONCE_BYTES])
{
    unsigned char where[12];
    wire_put32(where, ip);
    wire_put64(where + 4, (uint64_t)(now / period) - ago);
    const struct access_part part = {where, sizeof where};
    access_tag(key, "challenge", &part, 1, nonce);
}

static void tag_request(const struct access *access, const unsigned char *challenge,
                        const unsigned char *request, unsigned char tag[ACCESS_TAG_BYTES])
{
    const struct access_part parts[] = {{challenge, AGREE_NONCE_BYTES}, {request, REQUEST_TAG_AT}};
    access_tag(access->key, "request", parts, 2, tag);
}

void agree_prove_request(const struct access *access, const unsigned char *challenge,
                         unsigned char *request)
{
    if (access->secret)
        tag_request(access, challenge, request, request + REQUEST_TAG_AT);
}

bool agree_request_is_proven(const struct access *access, const unsigned char *challenge,
                             const unsigned char *request)
{
    unsigned char tag[ACCESS_TAG_BYTES];
    if (!access->secret)
        return true;
    tag_request(access, challenge, request, tag);
    return access_same_tag(tag, request + REQUEST_TAG_AT);
}

static void tag_answer(const struct access *access, const unsigned char *request,
                       const unsigned char *answer, unsigned char tag[ACCESS_TAG_BYTES])
{
    const struct access_part parts[] = {{request, AGREE_REQUEST_BYTES}, {answer, ANSWER_TAG_AT}};
    access_tag(access->key, "answer", parts, 2, tag);
}

void agree_prove_answer(const struct access *access, const unsigned char *request,
                        unsigned char *answer)
{
    if (access->secret)
        tag_answer(access, request, answer, answer + ANSWER_TAG_AT);
}

bool agree_answer_is_proven(const struct access *access, const unsigned char *request,
                            const unsigned char *answer)
{
    unsigned char tag[ACCESS_TAG_BYTES];
    if (!access->secret)
        return true;
    tag_answer(access, request, answer, tag);
    return access_same_tag(tag, answer + ANSWER_TAG_AT);
}

void agree_session_make(struct agree_session *session, const struct access *access,
                        const unsigned char *request, const unsigned char *answer)
{
    const struct access_part parts[] = {{request, AGREE_REQUEST_BYTES}, {answer, ANSWER_TAG_AT}};
    session->secret = access->secret;
    if (session->secret)
        access_derive(access->key, "session", parts, 2, session->key);
}

static void tag_moment(const struct agree_session *session, enum agree_side side,
                       const unsigned char *moment, unsigned char tag[ACCESS_TAG_BYTES])
{
    const struct access_part part = {moment, MOMENT_TAG_AT};
    access_tag(session->key, side == AGREE_HOST ? "host" : "target", &part, 1, tag);
}

void agree_prove_moment(const struct agree_session *session, enum agree_side side,
                        unsigned char *moment)
{
    if (session->secret)
        tag_moment(session, side, moment, moment + MOMENT_TAG_AT);
}

bool agree_moment_is_proven(const struct agree_session *session, enum agree_side side,
                            const unsigned char *moment)
{
    unsigned char tag[ACCESS_TAG_BYTES];
    if (!session->secret)
        return true;
    tag_moment(session, side, moment, tag);
    return access_same_tag(tag, moment + MOMENT_TAG_AT);
}
