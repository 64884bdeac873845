/* SPDX-License-Identifier: Apache-2.0
 * cmd_bridge - stormglass bridge: hands over to stormglass-bridge.
 * That program links the RDMA libraries; it stands beside this one, or in the PATH. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "stormglass-bridge";

/* The file of that name in this program's directory; false: the directory is not known. */
static bool beside(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash + 1 - path) + sizeof program > PATH_MAX)
        return false;
    memcpy(slash + 1, program, sizeof program);
    return true;
}

static int run(const struct cli_args *args)
{
    char path[PATH_MAX];
    char **argv = calloc((size_t)args->operand_count + 2, sizeof *argv);
    if (argv == NULL)
        return CLI_FAILED;
    argv[0] = (char *)(uintptr_t)program;
    for (int i = 0; i < args->operand_count; i++)
        argv[i + 1] = args->operands[i];
    fflush(NULL);
    if (beside(path) && access(path, X_OK) == 0)
        execv(path, argv);
    else
        execvp(program, argv);
    cli_error("%s: %s", program, strerror(errno));
    free(argv);
    return CLI_FAILED;
}

const struct cli_command cmd_bridge = {
    .name = "bridge",
    .operands = "run SCENARIO.yaml --role host|target|both --address A ...",
    .about = "plays a scenario's workloads in real time on RDMA devices",
    .operands_max = -1,
    .passes = true,
    .run = run,
};
