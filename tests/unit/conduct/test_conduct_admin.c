/* SPDX-License-Identifier: Apache-2.0
 * Where targets differ at Identify, log pages and features; sources as in test_conduct.c. */
#include "tests/unit/conduct/conduct.h"

#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum {
    IDENTIFY = NVME_ADMIN_IDENTIFY,
    SET = NVME_ADMIN_SET_FEATURES,
    GET = NVME_ADMIN_GET_FEATURES,
    FIELD = NVME_STATUS_INVALID_FIELD,
    SV = 31, /* CDW10 of Set Features */
};

/* ---- Identify ---- */

static const struct row identify_rows[] = {
    {"a namespace", IDENTIFY, 1, 4096, 0, 0, 0, {0, 0, 0}, {0}},
    {"not active", IDENTIFY, 2, 4096, 0, 0, 0, {0, 0, 0}, {0}},
    {"NSID 0",
     IDENTIFY,
     0,
     4096,
     0,
     0,
     0,
     {NVME_STATUS_INVALID_NAMESPACE | DNR, 0, NVME_STATUS_INVALID_NAMESPACE},
     {0}},
    {"above NN",
     IDENTIFY,
     5000,
     4096,
     0,
     0,
     0,
     {NVME_STATUS_INVALID_NAMESPACE | DNR, 0, NVME_STATUS_INVALID_NAMESPACE},
     {0}},
    {"all",
     IDENTIFY,
     NVME_NSID_ALL,
     4096,
     0,
     0,
     0,
     {NVME_STATUS_INVALID_NAMESPACE | DNR, NVME_STATUS_INVALID_NAMESPACE | DNR | MORE,
      NVME_STATUS_INVALID_NAMESPACE},
     {0}},
    {"list behind 0", IDENTIFY, 0, 4096, 2, 0, 0, {0, 0, 0}, {0}},
    {"list behind FFFFFFFDh", IDENTIFY, 0xFFFFFFFD, 4096, 2, 0, 0, {0, 0, 0}, {0}},
    {"list behind FFFFFFFEh",
     IDENTIFY,
     0xFFFFFFFE,
     4096,
     2,
     0,
     0,
     {NVME_STATUS_INVALID_NAMESPACE | DNR, 0, NVME_STATUS_INVALID_NAMESPACE},
     {0}},
    {"descriptors of none",
     IDENTIFY,
     2,
     4096,
     3,
     0,
     0,
     {NVME_STATUS_INVALID_NAMESPACE | DNR, NVME_STATUS_INVALID_NAMESPACE | DNR | MORE,
      NVME_STATUS_INVALID_NAMESPACE},
     {0}},
    {"CNS 05h", IDENTIFY, 1, 4096, 5, 0, 0, {0, FIELD | DNR | MORE, FIELD}, {0}},
    {"CNS 06h", IDENTIFY, 0, 4096, 6, 0, 0, {0, 0, FIELD}, {0}},
    {"CNS 06h, zoned",
     IDENTIFY,
     0,
     4096,
     6,
     2 << 24,
     0,
     {FIELD | DNR, FIELD | DNR | MORE, FIELD},
     {0}},
    {"CNS 07h", IDENTIFY, 0, 4096, 7, 0, 0, {0, FIELD | DNR | MORE, FIELD}, {0}},
    {"CNS 1Ch", IDENTIFY, 0, 4096, 0x1C, 0, 0, {0, FIELD | DNR | MORE, FIELD}, {0}},
    {"CNS 10h", IDENTIFY, 0, 4096, 0x10, 0, 0, {FIELD | DNR, FIELD | DNR | MORE, FIELD}, {0}},
};

static void identify_rules(void **state)
{
    (void)state;
    CHECK_ALL(0, identify_rows);
}

/* ---- log pages ---- */

