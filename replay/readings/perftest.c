/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/readings/perftest.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SETTING(words, member, most)                                                               \
    {                                                                                              \
        words, offsetof(struct reading_work, member), most                                         \
    }

const struct perftest_setting perftest_settings[] = {
    SETTING("Number of qps", qps, 1048576),
    SETTING("TX depth", depth, 1048576),
    SETTING("Post List", post_list, 1048576),
    SETTING("Mtu", mtu, 65536),
    SETTING("Max inline data", inline_bytes, 65536),
    SETTING("Outstand reads", reads, 65536),
    {0},
};

/* Words that identify an operation in a title or a command. */
static const struct {
    const char *words;
    enum reading_verb verb;
} verbs[] = {
    {"RDMA_Write", READING_WRITE}, {"ib_write_", READING_WRITE}, {"RDMA_Read", READING_READ},
    {"ib_read_", READING_READ},    {"Send", READING_SEND},       {"ib_send_", READING_SEND},
};

bool perftest_title(const char *title, struct reading_work *work)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strstr(title, verbs[i].words) != NULL) {
            *work = (struct reading_work){.verb = verbs[i].verb, .inline_bytes = -1};
            work->both_ways = strstr(title, "Bidirectional") != NULL;
            return true;
        }
    return false;
}

const char perftest_infiniband[] = "Link type IB is InfiniBand, not RoCE: figures of the card's "
                                   "processor apply, those of headers, "
                                   "congestion control and priorities of Ethernet do not";

bool perftest_connection(const char *word)
{
    return strcmp(word, "RC") == 0;
}

static void add_setting(const struct tool_file *file, struct diag_place where, const char *path,
                        const char *value)
{
    tool_add(file, (struct reading){
                       .kind = READING_SETTING, .where = where, .path = path, .value = value});
}

/* A path MTU is one of five values. */
static bool is_path_mtu(int64_t mtu)
{
    return mtu >= 256 && mtu <= 4096 && (mtu & (mtu - 1)) == 0;
}

void perftest_say_settings(const struct tool_file *file, const struct reading_work *work,
                           struct diag_place where)
{
    struct arena *arena = &file->readings->arena;
    if (is_path_mtu(work->mtu))
        add_setting(file, where, "rnic.path-mtu", arena_format(arena, "%" PRId64 "B", work->mtu));
    if (work->inline_bytes > 0 && work->inline_bytes <= 1024 && work->verb != READING_READ)
        add_setting(file, where, "rnic.inline-size",
                    arena_format(arena, "%" PRId64 "B", work->inline_bytes));
    if (work->reads > 0 && work->reads <= 255 && work->verb == READING_READ)
        add_setting(file, where, "rnic.max-rd-atomic",
                    arena_format(arena, "%" PRId64, work->reads));
}

bool perftest_agrees(struct reading_number messages, int64_t bytes, struct reading_number average,
                     double unit)
{
    const double bits = messages.value * 8 * (double)bytes;
    const double slack = 0.01 * bits + average.step * unit + messages.step * 8 * (double)bytes;
    return fabs(bits - average.value * unit) <= slack;
}
