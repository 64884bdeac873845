/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/readings/fio_result.h"

#include "base/units.h"

void fio_result_add(const struct tool_file *file, const struct fio_result *result)
{
    struct reading reading = {
        .kind = READING_IO,
        .where = result->where,
        .work = {.verb = result->write ? READING_WRITE : READING_READ,
                 .bytes = result->bytes,
                 .qps = result->jobs,
                 .depth = result->depth,
                 .inline_bytes = -1,
                 .mixed = result->mixed || result->all_iops.value > result->iops.value},
        .rate = result->iops,
        .latency = result->latency,
    };
    if (result->iops.value <= 0 || result->bytes < 1)
        return;
    if (result->usr.step > 0 && result->sys.step > 0) {
        const double each = (double)result->jobs * (double)PS_PER_S / 100 / result->all_iops.value;
        reading.cpu = (struct reading_number){(result->usr.value + result->sys.value) * each,
                                              (result->usr.step + result->sys.step) * each};
    }
    tool_add(file, reading);
}
