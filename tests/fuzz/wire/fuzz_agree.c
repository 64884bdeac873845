/* SPDX-License-Identifier: Apache-2.0
 * fuzz_agree - any bytes as what a peer says before it plays.
 * What is read is within its limits, and written again reads the same.
 * Reads: bridge/agree/agree_wire.c */
#include "base/check.h"
#include "bridge/agree/agree_wire.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_request(const uint8_t *data, size_t size)
{
    struct agree_request request, again;
    unsigned char bytes[AGREE_REQUEST_BYTES];
    if (!agree_read_request(data, size, &request) || request.version != AGREE_VERSION)
        return;
    CHECK(request.question <= AGREE_CHALLENGE);
    agree_write_request(&request, bytes);
    CHECK(agree_read_request(bytes, sizeof bytes, &again));
    CHECK(again.digest.low == request.digest.low && again.target == request.target);
}

static void try_answer(const uint8_t *data, size_t size)
{
    struct agree_answer answer, again;
    unsigned char bytes[AGREE_ANSWER_BYTES];
    if (!agree_read_answer(data, size, &answer) || answer.version != AGREE_VERSION)
        return;
    CHECK(strlen(answer.text) < AGREE_TEXT_BYTES);
    agree_write_answer(&answer, bytes);
    CHECK(agree_read_answer(bytes, sizeof bytes, &again));
    CHECK(strcmp(answer.text, again.text) == 0 && answer.verdict == again.verdict);
}

static void try_moment(const uint8_t *data, size_t size)
{
    struct agree_moment moment, again;
    unsigned char bytes[AGREE_MOMENT_BYTES];
    if (!agree_read_moment(data, size, &moment))
        return;
    agree_write_moment(&moment, bytes);
    CHECK(agree_read_moment(bytes, sizeof bytes, &again));
    CHECK(again.clock == moment.clock && again.zero == moment.zero);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_request(data, size);
    try_answer(data, size);
    try_moment(data, size);
    return 0;
}
