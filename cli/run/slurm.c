/* SPDX-License-Identifier: Apache-2.0
 * slurm - writes three short scripts. */
#include "cli/run/slurm.h"

#include "base/plural.h"
#include "base/shell.h"
#include "replay/files/output_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TASKS_MAX = 1000 }; /* default MaxArraySize is 1001 (slurm.conf(5)) */

/* Common data of the scripts. */
struct scripts {
    char program[PATH_MAX], here[PATH_MAX];
    const char *folder, *plan, *name;
    unsigned tasks, at_once;
    struct output_folder in;
    int code; /* exit code of an error */
};

/* Names in #SBATCH lines cannot be quoted, so other characters become '_'. */
static void put_name(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        fputc(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *text)
                  ? *text
                  : '_',
              out);
}

static void put_command(const struct scripts *scripts, FILE *out)
{
    fputs("cd ", out);
    shell_print_word(out, scripts->here);
    fputs(" || exit\nexec ", out);
    shell_print_word(out, scripts->program);
    fputs(" plan ", out);
    shell_print_word(out, scripts->plan);
}

static void write_array(FILE *out, const void *what)
{
    const struct scripts *scripts = what;
    fputs("#!/bin/bash\n#SBATCH --job-name=", out);
    put_name(scripts->name, out);
    fprintf(out, "\n#SBATCH --array=1-%u\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%u\n",
            scripts->tasks, scripts->at_once);
    fputs("#SBATCH --output=share-%a.log\n", out);
    put_command(scripts, out);
    fprintf(out, " --share \"$SLURM_ARRAY_TASK_ID/%u\" -j %u -o ", scripts->tasks,
            scripts->at_once);
    shell_print_word(out, scripts->folder);
    fputs("/share-\"$SLURM_ARRAY_TASK_ID\".db\n", out);
}

static void write_gather(FILE *out, const void *what)
{
    const struct scripts *scripts = what;
    fputs("#!/bin/bash\n#SBATCH --job-name=", out);
    put_name(scripts->name, out);
    fprintf(out, "-gather\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%u\n", scripts->at_once);
    fputs("#SBATCH --output=answer.txt\n", out);
    put_command(scripts, out);
    fputs(" --gather ", out);
    shell_print_word(out, scripts->folder);
    fprintf(out, " -j %u -o ", scripts->at_once);
    shell_print_word(out, scripts->folder);
    fputs("/plan.db\n", out);
}

/* Runs in the directory of the scripts, so that logs are next to the databases. */
static void write_submit(FILE *out, const void *what)
{
    (void)what;
    fputs("#!/bin/bash\n"
          "# Submits the shares, then a job that runs after all shares have ended, also after "
          "failures:\n"
          "# it completes missing runs and writes answer.txt and plan.db.\n"
          "cd \"$(dirname \"$0\")\" || exit\n"
          "job=$(sbatch --parsable \"$@\" plan.sbatch) || exit\n"
          "sbatch --parsable --dependency=afterany:\"${job%%;*}\" \"$@\" gather.sbatch\n",
          out);
}

static bool write_script(struct scripts *scripts, const char *name,
                         void (*write)(FILE *out, const void *what))
{
    struct output_folder *folder = &scripts->in;
    struct output output;
    bool well = output_folder_file(folder, name, &output);
    if (well) {
        write(output.out, scripts);
        well = output_end(&output, true) && chmod(folder->file, 0755) == 0;
    }
    scripts->code = well ? CLI_DONE : cli_output_failed(folder->file, folder->inputs, errno);
    return well;
}

static bool find_paths(struct scripts *scripts)
{
    const ssize_t length = readlink("/proc/self/exe", scripts->program, PATH_MAX - 1);
    if (length <= 0 || getcwd(scripts->here, sizeof scripts->here) == NULL) {
        cli_error("the path of this program cannot be found: %s", strerror(errno));
        scripts->code = CLI_FAILED;
        return false;
    }
    scripts->program[length] = '\0';
    return true;
}

int slurm_write(const struct cli_args *args, const struct plan_state *state, uint32_t at_once)
{
    const uint32_t open = plan_open(state);
    struct scripts scripts = {.folder = cli_value(args, "slurm"),
                              .plan = args->operands[0],
                              .name = state->plan->grid.name,
                              .tasks = open < 1           ? 1
                                       : open > TASKS_MAX ? TASKS_MAX
                                                          : open,
                              .at_once = at_once == 0 ? 1 : at_once};
    if (!output_folder_open(&scripts.in, scripts.folder, &(struct output_inputs){0}))
        scripts.code = cli_output_failed(scripts.in.file, scripts.in.inputs, errno);
    else if (find_paths(&scripts) && write_script(&scripts, "plan.sbatch", write_array) &&
             write_script(&scripts, "gather.sbatch", write_gather))
        write_script(&scripts, "submit.sh", write_submit);
    output_folder_close(&scripts.in);
    if (scripts.code != CLI_DONE)
        return scripts.code;
    printf("%u %s: %s/submit.sh\n", scripts.tasks, plural(scripts.tasks, "task", "tasks"),
           scripts.folder);
    return CLI_DONE;
}
