/* SPDX-License-Identifier: Apache-2.0
 * entry - the program of the unit tests of a folder.
 * usage: PROGRAM [TEST...]     all tests or those, each in its own process; one line each.
 * A program of one test runs it in its own process, for debuggers and valgrind. */
#include "tests/unit/base/entry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct unit_entry *entries;

void unit_entry_add(struct unit_entry *entry)
{
    struct unit_entry **place = &entries;
    while (*place != NULL && strcmp((*place)->name, entry->name) < 0)
        place = &(*place)->next;
    entry->next = *place;
    *place = entry;
}

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void copy_output(FILE *output)
{
    char block[4096];
    rewind(output);
    for (size_t count; (count = fread(block, 1, sizeof block, output)) > 0;)
        fwrite(block, 1, count, stdout);
}

/* Runs the test in a child, whose output appears only if it fails. */
static bool passes(const struct unit_entry *entry)
{
    const long begin = milliseconds();
    FILE *const output = tmpfile();
    int status = 0;
    if (output == NULL) {
        printf("FAIL  %s: no temporary file: %s\n", entry->name, strerror(errno));
        return false;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(fileno(output), STDOUT_FILENO);
        dup2(fileno(output), STDERR_FILENO);
        prctl(PR_SET_NAME, entry->name);
        exit(entry->run());
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    const bool passed = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!passed)
        copy_output(output);
    printf("%s  %s (%ld ms)", passed ? "ok  " : "FAIL", entry->name, milliseconds() - begin);
    if (child < 0)
        printf(": no process: %s", strerror(errno));
    else if (WIFSIGNALED(status))
        printf(": killed by %s", strsignal(WTERMSIG(status)));
    printf("\n");
    fclose(output);
    return passed;
}

static const struct unit_entry *entry_called(const char *name)
{
    const struct unit_entry *entry = entries;
    while (entry != NULL && strcmp(entry->name, name) != 0)
        entry = entry->next;
    return entry;
}

int main(int argc, char **argv)
{
    unsigned failed = 0;
    for (int i = 1; i < argc; i++) {
        const struct unit_entry *const entry = entry_called(argv[i]);
        if (entry == NULL) {
            fprintf(stderr, "%s: there is no test %s\n", argv[0], argv[i]);
            return 2;
        }
        failed += !passes(entry);
    }
    if (argc > 1)
        return failed > 0;
    if (entries != NULL && entries->next == NULL)
        return entries->run();
    for (const struct unit_entry *entry = entries; entry != NULL; entry = entry->next)
        failed += !passes(entry);
    return entries == NULL || failed > 0;
}
