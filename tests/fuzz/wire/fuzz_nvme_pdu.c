/* SPDX-License-Identifier: Apache-2.0
 * fuzz_nvme_pdu - any bytes as the header of an NVMe/TCP PDU.
 * The first byte chooses what the receiver expects, the second one its data alignment.  A header
 * that is accepted has consistent lengths, and is the same after it was encoded and read again.
 * Reads: model/nvme/tcp/pdu.c */
#include "base/check.h"
#include "nvme/tcp/pdu.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void encode_again(const struct nvme_pdu *pdu, const struct nvme_pdu_rules *rules)
{
    unsigned char bytes[NVME_PDU_BEFORE_MAX];
    struct nvme_pdu_fault fault;
    struct nvme_pdu back;
    nvme_pdu_encode(pdu, &rules->format, bytes);
    CHECK(nvme_pdu_header_bytes(bytes, rules, &fault) > 0);
    CHECK(nvme_pdu_decode(&back, bytes, rules, &fault));
    CHECK(back.type == pdu->type && back.cid == pdu->cid && back.ttag == pdu->ttag);
    CHECK(back.at == pdu->at && back.length == pdu->length && back.fes == pdu->fes);
    CHECK(back.limit == pdu->limit && back.fei == pdu->fei && back.digests == pdu->digests);
    CHECK(memcmp(back.entry, pdu->entry, sizeof back.entry) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char bytes[NVME_PDU_BEFORE_MAX] = {0};
    struct nvme_pdu_fault fault = {.fes = NVME_FES_NONE};
    struct nvme_pdu pdu;
    if (size < 2 + NVME_PDU_COMMON_BYTES)
        return 0;
    const struct nvme_pdu_rules rules = {
        .format = {(data[0] & 1) != 0, (data[0] & 2) != 0, data[1] % (NVME_PDU_PDA_MAX + 1)},
        .from_host = (data[0] & 4) != 0,
        .initialized = (data[0] & 8) != 0,
    };
    memcpy(bytes, data + 2, size - 2 < sizeof bytes ? size - 2 : sizeof bytes);
    const uint32_t header = nvme_pdu_header_bytes(bytes, &rules, &fault);
    CHECK((header == 0) == (fault.fes != NVME_FES_NONE) && header <= NVME_PDU_IC_BYTES);
    if (header == 0 || !nvme_pdu_decode(&pdu, bytes, &rules, &fault)) {
        CHECK(fault.fes >= NVME_FES_HEADER_FIELD && fault.fes <= NVME_FES_PARAMETER);
        return 0;
    }
    CHECK(pdu.before >= header && pdu.before < NVME_PDU_BEFORE_MAX);
    if (pdu.length < UINT32_MAX - NVME_PDU_BEFORE_MAX)
        encode_again(&pdu, &rules);
    return 0;
}
