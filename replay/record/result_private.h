/* SPDX-License-Identifier: Apache-2.0
 * result_private - how the files of a result hand out its keys. */
#ifndef STORMGLASS_REPLAY_RECORD_RESULT_PRIVATE_H
#define STORMGLASS_REPLAY_RECORD_RESULT_PRIVATE_H

#include "replay/record/result.h"

struct result_out {
    result_emit_fn *emit;
    void *self;
};

/* Emits the item under the formatted path. */
void result_put(const struct result_out *out, struct result_item item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* NULL is null. */
static inline struct result_item result_text(const char *text)
{
    return (struct result_item){.type = text == NULL ? RESULT_NULL : RESULT_TEXT, .text = text};
}

static inline struct result_item result_integer(int64_t value)
{
    return (struct result_item){.type = RESULT_INTEGER, .integer = value};
}

static inline struct result_item result_boolean(bool value)
{
    return (struct result_item){.type = RESULT_BOOLEAN, .integer = value};
}

static inline struct result_item result_real(double value)
{
    return (struct result_item){.type = RESULT_REAL, .real = value};
}

static inline struct result_item result_share(int64_t ppm)
{
    return result_real((double)ppm / (double)PPM);
}

/* Null if the value is not known. */
static inline struct result_item result_known(bool known, struct result_item item)
{
    return known ? item : (struct result_item){.type = RESULT_NULL};
}

/* An empty list has its own row, so that its key is printed. */
#define result_put_list(out, members, ...)                                                         \
    do {                                                                                           \
        if ((members) == 0)                                                                        \
            result_put(out, (struct result_item){.type = RESULT_EMPTY}, __VA_ARGS__);              \
    } while (false)

/* The keys of workloads[index], and those of harm and causes. */
void result_workload_put(const struct result_out *out, const struct result_workload *workload,
                         uint32_t index);
void result_harm_put(const struct result_out *out, const struct result *result);

#endif
