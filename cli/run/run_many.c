/* SPDX-License-Identifier: Apache-2.0
 * run_many - runs scenarios in processes and prints their outputs in order. */
#include "cli/run/run_many.h"

#include "base/memory.h"
#include "replay/run/jobs.h"
#include "replay/run/progress.h"
#include "replay/run/stop.h"
#include "reports/text/paint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STREAMS = 2, PATH_BYTES = PATH_MAX, NAME_BYTES = 256 };

struct result {
    int code;
};

struct many {
    const struct cli_args *args;
    int (*one)(const struct cli_args *args);
    char place[PATH_BYTES]; /* the directory of kept outputs */
    struct result *results;
    bool *ended, *well; /* by scenario */
    uint32_t count, printed;
    int code;   /* the largest so far */
    bool named; /* the names of the columns are printed (--csv) */
};

/* ---- output files ---- */

static FILE *stream_of(int stream)
{
    return stream == 0 ? stdout : stderr;
}

static void kept_path(const struct many *many, uint32_t index, int stream, char path[PATH_BYTES])
{
    const int length = snprintf(path, PATH_BYTES, "%s/%u.%s", many->place, (unsigned)index,
                                stream == 0 ? "out" : "err");
    if (length < 0 || length >= PATH_BYTES)
        path[0] = '\0'; /* an empty path, so that opening fails */
}

/* "scenarios/cases/pause-storm.yaml" is the run "pause-storm". */
static void run_name(const char *scenario, char name[NAME_BYTES])
{
    const char *slash = strrchr(scenario, '/');
    snprintf(name, NAME_BYTES, "%s", slash == NULL ? scenario : slash + 1);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
        *dot = '\0';
}

static bool make_directory(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return true;
    cli_error("-o %s: %s; expected a directory, since there are several scenarios", path,
              errno == EEXIST ? "exists" : strerror(errno));
    return false;
}

/* Two databases with the same name would overwrite each other. */
static bool names_differ(const struct cli_args *args)
{
    for (int i = 0; i < args->operand_count; i++)
        for (int k = 0; k < i; k++) {
            char name[NAME_BYTES], other[NAME_BYTES];
            run_name(args->operands[i], name);
            run_name(args->operands[k], other);
            if (strcmp(name, other) != 0)
                continue;
            cli_error("-o: the database of both %s and %s would be %s.db; run one scenario alone",
                      args->operands[k], args->operands[i], name);
            return false;
        }
    return true;
}

/* ---- a single run ---- */

/* Redirects both streams to files and saves the previous ones in `kept`. False: the previous ones
 * were restored. */
static bool redirect(const struct many *many, uint32_t index, int kept[STREAMS])
{
    for (int i = 0; i < STREAMS; i++) {
        char path[PATH_BYTES];
        kept_path(many, index, i, path);
        fflush(stream_of(i));
        kept[i] = dup(fileno(stream_of(i)));
        const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0 || dup2(file, fileno(stream_of(i))) < 0)
            return false;
        close(file);
    }
    return true;
}

static void restore_streams(const int kept[STREAMS])
{
    for (int i = 0; i < STREAMS; i++) {
        fflush(stream_of(i));
        if (kept[i] >= 0)
            dup2(kept[i], fileno(stream_of(i)));
        close(kept[i]);
    }
}

static int run_one(const struct many *many, uint32_t index)
{
    struct cli_args args = *many->args;
    char name[NAME_BYTES], path[PATH_BYTES];
    const char *output = cli_value(many->args, "output"), *values[1] = {path};
    args.operands = &many->args->operands[index];
    args.operand_count = 1;
    if (output != NULL) {
        run_name(args.operands[0], name);
        if (snprintf(path, sizeof path, "%s/%s.db", output, name) >= (int)sizeof path) {
            cli_error("-o %s: the path is too long", output);
            return CLI_USAGE;
        }
        cli_replace(&args, "output", values);
    }
    return many->one(&args);
}

