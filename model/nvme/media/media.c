/* SPDX-License-Identifier: Apache-2.0
 * media - the list of kinds. */
#include "nvme/media/media.h"

#include "nvme/media/media_kinds.h"

#include <string.h>

const struct media_ops *const media_kinds[] = {
#define MEDIA(stem) &media_##stem,
#include "nvme/media/media.def"
#undef MEDIA
    NULL,
};

const struct media_ops *media_find(const char *name)
{
    for (unsigned i = 0; media_kinds[i] != NULL; i++)
        if (strcmp(media_kinds[i]->name, name) == 0)
            return media_kinds[i];
    return NULL;
}
