/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/exec_helper.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int exec_helper(const char *program, const char *word, char *const *rest, int count)
{
    char path[PATH_MAX];
    char **argv = memory_zeroed((size_t)count + 3, sizeof *argv), **next = argv;
    *next++ = (char *)(uintptr_t)program;
    if (word != NULL)
        *next++ = (char *)(uintptr_t)word;
    for (int i = 0; i < count; i++)
        *next++ = rest[i];
    fflush(NULL);
    if (cli_beside(program, path) && access(path, X_OK) == 0)
        execv(path, argv);
    else
        execvp(program, argv);
    cli_error("%s: %s", program, strerror(errno));
    free(argv);
    return CLI_FAILED;
}
