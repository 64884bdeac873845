/* SPDX-License-Identifier: Apache-2.0
 * perftest - what its text and its JSON say alike: the settings of a test, and one line of figures.
 * Source: perftest 3.0 to 25 (linux-rdma/perftest src/perftest_parameters.c: ctx_print_test_info,
 * print_report_bw, print_report_lat and what writes the same as JSON).  Its MB are MiB; the latency
 * of a WRITE or SEND is half of the round trip, that of a READ all of it. */
#ifndef STORMGLASS_REPLAY_READINGS_PERFTEST_H
#define STORMGLASS_REPLAY_READINGS_PERFTEST_H

#include "replay/readings/tool.h"

/* A setting that is a number, by its words in the text; in JSON a blank is an underscore. */
struct perftest_setting {
    const char *words;
    size_t offset; /* of the int64_t in struct reading_work */
    int64_t most;
};

extern const struct perftest_setting perftest_settings[]; /* words NULL ends them */

/* "RDMA_Write BW Test", "RDMA_Write_BW_Test", or a command such as "ib_write_bw": false when it
 * names no test that is modelled.  The work is new then. */
bool perftest_title(const char *title, struct reading_work *work);

/* What a test on another link than Ethernet says of an RNIC. */
extern const char perftest_infiniband[];

/* "RC": the only kind of connection that is modelled. */
bool perftest_connection(const char *word);

/* Settings say something of the RNIC by themselves. */
void perftest_say_settings(const struct tool_file *file, const struct reading_work *work,
                           struct diag_place where);

/* The average rate in any of the units that perftest has agrees with the messages. */
bool perftest_agrees(struct reading_number messages, int64_t bytes, struct reading_number average,
                     double unit);

/* Bits in a unit of the average rate. */
#define PERFTEST_MIB  8388608.0
#define PERFTEST_GBIT 1e9

#endif
