/* SPDX-License-Identifier: Apache-2.0
 * checks - what a program can rely on: results by key, errors as text, stops, repeated and parallel
 * runs with the same digests, and independence of the process's locale.
 * usage: checks DIGEST-OF-first-io FILE-FOR-A-DATABASE */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stormglass.h>
#include <string.h>

static const char *digest;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "checks.c:%d: %s\n", __LINE__, #condition);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int stop_at(void *self, const struct stormglass_event *event)
{
    int *left = self;
    EXPECT(event->kind == STORMGLASS_PAUSE && strcmp(event->word, "pause") == 0);
    EXPECT(strstr(event->text, "sends XOFF") != NULL && strchr(event->place, ':') != NULL);
    EXPECT(event->priority == 3 && event->at_ps > 0);
    return --*left == 0;
}

static int count_kinds(void *self, const struct stormglass_event *event)
{
    unsigned *counts = self;
    for (int i = 0; i < 11; i++)
        counts[i] += event->kind >> i & 1;
    return 0;
}

static void check_errors(struct stormglass *run)
{
    static const char text[] = "stormglass: 1\nname: x\nworkload: []\n";
    EXPECT(stormglass_run_text(run, text, sizeof text - 1, "mine.yaml") == STORMGLASS_INVALID);
    EXPECT(strstr(stormglass_messages(run), "mine.yaml:3:1: error: ") != NULL);
    EXPECT(stormglass_json(run) == NULL && stormglass_value(run, "digest") == NULL);
    EXPECT(stormglass_run_text(run, "\xff\0\n{", 4, NULL) == STORMGLASS_INVALID);
    EXPECT(strstr(stormglass_messages(run), "scenario.yaml:1:1: error: ") != NULL);
    EXPECT(stormglass_run_text(run, NULL, 0, NULL) == STORMGLASS_INVALID);
    EXPECT(stormglass_run_file(run, "no-such-file.yaml") == STORMGLASS_INVALID);
    EXPECT(strstr(stormglass_messages(run), "no-such-file.yaml:1:1: error: ") != NULL);
    EXPECT(stormglass_option(run, "until", "5parsec") == STORMGLASS_INVALID);
    EXPECT(strstr(stormglass_messages(run), "a time such as") != NULL);
    EXPECT(stormglass_option(run, "untl", "5ms") == STORMGLASS_INVALID);
    EXPECT(strstr(stormglass_messages(run), "did you mean 'until'") != NULL);
    EXPECT(stormglass_set(run, "fabric.nope", "1") == STORMGLASS_MET);
    EXPECT(stormglass_run_file(run, "first-io") == STORMGLASS_INVALID);
    EXPECT(strstr(stormglass_messages(run), "--set:1:8: error: ") != NULL);
    EXPECT(stormglass_set(run, NULL, NULL) == STORMGLASS_MET);
    EXPECT(stormglass_option(run, "output", "/no/such/folder/run.db") == STORMGLASS_MET);
    EXPECT(stormglass_run_file(run, "first-io") >= STORMGLASS_INVALID);
    EXPECT(strstr(stormglass_messages(run), "/no/such/folder") != NULL);
    EXPECT(stormglass_option(run, "output", NULL) == STORMGLASS_MET);
}

static void check_results(struct stormglass *run)
{
    EXPECT(stormglass_run_file(run, "first-io") == STORMGLASS_MET);
    EXPECT(strcmp(stormglass_value(run, "digest"), digest) == 0);
    EXPECT(strstr(stormglass_json(run), digest) != NULL);
    EXPECT(strstr(stormglass_summary(run), digest) != NULL);
    EXPECT(stormglass_number(run, "workloads[0].completed", -1) == 1);
    EXPECT(stormglass_number(run, "digest", -7) == -7);
    EXPECT(stormglass_number(run, "nothing", -7) == -7 && stormglass_value(run, NULL) == NULL);
    EXPECT(stormglass_set(run, "seed", "9") == STORMGLASS_MET);
    EXPECT(stormglass_run_file(run, "first-io") == STORMGLASS_MET);
    EXPECT(strcmp(stormglass_value(run, "seed"), "9") == 0);
    EXPECT(stormglass_option(run, "seed", "10") == STORMGLASS_MET);
    EXPECT(stormglass_run_file(run, "first-io") == STORMGLASS_MET);
    EXPECT(strcmp(stormglass_value(run, "seed"), "10") == 0);
    EXPECT(stormglass_option(run, "seed", NULL) == STORMGLASS_MET);
    EXPECT(stormglass_set(run, NULL, NULL) == STORMGLASS_MET);
}

