/* SPDX-License-Identifier: Apache-2.0
 * main - stormglass-mpi: the command plan, executed by all ranks of an MPI program.
 * `mpirun -n N stormglass plan ...` executes this program. Only rank 0 prints. */
#include "cli/mpi/ranks.h"
#include "scenarios/embedded.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int lead(const struct cli_args *args)
{
    struct ranks ranks;
    ranks_open(&ranks);
    const int code = cmd_plan_run(args, &ranks.others);
    ranks_close(&ranks);
    return code;
}

static int serve_rank(const struct cli_args *args)
{
    const struct cmd_plan_serving serving = ranks_serving();
    return cmd_plan_serve(args, &serving);
}

static int run(const struct cli_args *args)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0 ? lead(args) : serve_rank(args);
}

/* Errors of the command line and --help are printed only once. */
static int parse(int argc, char **argv)
{
    struct cli_command command = cmd_plan;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0 && freopen("/dev/null", "w", stderr) == NULL)
        return CLI_FAILED;
    if (rank > 0 && freopen("/dev/null", "w", stdout) == NULL)
        return CLI_FAILED;
    command.program = "mpirun stormglass-mpi";
    command.run = run;
    return cli_run(&command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "plan") != 0) {
        if (argc == 2 && strcmp(argv[1], "--version") == 0) {
            printf("stormglass-mpi %s\n", stormglass_version);
            return CLI_DONE;
        }
        fputs("usage: mpirun -n N stormglass-mpi plan [OPTIONS] PLAN.yaml\n", stderr);
        return CLI_USAGE;
    }
    MPI_Init(&argc, &argv);
    const int code = parse(argc, argv);
    MPI_Finalize();
    return code;
}
