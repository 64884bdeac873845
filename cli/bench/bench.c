/* SPDX-License-Identifier: Apache-2.0
 * bench - prints benchmark results as text and as JSON, and appends them to a history. */
#include "cli/bench/bench.h"

#include "base/memory.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "replay/database/words.h"
#include "reports/text/csv.h"
#include "reports/text/json.h"
#include "scenarios/embedded.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

int64_t bench_rate(int64_t count, double seconds)
{
    return seconds > 0 ? (int64_t)((double)count / seconds) : 0;
}

void bench_list(struct cli_list *list)
{
    cli_list_files(list, "works/");
    for (const struct bench_part *part = bench_parts; part->name != NULL; part++)
        cli_list_row(list, part->name, part->about);
}

void bench_print_list(void)
{
    struct cli_list lines = {0};
    bench_list(&lines);
}

/* ------------------------------------------------------------------ text output */

static void print_memory(const struct bench_figures *figures)
{
    printf("%20speak memory %s", "", words_bytes(figures->peak_bytes).text);
    printf(": %s per host after set-up (%s %s, %s queue %s)", words_bytes(figures->host_bytes).text,
           words_count(figures->hosts).text, plural(figures->hosts, "host", "hosts"),
           words_count(figures->queue_pairs).text, plural(figures->queue_pairs, "pair", "pairs"));
    printf(", then up to %s per frame in flight (at most %s %s)\n",
           words_bytes(figures->frame_bytes).text, words_count(figures->frames).text,
           plural(figures->frames, "frame", "frames"));
}

static void print_segments(const struct bench_figures *figures)
{
    if (figures->segments > 0)
        printf("%20sCPU time of the whole run: %.0f ns per TCP segment (%s %s)\n", "",
               figures->segment_ns, words_count(figures->segments).text,
               plural(figures->segments, "segment", "segments"));
}

static void print_scenario(const struct bench_figures *figures)
{
    printf(" by CPU time, %s by wall-clock time; %s events/s, %.2f events per hop\n",
           words_short((double)figures->hops_per_wall_s).text,
           words_short((double)figures->events_per_cpu_s).text, figures->events_per_hop);
    printf("%20s%s packet-%s; CPU time: set-up %.3f s, run %.3f s, tear-down %.3f s\n", "",
           words_count(figures->packet_hops).text, plural(figures->packet_hops, "hop", "hops"),
           figures->build_cpu_s, figures->play_cpu_s, figures->end_cpu_s);
    print_segments(figures);
    print_memory(figures);
}

static void print_figures(const char *work, const struct bench_figures *figures)
{
    printf("%-20s", work);
    if (figures->packet_hops > 0)
        printf("%s packet-hops/s", words_short((double)figures->hops_per_cpu_s).text);
    else
        printf("%s events/s", words_short((double)figures->events_per_cpu_s).text);
    if (figures->hosts > 0)
        print_scenario(figures);
    else
        putchar('\n');
}

/* ------------------------------------------------------------------ machine-readable output */

static void print_json(const char *work, const struct bench_figures *figures)
{
    json_open(stdout);
    printf("\"work\": ");
    json_string(stdout, work);
#define X(type, member, name) printf(", \"" name "\": " BENCH_FORMAT_##type, figures->member);
#define BENCH_FORMAT_count    "%" PRId64
#define BENCH_FORMAT_ratio    "%.4f"
    BENCH_FIGURES(X)
#undef X
    printf("}\n");
}

static void write_names(FILE *file)
{
    struct csv csv;
    csv_begin(&csv, file);
    csv_names(&csv, "label,version,machine,work");
#define X(type, member, name) csv_names(&csv, name);
    BENCH_FIGURES(X)
#undef X
    csv_end_row(&csv);
}

/* The machine is named such as "x86_64 x 2". */
static void write_line(FILE *file, const char *label, const char *work,
                       const struct bench_figures *figures)
{
    struct csv csv;
    struct utsname name;
    char machine[96];
    snprintf(machine, sizeof machine, "%.65s x %ld", uname(&name) == 0 ? name.machine : "unknown",
             sysconf(_SC_NPROCESSORS_ONLN));
    csv_begin(&csv, file);
    csv_text(&csv, label);
    csv_text(&csv, stormglass_version);
    csv_text(&csv, machine);
    csv_text(&csv, work);
#define X(type, member, name)                                                                      \
    csv_begin_field(&csv);                                                                         \
    fprintf(file, BENCH_FORMAT_##type, figures->member);
    BENCH_FIGURES(X)
#undef X
    csv_end_row(&csv);
}

void bench_csv_names(void)
{
    write_names(stdout);
}

/* Appends to a history: the whole line or nothing. */
static bool append_text(const char *path, const char *text, size_t length)
{
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    struct stat before;
    if (file < 0)
        return false;
    const ssize_t written = fstat(file, &before) == 0 ? write(file, text, length) : -1;
    const bool well = written == (ssize_t)length;
    const int why = written < 0 ? errno : ENOSPC;
    if (!well && written > 0 && S_ISREG(before.st_mode) && ftruncate(file, before.st_size) != 0)
        cli_error("bench: %s: its last line is incomplete", path);
    errno = why;
    return close(file) == 0 && well;
}

static bool append(const struct bench_output *output, const char *work,
                   const struct bench_figures *figures)
{
    char *text = NULL;
    size_t length = 0;
    struct stat about;
    FILE *memory = memory_stream(&text, &length);
    if (stat(output->history, &about) != 0 || about.st_size == 0)
        write_names(memory);
    write_line(memory, output->label, work, figures);
    memory_stream_end(memory);
    const bool well = append_text(output->history, text, length);
    if (!well)
        cli_error("bench: %s: %s", output->history, strerror(errno));
    free(text);
    return well;
}

bool bench_tell(const struct bench_output *output, const char *work,
                const struct bench_figures *figures)
{
    if (output->json)
        print_json(work, figures);
    else if (output->csv)
        write_line(stdout, output->label, work, figures);
    else
        print_figures(work, figures);
    fflush(stdout);
    return output->history == NULL || append(output, work, figures);
}
