/* SPDX-License-Identifier: Apache-2.0
 * cc_kinds - declares the algorithms listed in cc.def. */
#ifndef STORMGLASS_RNIC_CC_CC_KINDS_H
#define STORMGLASS_RNIC_CC_CC_KINDS_H

#include "rnic/cc/cc.h"

#define ALGORITHM(stem, gbps, about)              extern const struct cc_ops cc_##stem;
#define PRESET(stem, settings, gbps, name, about) extern const struct cc_setting cc_##settings[];
#include "rnic/cc/cc.def"
#undef ALGORITHM
#undef PRESET

#endif
