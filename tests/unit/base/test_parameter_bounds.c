/* SPDX-License-Identifier: Apache-2.0
 * Every parameter that the program lists, at its bounds, just outside, at odd values and with every
 * word: a small scenario that uses it is refused with a place, or is checked and played.  In a
 * child, so that a CHECK or a sanitizer's report names the parameter; what is left is another
 * child's.
 * A quantity beside another that is played (one less than the maximum) is loaded and not played.
 * PARAMETER_VALUES=all: every value, not only the extremes and one other; all are played. */
#include "base/check.h"
#include "base/hash.h"
#include "cli/parameters.h"
#include "replay/run/run.h"
#include "scenarios/check/check.h"
#include "scenarios/fault/fault_kinds.h"
#include "scenarios/load/load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { VALUES_MAX = 64, VALUE_BYTES = 64, TEXT_BYTES = 2000, SECONDS = 300 };

/* ------------------------------------------------------------------ values */

struct values {
    char list[VALUES_MAX][VALUE_BYTES];
    int count;
    bool near[VALUES_MAX]; /* to one that is played */
};

static void add_text(struct values *values, const char *text)
{
    for (int i = 0; i < values->count; i++)
        if (strcmp(values->list[i], text) == 0)
            return;
    CHECK(values->count < VALUES_MAX);
    snprintf(values->list[values->count++], VALUE_BYTES, "%s", text);
}

static void add_words(struct values *values, const char *words)
{
    char word[VALUE_BYTES];
    for (const char *at = words; at != NULL && *at != '\0'; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        add_text(values, word);
        at += length;
    }
}

/* The row without anything that refuses a quantity. */
static struct opt bare(const struct opt *row)
{
    struct opt made = *row;
    made.min = made.max = made.choices = made.step = NULL;
    made.factor = 0;
    return made;
}

static int64_t bound(const struct opt *row, const char *text, int64_t otherwise)
{
    const struct opt free_row = bare(row);
    char why[OPT_WHY_BYTES];
    int64_t value = otherwise;
    CHECK(text == NULL || opt_parse(&free_row, text, &value, why));
    return value;
}

static bool takes_all(void)
{
    const char *asked = getenv("PARAMETER_VALUES");
    return asked != NULL && strcmp(asked, "all") == 0;
}

static void add_number(struct values *values, const struct opt *row, int64_t value)
{
    const struct opt free_row = bare(row);
    char text[VALUE_BYTES];
    if (value < 0 && row->type != OPT_INT)
        return;
    opt_format(&free_row, value, text, sizeof text);
    add_text(values, text);
}

/* Only if it is not there yet. */
static void add_near(struct values *values, const struct opt *row, int64_t value)
{
    const int before = values->count;
    add_number(values, row, value);
    if (values->count > before)
        values->near[before] = !takes_all();
}

static void add_quantities(struct values *values, const struct opt *row)
{
    static const int64_t odd[] = {2,    3,    7,    255,  256,   1009,  1023,
                                  1875, 4096, 4097, 5000, 65536, 65537, 1000003};
    enum { ODD = sizeof odd / sizeof odd[0] };
    const int64_t low = bound(row, row->min, 0), high = bound(row, row->max, INT64_MAX / 2);
    const int64_t ends[] = {low, low - 1, high, high + 1, low + 1, low / 2 + high / 2};
    for (size_t i = 0; i < (takes_all() ? sizeof ends / sizeof ends[0] : 4); i++)
        add_number(values, row, ends[i]);
    const int one = (int)(hash_text(row->name, 0) % ODD);
    for (int i = 0; i < ODD; i++)
        if (takes_all() || i == one) {
            add_number(values, row, odd[i]);
            add_near(values, row, low + odd[i]);
        }
    add_near(values, row, high - 1);
}

static void values_of(const struct opt *row, struct values *values)
{
    *values = (struct values){0};
    add_words(values, row->choices);
    if (row->type == OPT_BOOL)
        add_words(values, "true|false|maybe");
    else if (row->type == OPT_CHOICE)
        add_text(values, "no-such-word");
    else if (row->type == OPT_MASK)
        add_words(values, "none|0|7|3,4|0,1,2,3,4,5,6,7|8|62|63|3,");
    else
        add_quantities(values, row);
}

/* ------------------------------------------------------------------ a scenario for each */

