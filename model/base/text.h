/* SPDX-License-Identifier: Apache-2.0
 * text - questions about C strings. */
#ifndef STORMGLASS_BASE_TEXT_H
#define STORMGLASS_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool text_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

#endif
