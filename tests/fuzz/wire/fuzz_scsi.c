/* SPDX-License-Identifier: Apache-2.0
 * fuzz_scsi - any bytes as a CDB, as the data from which a target makes its pages, and as an answer
 * that a host reads. The length of a page is the length that the page announces, and a host reads
 * from the pages of a target what the target has.
 * Reads: model/nvme/iscsi/scsi.c model/nvme/iscsi/scsi_pages.c */
#include "base/check.h"
#include "nvme/iscsi/scsi.h"
#include "nvme/wire/identify.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(enum scsi_kind kind, const unsigned char *bytes, uint32_t length)
{
    CHECK(length > 0 && length <= SCSI_PAGE_MAX);
    CHECK(scsi_announced(kind, bytes, length) == length);
}

static void make_pages(const unsigned char *identify, uint8_t block_shift)
{
    unsigned char bytes[SCSI_PAGE_MAX];
    struct nvme_identify_controller controller, back = {0};
    struct nvme_identify_namespace ns, ns_back;
    nvme_identify_decode_controller(&controller, identify);
    nvme_identify_decode_namespace(&ns, identify);
    ns.block_shift = block_shift; /* a target describes its own namespaces */
    const struct scsi_unit unit = {&controller, "iqn.2014-08.org.example:fuzz", block_shift};
    check_answer(SCSI_KIND_INQUIRY, bytes, scsi_put_inquiry(bytes, &controller, true));
    CHECK(scsi_take_inquiry(&back, bytes, SCSI_INQUIRY_BYTES));
    for (unsigned page = 0; page <= UINT8_MAX; page++) {
        const uint32_t length = scsi_put_page(bytes, (uint8_t)page, &unit);
        CHECK((length > 0) == scsi_has_page((uint8_t)page));
        if (length > 0)
            check_answer(SCSI_KIND_PAGE, bytes, length);
        if (page == SCSI_PAGE_LIMITS) {
            CHECK(scsi_take_limits(&back, bytes, length, block_shift));
            CHECK(back.mdts == controller.mdts || controller.mdts >= 16);
        }
        if (scsi_has_mode((uint8_t)page))
            check_answer(SCSI_KIND_MODE, bytes, scsi_put_mode(bytes, (uint8_t)page, &ns));
    }
    scsi_put_capacity(bytes, &ns);
    CHECK(scsi_take_capacity(&ns_back, bytes, SCSI_CAPACITY_BYTES));
    CHECK(ns_back.blocks == ns.blocks && ns_back.block_shift == ns.block_shift);
}

static void read_answer(const uint8_t *data, uint32_t length)
{
    unsigned char list[NVME_IDENTIFY_BYTES];
    struct nvme_identify_controller controller = {0};
    struct nvme_identify_namespace ns;
    for (int kind = 0; kind <= SCSI_KIND_UNKNOWN; kind++)
        CHECK(scsi_announced((enum scsi_kind)kind, data, length) <= SCSI_ANSWER_MAX);
    scsi_take_inquiry(&controller, data, length);
    scsi_take_limits(&controller, data, length, length > 0 ? data[0] : 9);
    scsi_take_capacity(&ns, data, length);
    scsi_take_luns(list, data, length);
    if (length > 0)
        scsi_take_status(data[0], data + 1, length - 1, (data[0] & 1) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char cdb[ISCSI_CDB_BYTES] = {0}, identify[NVME_IDENTIFY_BYTES] = {0};
    struct scsi_request request;
    memcpy(cdb, data, size < sizeof cdb ? size : sizeof cdb);
    memcpy(identify, data, size < sizeof identify ? size : sizeof identify);
    scsi_read_cdb(&request, cdb);
    make_pages(identify, size % 2 == 0 ? 9 : 12);
    read_answer(data, size < SCSI_ANSWER_MAX ? (uint32_t)size : SCSI_ANSWER_MAX);
    return 0;
}
