/* SPDX-License-Identifier: Apache-2.0
 * words - scales and rounds numbers for reading. */
#include "replay/database/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct scale {
    double factor;
    const char *unit;
};

/* Three significant digits, or four if the first digit is 1, so the resolution is always 1 % or
 * better. */
static struct words scaled(double value, const struct scale *scales, int count)
{
    int chosen = 0; /* the largest scale with at least 1 before the decimal point */
    while (chosen + 1 < count && fabs(value) < scales[chosen].factor * 0.9995)
        chosen++;
    const double shown = value / scales[chosen].factor;
    const double size = fabs(shown);
    const int decimals = size < 1.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    struct words words;
    snprintf(words.text, sizeof words.text, "%.*f%s", value == 0 ? 0 : decimals, shown,
             scales[chosen].unit);
    return words;
}

#define SCALED(value, scales) scaled(value, scales, (int)(sizeof(scales) / sizeof((scales)[0])))

int64_t words_whole(double value)
{
    static const double end = 9223372036854775808.0; /* 2^63 */
    if (isnan(value))
        return 0;
    return value >= end ? INT64_MAX : value < -end ? INT64_MIN : (int64_t)value;
}

struct words words_time(time_ps time)
{
    static const struct scale scales[] = {
        {1e12, " s"}, {1e9, " ms"}, {1e6, " us"}, {1e3, " ns"}, {1, " ps"}};
    return SCALED((double)time, scales);
}

struct words words_rate(double bps)
{
    static const struct scale scales[] = {
        {1e12, " Tb/s"}, {1e9, " Gb/s"}, {1e6, " Mb/s"}, {1e3, " kb/s"}, {1, " b/s"}};
    return SCALED(bps, scales);
}

struct words words_bytes(int64_t bytes)
{
    static const struct scale scales[] = {
        {1073741824.0, " GiB"}, {1048576.0, " MiB"}, {1024.0, " KiB"}};
    struct words words;
    if (bytes < 1024) {
        snprintf(words.text, sizeof words.text, "%" PRId64 " B", bytes);
        return words;
    }
    return SCALED((double)bytes, scales);
}

struct words words_short(double value)
{
    static const struct scale scales[] = {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}};
    return SCALED(value, scales);
}

struct words words_percent(double part, double whole)
{
    struct words words;
    const double percent = whole <= 0 ? 0 : 100.0 * part / whole;
    snprintf(words.text, sizeof words.text, "%.*f%%", percent >= 9.95 || percent == 0 ? 0 : 1,
             percent);
    return words;
}

/* The last position up to `most` where the text has the mark; 0 if there is none. */
static size_t last_of(const char *text, size_t most, const char *mark)
{
    size_t found = 0;
    for (const char *at = strstr(text, mark); at != NULL && (size_t)(at - text) <= most;
         at = strstr(at + 1, mark))
        found = (size_t)(at - text);
    return found;
}

size_t words_fit(const char *text, size_t most)
{
    static const char *const marks[] = {"; ", ", ", " "};
    const size_t length = strlen(text);
    size_t end = length <= most ? length : 0;
    for (size_t i = 0; end == 0 && length > most && i < sizeof marks / sizeof *marks; i++)
        end = last_of(text, most, marks[i]);
    return end > 0 || length == 0 ? end : most;
}

struct words words_count(int64_t count)
{
    char digits[WORDS_BYTES];
    struct words words;
    snprintf(digits, sizeof digits, "%" PRId64, count);
    const size_t length = strlen(digits);
    const size_t sign = digits[0] == '-';
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0)
            words.text[used++] = ',';
        words.text[used++] = digits[i];
    }
    words.text[used] = '\0';
    return words;
}
