/* SPDX-License-Identifier: Apache-2.0
 * buffer_static - the parameters of the static policy, for code that sets them directly. */
#ifndef STORMGLASS_NET_SWITCH_BUFFER_STATIC_H
#define STORMGLASS_NET_SWITCH_BUFFER_STATIC_H

#include <stdint.h>

struct buffer_static_params {
    int64_t xoff; /* bytes */
};

#endif
