/* SPDX-License-Identifier: Apache-2.0
 * perftest - what its text and JSON output share: the settings of a test, and one line of figures.
 * Source: perftest 3.0 to 25 (linux-rdma/perftest src/perftest_parameters.c: ctx_print_test_info,
 * print_report_bw, print_report_lat and their JSON counterparts). Its MB are MiB; the latency of a
 * WRITE or SEND is half the round trip, that of a READ the whole round trip. */
#ifndef STORMGLASS_REPLAY_READINGS_PERFTEST_H
#define STORMGLASS_REPLAY_READINGS_PERFTEST_H

#include "replay/readings/tool.h"

/* A numeric setting by its words in the text; JSON has underscores instead of blanks. */
struct perftest_setting {
    const char *words;
    size_t offset; /* of the int64_t in struct reading_work */
    int64_t most;
};

extern const struct perftest_setting perftest_settings[]; /* terminated by words NULL */

/* Parses "RDMA_Write BW Test", "RDMA_Write_BW_Test", or a command such as "ib_write_bw", and resets
 * the work; false if the test is not modeled. */
bool perftest_title(const char *title, struct reading_work *work);

/* Note on a test over a link other than Ethernet. */
extern const char perftest_infiniband[];

/* "RC" is the only modeled connection type. */
bool perftest_connection(const char *word);

/* Adds readings for settings that describe the RNIC themselves. */
void perftest_say_settings(const struct tool_file *file, const struct reading_work *work,
                           struct diag_place where);

/* Whether the average rate, in one of perftest's units, matches the message rate. */
bool perftest_agrees(struct reading_number messages, int64_t bytes, struct reading_number average,
                     double unit);

/* Bits per unit of the average rate. */
#define PERFTEST_MIB  8388608.0
#define PERFTEST_GBIT 1e9

#endif
