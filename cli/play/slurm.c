/* SPDX-License-Identifier: Apache-2.0
 * slurm - three short scripts. */
#include "cli/play/slurm.h"

#include "base/plural.h"
#include "replay/files/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TASKS_MAX = 1000 }; /* MaxArraySize is 1001 where nobody has changed it (slurm.conf(5)) */

/* What all three are about. */
struct scripts {
    char program[PATH_MAX], here[PATH_MAX];
    const char *folder, *plan, *name;
    unsigned tasks, at_once;
};

static void put_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

/* Names in lines of #SBATCH take no quotes of a shell: other letters become '_'. */
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
    put_quoted(scripts->here, out);
    fputs(" || exit\nexec ", out);
    put_quoted(scripts->program, out);
    fputs(" plan ", out);
    put_quoted(scripts->plan, out);
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
    put_quoted(scripts->folder, out);
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
    put_quoted(scripts->folder, out);
    fprintf(out, " -j %u -o ", scripts->at_once);
    put_quoted(scripts->folder, out);
    fputs("/plan.db\n", out);
}

/* From the folder, so that logs lie beside the databases. */
static void write_submit(FILE *out, const void *what)
{
    (void)what;
    fputs(
        "#!/bin/bash\n"
        "# The shares, and when all of them have ended, however they did, the answer: answer.txt,\n"
        "# plan.db.  What a task did not play is played then.\n"
        "cd \"$(dirname \"$0\")\" || exit\n"
        "job=$(sbatch --parsable \"$@\" plan.sbatch) || exit\n"
        "sbatch --parsable --dependency=afterany:\"${job%%;*}\" \"$@\" gather.sbatch\n",
        out);
}

static bool write_script(const struct scripts *scripts, const char *name,
                         void (*write)(FILE *out, const void *what))
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", scripts->folder, name);
    FILE *out = length < (int)sizeof path ? fopen(path, "w") : NULL;
    if (out != NULL)
        write(out, scripts);
    const bool well = out != NULL && ferror(out) == 0;
    if ((out != NULL && fclose(out) != 0) || !well || chmod(path, 0755) != 0) {
        cli_error("%s/%s: %s", scripts->folder, name, strerror(errno));
        return false;
    }
    return true;
}

static bool find_paths(struct scripts *scripts)
{
    const ssize_t length = readlink("/proc/self/exe", scripts->program, PATH_MAX - 1);
    if (length <= 0 || getcwd(scripts->here, sizeof scripts->here) == NULL) {
        cli_error("where this program is, is not known: %s", strerror(errno));
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
    if (mkdir(scripts.folder, 0777) != 0 && errno != EEXIST) {
        cli_error("--slurm %s: %s", scripts.folder, strerror(errno));
        return CLI_USAGE;
    }
    if (!find_paths(&scripts) || !write_script(&scripts, "plan.sbatch", write_array) ||
        !write_script(&scripts, "gather.sbatch", write_gather) ||
        !write_script(&scripts, "submit.sh", write_submit))
        return CLI_FAILED;
    printf("%u %s: %s/submit.sh\n", scripts.tasks, plural(scripts.tasks, "task", "tasks"),
           scripts.folder);
    return CLI_DONE;
}