struct subject {
    const struct parameter *parameter;
    char kind[32];  /* "nvme" of "workloads{kind: nvme}" */
    char path[160]; /* for --set */
    char text[TEXT_BYTES];
    bool grows; /* it is the size of the fabric: the greatest are loaded, and not played */
    bool again; /* the row of another kind of workload, too: its greatest is played, what is near
                   it is loaded */
};

static const char trace[] = "fio version 3 iolog\n0 f add\n0 f open\n0 f write 0 4096\n"
                            "10 f read 4096 8192\n20 f write 16384 4096\n30 f close\n";

static bool is_below(const struct subject *subject, const char *where)
{
    return strncmp(subject->parameter->where, where, strlen(where)) == 0;
}

/* "workloads{kind: nvme}" is workloads.0, and its scenario has one of that kind. */
static void find_path(struct subject *subject)
{
    static const char *const lists[] = {"workloads", "faults", "hosts.targets.namespaces"};
    const char *where = subject->parameter->where, *brace = strchr(where, '{');
    const size_t length = brace == NULL ? strlen(where) : (size_t)(brace - where);
    char path[128];
    subject->kind[0] = '\0';
    if (brace != NULL)
        snprintf(subject->kind, sizeof subject->kind, "%.*s",
                 (int)strcspn(brace + strlen("{kind: "), "}"), brace + strlen("{kind: "));
    snprintf(path, sizeof path, "%.*s", (int)length, where);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const size_t head = strlen(lists[i]);
        if (strncmp(path, lists[i], head) == 0)
            snprintf(path, sizeof path, "%s.0%.*s", lists[i], (int)(length - head), where + head);
    }
    snprintf(subject->path, sizeof subject->path, "%s%s%s", path, path[0] == '\0' ? "" : ".",
             subject->parameter->row->name);
}

static const char *kind_if(const struct subject *subject, const char *where, const char *otherwise)
{
    return is_below(subject, where) && subject->kind[0] != '\0' ? subject->kind : otherwise;
}

static void write_text(struct subject *subject)
{
    const char *workload = kind_if(subject, "workloads", "nvme");
    const char *fault = kind_if(subject, "faults", "link-flap");
    const char *medium = kind_if(subject, "hosts.targets.namespaces.media", "flash-tlc");
    const bool at_ports = fault_find(fault)->place == FAULT_AT_PORTS;
    const bool at_switch = fault_find(fault)->place == FAULT_AT_SWITCHES;
    subject->grows = is_below(subject, "fabric.topology");
    subject->again = is_below(subject, "workloads{kind: rdma-") &&
                     strcmp(subject->parameter->row->name, "qps") == 0 &&
                     strcmp(subject->kind, "rdma-write") != 0;
    snprintf(
        subject->text, sizeof subject->text,
        "stormglass: 1\nname: x\nduration: 100us\ndrain: 500us\nfabric:\n"
        "  topology: {kind: %s}\nhosts:\n"
        "  defaults: {rnic: {profile: ideal, congestion-control: {kind: dcqcn}}, nvme: {}, target: "
        "{}}\n"
        "  targets: {where: host1, namespaces: [{media: {kind: %s%s}}]}\nworkloads:\n"
        "  - {name: w, kind: %s%s, from: host0, to: host1}\n"
        "  - {name: r, kind: rdma-write, from: host0, to: host1, message-size: 64KiB, count: 4}\n"
        "  - {name: n, kind: nvme, from: host0, to: host1, read: 50%%, block-size: 16KiB,"
        " queue-depth: 8, count: 20}\n%s%s%s%s%s",
        kind_if(subject, "fabric.topology", "single-switch"), medium,
        strcmp(medium, "ssd") == 0 ? ", modelled-size: 16MiB" : "", workload,
        strcmp(workload, "trace") == 0 ? ", file: trace" : "",
        is_below(subject, "faults") ? "faults:\n  - {kind: " : "",
        is_below(subject, "faults") ? fault : "",
        is_below(subject, "faults") ? ", at: 50us, for: 50us, where: " : "",
        !is_below(subject, "faults") ? ""
        : at_ports                   ? "host0-switch0"
        : at_switch                  ? "switch0"
                                     : "host1",
        !is_below(subject, "faults")       ? ""
        : strcmp(fault, "bit-errors") == 0 ? ", rate: 1e-6}\n"
                                           : "}\n");
}

/* ------------------------------------------------------------------ one value */

