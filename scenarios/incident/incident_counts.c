/* SPDX-License-Identifier: Apache-2.0
 * incident_counts - numbers of all files as counts: one for each counter of each port, with its
 * samples in order.  XON and XOFF frames of one priority add up to one count. */
#include "scenarios/incident/incident_private.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct incident_number *number)
{
    const struct counts_number *own = &number->number;
    return own->what.name != NULL ? own->what.name : own->source;
}

static int priority_of(const struct incident_number *number)
{
    return number->number.what.name != NULL ? number->number.what.priority : -1;
}

int incident_when_order(const struct incident_when *a, const struct incident_when *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->seconds == INCIDENT_NO_TIME || b->seconds == INCIDENT_NO_TIME)
        return 0;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* Numbers of one counter follow each other, those of one source in the order of their times. */
static int by_counter(const void *a, const void *b)
{
    const struct incident_number *x = a, *y = b;
    int order = strcmp(x->host, y->host);
    order = order != 0 ? order : strcmp(x->port, y->port);
    order = order != 0 ? order : strcmp(name_of(x), name_of(y));
    order = order != 0 ? order : priority_of(x) - priority_of(y);
    order = order != 0 ? order : strcmp(x->number.source, y->number.source);
    order = order != 0 ? order : incident_when_order(&x->when, &y->when);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static bool same_counter(const struct incident_number *x, const struct incident_number *y)
{
    return strcmp(x->host, y->host) == 0 && strcmp(x->port, y->port) == 0 &&
           strcmp(name_of(x), name_of(y)) == 0 && priority_of(x) == priority_of(y);
}

static bool same_source(const struct incident_number *x, const struct incident_number *y)
{
    return strcmp(x->number.source, y->number.source) == 0;
}

/* The first earlier time at which the table was printed without the row, or NULL. */
static const struct incident_table *table_before(const struct incident_reader *reader,
                                                 const struct incident_number *first)
{
    for (size_t i = 0; first->number.table != NULL && i < reader->table_count; i++)
        if (reader->tables[i].when.rank < first->when.rank &&
            strcmp(reader->tables[i].table, first->number.table) == 0)
            return &reader->tables[i];
    return NULL;
}

static void add_sample(struct incident_count *count, struct incident_sample sample)
{
    count->samples[count->sample_count++] = sample;
}

/* The samples of one source. */
static struct incident_count read_source(struct incident_reader *reader,
                                         const struct incident_number *numbers, size_t length)
{
    const struct incident_number *first = &numbers[0];
    const struct incident_past_number *past = incident_past_number(reader, first);
    const struct incident_table *before = past != NULL ? NULL : table_before(reader, first);
    const struct incident_number *last = NULL;
    struct incident_count count = {
        .host = first->host,
        .port = first->port,
        .name = name_of(first),
        .known = first->number.what.name != NULL,
        .peak = first->number.what.name != NULL && first->number.what.kind == COUNTS_PEAK,
        .priority = priority_of(first),
        .samples = arena_array(reader->arena, length + 2, sizeof *count.samples)};
    if (past != NULL)
        add_sample(&count, (struct incident_sample){
                               {INT32_MIN, past->seconds, past->date}, past->value, {0}});
    else if (before != NULL)
        add_sample(&count, (struct incident_sample){before->when, 0, before->place});
    else if (incident_past_table(reader, first->number.table))
        add_sample(&count, (struct incident_sample){{INT32_MIN, INCIDENT_NO_TIME, NULL}, 0, {0}});
    for (size_t i = 0; i < length; i++) {
        if (past != NULL && incident_past_has(past, &numbers[i]))
            continue;
        last = &numbers[i];
        add_sample(&count, (struct incident_sample){numbers[i].when, numbers[i].number.value,
                                                    numbers[i].number.place});
    }
    if (last != NULL)
        incident_past_keep(reader, last);
    count.difference = count.samples[0].value;
    if (count.sample_count > 1)
        count.difference = 0;
    for (uint32_t i = 1; i < count.sample_count; i++) {
        const int64_t then = count.samples[i - 1].value, now = count.samples[i].value;
        count.reset = count.reset || now < then;
        const int64_t more = now < then ? now : now - then;
        count.difference =
            more > INT64_MAX - count.difference ? INT64_MAX : count.difference + more;
    }
    if (count.peak)
        count.difference = count.samples[count.sample_count - 1].value;
    return count;
}

/* The first source that counts all of it, else the sum of the parts. */
static void make_count(struct incident_reader *reader, const struct incident_number *numbers,
                       size_t length)
{
    struct incident *incident = reader->incident;
    struct incident_count sum = {0};
    for (size_t first = 0, end; first < length; first = end) {
        for (end = first + 1; end < length && same_source(&numbers[first], &numbers[end]);)
            end++;
        const struct incident_count one = read_source(reader, numbers + first, end - first);
        const bool part = one.known && numbers[first].number.what.kind == COUNTS_PART;
        if (!part || sum.samples == NULL) {
            sum = one;
            if (!part)
                break;
            continue;
        }
        sum.reset = sum.reset || one.reset;
        sum.difference = one.difference > INT64_MAX - sum.difference
                             ? INT64_MAX
                             : sum.difference + one.difference;
    }
    struct incident_count *slot = arena_push(reader->arena, (void **)(void *)&incident->counts,
                                             &incident->count_count, sizeof *slot);
    *slot = sum;
    if (sum.reset && sum.known && !sum.peak)
        incident_note(reader, sum.samples[sum.sample_count - 1].place,
                      "%s of %s%s%s decreased, so it was reset in between: counted from 0 on",
                      sum.name, sum.host, *sum.port == '\0' ? "" : ":", sum.port);
}

void incident_make_counts(struct incident_reader *reader)
{
    struct incident_number *numbers = reader->numbers;
    if (reader->number_count > 1)
        qsort(numbers, reader->number_count, sizeof *numbers, by_counter);
    for (size_t first = 0, end; first < reader->number_count; first = end) {
        for (end = first + 1;
             end < reader->number_count && same_counter(&numbers[first], &numbers[end]);)
            end++;
        make_count(reader, numbers + first, end - first);
    }
}
