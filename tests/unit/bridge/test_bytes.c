/* SPDX-License-Identifier: Apache-2.0
 * Namespaces that keep bytes: every kind alone, behind the target, and a file's errors. */
#include "bridge/bytes/bytes.h"
#include "nvme/wire/wire.h"
#include "tests/unit/bridge/bridge_pair.h"
#include "tests/unit/nvme/raw_host.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { BLOCK = 512, SIZE = 1 << 20, DNR = NVME_STATUS_DNR, LARGE = 256 << 10 };

static char directory[64], path[96];
static unsigned char memory[LARGE];
static struct nvme_buffer buffer = {.length = LARGE, .memory = NVME_MEMORY_BYTES, .bytes = memory};

static struct nvme_store *open_word(const char *word, int64_t *size)
{
    char why[BYTES_WHY_MAX] = "";
    const char *at;
    const struct bytes_kind *kind = bytes_find(word, &at);
    assert_non_null(kind);
    struct nvme_store *store = kind->open(at, BLOCK, size, why);
    if (store == NULL)
        print_message("%s: %s\n", word, why);
    else
        bytes_keep(store);
    return store;
}

static struct nvme_store *open_file(int64_t size)
{
    char word[128];
    snprintf(word, sizeof word, "file:%s", path);
    return open_word(word, &size);
}

static void fill(unsigned char *bytes, size_t length, unsigned seed)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 251 + seed);
}

static uint16_t write_blocks(struct nvme_store *store, uint64_t lba, uint64_t blocks, unsigned seed)
{
    fill(memory, blocks * BLOCK, seed);
    return store->ops->write(store, (struct nvme_range){lba, blocks}, &buffer, 0);
}

static uint16_t read_blocks(struct nvme_store *store, uint64_t lba, uint64_t blocks)
{
    memset(memory, 0xEE, sizeof memory);
    return store->ops->read(store, (struct nvme_range){lba, blocks}, &buffer);
}

static void assert_zeros(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        assert_int_equal(bytes[i], 0);
}

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/stormglass-bytes-XXXXXX");
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/disk", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

/* ---- the words ---- */

