/* SPDX-License-Identifier: Apache-2.0
 * step_command - the table of commands of `stormglass step`, and the parsed form of their lines.
 * Names and short names are matched exactly. Errors: false, with location and message in
 * words->wrong. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_COMMAND_H
#define STORMGLASS_REPLAY_STEP_STEP_COMMAND_H

#include "replay/step/step_condition.h"

/* name, word, short word, arguments, sentence */
#define STEP_COMMANDS(X)                                                                           \
    X(CONTINUE, "continue", "c", "[until T]", "runs to the next break, to T, or to the end")       \
    X(RUN, "run", "r", "[until T]", "same as continue")                                            \
    X(UNTIL, "until", "u", "T", "runs to a time, or to an earlier break")                          \
    X(NEXT, "next", "n", "[N] [CONDITION]",                                                        \
      "steps forward N events, or to the N-th match of CONDITION")                                 \
    X(BACK, "back", "bk", "[N] [CONDITION]",                                                       \
      "steps back N events, or to the N-th match before; ignores breaks")                          \
    X(REVERSE, "reverse", "rc", "", "goes back to the most recent break")                          \
    X(GOTO, "goto", "g", "T | event N", "jumps to a time or an event, in either direction")        \
    X(BREAK, "break", "b", "CONDITION", "stops the run whenever CONDITION becomes true")           \
    X(WATCH, "watch", "wa", "CONDITION",                                                           \
      "prints a line whenever CONDITION becomes true, without a stop")                             \
    X(BREAKS, "breaks", "i", "", "lists breaks and watches")                                       \
    X(DELETE, "delete", "d", "[N]", "deletes break or watch N, or all")                            \
    X(SHOW, "show", "p", "[SUBJECT]",                                                              \
      "shows the state of a node, port or workload, or an overview")                               \
    X(WHY, "why", "w", "SUBJECT",                                                                  \
      "shows what a port, queue pair or workload waits for, down to the root cause")               \
    X(LIST, "list", "l", "[N]", "lists the last N events")                                         \
    X(WHERE, "where", "wh", "", "shows the time, the event's number and the digest")               \
    X(DIGEST, "digest", "di", "", "shows the digest of all events so far")                         \
    X(HELP, "help", "h", "[conditions]", "shows this list, or the words of a condition")           \
    X(QUIT, "quit", "q", "", "ends the session")

enum step_verb {
#define X(name, word, brief, arguments, about) STEP_DO_##name,
    STEP_COMMANDS(X)
#undef X
        STEP_VERB_COUNT
};

enum { STEP_LIST_PRESET = 10, STEP_BREAKS_MOST = 1000000 };

struct step_command_row {
    const char *word, *brief, *arguments, *about;
};

extern const struct step_command_row step_commands[STEP_VERB_COUNT];

struct step_command {
    enum step_verb verb;
    uint64_t number; /* NEXT, BACK: repetitions; LIST: count; DELETE: index; GOTO: event */
    bool has_number;
    time_ps until;                   /* CONTINUE, RUN, UNTIL, GOTO; TIME_NEVER: none */
    struct step_condition condition; /* NEXT, BACK, BREAK, WATCH */
    int condition_at;                /* column where its text begins in the line */
    struct step_subject subject;     /* SHOW, WHY */
};

/* Also returns false for an empty line; wrong->column is then 0. */
bool step_command_parse(const char *line, const struct scenario *scenario,
                        struct step_command *command, struct step_wrong *wrong);

#endif
