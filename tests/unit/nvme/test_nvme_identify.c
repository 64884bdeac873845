/* SPDX-License-Identifier: Apache-2.0
 * What Identify answers, byte by byte: each field at the offset and with the value that the base
 * specification and nvmet have for it, and zeroes everywhere else. */
#include "nvme/wire/wire.h"
#include "tests/unit/nvme/raw_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { DNR = NVME_STATUS_DNR, PAGE = NVME_IDENTIFY_BYTES };

struct field {
    unsigned at, bytes;
    uint64_t value;
};

static struct raw_host raw;

static uint16_t identify(uint32_t cns, uint32_t nsid, uint32_t csi)
{
    const struct nvme_command command = {
        .opcode = NVME_ADMIN_IDENTIFY,
        .flags = NVME_FLAGS_SGL,
        .nsid = nsid,
        .sgl = {raw.buffer->addr, PAGE, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = cns,
        .cdw11 = csi << 24,
    };
    memset(raw.buffer->bytes, 0xEE, PAGE);
    return raw_send(&raw, 0, &command, 0);
}

/* The page has these fields, and zeroes where there is none; a field of width 0 ends the list. */
static void expect_page(const struct field *fields)
{
    for (; fields->bytes > 0; fields++) {
        assert_int_equal(wire_get(raw.buffer->bytes + fields->at, fields->bytes), fields->value);
        memset(raw.buffer->bytes + fields->at, 0, fields->bytes);
    }
    for (unsigned i = 0; i < PAGE; i++)
        if (raw.buffer->bytes[i] != 0)
            fail_msg("byte %u is %u and has no field", i, raw.buffer->bytes[i]);
}

static void expect_text(unsigned at, unsigned bytes, const char *text, unsigned char filler)
{
    const size_t length = strlen(text);
    assert_memory_equal(raw.buffer->bytes + at, text, length);
    for (size_t i = length; i < bytes; i++)
        assert_int_equal(raw.buffer->bytes[at + i], filler);
    memset(raw.buffer->bytes + at, 0, bytes);
}

/* Sixteen digits that are the target's own, then spaces. */
static void expect_serial(void)
{
    for (unsigned i = 4; i < 20; i++)
        assert_non_null(memchr("0123456789abcdef", raw.buffer->bytes[i], 16));
    expect_text(20, 4, "", ' ');
    memset(raw.buffer->bytes + 4, 0, 16);
}

static void an_io_controller(void **state)
{
    (void)state;
    static const struct field fields[] = {
        {72, 1, 6},           /* RAB */
        {76, 1, 0xB},         /* CMIC: several ports and controllers, ANA */
        {77, 1, 8},           /* MDTS: 1 MiB */
        {78, 2, 1},           /* CNTLID */
        {80, 4, 0x10300},     /* VER */
        {92, 4, 0x900},       /* OAES: namespaces, ANA */
        {96, 4, 0x41},        /* CTRATT: identifiers of 128 bits, traffic-based keep alive */
        {111, 1, 1},          /* CNTRLTYPE */
        {258, 1, 3},          /* ACL */
        {259, 1, 3},          /* AERL */
        {260, 1, 3},          /* FRMW */
        {261, 1, 7},          /* LPA */
        {262, 1, 127},        /* ELPE */
        {320, 2, 10},         /* KAS: a second, in units of 100 ms */
        {342, 1, 10},         /* ANATT */
        {343, 1, 0x1F},       /* ANACAP */
        {344, 4, 128},        /* ANAGRPMAX */
        {348, 4, 128},        /* NANAGRPID */
        {512, 1, 0x66},       /* SQES */
        {513, 1, 0x44},       /* CQES */
        {514, 2, 1024},       /* MAXCMD */
        {516, 4, 1024},       /* NN */
        {520, 2, 0xD},        /* ONCS: Compare, Dataset Management, Write Zeroes */
        {525, 1, 1},          /* VWC */
        {536, 4, 0x00100005}, /* SGLS: any alignment, keyed, offsets */
        {540, 4, 1024},       /* MNAN */
        {1792, 4, 260},       /* IOCCSZ: 64 and 4096 bytes, in units of 16 */
        {1796, 4, 1},         /* IORCSZ */
        {1803, 1, 1},         /* MSDBD */
        {0, 0, 0},
    };
    raw_init(&raw);
    raw_bring_up(&raw);
    assert_int_equal(identify(NVME_CNS_CONTROLLER, 0, 0), NVME_STATUS_OK);
    expect_serial();
    expect_text(24, 40, "stormglass", ' ');
    expect_text(64, 8, "1", ' ');
    expect_text(768, 256, NVME_SUBSYSTEM_NQN, '\0');
    expect_page(fields);
    raw_fini(&raw);
}

/* drivers/nvme/target/admin-cmd.c of Linux 6.1, nvmet_execute_identify_ctrl. */
static void as_nvmet(void **state)
{
    (void)state;
    static const struct field fields[] = {
        {72, 1, 6},           /* RAB */
        {76, 1, 0xB},         /* CMIC */
        {77, 1, 8},           /* MDTS: NVMET_RDMA_MAX_MDTS */
        {78, 2, 1},           /* CNTLID */
        {80, 4, 0x10300},     /* VER */
        {92, 4, 0x900},       /* OAES */
        {96, 4, 0x41},        /* CTRATT */
        {111, 1, 1},          /* CNTRLTYPE */
        {258, 1, 3},          /* ACL */
        {259, 1, 3},          /* AERL */
        {260, 1, 3},          /* FRMW */
        {261, 1, 7},          /* LPA */
        {262, 1, 127},        /* ELPE */
        {320, 2, 10},         /* KAS */
        {342, 1, 10},         /* ANATT */
        {343, 1, 0x1F},       /* ANACAP */
        {344, 4, 128},        /* ANAGRPMAX */
        {348, 4, 128},        /* NANAGRPID */
        {512, 1, 0x66},       /* SQES */
        {513, 1, 0x44},       /* CQES */
        {514, 2, 1024},       /* MAXCMD */
        {516, 4, 1024},       /* NN */
        {520, 2, 0xC},        /* ONCS: no Compare */
        {525, 1, 1},          /* VWC */
        {531, 1, 1},          /* NWPC */
        {536, 4, 0x00100005}, /* SGLS */
        {540, 4, 1024},       /* MNAN */
        {1792, 4, 260},       /* IOCCSZ */
        {1796, 4, 1},         /* IORCSZ */
        {1803, 1, 1},         /* MSDBD */
        {2048, 2, 0x9C4},     /* PSD0: MP, ENLAT, EXLAT */
        {2052, 4, 0x10},      {2056, 4, 4}, {0, 0, 0},
    };
    raw_init_as(&raw, NULL, 0, NVME_TARGET_IS_NVMET, 0);
    raw_bring_up(&raw);
    assert_int_equal(identify(NVME_CNS_CONTROLLER, 0, 0), NVME_STATUS_OK);
    for (unsigned i = 4; i < 20; i++)
        assert_non_null(memchr("0123456789abcdef", raw.buffer->bytes[i], 16));
    expect_text(20, 4, "", '\0'); /* bin2hex of 8 bytes, then what was cleared */
    memset(raw.buffer->bytes + 4, 0, 16);
    expect_text(24, 40, "Linux", ' ');
    expect_text(64, 8, "6.1.0", ' ');
    expect_text(768, 256, NVME_SUBSYSTEM_NQN, '\0');
    expect_page(fields);
    raw_fini(&raw);
}

/* lib/nvmf/ctrlr.c of SPDK 22.01, of a subsystem that reports ANA. */
static void as_spdk(void **state)
{
    (void)state;
    static const struct field fields[] = {
        {0, 2, 0x8086},
        {2, 2, 0x8086},    /* VID, SSVID */
        {72, 1, 6},        /* RAB */
        {73, 3, 0x5CD2E4}, /* IEEE: e4 d2 5c */
        {76, 1, 0xB},      /* CMIC */
        {77, 1, 8},        /* MDTS */
        {78, 2, 1},        /* CNTLID */
        {80, 4, 0x10300},  /* VER */
        {92, 4, 0x900},    /* OAES */
        {96, 4, 1},        /* CTRATT: no traffic-based keep alive */
        {259, 1, 3},       /* AERL */
        {260, 1, 3},       /* FRMW */
        {261, 1, 6},       /* LPA */
        {262, 1, 127},     /* ELPE */
        {320, 2, 100},     /* KAS: 10 s */
        {342, 1, 10},      /* ANATT */
        {343, 1, 0x47},    /* ANACAP */
        {344, 4, 32},
        {348, 4, 32}, /* ANAGRPMAX, NANAGRPID */
        {512, 1, 0x66},
        {513, 1, 0x44},       /* SQES, CQES */
        {514, 2, 128},        /* MAXCMD: the queue's depth */
        {516, 4, 32},         /* NN */
        {520, 2, 0x2C},       /* ONCS: no Compare, which there is; reservations */
        {522, 2, 1},          /* FUSES: compare and write */
        {525, 1, 5},          /* VWC */
        {532, 2, 1},          /* ACWU */
        {536, 4, 0x00100005}, /* SGLS */
        {540, 4, 32},         /* MNAN */
        {1792, 4, 260},
        {1796, 4, 1},  /* IOCCSZ, IORCSZ */
        {1803, 1, 16}, /* MSDBD: SPDK_NVMF_MAX_SGL_ENTRIES */
        {0, 0, 0},
    };
    raw_init_as(&raw, NULL, 0, NVME_TARGET_IS_SPDK, 0);
    raw_bring_up(&raw);
    assert_int_equal(identify(NVME_CNS_CONTROLLER, 0, 0), NVME_STATUS_OK);
    assert_memory_equal(raw.buffer->bytes + 4, "SPDK", 4);
    for (unsigned i = 8; i < 22; i++)
        assert_non_null(memchr("0123456789", raw.buffer->bytes[i], 10));
    memset(raw.buffer->bytes + 4, 0, 18);
    expect_text(22, 2, "", ' ');
    expect_text(24, 40, "SPDK bdev Controller", ' ');
    expect_text(64, 8, "22.01", ' ');
    expect_text(768, 256, NVME_SUBSYSTEM_NQN, '\0');
    expect_page(fields);
    raw_fini(&raw);
}

static void a_discovery_controller(void **state)
{
    (void)state;
    static const struct field fields[] = {
        {78, 2, 1},           /* CNTLID */
        {80, 4, 0x10300},     /* VER */
        {92, 4, 0x80000000},  /* OAES: the discovery log */
        {96, 4, 0x41},        /* CTRATT */
        {111, 1, 2},          /* CNTRLTYPE */
        {259, 1, 3},          /* AERL */
        {261, 1, 4},          /* LPA: parts of a page */
        {320, 2, 10},         /* KAS */
        {514, 2, 1024},       /* MAXCMD */
        {536, 4, 0x00100005}, /* SGLS */
        {0, 0, 0},
    };
    raw_init(&raw);
    raw_bring_up_discovery(&raw);
    assert_int_equal(identify(NVME_CNS_CONTROLLER, 0, 0), NVME_STATUS_OK);
    expect_serial();
    expect_text(24, 40, "stormglass", ' ');
    expect_text(64, 8, "1", ' ');
    expect_text(768, 256, "nqn.2014-08.org.nvmexpress.discovery", '\0');
    expect_page(fields);
    assert_int_equal(identify(NVME_CNS_ACTIVE_LIST, 0, 0), NVME_STATUS_INVALID_FIELD | DNR);
    raw_fini(&raw);
}

static void a_namespace(void **state)
{
    (void)state;
    static const struct field nothing = {0, 0, 0};
    raw_init(&raw);
    raw_bring_up(&raw);
    const uint64_t blocks = (uint64_t)raw.ns.params.size / 512;
    const struct field fields[] = {
        {0, 8, blocks}, {8, 8, blocks}, {16, 8, blocks}, /* NSZE, NCAP, NUSE */
        {24, 1, 0x12},                                   /* NSFEAT */
        {30, 1, 1},                                      /* NMIC: shared */
        {33, 1, 1},                                      /* DLFEAT: deallocated blocks read zeros */
        {92, 4, 1},                                      /* ANAGRPID */
        {130, 1, 9},                                     /* LBAF0: 2^9 bytes */
        {0, 0, 0},
    };
    assert_int_equal(identify(NVME_CNS_NAMESPACE, 1, 0), NVME_STATUS_OK);
    expect_page(fields);
    assert_int_equal(identify(NVME_CNS_NAMESPACE, 2, 0), NVME_STATUS_OK); /* not active */
    expect_page(&nothing);
    for (uint32_t nsid = 0; nsid < 1026; nsid += 1025)
        assert_int_equal(identify(NVME_CNS_NAMESPACE, nsid, 0),
                         NVME_STATUS_INVALID_NAMESPACE | DNR);
    raw_fini(&raw);
}

static void the_list_of_namespaces(void **state)
{
    (void)state;
    static const struct field lists[2][2] = {{{0, 4, 1}}, {{0}}};
    raw_init(&raw);
    raw_bring_up(&raw);
    for (uint32_t after = 0; after < 2; after++) {
        assert_int_equal(identify(NVME_CNS_ACTIVE_LIST, after, 0), NVME_STATUS_OK);
        expect_page(lists[after]);
    }
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(identify(NVME_CNS_ACTIVE_LIST, NVME_NSID_ALL - i, 0),
                         NVME_STATUS_INVALID_NAMESPACE | DNR);
    raw_fini(&raw);
}

/* A UUID of 16 bytes that nothing else has, then the command set: NVM, which is 0. */
static void descriptors_of_a_namespace(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    assert_int_equal(identify(NVME_CNS_DESCRIPTORS, 1, 0), NVME_STATUS_OK);
    const uint64_t low = wire_get64(raw.buffer->bytes + 4);
    const uint64_t high = wire_get64(raw.buffer->bytes + 12);
    assert_true(low != 0 && high != 0 && low != high);
    const struct field fields[] = {{0, 1, 3},  {1, 1, 16}, {4, 8, low}, {12, 8, high},
                                   {20, 1, 4}, {21, 1, 1}, {0, 0, 0}};
    expect_page(fields);
    raw_fini(&raw);
}

static void of_a_command_set(void **state)
{
    (void)state;
    static const struct field nothing = {0, 0, 0};
    static const uint32_t pages[] = {NVME_CNS_CSI_NAMESPACE, NVME_CNS_CSI_CONTROLLER};
    raw_init(&raw);
    raw_bring_up(&raw);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(identify(pages[i], 1, 0), NVME_STATUS_OK);
        expect_page(&nothing);
        assert_int_equal(identify(pages[i], 1, 1), NVME_STATUS_INVALID_FIELD | DNR);
    }
    raw_fini(&raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_io_controller),
        cmocka_unit_test(as_nvmet),
        cmocka_unit_test(as_spdk),
        cmocka_unit_test(a_discovery_controller),
        cmocka_unit_test(a_namespace),
        cmocka_unit_test(the_list_of_namespaces),
        cmocka_unit_test(descriptors_of_a_namespace),
        cmocka_unit_test(of_a_command_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
