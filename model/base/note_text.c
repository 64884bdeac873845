/* SPDX-License-Identifier: Apache-2.0
 * note_text - short words. */
#include "base/note_text.h"

#include <stdio.h>

struct note_text note_ip(uint32_t ip)
{
    struct note_text text;
    snprintf(text.text, sizeof text.text, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 0xFF, ip >> 8 & 0xFF,
             ip & 0xFF);
    return text;
}

struct note_text note_time(time_ps time)
{
    static const struct {
        time_ps ps;
        const char *name;
    } units[] = {{PS_PER_S, "s"}, {PS_PER_MS, "ms"}, {PS_PER_US, "us"}, {PS_PER_NS, "ns"}};
    struct note_text text;
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        const time_ps unit = units[i].ps;
        if (time < unit)
            continue;
        const int decimals = time % unit == 0 || time >= 100 * unit ? 0 : time >= 10 * unit ? 1 : 2;
        const int64_t scale = decimals == 0 ? 1 : decimals == 1 ? 10 : 100;
        const int64_t value = (time + unit / scale / 2) / (unit / scale);
        if (decimals == 0)
            snprintf(text.text, sizeof text.text, "%lld %s", (long long)value, units[i].name);
        else
            snprintf(text.text, sizeof text.text, "%lld.%0*lld %s", (long long)(value / scale),
                     decimals, (long long)(value % scale), units[i].name);
        return text;
    }
    snprintf(text.text, sizeof text.text, "%lld ps", (long long)time);
    return text;
}
