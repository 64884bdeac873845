/* SPDX-License-Identifier: Apache-2.0
 * agree_proof - tags of the three kinds of messages. */
#include "bridge/agree/agree_proof.h"

#include "nvme/wire/wire.h"

enum {
    REQUEST_TAG_AT = AGREE_REQUEST_BYTES - ACCESS_TAG_BYTES,
    ANSWER_TAG_AT = AGREE_ANSWER_BYTES - ACCESS_TAG_BYTES,
    MOMENT_TAG_AT = AGREE_MOMENT_BYTES - ACCESS_TAG_BYTES
};

/* Long enough for a host that compares 2^30 lines, which takes thirty requests of a millisecond
 * each. */
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

/* Content of a tag: the message up to its tag at the end, and the preceding data. */
struct statement {
    const unsigned char *key; /* NULL: no secret, so no tag */
    const char *purpose;
    struct access_part parts[2]; /* preceding data, message */
};

static void tag_of(const struct statement *statement, unsigned char tag[ACCESS_TAG_BYTES])
{
    access_tag(statement->key, statement->purpose, statement->parts, 2, tag);
}

static void prove(const struct statement *statement, unsigned char *message)
{
    if (statement->key != NULL)
        tag_of(statement, message + statement->parts[1].length);
}

static bool is_proven(const struct statement *statement, const unsigned char *message)
{
    unsigned char tag[ACCESS_TAG_BYTES];
    if (statement->key == NULL)
        return true;
    tag_of(statement, tag);
    return access_same_tag(tag, message + statement->parts[1].length);
}

static const unsigned char *key_of(const struct access *access)
{
    return access->secret ? access->key : NULL;
}

static struct statement of_request(const struct access *access, const unsigned char *challenge,
                                   const unsigned char *request)
{
    return (struct statement){
        key_of(access), "request", {{challenge, AGREE_NONCE_BYTES}, {request, REQUEST_TAG_AT}}};
}

static struct statement of_answer(const struct access *access, const unsigned char *request,
                                  const unsigned char *answer)
{
    return (struct statement){
        key_of(access), "answer", {{request, AGREE_REQUEST_BYTES}, {answer, ANSWER_TAG_AT}}};
}

static struct statement of_moment(const struct agree_session *session, enum agree_side side,
                                  const unsigned char *moment)
{
    return (struct statement){session->secret ? session->key : NULL,
                              side == AGREE_HOST ? "host" : "target",
                              {{"", 0}, {moment, MOMENT_TAG_AT}}};
}

void agree_prove_request(const struct access *access, const unsigned char *challenge,
                         unsigned char *request)
{
    const struct statement statement = of_request(access, challenge, request);
    prove(&statement, request);
}

bool agree_request_is_proven(const struct access *access, const unsigned char *challenge,
                             const unsigned char *request)
{
    const struct statement statement = of_request(access, challenge, request);
    return is_proven(&statement, request);
}

void agree_prove_answer(const struct access *access, const unsigned char *request,
                        unsigned char *answer)
{
    const struct statement statement = of_answer(access, request, answer);
    prove(&statement, answer);
}

bool agree_answer_is_proven(const struct access *access, const unsigned char *request,
                            const unsigned char *answer)
{
    const struct statement statement = of_answer(access, request, answer);
    return is_proven(&statement, answer);
}

void agree_session_make(struct agree_session *session, const struct access *access,
                        const unsigned char *request, const unsigned char *answer)
{
    const struct statement statement = of_answer(access, request, answer);
    session->secret = access->secret;
    if (session->secret)
        access_derive(statement.key, "session", statement.parts, 2, session->key);
}

void agree_prove_moment(const struct agree_session *session, enum agree_side side,
                        unsigned char *moment)
{
    const struct statement statement = of_moment(session, side, moment);
    prove(&statement, moment);
}

bool agree_moment_is_proven(const struct agree_session *session, enum agree_side side,
                            const unsigned char *moment)
{
    const struct statement statement = of_moment(session, side, moment);
    return is_proven(&statement, moment);
}
