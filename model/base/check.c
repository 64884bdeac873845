/* SPDX-License-Identifier: Apache-2.0
 * check - prints the failed condition and aborts. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *fact, const char *file, int line)
{
    fprintf(stderr, "%s:%d: internal error: this must hold: %s\n", file, line, fact);
    abort();
}
