/* SPDX-License-Identifier: Apache-2.0
 * step_acts - movement, breakpoints and inspection.
 * The session has the breakpoints and the ladder; the world is in the ladder's player processes, so
 * the current one is asked for its state. */
#include "replay/step/step_acts_private.h"

#include "base/plural.h"
#include "replay/step/step_tell.h"

#include <string.h>

/* ------------------------------------------------------------------ position */

static void tell_position(const struct step_state *session, const struct step_position *position)
{
    FILE *out = session->with->out;
    if (position->between || position->events == 0)
        fprintf(out, "%.6f us, after event %llu\n", (double)position->now / PS_PER_US,
                (unsigned long long)position->events);
    else
        step_player_tell(&session->ladder.present.player, step_list, &step_subject_any, 1, out);
}

static void tell_difference(struct step_state *session, const struct step_moved *moved)
{
    const struct step_checks *checks = session->with->checks;
    FILE *out = session->with->out;
    if (moved->differs_at != TIME_NEVER && session->reported_difference == TIME_NEVER) {
        session->reported_difference = moved->differs_at;
        session->different = true;
        fprintf(out,
                "the run differs from the stored run: at %.6f us, the digest of %s is different\n",
                (double)moved->differs_at / PS_PER_US,
                session->with->scenario->nodes[moved->differs_in].name);
    }
    const struct step_position *at = &moved->position;
    const bool is_end =
        moved->end == STEP_AT_END || (at->between && at->now == session->with->until);
    if (!is_end || checks == NULL || checks->digest[0] == '\0')
        return;
    struct digest digest;
    char text[DIGEST_TEXT_BYTES];
    if (!step_player_digest(&session->ladder.present.player, &digest))
        return;
    digest_format(&digest, text);
    const bool same = strcmp(text, checks->digest) == 0;
    session->different = session->different || !same;
    fprintf(out,
            same ? "the digest equals that of the stored run\n"
                 : "the stored run had the digest %s\n",
            checks->digest);
}

static void tell_end(const struct step_state *session)
{
    struct digest digest;
    char text[DIGEST_TEXT_BYTES];
    step_player_digest(&session->ladder.present.player, &digest);
    digest_format(&digest, text);
    fprintf(session->with->out, "the run is over; digest %s\n", text);
}

static void tell_moved(struct step_state *session, const struct step_moved *moved)
{
    if (moved->end == STEP_AT_SLICE)
        fprintf(session->with->out, "interrupted\n");
    tell_position(session, &moved->position);
    if (moved->end == STEP_AT_END)
        tell_end(session);
    tell_difference(session, moved);
}

/* ------------------------------------------------------------------ movement */

/* Breakpoints and watches, followed by the command's own condition (may be NULL). */
static struct step_goal goal_of(const struct step_state *session, const struct step_condition *own)
{
    struct step_goal goal = {
        .events = UINT64_MAX, .until = session->with->until, .slice = UINT64_MAX, .hits = 1};
    for (uint32_t i = 0; i < session->point_count; i++)
        goal.conditions[goal.condition_count++] = session->points[i].condition;
    if (own != NULL)
        goal.conditions[goal.condition_count++] = *own;
    return goal;
}

/* Reports the points that were hit; true if one of them is a breakpoint. */
static bool tell_points(const struct step_state *session, const struct step_moved *moved)
{
    bool stops = false;
    for (uint32_t i = 0; i < session->point_count; i++) {
        const struct step_point *point = &session->points[i];
        if (moved->end != STEP_AT_HIT || (moved->conditions & UINT32_C(1) << i) == 0)
            continue;
        stops = stops || point->stops;
        fprintf(session->with->out, "at %s %u: %s\n", point->stops ? "break" : "watch",
                point->number, point->text);
    }
    return stops;
}

/* Moves to the goal; the command's own condition, after the points, must be met so many times. */
static bool go_to_goal(struct step_state *session, const struct step_goal *goal, uint64_t times)
{
    const uint32_t own = UINT32_C(1) << session->point_count;
    struct step_moved moved;
    for (;;) {
        if (!step_ladder_move(&session->ladder, goal, &moved))
            return false;
        const bool stops = tell_points(session, &moved);
        const bool is_own = moved.end == STEP_AT_HIT && (moved.conditions & own) != 0;
        times -= is_own;
        if (moved.end == STEP_AT_HIT && moved.what[0] != '\0')
            fprintf(session->with->out, "%s\n", moved.what);
        if (moved.end != STEP_AT_HIT || stops || times == 0)
            break;
        if (!is_own)
            tell_position(session, &moved.position);
        if (session->ladder.is_asked_to_stop())
            break;
    }
    tell_moved(session, &moved);
    return true;
}

