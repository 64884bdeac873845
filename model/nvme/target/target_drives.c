/* SPDX-License-Identifier: Apache-2.0
 * target_drives - drives of a target's arrays: failure, replacement, statistics. */
#include "nvme/target/target_private.h"

/* NULL: no such drive, or no array. */
static struct media *array_of(struct nvme_target *target, uint32_t ns, uint32_t drive)
{
    if (ns < 1 || ns > target->namespace_count)
        return NULL;
    const struct target_namespace *at = &target->namespaces[ns - 1];
    return at->ops == &array_media && drive < array_drives(at->media) ? at->media : NULL;
}

bool nvme_target_fail_drive(struct nvme_target *target, uint32_t ns, uint32_t drive)
{
    struct media *array = array_of(target, ns, drive);
    if (array != NULL)
        array_fail(array, drive);
    return array != NULL;
}

bool nvme_target_replace_drive(struct nvme_target *target, uint32_t ns, uint32_t drive)
{
    struct media *array = array_of(target, ns, drive);
    if (array != NULL)
        array_replace(array, drive);
    return array != NULL;
}

bool nvme_target_arrays(const struct nvme_target *target, struct array_stats *sum)
{
    bool any = false;
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        if (target->namespaces[i].ops != &array_media)
            continue;
        array_stats(target->namespaces[i].media, sum);
        any = true;
    }
    return any;
}
