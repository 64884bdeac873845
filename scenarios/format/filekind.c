/* SPDX-License-Identifier: Apache-2.0
 * filekind - table of file kinds, one row per kind. */
#include "scenarios/format/filekind.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct mark {
    enum filekind kind;
    size_t at; /* byte offset; LINE and ANYWHERE: search the text */
    const char *bytes;
    size_t length;
};

#define LINE     SIZE_MAX       /* at the beginning of a line */
#define ANYWHERE (SIZE_MAX - 1) /* ignores case */
#define MARK(kind, at, text)                                                                       \
    {                                                                                              \
        FILEKIND_##kind, at, text, sizeof(text) - 1                                                \
    }

/* The application ID is at offset 68 (SQLite file format, 1.3.12); replay/database/store.h defines
 * ours. */
static const struct mark marks[] = {
    MARK(RUN, 68, "StmG"),
    MARK(ANSWER, 68, "StmP"),
    MARK(DATABASE, 0, "SQLite format 3"),
    MARK(CAPTURE, 0, "\xd4\xc3\xb2\xa1"),
    MARK(CAPTURE, 0, "\xa1\xb2\xc3\xd4"),
    MARK(CAPTURE, 0, "\x4d\x3c\xb2\xa1"),
    MARK(CAPTURE, 0, "\xa1\xb2\x3c\x4d"),
    MARK(CAPTURE, 0, "\x0a\x0d\x0d\x0a"),
    MARK(SCENARIO, LINE, "stormglass:"),
    MARK(GRID, LINE, "stormglass-grid:"),
    MARK(PLAN, LINE, "stormglass-plan:"),
    MARK(CLAIM, LINE, "stormglass-claim:"),
    MARK(PRICES, LINE, "stormglass-prices:"),
    MARK(PROFILE, LINE, "stormglass-profile:"),
    MARK(COUNTERS, ANYWHERE, "\"stormglass-counters\""),
    MARK(PREDICTIONS, ANYWHERE, "\"stormglass-predictions\""),
    MARK(WATCH, ANYWHERE, "\"stormglass-watch\""),
    MARK(PAGE, ANYWHERE, "<html"),
    MARK(DRAWING, ANYWHERE, "<svg"),
};

static bool has_mark(const struct mark *mark, const char *head, size_t length)
{
    if (mark->at != LINE && mark->at != ANYWHERE)
        return length >= mark->at + mark->length &&
               memcmp(head + mark->at, mark->bytes, mark->length) == 0;
    for (size_t at = 0; at + mark->length <= length; at++)
        if ((mark->at == ANYWHERE || at == 0 || head[at - 1] == '\n') &&
            strncasecmp(head + at, mark->bytes, mark->length) == 0)
            return true;
    return false;
}

enum filekind filekind_of(const char *head, size_t length)
{
    const size_t looked = length < FILEKIND_HEAD_BYTES ? length : FILEKIND_HEAD_BYTES;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (has_mark(&marks[i], head, looked))
            return marks[i].kind;
    return FILEKIND_UNKNOWN;
}

enum filekind filekind_of_file(const char *path)
{
    char head[FILEKIND_HEAD_BYTES];
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    if (file == NULL)
        return FILEKIND_UNKNOWN;
    const size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    return filekind_of(head, got);
}

const char *filekind_words(enum filekind kind)
{
    static const char *const words[] = {
        [FILEKIND_SCENARIO] = "a scenario; use stormglass run",
        [FILEKIND_GRID] = "a grid; use stormglass predict",
        [FILEKIND_PLAN] = "a plan; use stormglass plan",
        [FILEKIND_CLAIM] = "a claim; use stormglass claims",
        [FILEKIND_PRICES] = "prices; a plan reads this file with prices: FILE",
        [FILEKIND_PROFILE] = "a profile; a scenario reads this file with profile: FILE",
        [FILEKIND_RUN] = "a run database; stormglass explain, report and query read it",
        [FILEKIND_ANSWER] = "a plan's database; stormglass report, plan --resume and query read it",
        [FILEKIND_DATABASE] = "an SQLite database, but not a run database",
        [FILEKIND_CAPTURE] = "a capture; stormglass compare --wire reads it",
        [FILEKIND_COUNTERS] =
            "counters; stormglass diff COUNTERS.json RUN.db compares them with a run",
        [FILEKIND_PREDICTIONS] = "predictions; stormglass compare --frozen compares them with runs",
        [FILEKIND_WATCH] = "a state of stormglass watch --state",
        [FILEKIND_PAGE] = "an HTML page; a browser shows it",
        [FILEKIND_DRAWING] = "a drawing",
    };
    return words[kind];
}
