/* SPDX-License-Identifier: Apache-2.0 */
#include "shrink.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Version, name, seed, duration and drain: the laws about ends are for those that were drawn. */
enum { HEAD = 5 };

void shrink_describe_end(int status, char text[PLAY_TEXT])
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(text, PLAY_TEXT, "it took more than %d s", SHRINK_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(text, PLAY_TEXT, "it died: %s", strsignal(WTERMSIG(status)));
    else
        snprintf(text, PLAY_TEXT, "it ended with exit code %d", WEXITSTATUS(status));
}

/* The last that a child said: of a false CHECK, which one. */
static void take_words(FILE *words, struct play_outcome *outcome)
{
    char line[PLAY_TEXT], last[PLAY_TEXT] = "";
    rewind(words);
    while (fgets(line, sizeof line, words) != NULL)
        if (strstr(line, "error: ") != NULL && last[0] == '\0')
            snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), strstr(line, "error: "));
    if (last[0] != '\0')
        play_break(outcome, "it died: %.300s", last);
}

void shrink_try(const struct script *script, uint64_t seed, unsigned ways,
                struct shrink_trial *trial)
{
    static char text[SCRIPT_BYTES];
    int status;
    FILE *words = tmpfile();
    CHECK(words != NULL);
    script_text(script, text);
    memset(trial, 0, sizeof *trial);
    fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(fileno(words), STDERR_FILENO);
        alarm(SHRINK_SECONDS);
        play_text(text, seed, ways, NULL, &trial->outcome);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        char end[PLAY_TEXT];
        shrink_describe_end(status, end);
        memset(&trial->outcome, 0, sizeof trial->outcome);
        take_words(words, &trial->outcome);
        play_break(&trial->outcome, "%s", end);
    }
    fclose(words);
}

/* ------------------------------------------------------------------ smaller */

struct shrink {
    struct script *script;
    struct shrink_trial *trial;
    uint64_t seed;
    unsigned ways, trials;
    char law[PLAY_TEXT];
};

static bool still_breaks(struct shrink *shrink, const struct script *smaller)
{
    if (shrink->trials++ >= SHRINK_TRIALS)
        return false;
    shrink_try(smaller, shrink->seed, shrink->ways, shrink->trial);
    return strcmp(shrink->trial->outcome.law, shrink->law) == 0;
}

static bool cut_lines(struct shrink *shrink)
{
    static struct script smaller;
    bool any = false;
    for (unsigned span = shrink->script->count; span >= 1; span--)
        for (unsigned line = HEAD; line < shrink->script->count; line++) {
            if (script_span(shrink->script, line) != span)
                continue;
            smaller = *shrink->script;
            script_cut(&smaller, line);
            if (!still_breaks(shrink, &smaller))
                continue;
            *shrink->script = smaller;
            any = true;
            line--;
        }
    return any;
}

/* Halves the first number of a line. */
static bool halve(char *line)
{
    const char *colon = strstr(line, ": ");
    const size_t at = colon == NULL ? 0 : (size_t)(colon - line) + 2;
    if (at == 0 || line[at] < '1' || line[at] > '9')
        return false;
    const size_t digits = strspn(line + at, "0123456789");
    const uint64_t value = strtoull(line + at, NULL, 10);
    char rest[SCRIPT_WIDTH];
    if (value < 2 || line[at + digits] == '.' || line[at + digits] == 'e')
        return false;
    snprintf(rest, sizeof rest, "%s", line + at + digits);
    snprintf(line + at, SCRIPT_WIDTH - at, "%" PRIu64 "%s", value / 2, rest);
    return true;
}

static bool halve_numbers(struct shrink *shrink)
{
    static struct script smaller;
    bool any = false;
    for (unsigned line = HEAD; line < shrink->script->count; line++) {
        smaller = *shrink->script;
        while (halve(smaller.lines[line]) && still_breaks(shrink, &smaller)) {
            *shrink->script = smaller;
            any = true;
        }
    }
    return any;
}

void shrink_script(struct script *script, uint64_t seed, unsigned ways, struct shrink_trial *trial)
{
    struct shrink shrink = {.script = script, .trial = trial, .seed = seed, .ways = ways};
    shrink_try(script, seed, ways, trial);
    if (trial->outcome.broken[0] == '\0')
        return; /* it needed what else was played with it */
    snprintf(shrink.law, sizeof shrink.law, "%s", trial->outcome.law);
    while (cut_lines(&shrink) && shrink.trials < SHRINK_TRIALS)
        ;
    while (halve_numbers(&shrink) && shrink.trials < SHRINK_TRIALS)
        ;
    shrink_try(script, seed, ways, trial);
}

/* ------------------------------------------------------------------ files */

void shrink_keep(const struct script *script, uint64_t seed, const struct shrink_trial *trial,
                 const char *law, const char *folder)
{
    static char text[SCRIPT_BYTES];
    char path[256];
    const bool again = trial->outcome.broken[0] != '\0';
    snprintf(path, sizeof path, "%s/seed-%" PRIu64 ".yaml", folder, seed);
    printf("seed %" PRIu64 ": %s\n", seed, again ? trial->outcome.broken : law);
    script_text(script, text);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        printf("  %s cannot be written\n", path);
        return;
    }
    fputs("# Found by the swarm: ", file);
    for (const char *at = again ? trial->outcome.broken : law; *at != '\0'; at++)
        fputs(*at == '\n' ? "\n# " : (char[]){*at, '\0'}, file);
    fprintf(file, "\n# of seed %" PRIu64 ", made smaller.\n%s", seed, text);
    fclose(file);
    printf("  %s, %u lines%s\n", path, script->count, again ? "" : "; it does not fail alone");
    printf("  again: build/gcc-plain/tests/swarm/swarm --first %" PRIu64 " --seeds 1\n", seed);
}

bool shrink_read(const char *path, struct script *script)
{
    static char text[SCRIPT_BYTES];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return script_read(script, text);
}
