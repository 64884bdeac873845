/* SPDX-License-Identifier: Apache-2.0
 * media_kinds - declares the media listed in media.def. */
#ifndef STORMGLASS_NVME_MEDIA_MEDIA_KINDS_H
#define STORMGLASS_NVME_MEDIA_MEDIA_KINDS_H

#include "nvme/media/media.h"

#define MEDIA(stem) extern const struct media_ops media_##stem;
#include "nvme/media/media.def"
#undef MEDIA

#endif
