/* SPDX-License-Identifier: Apache-2.0
 * fuzz_incident - any bytes as the files of an incident, cut at form feeds: a switch's session, its
 * configuration, a host's log, a host's session.  What is read leads to an answer, or there is a
 * located error.
 * Reads: scenarios/incident/incident*.c scenarios/counters/counts_walk.c */
#include "base/check.h"
#include "replay/incident/triage.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"before/leaf0.txt", "after/leaf0.txt", "config.json",
                                        "host0-dmesg.log", "host1-session.txt"};
    enum { FILES = sizeof names / sizeof names[0] };
    static struct diag diag;
    struct incident_text texts[FILES];
    const char *at = size == 0 ? "" : (const char *)data, *end = at + size;
    size_t count = 0;
    for (; count < FILES && (at < end || count == 0); count++) {
        const char *cut = at == end ? NULL : memchr(at, '\f', (size_t)(end - at));
        const char *stop = cut == NULL || count + 1 == FILES ? end : cut;
        texts[count] = (struct incident_text){names[count], at, (size_t)(stop - at)};
        at = stop == end ? end : stop + 1;
    }
    const struct incident_ask ask = {.texts = texts, .text_count = count};
    struct incident incident;
    struct triage triage;
    diag = (struct diag){0};
    const bool fine = incident_read(&incident, &ask, &diag);
    CHECK(fine == !diag_failed(&diag));
    if (fine) {
        triage_make(&triage, &incident);
        CHECK(triage.verdict != TRIAGE_NONE || triage.suspect_count == 0);
        triage_free(&triage);
    }
    incident_free(&incident);
    return 0;
}
