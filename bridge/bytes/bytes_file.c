/* SPDX-License-Identifier: Apache-2.0
 * bytes_file - a file or a block device, and memory as a file without a name.
 * A new file is sparse, so that only written data take space. The file is locked, so that two
 * namespaces or two programs never share one.
 * System errors as statuses: an end of file before the end of the namespace, and disk read or write
 * errors, are media errors; no space is Capacity Exceeded. */
#define _GNU_SOURCE /* fallocate, memfd_create */
#include "base/memory.h"
#include "bridge/bytes/bytes.h"

#include "nvme/wire/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZEROS_BYTES = 64 << 10 };

struct file {
    struct nvme_store base;
    int fd;
    bool grown; /* was empty, and is not kept yet */
    char *made; /* path of a new file that is not kept yet; else NULL */
};

static struct file *file_of(struct nvme_store *store)
{
    return (struct file *)(void *)store;
}

/* ---- operations table ---- */

static uint16_t failure(int error, enum nvme_status otherwise)
{
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return (uint16_t)((full ? NVME_STATUS_CAPACITY : otherwise) | NVME_STATUS_DNR);
}

static uint16_t on_read(struct nvme_store *store, struct nvme_range range, struct nvme_buffer *to)
{
    const size_t length = range.blocks * store->block_bytes;
    const uint64_t from = range.lba * store->block_bytes;
    for (size_t done = 0; done < length;) {
        const ssize_t got =
            pread(file_of(store)->fd, to->bytes + done, length - done, (off_t)(from + done));
        if (got > 0)
            done += (size_t)got;
        else if (got == 0 || errno != EINTR) /* 0: the file was truncated by another program */
            return NVME_STATUS_READ_ERROR | NVME_STATUS_DNR;
    }
    return NVME_STATUS_OK;
}

static uint16_t write_bytes(const struct file *file, const unsigned char *bytes, size_t length,
                            uint64_t to)
{
    for (size_t done = 0; done < length;) {
        const ssize_t put_now = pwrite(file->fd, bytes + done, length - done, (off_t)(to + done));
        if (put_now >= 0)
            done += (size_t)put_now;
        else if (errno != EINTR)
            return failure(errno, NVME_STATUS_WRITE_FAULT);
    }
    return NVME_STATUS_OK;
}

static uint16_t on_write(struct nvme_store *store, struct nvme_range range,
                         const struct nvme_buffer *from, uint64_t at)
{
    const size_t length = range.blocks * store->block_bytes;
    if (from == NULL || at > from->length || length > from->length - at)
        return NVME_STATUS_DATA_TRANSFER | NVME_STATUS_DNR;
    return write_bytes(file_of(store), from->bytes + at, length, range.lba * store->block_bytes);
}

/* Punches a hole, which reads as zeros; writes zeros if the file system has no holes. */
static uint16_t on_zero(struct nvme_store *store, struct nvme_range range)
{
    static const unsigned char zeros[ZEROS_BYTES];
    uint64_t at = range.lba * store->block_bytes;
    const uint64_t end = at + range.blocks * store->block_bytes;
    const int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    if (fallocate(file_of(store)->fd, hole, (off_t)at, (off_t)(end - at)) == 0)
        return NVME_STATUS_OK;
    uint16_t status = NVME_STATUS_OK;
    while (at < end && status == NVME_STATUS_OK) {
        const size_t piece = end - at < ZEROS_BYTES ? (size_t)(end - at) : ZEROS_BYTES;
        status = write_bytes(file_of(store), zeros, piece, at);
        at += piece;
    }
    return status;
}

static uint16_t on_flush(struct nvme_store *store)
{
    if (fdatasync(file_of(store)->fd) == 0)
        return NVME_STATUS_OK;
    return failure(errno, NVME_STATUS_WRITE_FAULT);
}

static void on_destroy(struct nvme_store *store)
{
    struct file *file = file_of(store);
    if (file->made != NULL)
        unlink(file->made);
    else if (file->grown)
        (void)!ftruncate(file->fd, 0); /* on failure the file keeps its size */
    close(file->fd);
    free(file->made);
    free(file);
}

static const struct nvme_store_ops ops = {
    .memory = NVME_MEMORY_BYTES,
    .read = on_read,
    .write = on_write,
    .zero = on_zero,
    .flush = on_flush,
    .destroy = on_destroy,
};

/* ---- opening ---- */

void bytes_keep(struct nvme_store *store)
{
    if (store->ops != &ops)
        return;
    free(file_of(store)->made);
    file_of(store)->made = NULL;
    file_of(store)->grown = false;
}

static struct nvme_store *new_store(int fd, uint32_t block_bytes)
{
    struct file *file = memory_new(sizeof *file);
    *file = (struct file){.base = {&ops, block_bytes}, .fd = fd};
    return &file->base;
}

static struct nvme_store *fail_open(int fd, const char *why_not, char why[BYTES_WHY_MAX])
{
    snprintf(why, BYTES_WHY_MAX, "%s", why_not);
    if (fd >= 0)
        close(fd);
    return NULL;
}

static struct nvme_store *open_memory(const char *path, uint32_t block_bytes, int64_t *size,
                                      char why[BYTES_WHY_MAX])
{
    (void)path;
    const int fd = memfd_create("namespace", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, *size) != 0)
        return fail_open(fd, strerror(errno), why);
    return new_store(fd, block_bytes);
}

/* Size of the existing file in bytes; 0: a new file. */
static int64_t room_of(int fd)
{
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return -1;
    if (S_ISREG(stat.st_mode))
        return stat.st_size;
    if (S_ISBLK(stat.st_mode))
        return lseek(fd, 0, SEEK_END);
    errno = EINVAL;
    return -1;
}

/* Uses a file with room for *size bytes, or with its existing size. */
static struct nvme_store *use_file(int fd, uint32_t block_bytes, int64_t *size,
                                   char why[BYTES_WHY_MAX])
{
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return fail_open(fd, errno == EWOULDBLOCK ? "it is in use" : strerror(errno), why);
    const int64_t room = room_of(fd);
    if (room < 0)
        return fail_open(
            fd, errno == EINVAL ? "expected a file or a block device" : strerror(errno), why);
    if (room > 0 && room < block_bytes)
        return fail_open(fd, "it is smaller than a block", why);
    if (room == 0 && ftruncate(fd, *size) != 0)
        return fail_open(fd, strerror(errno), why);
    if (room > 0)
        *size = room / block_bytes * block_bytes;
    struct nvme_store *store = new_store(fd, block_bytes);
    file_of(store)->grown = room == 0;
    return store;
}

static struct nvme_store *open_file(const char *path, uint32_t block_bytes, int64_t *size,
                                    char why[BYTES_WHY_MAX])
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool made = fd >= 0;
    if (!made && errno == EEXIST)
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_open(fd, strerror(errno), why);
    struct nvme_store *store = use_file(fd, block_bytes, size, why);
    if (made && store == NULL)
        unlink(path);
    else if (made)
        file_of(store)->made = memory_text(path);
    return store;
}

const struct bytes_kind bytes_memory = {.name = "memory", .open = open_memory};
const struct bytes_kind bytes_file = {.name = "file", .has_path = true, .open = open_file};
