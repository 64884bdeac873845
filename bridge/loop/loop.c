/* SPDX-License-Identifier: Apache-2.0
 * loop - a heap of timers on top of libev.
 * Before libev waits, all timers that are due are fired, and the timerfd is set to the next one. A
 * timer's `pending` is its position in the heap plus one, its `wakeup` the number of the setting:
 * timers due at the same time fire in the order in which they were set. */
#include "bridge/loop/loop.h"

#include "base/check.h"
#include "base/memory.h"

#include <ev.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct loop_watch {
    ev_io io; /* first member, because libev returns its address */
    void (*on_readable)(void *self);
    void (*on_writable)(void *self); /* NULL: not watched */
    void *self;
    struct loop *loop;
};

struct loop {
    struct ev_loop *ev;
    ev_prepare prepare;
    ev_idle idle;
    struct loop_watch *alarm;
    int alarm_fd;
    int64_t origin_ns;
    time_ps now, armed; /* armed: expiry of the timerfd */
    struct timer **heap;
    int count;
    uint32_t room;
    time_ps sequence;
    struct timer end;
    bool stopped, ended;
    void (*polls[LOOP_SPINS_MAX])(void *self);
    void *poll_selves[LOOP_SPINS_MAX];
    int poll_count;
};

/* ------------------------------------------------------------------ clock */

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void loop_touch(struct loop *loop)
{
    loop->now = (clock_ns() - loop->origin_ns) * 1000;
}

void loop_begin(struct loop *loop)
{
    CHECK(loop->count == 0);
    loop->origin_ns = clock_ns();
    loop->now = 0;
}

time_ps loop_now(const struct loop *loop)
{
    return loop->now;
}

static time_ps env_clock(void *world)
{
    return loop_now(world);
}

/* ------------------------------------------------------------------ heap */

static bool is_before(const struct timer *a, const struct timer *b)
{
    return a->due != b->due ? a->due < b->due : a->wakeup < b->wakeup;
}

static void place_timer(struct loop *loop, int at, struct timer *timer)
{
    loop->heap[at] = timer;
    timer->pending = at + 1;
}

