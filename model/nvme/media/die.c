/* SPDX-License-Identifier: Apache-2.0
 * die - reads by plane, other work by the whole die.
 *   FREE --> WORKS --> SUSPENDS --> SUSPENDED --> WORKS     a read arrives, the reads are done
 *              `--> FREE
 * After every change, whatever can start now is started. Programs and erases run in order of
 * arrival. */
#include "nvme/media/die.h"

static time_ps suspend_time(const struct die *die)
{
    switch (die->work->kind) {
    case DIE_PROGRAM:
        return die->rules->program_suspend;
    case DIE_ERASE:
        return die->rules->erase_suspend;
    default:
        return -1;
    }
}

static bool read_waits(const struct die *die)
{
    for (uint32_t i = 0; i < die->rules->planes; i++)
        if (die->planes[i].first != NULL)
            return true;
    return false;
}

/* Whether waiting reads go before waiting or suspended work. */
static bool reads_first(const struct die *die)
{
    return (die->first == NULL && die->work == NULL) || die->passed < die->rules->reads_ahead;
}

static void begin_read(struct die *die, struct die_plane *plane)
{
    struct die_op *op = plane->first;
    plane->first = op->next;
    plane->reads = op;
    die->reading++;
    die->passed += die->first != NULL || die->work != NULL;
    env_timer_set(die->env, &plane->timer, env_now(die->env) + op->time);
}

static void begin_work(struct die *die)
{
    if (die->work == NULL) {
        die->work = die->first;
        die->first = die->work->next;
    }
    die->passed = 0;
    die->firm = read_waits(die);
    die->state = DIE_WORKS;
    env_timer_set(die->env, &die->timer, env_now(die->env) + die->work->time);
}

/* Suspends the running operation, if that is possible and saves time. */
static void suspend(struct die *die)
{
    struct die_op *op = die->work;
    const time_ps takes = suspend_time(die), now = env_now(die->env);
    const time_ps left = die->timer.due - now;
    if (takes < 0 || left <= takes || op->suspended >= die->rules->suspend_limit ||
        die->rules->reads_ahead == 0 || die->firm)
        return;
    op->suspended++;
    op->served += op->time - left;
    op->time = left;
    die->suspensions++;
    die->state = DIE_SUSPENDS;
    env_timer_set(die->env, &die->timer, now + takes);
}

time_ps die_busy(const struct die *die, time_ps now)
{
    return die->busy + (die->active_since == TIME_NEVER ? 0 : now - die->active_since);
}

static void meter(struct die *die)
{
    const bool active = die->reading > 0 || die->work != NULL;
    const time_ps now = env_now(die->env);
    if (active == (die->active_since != TIME_NEVER))
        return;
    die->busy = die_busy(die, now);
    die->active_since = active ? now : TIME_NEVER;
}

static void begin_operation(struct die *die)
{
    if (die->state == DIE_SUSPENDS)
        return;
    if (die->state == DIE_WORKS) {
        if (read_waits(die))
            suspend(die);
        return;
    }
    for (uint32_t i = 0; i < die->rules->planes; i++)
        if (die->planes[i].first != NULL && die->planes[i].reads == NULL && reads_first(die))
            begin_read(die, &die->planes[i]);
    const bool work = die->first != NULL || die->work != NULL;
    if (work && die->reading == 0)
        begin_work(die);
}

/* Starts whatever can start now. */
static void start_ready_work(struct die *die)
{
    begin_operation(die);
    meter(die);
}

static void on_read(void *self, time_ps now)
{
    struct die_plane *plane = self;
    struct die *die = plane->die;
    struct die_op *op = plane->reads;
    (void)now;
    plane->reads = NULL;
    die->reading--;
    op->served += op->time;
    start_ready_work(die);
    die->done(die->self, op);
}

static void on_work(void *self, time_ps now)
{
    struct die *die = self;
    struct die_op *op = die->work;
    (void)now;
    if (die->state == DIE_SUSPENDS) {
        die->state = DIE_SUSPENDED;
        start_ready_work(die);
        return;
    }
    CHECK(die->state == DIE_WORKS);
    die->state = DIE_FREE;
    die->work = NULL;
    op->served += op->time;
    die->erases += op->kind == DIE_ERASE;
    start_ready_work(die);
    die->done(die->self, op);
}

void die_init(struct die *die, const struct env *env, const struct die_rules *rules,
              void (*done)(void *self, struct die_op *op), void *self)
{
    CHECK(rules->planes > 0 && rules->planes <= DIE_PLANES_MAX);
    *die = (struct die){.env = env,
                        .rules = rules,
                        .done = done,
                        .self = self,
                        .active_since = TIME_NEVER,
                        .timer = {.fire = on_work, .self = die, .due = TIME_NEVER}};
    for (uint32_t i = 0; i < DIE_PLANES_MAX; i++)
        die->planes[i] = (struct die_plane){
            .die = die, .timer = {.fire = on_read, .self = &die->planes[i], .due = TIME_NEVER}};
}

void die_fini(struct die *die)
{
    env_timer_cancel(die->env, &die->timer);
    for (uint32_t i = 0; i < DIE_PLANES_MAX; i++)
        env_timer_cancel(die->env, &die->planes[i].timer);
}

static void line_up(struct die_op **first, struct die_op **last, struct die_op *op)
{
    op->next = NULL;
    if (*first == NULL)
        *first = op;
    else
        (*last)->next = op;
    *last = op;
}

void die_add(struct die *die, struct die_op *op)
{
    CHECK(op->time >= 0 && op->plane < die->rules->planes);
    op->served = 0;
    op->suspended = 0;
    if (op->kind == DIE_READ)
        line_up(&die->planes[op->plane].first, &die->planes[op->plane].last, op);
    else
        line_up(&die->first, &die->last, op);
    start_ready_work(die);
}

uint32_t die_audit(const struct die *die)
{
    uint32_t ops = die->work != NULL, reading = 0;
    for (const struct die_op *op = die->first; op != NULL; op = op->next)
        ops++;
    for (uint32_t i = 0; i < die->rules->planes; i++) {
        const struct die_plane *plane = &die->planes[i];
        for (const struct die_op *op = plane->first; op != NULL; op = op->next)
            ops++;
        CHECK((plane->reads != NULL) == (plane->timer.due != TIME_NEVER));
        reading += plane->reads != NULL;
    }
    CHECK(reading == die->reading);
    CHECK((die->work == NULL) == (die->state == DIE_FREE));
    CHECK(reading == 0 || die->state == DIE_FREE || die->state == DIE_SUSPENDED);
    CHECK(die->state != DIE_SUSPENDED || reading > 0);
    CHECK(ops + reading == 0 || reading > 0 || die->timer.due != TIME_NEVER);
    return ops + reading;
}