static bool is_placed(const struct diag *diag)
{
    for (int i = 0; i < diag->count; i++)
        if (diag->messages[i].level == DIAG_ERROR && diag->messages[i].file[0] == '\0')
            return false;
    return diag->count > 0;
}

/* How it ended: the exit code of the child if it is no good end. */
enum ending { GOOD, UNPLACED = 50, NOT_RUN };

static enum ending play(const struct scenario *scenario, struct diag *diag)
{
    struct check_report report;
    check_scenario(scenario, &report);
    check_free(&report);
    struct run run;
    const struct run_options how = {.until = 300 * PS_PER_US, .unread = true};
    const enum run_end end = run_scenario(&run, scenario, &how, diag);
    run_close(&run);
    return end == RUN_DONE || (end == RUN_REFUSED && diag_failed(diag)) ? GOOD : NOT_RUN;
}

static enum ending try(const struct subject *subject, const char *value, bool is_near,
                       bool *refused)
{
    char set[256];
    snprintf(set, sizeof set, "%s=%s", subject->path, value);
    const char *const sets[] = {set};
    const struct scenario_source files[] = {{"trace", trace, sizeof trace - 1}};
    const struct scenario_input input = {.name = "x.yaml",
                                         .text = subject->text,
                                         .length = strlen(subject->text),
                                         .files = files,
                                         .file_count = 1,
                                         .sets = sets,
                                         .set_count = 1};
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario = scenario_load(&input, diag);
    enum ending ending = GOOD;
    *refused = scenario == NULL;
    if (scenario == NULL)
        ending = is_placed(diag) ? GOOD : UNPLACED;
    else if (!is_near && (!subject->grows || scenario->link_count < 1000) &&
             (!subject->again || strcmp(value, subject->parameter->row->max) == 0 ||
              strlen(value) < 3))
        ending = play(scenario, diag);
    scenario_free(scenario);
    free(diag);
    return ending;
}

/* ------------------------------------------------------------------ all of them, in a child */

/* What the child is at; its successor goes on behind the parameter that ended it. */
struct shared {
    char path[160], value[VALUE_BYTES];
    int tried, refused;
    int parameters; /* begun */
};

struct sweep {
    struct shared *shared;
    int index, from;
};

static void try_all(const struct subject *subject, const struct values *values,
                    struct shared *shared)
{
    for (int i = 0; i < values->count; i++) {
        bool refused;
        snprintf(shared->value, sizeof shared->value, "%s", values->list[i]);
        alarm(SECONDS);
        const enum ending ending = try(subject, values->list[i], values->near[i], &refused);
        shared->tried++;
        shared->refused += refused;
        if (ending != GOOD)
            _exit((int)ending);
    }
}

static bool sweep_one(void *self, const struct parameter *parameter)
{
    struct sweep *sweep = self;
    struct subject subject = {.parameter = parameter};
    struct values values;
    if (sweep->index++ < sweep->from)
        return true;
    find_path(&subject);
    write_text(&subject);
    values_of(parameter->row, &values);
    memcpy(sweep->shared->path, subject.path, sizeof subject.path);
    sweep->shared->parameters++;
    try_all(&subject, &values, sweep->shared);
    return true;
}

/* From the first parameter on that no child has begun; whether all went well to the end. */
static bool sweep_rest(struct shared *shared)
{
    int status = 0;
    fflush(NULL);
    const pid_t made = fork();
    if (made == 0) {
        parameters_each(sweep_one, &(struct sweep){.shared = shared, .from = shared->parameters});
        _exit(0);
    }
    CHECK(made > 0);
    while (waitpid(made, &status, 0) < 0)
        CHECK(errno == EINTR);
    if (status == 0)
        return true;
    print_error("%s=%s: %s %d\n", shared->path, shared->value,
                WIFEXITED(status) ? "exit code" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return false;
}

static void every_value_is_refused_or_played(void **state)
{
    (void)state;
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    int failures = 0;
    while (!sweep_rest(shared))
        failures++;
    print_message("%d parameters, %d values, of which %d are refused\n", shared->parameters,
                  shared->tried, shared->refused);
    assert_int_equal(failures, 0);
    assert_true(shared->parameters > 200);
    /* A base scenario that is wrong would refuse everything. */
    assert_in_range(shared->refused, shared->tried / 10, shared->tried / 10 * 6);
    munmap(shared, sizeof *shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_is_refused_or_played)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
