/* SPDX-License-Identifier: Apache-2.0
 * step - the command loop. */
#include "replay/step/step.h"

#include "base/memory.h"
#include "replay/run/stop.h"
#include "replay/step/step_acts_private.h"

#include <stdlib.h>
#include <string.h>

static bool is_asked_to_stop(void)
{
    return stop_asked() != 0;
}

/* ------------------------------------------------------------------ lines */

static void tell_wrong(const struct step_state *session)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const struct diag_place place = {session->with->name, (int)session->line_number,
                                     session->wrong.column, 1};
    diag_add(diag, DIAG_ERROR, place, session->line, "%s", session->wrong.text);
    diag_print(diag, session->with->wrong);
    free(diag);
}

static void skip_rest(FILE *in)
{
    for (int c = fgetc(in); c != EOF && c != '\n';)
        c = fgetc(in);
}

/* Reads a line without its newline; on a terminal, an empty line repeats the last one. */
static bool read_line(struct step_state *session)
{
    const struct step_session *with = session->with;
    char text[STEP_LINE_BYTES];
    session->wrong = (struct step_wrong){0};
    if (with->terminal) {
        fputs("(step) ", with->out);
        fflush(with->out);
    }
    if (fgets(text, sizeof text, with->in) == NULL) {
        fputs(with->terminal ? "\n" : "", with->out);
        return false;
    }
    session->line_number++;
    if (strlen(text) == sizeof text - 1 && text[sizeof text - 2] != '\n') {
        session->wrong.column = 1;
        snprintf(session->wrong.text, sizeof session->wrong.text,
                 "expected a line of less than %d bytes", STEP_LINE_BYTES);
        skip_rest(with->in);
    }
    text[strcspn(text, "\r\n")] = '\0';
    if (!with->terminal || text[0] != '\0')
        strcpy(session->line, text);
    return true;
}

/* Returns false if a process is gone. */
static bool do_line(struct step_state *session)
{
    struct step_command command;
    stop_forget();
    return !step_command_parse(session->line, session->with->scenario, &command, &session->wrong) ||
           step_act(session, &command);
}

static enum step_result play_lines(struct step_state *session)
{
    while (!session->quits && read_line(session)) {
        if (session->wrong.column == 0 && !do_line(session)) {
            fprintf(session->with->wrong, "stormglass: the process of the run has ended\n");
            return STEP_BROKEN;
        }
        fflush(session->with->out); /* the reader may be a program */
        if (session->wrong.column == 0)
            continue;
        tell_wrong(session);
        if (!session->with->terminal)
            return STEP_WRONG;
    }
    return session->different ? STEP_DIFFERENT : STEP_DONE;
}

static enum step_result run_session(struct step_state *session)
{
    struct stop former;
    if (!session->with->terminal)
        return play_lines(session);
    stop_catch_interrupts(&former);
    const enum step_result result = play_lines(session);
    stop_release(&former);
    stop_forget();
    return result;
}

enum step_result step_run(const struct step_session *with, struct diag *diag)
{
    struct stepper *stepper = stepper_new(with->scenario, with->checks, diag);
    if (stepper == NULL)
        return STEP_WRONG;
    struct step_state *session = memory_zeroed(1, sizeof *session);
    session->with = with;
    session->reported_difference = TIME_NEVER;
    enum step_result result = STEP_BROKEN;
    const bool well = step_ladder_begin(&session->ladder, stepper);
    session->ladder.is_asked_to_stop = is_asked_to_stop;
    if (well)
        result = run_session(session);
    else
        fprintf(with->wrong, "stormglass: could not start a process\n");
    step_ladder_end(&session->ladder);
    free(session);
    return result;
}
