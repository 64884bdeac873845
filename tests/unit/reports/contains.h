/* SPDX-License-Identifier: Apache-2.0
 * contains - what a printed text contains. Both functions free the text. */
#ifndef STORMGLASS_TESTS_UNIT_REPORTS_CONTAINS_H
#define STORMGLASS_TESTS_UNIT_REPORTS_CONTAINS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_contains(char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in: %s", part, text);
    free(text);
}

static inline void assert_lacks(char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' is in: %s", part, text);
    free(text);
}

#endif