static void words(void **state)
{
    (void)state;
    const char *at;
    assert_ptr_equal(bytes_find("null", &at), &bytes_null);
    assert_null(at);
    assert_ptr_equal(bytes_find("memory", &at), &bytes_memory);
    assert_ptr_equal(bytes_find("file:a:b", &at), &bytes_file);
    assert_string_equal(at, "a:b");
    static const char *const wrong[] = {"",      "nul",   "nullx",    "null:x", "file",
                                        "file:", "files", "memory:1", "tags"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_null(bytes_find(wrong[i], &at));
}

/* ---- the kinds alone ---- */

static void keeps(struct nvme_store *store)
{
    assert_int_equal(store->ops->memory, NVME_MEMORY_BYTES);
    assert_int_equal(read_blocks(store, 100, 512), NVME_STATUS_OK);
    assert_zeros(memory, 512 * BLOCK);
    assert_int_equal(write_blocks(store, 100, 512, 7), NVME_STATUS_OK);
    assert_int_equal(write_blocks(store, 300, 1, 9), NVME_STATUS_OK);
    static unsigned char expected[512 * BLOCK];
    fill(expected, sizeof expected, 7);
    fill(expected + 200 * BLOCK, BLOCK, 9);
    assert_int_equal(store->ops->flush(store), NVME_STATUS_OK);
    assert_int_equal(read_blocks(store, 299, 3), NVME_STATUS_OK); /* across three writes */
    assert_memory_equal(memory, expected + 199 * BLOCK, 3 * BLOCK);
    assert_int_equal(store->ops->zero(store, (struct nvme_range){101, 300}), NVME_STATUS_OK);
    memset(expected + BLOCK, 0, 300 * BLOCK);
    assert_int_equal(read_blocks(store, 100, 512), NVME_STATUS_OK);
    assert_memory_equal(memory, expected, sizeof expected);
    assert_int_equal(write_blocks(store, SIZE / BLOCK - 1, 1, 3), NVME_STATUS_OK);
    /* Data behind something else in a capsule. */
    fill(memory, 4096, 5);
    assert_int_equal(store->ops->write(store, (struct nvme_range){0, 1}, &buffer, 1024),
                     NVME_STATUS_OK);
    fill(expected, 4096, 5);
    assert_int_equal(read_blocks(store, 0, 1), NVME_STATUS_OK);
    assert_memory_equal(memory, expected + 1024, BLOCK);
}

static void memory_keeps(void **state)
{
    (void)state;
    int64_t size = SIZE;
    struct nvme_store *store = open_word("memory", &size);
    keeps(store);
    store->ops->destroy(store);
}

static void a_file_keeps(void **state)
{
    (void)state;
    struct nvme_store *store = open_file(SIZE);
    keeps(store);
    store->ops->destroy(store);
    struct stat stat_now;
    assert_int_equal(stat(path, &stat_now), 0);
    assert_int_equal(stat_now.st_size, SIZE);
    /* And beyond the end of the program; its own size counts. */
    int64_t size = 4 * SIZE;
    char word[128];
    snprintf(word, sizeof word, "file:%s", path);
    store = open_word(word, &size);
    assert_int_equal(size, SIZE);
    assert_int_equal(read_blocks(store, SIZE / BLOCK - 1, 1), NVME_STATUS_OK);
    static unsigned char expected[BLOCK];
    fill(expected, BLOCK, 3);
    assert_memory_equal(memory, expected, BLOCK);
    store->ops->destroy(store);
    unlink(path);
}

static void null_forgets(void **state)
{
    (void)state;
    int64_t size = INT64_C(1) << 50;
    struct nvme_store *store = open_word("null", &size);
    assert_int_equal(write_blocks(store, 1, 8, 7), NVME_STATUS_OK);
    assert_int_equal(read_blocks(store, 1, 8), NVME_STATUS_OK);
    assert_zeros(memory, 8 * BLOCK);
    assert_int_equal(memory[8 * BLOCK], 0xEE); /* and no more */
    assert_int_equal(store->ops->zero(store, (struct nvme_range){0, 8}), NVME_STATUS_OK);
    assert_int_equal(store->ops->flush(store), NVME_STATUS_OK);
    store->ops->destroy(store);
}

/* ---- errors ---- */

static void what_cannot_be_opened(void **state)
{
    (void)state;
    int64_t size = SIZE;
    assert_null(open_word("file:/nowhere/disk", &size));
    assert_null(open_word("file:/tmp", &size));
    assert_null(open_word("file:/dev/zero", &size));
    struct nvme_store *first = open_file(SIZE);
    assert_non_null(first);
    assert_null(open_file(SIZE)); /* in use */
    first->ops->destroy(first);
    assert_int_equal(truncate(path, 100), 0);
    assert_null(open_file(SIZE)); /* smaller than a block */
    unlink(path);
    size = INT64_MAX; /* more than a file system has */
    char word[128];
    snprintf(word, sizeof word, "file:%s", path);
    assert_null(open_word(word, &size));
    unlink(path);
}

/* Nothing is left of what was never kept, and what was there before is as it was. */
static void what_is_not_kept_goes(void **state)
{
    (void)state;
    char why[BYTES_WHY_MAX];
    struct stat there;
    int64_t size = SIZE;
    struct nvme_store *store = bytes_file.open(path, BLOCK, &size, why);
    assert_int_equal(stat(path, &there), 0);
    store->ops->destroy(store);
    assert_int_equal(stat(path, &there), -1);
    size = INT64_MAX;
    assert_null(bytes_file.open(path, BLOCK, &size, why));
    assert_int_equal(stat(path, &there), -1);
    for (int filled = 0; filled < 2; filled++) {
        FILE *file = fopen(path, "w");
        for (int i = 0; filled && i < SIZE; i++)
            fputc(i % 7, file);
        fclose(file);
        size = SIZE;
        store = bytes_file.open(path, BLOCK, &size, why);
        assert_non_null(store);
        store->ops->destroy(store);
        assert_int_equal(stat(path, &there), 0);
        assert_int_equal(there.st_size, filled ? SIZE : 0);
    }
    unlink(path);
}

static void a_cut_file_is_a_media_error(void **state)
{
    (void)state;
    struct nvme_store *store = open_file(SIZE);
    assert_int_equal(write_blocks(store, 0, 16, 1), NVME_STATUS_OK);
    assert_int_equal(truncate(path, 8 * BLOCK + 100), 0);
    assert_int_equal(read_blocks(store, 0, 8), NVME_STATUS_OK);
    assert_int_equal(read_blocks(store, 0, 9), NVME_STATUS_READ_ERROR | DNR);
    assert_int_equal(read_blocks(store, 100, 1), NVME_STATUS_READ_ERROR | DNR);
    store->ops->destroy(store);
    unlink(path);
}

static void no_room_is_capacity_exceeded(void **state)
{
    (void)state;
    struct rlimit before, limit;
    struct nvme_store *store = open_file(SIZE);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 64 * BLOCK;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(write_blocks(store, 63, 1, 1), NVME_STATUS_OK);
    assert_int_equal(write_blocks(store, 60, 8, 1), NVME_STATUS_CAPACITY | DNR);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(write_blocks(store, 60, 8, 1), NVME_STATUS_OK);
    store->ops->destroy(store);
    unlink(path);
}

static void a_capsule_without_its_data(void **state)
{
    (void)state;
    int64_t size = SIZE;
    struct nvme_store *store = open_word("memory", &size);
    const struct nvme_range range = {0, 8};
    assert_int_equal(store->ops->write(store, range, NULL, 0), NVME_STATUS_DATA_TRANSFER | DNR);
    assert_int_equal(store->ops->write(store, range, &buffer, LARGE - 8 * BLOCK + 1),
                     NVME_STATUS_DATA_TRANSFER | DNR);
    store->ops->destroy(store);
}

/* ---- behind the target ---- */

static struct raw_host raw;

static uint16_t issue(uint8_t opcode, uint64_t lba, uint32_t count, uint32_t length, uint32_t cdw11)
{
    const struct nvme_command command = {
        .opcode = opcode,
        .flags = NVME_FLAGS_SGL,
        .nsid = 1,
        .sgl = {raw.buffer->addr, length, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = (uint32_t)lba,
        .cdw11 = cdw11,
        .cdw12 = count - 1,
    };
    return raw_send(&raw, 1, &command, 0);
}

static void raw_begin(void)
{
    int64_t size = SIZE;
    raw_init_with(&raw, open_word("memory", &size), SIZE);
    raw_bring_up(&raw);
}

static void bytes_go_and_come(void **state)
{
    (void)state;
    static unsigned char expected[16 * BLOCK];
    raw_begin();
    fill(expected, sizeof expected, 1);
    memcpy(raw.buffer->bytes, expected, sizeof expected);
    assert_int_equal(issue(NVME_WRITE, 5, 16, 16 * BLOCK, 0), NVME_STATUS_OK);
    /* In the capsule, behind 512 bytes of something else. */
    const struct nvme_command write = {
        .opcode = NVME_WRITE,
        .flags = NVME_FLAGS_SGL,
        .nsid = 1,
        .sgl = {512, BLOCK, 0, NVME_SGL_IN_CAPSULE},
        .cdw10 = 7,
    };
    fill(raw.queues[1].capsule->bytes + NVME_SQE_BYTES + 512, BLOCK, 99);
    assert_int_equal(raw_send(&raw, 1, &write, 1024), NVME_STATUS_OK);
    fill(expected + 2 * BLOCK, BLOCK, 99);
    memset(raw.buffer->bytes, 0xEE, RAW_BUFFER_BYTES);
    assert_int_equal(issue(NVME_READ, 5, 16, 16 * BLOCK, 0), NVME_STATUS_OK);
    assert_memory_equal(raw.buffer->bytes, expected, sizeof expected);
    assert_int_equal(raw.buffer->bytes[16 * BLOCK], 0xEE);
    assert_int_equal(issue(NVME_FLUSH, 0, 1, 0, 0), NVME_STATUS_OK);
    raw_fini(&raw);
}

static void zeroes_are_written(void **state)
{
    (void)state;
    raw_begin();
    fill(raw.buffer->bytes, 8 * BLOCK, 1);
    assert_int_equal(issue(NVME_WRITE, 0, 8, 8 * BLOCK, 0), NVME_STATUS_OK);
    assert_int_equal(issue(NVME_WRITE_ZEROES, 2, 3, 0, 0), NVME_STATUS_OK);
    assert_int_equal(issue(NVME_WRITE_ZEROES, 2, 3, BLOCK, 0), NVME_STATUS_SGL_LENGTH | DNR);
    assert_int_equal(issue(NVME_WRITE_ZEROES, SIZE / BLOCK - 1, 2, 0, 0),
                     NVME_STATUS_LBA_RANGE | DNR);
    assert_int_equal(issue(NVME_READ, 2, 4, 4 * BLOCK, 0), NVME_STATUS_OK);
    assert_zeros(raw.buffer->bytes, 3 * BLOCK);
    assert_int_not_equal(raw.buffer->bytes[3 * BLOCK], 0);
    raw_fini(&raw);
}

static void put_range(unsigned index, uint64_t lba, uint32_t blocks)
{
    unsigned char *at = raw.buffer->bytes + (size_t)NVME_DATASET_RANGE_BYTES * index;
    wire_put32(at, 0);
    wire_put32(at + NVME_DATASET_LENGTH_AT, blocks);
    wire_put64(at + NVME_DATASET_LBA_AT, lba);
}

static void ranges_are_deallocated(void **state)
{
    (void)state;
    raw_begin();
    fill(raw.buffer->bytes, 8 * BLOCK, 1);
    assert_int_equal(issue(NVME_WRITE, 0, 8, 8 * BLOCK, 0), NVME_STATUS_OK);
    put_range(0, 1, 1);
    put_range(1, 3, 2);
    put_range(2, 6, 0);
    /* Two of three by their number; room for more is what Linux sends. */
    assert_int_equal(issue(NVME_DATASET, 2, 1, 4096, 0), NVME_STATUS_OK); /* a hint only */
    assert_int_equal(issue(NVME_READ, 1, 1, BLOCK, 0), NVME_STATUS_OK);
    assert_int_not_equal(raw.buffer->bytes[0], 0);
    put_range(0, 1, 1);
    put_range(1, 3, 2);
    put_range(2, 6, 0);
    assert_int_equal(issue(NVME_DATASET, 2, 1, 4096, NVME_DATASET_DEALLOCATE), NVME_STATUS_OK);
    assert_int_equal(issue(NVME_DATASET, 2, 1, 47, NVME_DATASET_DEALLOCATE),
                     NVME_STATUS_SGL_LENGTH | DNR);
    put_range(1, SIZE / BLOCK, 1);
    assert_int_equal(issue(NVME_DATASET, 1, 1, 32, NVME_DATASET_DEALLOCATE),
                     NVME_STATUS_LBA_RANGE | DNR);
    assert_int_equal(issue(NVME_READ, 0, 8, 8 * BLOCK, 0), NVME_STATUS_OK);
    static const bool zero[8] = {false, true, false, true, true, false, false, false};
    for (unsigned i = 0; i < 8; i++) {
        const unsigned char *block = raw.buffer->bytes + (size_t)BLOCK * i;
        assert_int_equal(block[0] == 0 && memcmp(block, block + 1, BLOCK - 1) == 0, zero[i]);
    }
    raw_fini(&raw);
}

/* Our own host's tags pass through as bytes. */
static void tags_survive_as_bytes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {512, 4096, 65536, 1 << 20};
    struct bridge_pair pair;
    bridge_pair_init(&pair);
    pair.space.params.size = 64 << 20;
    pair.space.store = open_file(pair.space.params.size);
    bridge_pair_open(&pair);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(bridge_pair_io(&pair, NVME_WRITE, 4096 * i, sizes[i], 77 + i)->status,
                         NVME_STATUS_OK);
        const struct nvme_io *io = bridge_pair_io(&pair, NVME_READ, 4096 * i, sizes[i], 0);
        assert_int_equal(io->status, NVME_STATUS_OK);
        assert_int_equal(io->content, 77 + i);
    }
    assert_int_equal(bridge_pair_io(&pair, NVME_READ, 100000, 4096, 0)->content, 0);
    assert_int_equal(bridge_pair_io(&pair, NVME_FLUSH, 0, 0, 0)->status, NVME_STATUS_OK);
    assert_int_equal(truncate(path, 4096), 0);
    assert_int_equal(bridge_pair_io(&pair, NVME_READ, 4096, 4096, 0)->status,
                     NVME_STATUS_READ_ERROR);
    assert_int_equal(bridge_pair_io(&pair, NVME_READ, 0, 512, 0)->status, NVME_STATUS_OK);
    bridge_pair_fini(&pair);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(memory_keeps),
        cmocka_unit_test(a_file_keeps),
        cmocka_unit_test(null_forgets),
        cmocka_unit_test(what_cannot_be_opened),
        cmocka_unit_test(what_is_not_kept_goes),
        cmocka_unit_test(a_cut_file_is_a_media_error),
        cmocka_unit_test(no_room_is_capacity_exceeded),
        cmocka_unit_test(a_capsule_without_its_data),
        cmocka_unit_test(bytes_go_and_come),
        cmocka_unit_test(zeroes_are_written),
        cmocka_unit_test(ranges_are_deallocated),
        cmocka_unit_test(tags_survive_as_bytes),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
