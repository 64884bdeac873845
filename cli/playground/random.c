/* SPDX-License-Identifier: Apache-2.0
 * random - getrandom(), which the C library of emscripten lacks. The names of temporary files need
 * it; a run draws no numbers from it. */
#include <unistd.h>

ssize_t getrandom(void *buffer, size_t length, unsigned flags);

ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
    (void)flags;
    return getentropy(buffer, length) == 0 ? (ssize_t)length : -1;
}