static void log_rules(void **state)
{
    (void)state;
    enum { OP = NVME_ADMIN_GET_LOG, ALL = 0xFFFFFFFF };
    const struct row rows[] = {
        {"unknown",
         OP,
         ALL,
         512,
         numd(512) | 0x7F,
         0,
         0,
         {NVME_STATUS_INVALID_LOG_PAGE | DNR, FIELD | DNR | MORE, FIELD},
         {0}},
        {"discovery",
         OP,
         ALL,
         512,
         numd(512) | 0x70,
         0,
         0,
         {NVME_STATUS_INVALID_LOG_PAGE | DNR, FIELD | DNR | MORE, FIELD},
         {0}},
        {"SMART", OP, ALL, 512, numd(512) | 2, 0, 0, {0, 0, 0}, {0}},
        {"a part of SMART", OP, ALL, 64, numd(64) | 2, 0, 32, {0, NVME_STATUS_INTERNAL, 0}, {0}},
        {"the end of SMART", OP, ALL, 4, numd(4) | 2, 0, 512, {0, NVME_STATUS_INTERNAL, 0}, {0}},
        {"behind SMART", OP, ALL, 512, numd(512) | 2, 0, 516, {FIELD | DNR, 0, 0}, {0}},
        {"more than SMART", OP, ALL, 1024, numd(1024) | 2, 0, 0, {0, NVME_STATUS_INTERNAL, 0}, {0}},
        {"half a word", OP, ALL, 512, numd(512) | 1, 0, 2, {FIELD | DNR, 0, FIELD}, {0}},
        {"SMART of NSID 0",
         OP,
         0,
         512,
         numd(512) | 2,
         0,
         0,
         {0, NVME_STATUS_INVALID_NAMESPACE | DNR | MORE, 0},
         {0}},
        {"SMART of NSID 9",
         OP,
         9,
         512,
         numd(512) | 2,
         0,
         0,
         {NVME_STATUS_INVALID_NAMESPACE | DNR, NVME_STATUS_INVALID_NAMESPACE | DNR | MORE, 0},
         {0}},
        {"changed namespaces", OP, ALL, 64, numd(64) | 4, 0, 0, {0, NVME_STATUS_INTERNAL, 0}, {0}},
        {"errors of a namespace", OP, 1, 64, numd(64) | 1, 0, 0, {FIELD | DNR, 0, 0}, {0}},
        {"effects",
         OP,
         0,
         64,
         numd(64) | 5,
         0,
         0,
         {0, NVME_STATUS_SGL_LENGTH | DNR | MORE, 0},
         {0}},
    };
    CHECK_ALL(0, rows);
}

/* The newest error first: of an unknown log page, with its status above the phase bit. */
static void the_error_log(void **state)
{
    (void)state;
    const struct row unknown = {"unknown",
                                NVME_ADMIN_GET_LOG,
                                0,
                                512,
                                numd(512) | 0x7F,
                                0,
                                0,
                                {NVME_STATUS_INVALID_LOG_PAGE | DNR, FIELD | DNR | MORE, FIELD},
                                {0}};
    const struct row errors = {
        "errors", NVME_ADMIN_GET_LOG, NVME_NSID_ALL, 128, numd(128) | 1, 0, 0, {0, 0, 0}, {0}};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        conduct_check(0, &unknown, identity);
        conduct_check(0, &errors, identity);
        const unsigned char *entry = raw.buffer->bytes;
        const uint16_t status = identity == OWN ? NVME_STATUS_INVALID_LOG_PAGE | DNR : FIELD | DNR;
        assert_int_equal(wire_get64(entry), identity != SPDK);
        assert_int_equal(wire_get16(entry + 12), identity == SPDK ? 0 : (uint16_t)(status << 1));
        assert_int_equal(entry[29], identity == OWN); /* RDMA is 1 */
        assert_int_equal(wire_get64(entry + 64), 0);
        raw_fini(&raw);
    }
}

/* Base 2.0, 5.16.1.4: the active slot and what is in it. */
static void the_firmware_log(void **state)
{
    (void)state;
    static const char *const revisions[] = {"1       ", "\0\0\0\0\0\0\0\0", "22.01   "};
    const struct row row = {
        "firmware", NVME_ADMIN_GET_LOG, NVME_NSID_ALL, 512, numd(512) | 3, 0, 0, {0, 0, 0}, {0}};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        conduct_check(0, &row, identity);
        assert_int_equal(raw.buffer->bytes[0], identity != NVMET);
        assert_memory_equal(raw.buffer->bytes + 8, revisions[identity], 8);
        raw_fini(&raw);
    }
}

/* ---- features ---- */