static void play(void *self, uint32_t index, void *result)
{
    struct many *many = self;
    int kept[STREAMS] = {-1, -1};
    int code = CLI_FAILED;
    progress_disable();
    if (redirect(many, index, kept))
        code = run_one(many, index);
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        code = CLI_FAILED;
    restore_streams(kept);
    ((struct result *)result)->code = code;
}

/* ---- printing in order ---- */

/* The outputs together are one table: only the first one keeps the line with the names. */
static void skip_names(struct many *many, FILE *file)
{
    int byte = '\0';
    while (many->named && (byte = getc(file)) != EOF && byte != '\n')
        ;
    if (!many->named && (byte = getc(file)) != EOF) {
        ungetc(byte, file);
        many->named = true;
    }
}

static bool print_kept(struct many *many, uint32_t index, int stream)
{
    char path[PATH_BYTES], bytes[8192];
    kept_path(many, index, stream, path);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    if (stream == 0 && cli_given(many->args, "csv"))
        skip_names(many, file);
    size_t got;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        fwrite(bytes, 1, got, stream_of(stream));
    fclose(file);
    unlink(path);
    fflush(stream_of(stream));
    return true;
}

static void print_next(struct many *many)
{
    const uint32_t index = many->printed++;
    const bool out = print_kept(many, index, 0), err = print_kept(many, index, 1);
    const bool printed = out && err;
    int code = many->results[index].code;
    if (!many->well[index] || !printed) {
        code = CLI_FAILED;
        if (stop_asked() == 0)
            cli_error("%s: its process ended early, or its output could not be kept in %s",
                      many->args->operands[index], many->place);
    }
    many->code = code > many->code ? code : many->code;
}

static void done(void *self, uint32_t index, bool well)
{
    struct many *many = self;
    many->ended[index] = true;
    many->well[index] = well;
    while (many->printed < many->count && many->ended[many->printed])
        print_next(many);
}

static bool may_begin(const struct cli_args *args)
{
    const char *output = cli_value(args, "output");
    for (int i = 0; i < args->operand_count; i++)
        if (strcmp(args->operands[i], "-") == 0) {
            cli_error("-: standard input is a single scenario; run it alone");
            return false;
        }
    return output == NULL || (names_differ(args) && make_directory(output));
}

static bool make_place(char place[PATH_BYTES])
{
    const char *temporary = getenv("TMPDIR");
    if (temporary == NULL || temporary[0] == '\0')
        temporary = "/tmp";
    if (snprintf(place, PATH_BYTES, "%s/stormglass-XXXXXX", temporary) < PATH_BYTES &&
        mkdtemp(place) != NULL)
        return true;
    cli_error("cannot create a directory for outputs in %s: %s", temporary, strerror(errno));
    return false;
}

static int play_all(struct many *many, uint32_t at_once)
{
    const struct jobs jobs = {.self = many,
                              .play = play,
                              .done = done,
                              .count = many->count,
                              .at_once = at_once,
                              .results = many->results,
                              .bytes = sizeof *many->results};
    struct stop former;
    stop_catch(&former); /* active runs end cleanly, and their outputs are printed */
    jobs_play(&jobs);
    stop_release(&former);
    for (uint32_t i = many->printed; i < many->count; i++)
        for (int stream = 0; stream < STREAMS; stream++) {
            char path[PATH_BYTES];
            kept_path(many, i, stream, path);
            unlink(path);
        }
    rmdir(many->place);
    return many->code;
}

int run_many(const struct cli_args *args, uint32_t at_once, int (*one)(const struct cli_args *args))
{
    struct many many = {.args = args, .one = one, .count = (uint32_t)args->operand_count};
    if (!may_begin(args))
        return CLI_USAGE;
    paint_settle(stdout);
    if (!make_place(many.place))
        return CLI_FAILED;
    if (cli_given(args, "seeds"))
        at_once = 1; /* the seeds of a single scenario use all processors */
    many.results = memory_zeroed(many.count, sizeof *many.results);
    many.ended = memory_zeroed(many.count, sizeof *many.ended);
    many.well = memory_zeroed(many.count, sizeof *many.well);
    const int code = play_all(&many, at_once);
    free(many.results);
    free(many.ended);
    free(many.well);
    return code;
}
