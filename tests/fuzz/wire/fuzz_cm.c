/* SPDX-License-Identifier: Apache-2.0
 * fuzz_cm - any bytes as messages of the connection manager.
 * What is decoded is within its fields, and encoded again reads the same.  Then an RNIC that
 * listens, one that is connected or one that connects hears it: it may answer, and goes on.
 * Reads: model/rnic/cm/cm.c model/rnic/cm/cm_*.c */
#include "base/check.h"
#include "rnic/cm/cm.h"
#include "rnic/cm/cm_conn.h"
#include "rnic/cm/cm_mad.h"
#include "tests/unit/rnic/rnic_pair.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES_MAX = 8 };

/* A record of data: what kind of message, how many bytes of its body, and these.  One kind in eight
 * is all bytes as they come. */
static bool next_message(const uint8_t **data, size_t *size, uint8_t bytes[CM_MAD_BYTES])
{
    static const uint8_t kinds[] = {CM_REQ, CM_REJ, CM_REP, CM_RTU, CM_DREQ, CM_DREP, CM_REQ};
    if (*size < 2)
        return false;
    const uint8_t kind = (*data)[0] % 8, wanted = (*data)[1];
    const uint8_t *at = *data + 2;
    const size_t from = kind == sizeof kinds ? 0 : CM_MAD_HEADER, room = CM_MAD_BYTES - from;
    size_t length = wanted < room ? wanted : room;
    if (length > *size - 2)
        length = *size - 2;
    memset(bytes, 0, CM_MAD_BYTES);
    bytes[0] = 1;
    bytes[1] = 7;
    bytes[2] = 2;
    bytes[3] = 3;
    bytes[17] = kinds[kind % sizeof kinds];
    memcpy(bytes + from, at, length);
    *data = at + length;
    *size -= 2 + length;
    return true;
}

static bool read_again(const uint8_t bytes[CM_MAD_BYTES], struct cm_mad *mad)
{
    uint8_t written[CM_MAD_BYTES];
    struct cm_mad again;
    if (!cm_mad_decode(bytes, mad))
        return false;
    CHECK(mad->private_len <= sizeof mad->private_data);
    CHECK(mad->qpn <= 0xFFFFFF && mad->starting_psn <= 0xFFFFFF);
    cm_mad_encode(mad, written);
    CHECK(cm_mad_decode(written, &again));
    CHECK(memcmp(mad, &again, sizeof again) == 0);
    return true;
}

/* A frame as the pair's RNIC has it from the wire; its own answers leave by the engine. */
static void hear(struct pair *pair, int side, const uint8_t bytes[CM_MAD_BYTES])
{
    const struct frame frame = {
        .source = (uint32_t)!side, .destination = (uint32_t)side, .priority = 3, .tos = 26 << 2};
    cm_receive(pair->rnics[side], &frame, bytes);
}

/* A message names its connection by an identifier: the bits choose that of the living one, so that
 * more than the first comparison is reached. */
static void aim(const struct pair *pair, int side, uint8_t how, struct cm_mad *mad)
{
    const struct verbs_conn *mine = pair->ends[side].conn, *other = pair->ends[!side].conn;
    if (mine == NULL || other == NULL)
        return;
    if ((how & 1) != 0)
        mad->remote_id = cm_conn_id(mine);
    if ((how & 2) != 0)
        mad->local_id = cm_conn_id(other);
    if ((how & 4) != 0)
        mad->remote_qpn = mine->qp == NULL ? 0 : mine->qp->qpn;
    if ((how & 8) != 0)
        mad->service_id = CM_SERVICE_ID(PAIR_SERVICE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[CM_MAD_BYTES];
    struct pair_params params;
    if (size < 2)
        return 0;
    const uint8_t how = data[0], aims = data[1];
    const int side = how & 1;
    data += 2;
    size -= 2;
    pair_presets(&params);
    struct pair *pair = pair_make(&params);
    pair->tolerant = true;
    pair->refuse = (how & 2) != 0;
    pair_connect(pair);
    for (unsigned i = 0; i < MESSAGES_MAX && next_message(&data, &size, bytes); i++) {
        struct cm_mad mad;
        if (!read_again(bytes, &mad))
            continue;
        aim(pair, side, aims, &mad);
        cm_mad_encode(&mad, bytes);
        hear(pair, side, bytes);
        pair_run(pair, 10 * PS_PER_US);
    }
    pair_free(pair);
    return 0;
}
