/* SPDX-License-Identifier: Apache-2.0
 * buffer_kinds - declares and counts the policies in buffer.def. */
#ifndef STORMGLASS_NET_SWITCH_BUFFER_KINDS_H
#define STORMGLASS_NET_SWITCH_BUFFER_KINDS_H

#include "net/switch/buffer.h"

#include <assert.h>

#define POLICY(stem) extern const struct buffer_policy buffer_##stem;
#include "net/switch/buffer.def"
#undef POLICY

enum {
#define POLICY(stem) BUFFER_POLICY_##stem,
#include "net/switch/buffer.def"
#undef POLICY
    BUFFER_POLICIES
};

static_assert((int)BUFFER_POLICIES <= (int)BUFFER_POLICIES_MAX,
              "a switch has room for the parameters of all");

#endif
