/* SPDX-License-Identifier: Apache-2.0
 * note_text - short texts for addresses, times and sizes. */
#include "base/note_text.h"

#include <stdio.h>

struct note_text note_ip(uint32_t ip)
{
    struct note_text text;
    snprintf(text.text, sizeof text.text, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 0xFF, ip >> 8 & 0xFF,
             ip & 0xFF);
    return text;
}

/* At most three significant digits, fewer for whole numbers: 67.1 ms, 2 s. */
static struct note_text in_units(uint64_t value, uint64_t unit, const char *name)
{
    struct note_text text;
    const int decimals = value % unit == 0 || value >= 100 * unit ? 0 : value >= 10 * unit ? 1 : 2;
    const uint64_t scale = decimals == 0 ? 1 : decimals == 1 ? 10 : 100;
    const uint64_t shown = value / unit * scale + (value % unit * scale + unit / 2) / unit;
    if (decimals == 0)
        snprintf(text.text, sizeof text.text, "%llu %s", (unsigned long long)shown, name);
    else
        snprintf(text.text, sizeof text.text, "%llu.%0*llu %s", (unsigned long long)(shown / scale),
                 decimals, (unsigned long long)(shown % scale), name);
    return text;
}

struct note_text note_time(time_ps time)
{
    if (time >= PS_PER_S)
        return in_units((uint64_t)time, PS_PER_S, "s");
    if (time >= PS_PER_MS)
        return in_units((uint64_t)time, PS_PER_MS, "ms");
    if (time >= PS_PER_US)
        return in_units((uint64_t)time, PS_PER_US, "us");
    if (time >= PS_PER_NS)
        return in_units((uint64_t)time, PS_PER_NS, "ns");
    return in_units((uint64_t)time, 1, "ps");
}

struct note_text note_size(uint64_t bytes)
{
    const uint64_t kib = 1024, plain = 10000; /* small sizes stay in bytes: a block size is
                                               * written 4096 B */
    if (bytes < plain)
        return in_units(bytes, 1, "B");
    if (bytes < kib * kib)
        return in_units(bytes, kib, "KiB");
    return bytes < kib * kib * kib ? in_units(bytes, kib * kib, "MiB")
                                   : in_units(bytes, kib * kib * kib, "GiB");
}