static bool do_continue(struct step_state *session, const struct step_command *command)
{
    struct step_goal goal = goal_of(session, NULL);
    if (command->until < goal.until)
        goal.until = command->until;
    return go_to_goal(session, &goal, UINT64_MAX);
}

/* Counting events needs no check after each of them. */
static bool go_events(struct step_state *session, uint64_t count)
{
    const uint64_t now = session->ladder.present.position.events;
    struct step_goal goal = goal_of(session, NULL);
    goal.events = count > UINT64_MAX - 1 - now ? UINT64_MAX - 1 : now + count;
    return go_to_goal(session, &goal, UINT64_MAX);
}

static bool is_any_event(const struct step_condition *condition)
{
    return condition->quantity == STEP_EVENT && condition->subject.node == STEP_ANY;
}

static bool do_next(struct step_state *session, const struct step_command *command)
{
    if (is_any_event(&command->condition))
        return go_events(session, command->number);
    struct step_goal goal = goal_of(session, &command->condition);
    if (session->point_count > 0)
        return go_to_goal(session, &goal, command->number);
    goal.hits = command->number;
    return go_to_goal(session, &goal, 1);
}

static bool seek_goal(struct step_state *session, const struct step_goal *goal)
{
    struct step_moved moved;
    if (!step_ladder_seek(&session->ladder, goal, &moved))
        return false;
    tell_moved(session, &moved);
    return true;
}

static bool back_events(struct step_state *session, uint64_t count)
{
    const struct step_position *now = &session->ladder.present.position;
    struct step_goal goal = {.until = TIME_NEVER, .slice = UINT64_MAX};
    const uint64_t from = now->events + now->between;
    goal.events = from > count ? from - count : 0;
    return seek_goal(session, &goal);
}

static bool go_back(struct step_state *session, const struct step_goal *goal, uint64_t times)
{
    uint64_t left;
    struct step_moved moved;
    if (!step_ladder_back(&session->ladder, goal, times, &left, &moved))
        return false;
    if (left > 0)
        fprintf(session->with->out, "start of the run reached after %llu %s\n",
                (unsigned long long)(times - left), plural(times - left, "match", "matches"));
    else if (moved.what[0] != '\0')
        fprintf(session->with->out, "%s\n", moved.what);
    tell_moved(session, &moved);
    return true;
}

static bool do_back(struct step_state *session, const struct step_command *command)
{
    if (is_any_event(&command->condition))
        return back_events(session, command->number);
    const struct step_goal goal = {.condition_count = 1, .conditions = {command->condition}};
    return go_back(session, &goal, command->number);
}

static bool do_reverse(struct step_state *session, const struct step_command *command)
{
    (void)command;
    struct step_goal goal = {0};
    for (uint32_t i = 0; i < session->point_count; i++)
        if (session->points[i].stops)
            goal.conditions[goal.condition_count++] = session->points[i].condition;
    if (goal.condition_count == 0)
        fprintf(session->with->out, "no break is set; break CONDITION sets one\n");
    return goal.condition_count == 0 || go_back(session, &goal, 1);
}

static bool do_goto(struct step_state *session, const struct step_command *command)
{
    const struct step_goal goal = {
        .events = command->has_number ? command->number : UINT64_MAX,
        .until = command->until < session->with->until ? command->until : session->with->until,
        .slice = UINT64_MAX,
    };
    return seek_goal(session, &goal);
}

/* ------------------------------------------------------------------ breakpoints */

static bool add_point(struct step_state *session, const struct step_command *command)
{
    if (session->point_count == BREAKS_MAX) {
        session->wrong.column = 1;
        snprintf(session->wrong.text, sizeof session->wrong.text,
                 "too many breaks and watches: expected at most %d", BREAKS_MAX);
        return true;
    }
    struct step_point *point = &session->points[session->point_count++];
    *point = (struct step_point){
        .number = ++session->numbers,
        .stops = command->verb == STEP_DO_BREAK,
        .condition = command->condition,
    };
    const char *text = session->line + command->condition_at;
    snprintf(point->text, sizeof point->text, "%.*s", (int)strcspn(text, "#\r\n"), text);
    fprintf(session->with->out, "%s %u: %s\n", point->stops ? "break" : "watch", point->number,
            point->text);
    return true;
}