static void check_events(struct stormglass *run)
{
    int left = 3;
    char with[64];
    unsigned counts[11] = {0}, again[11] = {0};
    EXPECT(stormglass_option(run, "confirm", "0") == STORMGLASS_MET);
    stormglass_listen(run, STORMGLASS_PAUSE, stop_at, &left);
    EXPECT(stormglass_run_file(run, "pause-storm") == STORMGLASS_STOPPED && left <= 0);
    EXPECT(strcmp(stormglass_value(run, "status"), "interrupted") == 0);
    EXPECT(stormglass_option(run, "until", "2ms") == STORMGLASS_MET);
    stormglass_listen(run, STORMGLASS_ALL, count_kinds, counts);
    EXPECT(stormglass_run_file(run, "pause-storm") <= STORMGLASS_UNMET);
    snprintf(with, sizeof with, "%s", stormglass_value(run, "digest"));
    EXPECT(counts[0] > 10000 && counts[2] > 10 && counts[4] > 10 && counts[6] > 100);
    EXPECT(counts[8] > 10 && counts[10] > 0);
    EXPECT(stormglass_option(run, "threads", "3") == STORMGLASS_MET);
    stormglass_listen(run, STORMGLASS_ALL, count_kinds, again);
    EXPECT(stormglass_run_file(run, "pause-storm") <= STORMGLASS_UNMET);
    EXPECT(strcmp(stormglass_value(run, "digest"), with) == 0);
    EXPECT(memcmp(counts, again, 10 * sizeof *counts) == 0); /* all but progress */
    stormglass_listen(run, 0, NULL, NULL);
    EXPECT(stormglass_option(run, "threads", NULL) == STORMGLASS_MET);
    EXPECT(stormglass_run_file(run, "pause-storm") <= STORMGLASS_UNMET);
    EXPECT(strcmp(stormglass_value(run, "digest"), with) == 0);
    EXPECT(stormglass_option(run, "until", NULL) == STORMGLASS_MET);
}

static void *run_repeatedly(void *confirm)
{
    struct stormglass *run = stormglass_new();
    EXPECT(stormglass_option(run, "confirm", confirm) == STORMGLASS_MET);
    for (int i = 0; i < 5; i++) {
        EXPECT(stormglass_run_file(run, "first-io") == STORMGLASS_MET);
        EXPECT(strcmp(stormglass_value(run, "digest"), digest) == 0);
    }
    stormglass_free(run);
    return NULL;
}

static void check_threads(void)
{
    static char *const confirms[] = {"0", "0", "1000000", NULL};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        EXPECT(pthread_create(&threads[i], NULL, run_repeatedly, confirms[i]) == 0);
    for (int i = 0; i < 4; i++)
        EXPECT(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    EXPECT(argc == 3);
    digest = argv[1];
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL)
        puts("with a German locale");
    struct stormglass *run = stormglass_new();
    EXPECT(run != NULL && STORMGLASS_API == 1 && stormglass_library_version()[0] != '\0');
    check_errors(run);
    check_results(run);
    check_events(run);
    EXPECT(stormglass_option(run, "output", argv[2]) == STORMGLASS_MET);
    EXPECT(stormglass_run_file(run, "first-io") == STORMGLASS_MET);
    stormglass_free(run);
    check_threads();
    stormglass_free(NULL);
    puts("ok    the library");
    return 0;
}
