/* SPDX-License-Identifier: Apache-2.0
 * verbs_real_memory - registered buffers.
 * A buffer's bytes are generated when they are about to be sent, unless they are already there, so
 * a workload that sends the same content repeatedly generates it once. */
#include "base/memory.h"
#include "bridge/verbs/verbs_real_private.h"

#include "base/check.h"
#include "base/plural.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PAGE = 4096 };

/* Size of the registration: whole pages, at least one. */
static size_t pages(uint32_t length)
{
    const size_t bytes = ((size_t)length + PAGE - 1) / PAGE * PAGE;
    return bytes > 0 ? bytes : PAGE;
}

static struct real_mr **bucket(struct verbs_device *device, uint32_t lkey)
{
    return &device->mrs[(lkey ^ lkey >> 8) % REAL_MR_BUCKETS];
}

struct real_mr *verbs_real_memory_find(const struct verbs_device *device, uint32_t lkey)
{
    struct real_mr *mr = device->mrs[(lkey ^ lkey >> 8) % REAL_MR_BUCKETS];
    while (mr != NULL && mr->verbs.lkey != lkey)
        mr = mr->next_in_bucket;
    return mr;
}

/* Registered memory is locked, and without CAP_IPC_LOCK the system limits it. */
static void say_limit(const struct verbs_device *device, uint32_t length, char *text, size_t size)
{
    const uint64_t needed = device->registered + length;
    struct rlimit limit;
    text[0] = '\0';
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    snprintf(text, size,
             "; the limit of locked memory is %llu KiB (ulimit -l, RLIMIT_MEMLOCK), and this "
             "process needs at least %llu KiB",
             (unsigned long long)limit.rlim_cur / 1024, (unsigned long long)(needed + 1023) / 1024);
}

void verbs_real_memory_missed(struct verbs_device *device, uint32_t length)
{
    const int error = device->register_errno;
    char why[320], limit[160] = "";
    if (error == ENOMEM || error == EPERM)
        say_limit(device, length, limit, sizeof limit);
    snprintf(why, sizeof why, "%u %s of memory cannot be registered: %s%s", length,
             plural(length, "byte", "bytes"), strerror(error), limit);
    if (device->site.on_fatal != NULL)
        device->site.on_fatal(device->site.self, why);
}

struct verbs_mr *verbs_real_memory_register(struct verbs_device *device, uint32_t length,
                                            int access, enum verbs_memory memory)
{
    const size_t bytes = pages(length);
    struct real_mr *mr = memory_new(sizeof *mr);
    mr->memory = memory_aligned_or_null(1, bytes, PAGE);
    errno = ENOMEM;
    if (mr->memory != NULL)
        mr->ibv = device->calls->reg_mr(device->pd, mr->memory, length > 0 ? length : 1, access);
    if (mr->ibv == NULL) {
        device->register_errno = errno;
        free(mr->memory);
        free(mr);
        return NULL;
    }
    device->registered += pages(length);
    mr->remote_write = (access & IBV_ACCESS_REMOTE_WRITE) != 0;
    mr->verbs = (struct verbs_mr){
        .addr = (uint64_t)(uintptr_t)mr->memory,
        .length = length,
        .lkey = mr->ibv->lkey,
        .rkey = mr->ibv->rkey,
        .memory = memory,
        .bytes = memory == VERBS_BYTES ? mr->memory : NULL,
    };
    struct real_mr **first = bucket(device, mr->verbs.lkey);
    mr->next_in_bucket = *first;
    *first = mr;
    /* A peer may READ it before anything is sent from it. */
    if (memory == VERBS_BULK && (access & IBV_ACCESS_REMOTE_READ) != 0)
        verbs_real_memory_fill(mr, mr->verbs.addr, length);
    return &mr->verbs;
}

void verbs_real_memory_release(struct verbs_device *device, struct verbs_mr *verbs)
{
    struct real_mr *mr = (struct real_mr *)(void *)verbs;
    struct real_mr **link = bucket(device, verbs->lkey);
    while (*link != mr) {
        CHECK(*link != NULL);
        link = &(*link)->next_in_bucket;
    }
    *link = mr->next_in_bucket;
    const int error = device->calls->dereg_mr(mr->ibv);
    CHECK(error == 0);
    device->registered -= pages(verbs->length);
    free(mr->memory);
    free(mr);
}

void verbs_real_memory_fill(struct real_mr *mr, uint64_t address, uint32_t length)
{
    const uint64_t at = address - mr->verbs.addr;
    CHECK(at <= mr->verbs.length && length <= mr->verbs.length - at);
    const bool known = at == 0 && mr->filled_bytes >= length && mr->filled_bytes > 0 &&
                       mr->filled_tag == mr->verbs.content && !mr->remote_write;
    if (known)
        return;
    content_fill(mr->memory + at, length, mr->verbs.content);
    mr->filled_tag = mr->verbs.content;
    mr->filled_bytes = at == 0 ? length : 0;
}

void verbs_real_memory_forget(struct real_mr *mr)
{
    mr->filled_bytes = 0;
}

void verbs_real_memory_look(struct verbs_device *device, struct real_mr *mr, uint64_t address,
                            uint32_t length)
{
    bool sound;
    const uint64_t at = address - mr->verbs.addr;
    CHECK(at <= mr->verbs.length && length <= mr->verbs.length - at);
    verbs_real_memory_forget(mr);
    mr->verbs.content = content_read(mr->memory + at, length, device->site.depth, &sound);
    if (!sound)
        device->counters.unsound++;
}
