/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/incident/incident_time.h"

#include <string.h>

enum { WORDS_MAX = 8, YEAR_UNKNOWN = 1972 };

static const char digits[] = "0123456789";

struct date {
    int year, month, day; /* 0: not known */
    int hour, minute, second;
    bool has_time, is_afternoon, is_morning;
    int offset; /* of the zone, in minutes */
};

static int number_of(const char *text, size_t length)
{
    int number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = number * 10 + text[i] - '0';
    }
    return length == 0 ? -1 : number;
}

/* Days from 1970 to the first of March of a year count leap days at its end. */
static int64_t days_from_1970(int year, int month, int day)
{
    const int64_t years = month <= 2 ? year - 1 : year;
    const int64_t months = month <= 2 ? month + 9 : month - 3;
    const int64_t leap_days = years / 4 - years / 100 + years / 400;
    return years * 365 + leap_days + (months * 153 + 2) / 5 + day - 1 - 719468;
}

static int64_t seconds_of(const struct date *date)
{
    int hour = date->hour;
    if (date->is_afternoon && hour < 12)
        hour += 12;
    if (date->is_morning && hour == 12)
        hour = 0;
    const int64_t days =
        days_from_1970(date->year == 0 ? YEAR_UNKNOWN : date->year, date->month, date->day);
    return ((days * 24 + hour) * 60 + date->minute - date->offset) * 60 + date->second;
}

static int month_of(const char *word, size_t length)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; length >= 3 && length <= 9 && i < 12; i++)
        if (strncmp(word, months + (ptrdiff_t)i * 3, 3) == 0 &&
            (length == 3 || strspn(word, "abcdefghijklmnopqrstuvwxyzJFMASOND") >= length))
            return i + 1;
    return 0;
}

static bool is_weekday(const char *word, size_t length)
{
    static const char days[] = "MonTueWedThuFriSatSun";
    for (size_t i = 0; length >= 3 && length <= 9 && i < sizeof days - 1; i += 3)
        if (strncmp(word, days + i, 3) == 0)
            return true;
    return false;
}

static bool is_zone(const char *word, size_t length)
{
    static const char *const zones[] = {"UTC",  "GMT", "Z",   "CET", "CEST", "EST", "EDT", "CST",
                                        "CDT",  "MST", "MDT", "PST", "PDT",  "IST", "JST", "BST",
                                        "EEST", "EET", "MSK", "KST", "AEST", "AEDT"};
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++)
        if (strlen(zones[i]) == length && strncmp(word, zones[i], length) == 0)
            return true;
    return false;
}

/* "+02:00" or "-0730". */
static bool take_offset(const char *text, size_t length, struct date *date)
{
    const bool colon = length == 6 && text[3] == ':';
    if ((length != 5 && !colon) || (text[0] != '+' && text[0] != '-'))
        return false;
    const int hours = number_of(text + 1, 2), minutes = number_of(text + (colon ? 4 : 3), 2);
    if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59)
        return false;
    date->offset = (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
    return true;
}

/* "00:46:12" with or without a fraction, and what follows it in RFC 3339. */
static bool take_clock(const char *text, size_t length, struct date *date)
{
    if (length < 8 || text[2] != ':' || text[5] != ':')
        return false;
    date->hour = number_of(text, 2);
    date->minute = number_of(text + 3, 2);
    date->second = number_of(text + 6, 2);
    if (date->hour < 0 || date->hour > 23 || date->minute < 0 || date->minute > 59 ||
        date->second < 0 || date->second > 60)
        return false;
    size_t at = 8;
    if (at < length && (text[at] == '.' || text[at] == ','))
        for (at++; at < length && strchr(digits, text[at]) != NULL;)
            at++;
    date->has_time = true;
    return at == length || is_zone(text + at, length - at) ||
           take_offset(text + at, length - at, date);
}

/* "2026-11-28", or that with "T00:46:12". */
static bool take_iso(const char *text, size_t length, struct date *date)
{
    if (length < 10 || (text[4] != '-' && text[4] != '/') || text[7] != text[4])
        return false;
    date->year = number_of(text, 4);
    date->month = number_of(text + 5, 2);
    date->day = number_of(text + 8, 2);
    if (date->year < 1971 || date->month < 1 || date->month > 12 || date->day < 1 || date->day > 31)
        return false;
    return length == 10 || (text[10] == 'T' && take_clock(text + 11, length - 11, date));
}

static bool take_number(const char *text, size_t length, struct date *date)
{
    const int number = number_of(text, length > 4 ? 0 : length);
    if (length == 4 && number >= 1971 && number < 3000 && date->year == 0) {
        date->year = number;
        return true;
    }
    if (length <= 2 && number >= 1 && number <= 31 && date->day == 0) {
        date->day = number;
        return true;
    }
    return false;
}

static bool take_word(const char *word, size_t length, struct date *date)
{
    struct date tried = *date;
    const int month = month_of(word, length);
    bool taken = true;
    if (month > 0 && date->month == 0)
        tried.month = month;
    else if (length == 2 && date->has_time && strncmp(word, "AM", 2) == 0)
        tried.is_morning = true;
    else if (length == 2 && date->has_time && strncmp(word, "PM", 2) == 0)
        tried.is_afternoon = true;
    else
        taken = is_weekday(word, length) || (date->has_time && is_zone(word, length)) ||
                (date->has_time && take_offset(word, length, &tried)) ||
                (!date->has_time && take_clock(word, length, &tried)) ||
                (date->month == 0 && take_iso(word, length, &tried)) ||
                take_number(word, length, &tried);
    if (taken)
        *date = tried;
    return taken;
}

bool incident_time_read(const char *text, struct incident_time *time)
{
    struct date date = {0};
    const char *at = text;
    for (int i = 0; i < WORDS_MAX; i++) {
        size_t length = strcspn(at, " \t,]");
        /* A fraction of a second may stand behind a comma. */
        if (at[length] == ',' && strchr(digits, at[length + 1]) != NULL && at[length + 1] != '\0')
            length += 1 + strspn(at + length + 1, digits);
        if (length == 0 || !take_word(at, length, &date))
            break;
        at += length;
        at += strspn(at, " \t,");
        if (*at == ']')
            break;
    }
    if (!date.has_time || date.month == 0 || date.day == 0)
        return false;
    *time = (struct incident_time){seconds_of(&date), at};
    return true;
}

bool incident_time_stamp(const char *text, size_t length, int64_t *seconds)
{
    if (length != 15 || (text[8] != 'T' && text[8] != '-'))
        return false;
    const struct date date = {.year = number_of(text, 4),
                              .month = number_of(text + 4, 2),
                              .day = number_of(text + 6, 2),
                              .hour = number_of(text + 9, 2),
                              .minute = number_of(text + 11, 2),
                              .second = number_of(text + 13, 2)};
    if (date.year < 1971 || date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31 ||
        date.hour < 0 || date.hour > 23 || date.minute < 0 || date.minute > 59 || date.second < 0)
        return false;
    *seconds = seconds_of(&date);
    return true;
}