static const struct row feature_rows[] = {
    {"events at first", GET, 0, 0, 0x0B, 0, 0, {0, 0, 0}, {0, 0x900, 0x900}},
    {"SMART events", SET, 0, 0, 0x0B, 0x91F, 0, {0, 0, 0}, {0, 0x91F, 0}},
    {"events", GET, 0, 0, 0x0B, 0, 0, {0, 0, 0}, {0x91F, 0x91F, 0x91F}},
    {"events that are not offered",
     SET,
     0,
     0,
     0x0B,
     0x1000,
     0,
     {FIELD | DNR, FIELD | DNR | MORE, 0},
     {0}},
    {"Number of Queues again",
     SET,
     0,
     0,
     7,
     3 << 16 | 3,
     0,
     {NVME_STATUS_SEQUENCE | DNR, 0, NVME_STATUS_SEQUENCE},
     {0, 0x7F007F, 0}},
    {"Number of Queues", GET, 0, 0, 7, 0, 0, {0, 0, 0}, {0x7F007F, 0x7F007F, 0x7F007F}},
    {"arbitration", SET, 0, 0, 1, 0x01020303, 0, {0, FIELD | DNR | MORE, 0}, {0}},
    {"arbitration", GET, 0, 0, 1, 0, 0, {0, FIELD | DNR | MORE, 0}, {0x01020303, 0, 0x01020303}},
    {"power state 0", SET, 0, 0, 2, 0, 0, {0, FIELD | DNR | MORE, 0}, {0}},
    {"power state 1", SET, 0, 0, 2, 1, 0, {FIELD | DNR, FIELD | DNR | MORE, FIELD}, {0}},
    {"temperature", GET, 0, 0, 4, 0, 0, {0, FIELD | DNR | MORE, 0}, {0xFFFF, 0, 0}},
    {"sensor 9", SET, 0, 0, 4, 9 << 16, 0, {FIELD | DNR, FIELD | DNR | MORE, FIELD}, {0}},
    {"error recovery", SET, 1, 0, 5, 30, 0, {0, FIELD | DNR | MORE, 0}, {0}},
    {"error recovery", GET, 1, 0, 5, 0, 0, {0, FIELD | DNR | MORE, 0}, {30, 0, 30}},
    {"DULBE", SET, 1, 0, 5, 1 << 16, 0, {FIELD | DNR, FIELD | DNR | MORE, FIELD}, {0}},
    {"atomicity", GET, 0, 0, 0x0A, 0, 0, {0, FIELD | DNR | MORE, 0}, {0}},
    {"coalescing", GET, 0, 0, 8, 0, 0, {FIELD | DNR, FIELD | DNR | MORE, 0}, {0}},
    {"write cache on", SET, 0, 0, 6, 1, 0, {0, FIELD | DNR | MORE, 0}, {0}},
    {"write cache off",
     SET,
     0,
     0,
     6,
     0,
     0,
     {NVME_STATUS_NOT_CHANGEABLE | DNR, FIELD | DNR | MORE, 0},
     {0}},
    {"saved",
     SET,
     0,
     0,
     UINT32_C(1) << SV | 0x0B,
     0x100,
     0,
     {NVME_STATUS_NOT_SAVEABLE | DNR, 0, NVME_STATUS_NOT_SAVEABLE},
     {0, 0x100, 0}},
    {"of a namespace",
     SET,
     1,
     0,
     0x0B,
     0x100,
     0,
     {NVME_STATUS_NOT_OF_NAMESPACE | DNR, 0, 0},
     {0, 0x100, 0}},
    {"default", GET, 0, 0, 1 << 8 | 7, 0, 0, {FIELD | DNR, 0, 0}, {0, 0x7F007F, 0x7F007F}},
    {"host identifier",
     SET,
     0,
     0,
     0x81,
     0,
     0,
     {NVME_STATUS_SEQUENCE | DNR, NVME_STATUS_SEQUENCE | DNR, NVME_STATUS_SEQUENCE},
     {0}},
    {"KATO", SET, 0, 0, 0x0F, 12500, 0, {0, 0, 0}, {0, 13, 0}},
    {"KATO", GET, 0, 0, 0x0F, 0, 0, {0, 0, 0}, {13000, 13000, 20000}},
    {"unknown", GET, 0, 0, 0x77, 0, 0, {FIELD | DNR, FIELD | DNR | MORE, FIELD}, {0}},
};

static void features(void **state)
{
    (void)state;
    CHECK_ALL(0, feature_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identify_rules), cmocka_unit_test(log_rules),
        cmocka_unit_test(the_error_log),  cmocka_unit_test(the_firmware_log),
        cmocka_unit_test(features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