static bool do_breaks(struct step_state *session, const struct step_command *command)
{
    (void)command;
    for (uint32_t i = 0; i < session->point_count; i++)
        fprintf(session->with->out, "%s %u: %s\n", session->points[i].stops ? "break" : "watch",
                session->points[i].number, session->points[i].text);
    if (session->point_count == 0)
        fprintf(session->with->out, "no break or watch is set\n");
    return true;
}

static bool do_delete(struct step_state *session, const struct step_command *command)
{
    if (!command->has_number) {
        session->point_count = 0;
        return true;
    }
    uint32_t i = 0;
    while (i < session->point_count && session->points[i].number != command->number)
        i++;
    if (i == session->point_count) {
        session->wrong.column = command->condition_at + 1;
        snprintf(session->wrong.text, sizeof session->wrong.text,
                 "no break or watch has number %llu", (unsigned long long)command->number);
        return true;
    }
    session->point_count--;
    memmove(&session->points[i], &session->points[i + 1],
            (session->point_count - i) * sizeof session->points[0]);
    return true;
}

/* ------------------------------------------------------------------ inspection */

static bool do_tell(struct step_state *session, const struct step_command *command)
{
    step_tell *const tell = command->verb == STEP_DO_LIST   ? step_list
                            : command->verb == STEP_DO_SHOW ? step_show
                                                            : step_why;
    const uint32_t number = command->number < UINT32_MAX ? (uint32_t)command->number : UINT32_MAX;
    return step_player_tell(&session->ladder.present.player, tell, &command->subject, number,
                            session->with->out);
}

static bool do_where(struct step_state *session, const struct step_command *command)
{
    struct digest digest;
    char text[DIGEST_TEXT_BYTES];
    if (!step_player_digest(&session->ladder.present.player, &digest))
        return false;
    digest_format(&digest, text);
    const struct step_position *position = &session->ladder.present.position;
    if (command->verb == STEP_DO_WHERE)
        fprintf(session->with->out, "%s event %llu, %.6f us\n", position->between ? "after" : "at",
                (unsigned long long)position->events, (double)position->now / PS_PER_US);
    fprintf(session->with->out, "digest %s\n", text);
    return true;
}

static bool do_help(struct step_state *session, const struct step_command *command)
{
    FILE *out = session->with->out;
    if (command->has_number) {
        fprintf(out, "[NODE | NODE:PORT | WORKLOAD] [prio N] [qp N] [from HOST] [to HOST] WORD "
                     "[> VALUE], in any order\n");
        for (int i = 0; i < STEP_QUANTITY_COUNT; i++)
            fprintf(out, "  %-10s  %s\n", step_conditions[i].word, step_conditions[i].about);
        return true;
    }
    for (int i = 0; i < STEP_VERB_COUNT; i++)
        fprintf(out, "  %-8s  %-2s  %-16s %s\n", step_commands[i].word, step_commands[i].brief,
                step_commands[i].arguments, step_commands[i].about);
    return true;
}

static bool do_quit(struct step_state *session, const struct step_command *command)
{
    (void)command;
    session->quits = true;
    return true;
}

/* ------------------------------------------------------------------ entry point */

typedef bool act(struct step_state *session, const struct step_command *command);

static act *const acts[STEP_VERB_COUNT] = {
    [STEP_DO_CONTINUE] = do_continue, [STEP_DO_RUN] = do_continue,  [STEP_DO_UNTIL] = do_continue,
    [STEP_DO_NEXT] = do_next,         [STEP_DO_BACK] = do_back,     [STEP_DO_REVERSE] = do_reverse,
    [STEP_DO_GOTO] = do_goto,         [STEP_DO_BREAK] = add_point,  [STEP_DO_WATCH] = add_point,
    [STEP_DO_BREAKS] = do_breaks,     [STEP_DO_DELETE] = do_delete, [STEP_DO_SHOW] = do_tell,
    [STEP_DO_WHY] = do_tell,          [STEP_DO_LIST] = do_tell,     [STEP_DO_WHERE] = do_where,
    [STEP_DO_DIGEST] = do_where,      [STEP_DO_HELP] = do_help,     [STEP_DO_QUIT] = do_quit,
};

bool step_act(struct step_state *session, const struct step_command *command)
{
    return acts[command->verb](session, command);
}
