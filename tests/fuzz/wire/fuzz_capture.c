/* SPDX-License-Identifier: Apache-2.0
 * fuzz_capture - any bytes as a capture, compared with itself.
 * A capture agrees with itself whatever is in it; the first frames alone are compared with it too,
 * so that parting is exercised.
 * Reads: replay/files/zip.c reports/wire/capture.c reports/wire/wire_*.c */
#include "reports/wire/wire_compare.h"

#include "base/check.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wire_trace *trace_of(const uint8_t *data, size_t size)
{
    char why[CAPTURE_WHY_BYTES];
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "rb");
    CHECK(stream != NULL);
    struct capture *capture = capture_of_stream(stream, "fuzz", why);
    return capture == NULL ? NULL : wire_trace_read(capture, why);
}

static void compare(const struct wire_trace *a, const struct wire_trace *b, bool same)
{
    struct wire_comparison result =
        wire_compare((const struct wire_trace *const[]){a, b}, (const char *const[]){"a", "b"});
    FILE *nowhere = fopen("/dev/null", "w");
    CHECK(nowhere != NULL && (!same || wire_compare_equal(&result) == (a->lost == 0)));
    wire_compare_text(&result, nowhere);
    wire_compare_json(&result, nowhere);
    wire_trace_print(a, nowhere);
    fclose(nowhere);
    wire_compare_fini(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct wire_trace *whole = trace_of(data, size), *half = trace_of(data, size - size / 4);
    if (whole != NULL)
        compare(whole, whole, true);
    if (whole != NULL && half != NULL)
        compare(whole, half, false);
    wire_trace_free(whole);
    wire_trace_free(half);
    return 0;
}