static void sift(struct loop *loop, int at, struct timer *timer)
{
    while (at > 0 && is_before(timer, loop->heap[(at - 1) / 2])) {
        place_timer(loop, at, loop->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (int child = 2 * at + 1; child < loop->count; child = 2 * at + 1) {
        if (child + 1 < loop->count && is_before(loop->heap[child + 1], loop->heap[child]))
            child++;
        if (!is_before(loop->heap[child], timer))
            break;
        place_timer(loop, at, loop->heap[child]);
        at = child;
    }
    place_timer(loop, at, timer);
}

static void take_out(struct loop *loop, struct timer *timer)
{
    const int at = timer->pending - 1;
    CHECK(at >= 0 && at < loop->count && loop->heap[at] == timer);
    struct timer *last = loop->heap[--loop->count];
    timer->pending = 0;
    if (last != timer)
        sift(loop, at, last);
}

static void timer_set(void *world, struct timer *timer, time_ps due)
{
    struct loop *loop = world;
    if (timer->pending > 0)
        take_out(loop, timer);
    timer->due = due;
    if (due == TIME_NEVER)
        return;
    loop->heap = memory_grown(loop->heap, (uint32_t)loop->count, &loop->room, sizeof *loop->heap);
    timer->wakeup = loop->sequence++;
    sift(loop, loop->count++, timer);
}

const struct env_ops loop_env_ops = {.now = env_clock, .timer_set = timer_set};

/* Timers set in the meantime wait for the next round, so that descriptors are also served. */
static void fire_due(struct loop *loop)
{
    const time_ps before_now = loop->sequence;
    loop_touch(loop);
    while (!loop->stopped && loop->count > 0 && loop->heap[0]->due <= loop->now &&
           loop->heap[0]->wakeup < before_now) {
        struct timer *timer = loop->heap[0];
        take_out(loop, timer);
        timer->due = TIME_NEVER;
        timer->fire(timer->self, loop->now);
        loop_touch(loop);
    }
}

static void arm_timerfd(struct loop *loop)
{
    const time_ps due = loop->count > 0 ? loop->heap[0]->due : TIME_NEVER;
    if (due == loop->armed)
        return;
    loop->armed = due;
    struct itimerspec spec = {0};
    if (due != TIME_NEVER) {
        const int64_t at = loop->origin_ns + (due + 999) / 1000;
        spec.it_value = (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
    }
    const int error = timerfd_settime(loop->alarm_fd, TFD_TIMER_ABSTIME, &spec, NULL);
    CHECK(error == 0);
}

/* ------------------------------------------------------------------ callbacks of libev */

static void on_prepare(struct ev_loop *ev, ev_prepare *watcher, int events)
{
    struct loop *loop = watcher->data;
    (void)events;
    fire_due(loop);
    arm_timerfd(loop);
    if (loop->stopped)
        ev_break(ev, EVBREAK_ALL);
}

static void on_alarm(void *self)
{
    struct loop *loop = self;
    uint64_t fired;
    if (read(loop->alarm_fd, &fired, sizeof fired) == sizeof fired)
        loop->armed = TIME_NEVER;
}

static void on_io(struct ev_loop *ev, ev_io *io, int events)
{
    struct loop_watch *watch = (struct loop_watch *)(void *)io;
    (void)ev;
    loop_touch(watch->loop);
    /* One call at most, since it may end the watch; libev reports the other event again. */
    if ((events & EV_WRITE) != 0 && watch->on_writable != NULL)
        watch->on_writable(watch->self);
    else
        watch->on_readable(watch->self);
}

static void on_idle(struct ev_loop *ev, ev_idle *watcher, int events)
{
    struct loop *loop = watcher->data;
    (void)ev, (void)events;
    for (int i = 0; i < loop->poll_count; i++)
        loop->polls[i](loop->poll_selves[i]);
}

static void on_end(void *self, time_ps now)
{
    struct loop *loop = self;
    (void)now;
    loop->ended = loop->stopped = true;
}

/* ------------------------------------------------------------------ public functions */

struct loop_watch *loop_watch(struct loop *loop, int fd, void (*on_readable)(void *self),
                              void *self)
{
    struct loop_watch *watch = memory_new(sizeof *watch);
    watch->loop = loop;
    watch->on_readable = on_readable;
    watch->self = self;
    ev_io_init(&watch->io, on_io, fd, EV_READ);
    ev_io_start(loop->ev, &watch->io);
    return watch;
}

void loop_watch_for(struct loop *loop, struct loop_watch *watch, bool readable,
                    void (*on_writable)(void *self))
{
    const int events = (readable ? EV_READ : 0) | (on_writable != NULL ? EV_WRITE : 0);
    watch->on_writable = on_writable;
    if (events == (watch->io.events & (EV_READ | EV_WRITE)))
        return;
    ev_io_stop(loop->ev, &watch->io);
    ev_io_set(&watch->io, watch->io.fd, events);
    if (events != 0)
        ev_io_start(loop->ev, &watch->io);
}

void loop_unwatch(struct loop *loop, struct loop_watch *watch)
{
    if (watch == NULL)
        return;
    ev_io_stop(loop->ev, &watch->io);
    free(watch);
}

void loop_spin(struct loop *loop, void (*poll)(void *self), void *self)
{
    CHECK(loop->poll_count < LOOP_SPINS_MAX);
    loop->polls[loop->poll_count] = poll;
    loop->poll_selves[loop->poll_count++] = self;
    ev_idle_start(loop->ev, &loop->idle);
}

/* Allocator for libev, which expects NULL only for size 0. */
static void *resize_memory(void *memory, long bytes)
{
    if (bytes > 0)
        return memory_resized(memory, (size_t)bytes, 1);
    free(memory);
    return NULL;
}

struct loop *loop_create(void)
{
    struct loop *loop = memory_new(sizeof *loop);
    loop->alarm_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    ev_set_allocator(resize_memory);
    loop->ev = loop->alarm_fd < 0 ? NULL : ev_loop_new(EVFLAG_AUTO);
    if (loop->ev == NULL) {
        if (loop->alarm_fd >= 0)
            close(loop->alarm_fd);
        free(loop);
        return NULL;
    }
    loop->origin_ns = clock_ns();
    loop->armed = TIME_NEVER;
    loop->end = (struct timer){.fire = on_end, .self = loop, .due = TIME_NEVER};
    ev_prepare_init(&loop->prepare, on_prepare);
    loop->prepare.data = loop;
    ev_prepare_start(loop->ev, &loop->prepare);
    ev_idle_init(&loop->idle, on_idle);
    loop->idle.data = loop;
    loop->alarm = loop_watch(loop, loop->alarm_fd, on_alarm, loop);
    return loop;
}

void loop_free(struct loop *loop)
{
    if (loop == NULL)
        return;
    ev_idle_stop(loop->ev, &loop->idle);
    loop_unwatch(loop, loop->alarm);
    ev_prepare_stop(loop->ev, &loop->prepare);
    ev_loop_destroy(loop->ev);
    close(loop->alarm_fd);
    free(loop->heap);
    free(loop);
}

bool loop_run(struct loop *loop, time_ps until)
{
    loop->stopped = loop->ended = false;
    timer_set(loop, &loop->end, until);
    ev_run(loop->ev, 0);
    timer_set(loop, &loop->end, TIME_NEVER);
    return !loop->ended;
}

void loop_stop(struct loop *loop)
{
    loop->stopped = true;
}
