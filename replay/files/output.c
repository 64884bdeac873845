/* SPDX-License-Identifier: Apache-2.0
 * output - opens, writes, closes and renames output files.
 * Callers check for errors only after they have written everything, when errno may be unrelated.
 * The stream therefore keeps the errno of the first failed write. */
#define _GNU_SOURCE /* for fopencookie */
#include "replay/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 * 1024 };

bool output_is_apart(const char *path, const struct output_inputs *inputs,
                     char why[OUTPUT_WHY_BYTES])
{
    struct output_place place;
    if (!output_place_find(&place, path))
        return true; /* opening it will report the error */
    for (size_t i = 0; i < inputs->count; i++) {
        const char *input = inputs->paths[i];
        if (input == NULL || strcmp(input, "-") == 0 || !output_place_is_read(&place, input))
            continue;
        snprintf(why, OUTPUT_WHY_BYTES,
                 "%.200s: this would overwrite the input %.200s: expected another name",
                 path == NULL ? "standard output" : path, input);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ stream */

static ssize_t write_some(void *self, const char *bytes, size_t count)
{
    struct output *output = self;
    size_t done = 0;
    while (done < count) {
        const ssize_t written = write(output->descriptor, bytes + done, count - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            output->error = output->error != 0 ? output->error : errno != 0 ? errno : EIO;
            break;
        }
        done += (size_t)written;
    }
    return (ssize_t)done;
}

static bool open_stream(struct output *output)
{
    const cookie_io_functions_t functions = {.write = write_some};
    output->out = fopencookie(output, "w", functions);
    if (output->out != NULL)
        setvbuf(output->out, NULL, _IOFBF, BUFFER_BYTES);
    return output->out != NULL;
}

/* ------------------------------------------------------------------ opening */

/* The new file gets the mode of the one that it replaces, which may be write-protected. */
static bool open_staged_file(struct output *output)
{
    const struct output_place *place = &output->place;
    if (place->there && faccessat(AT_FDCWD, place->path, W_OK, AT_EACCESS) != 0)
        return false;
    if (!staged_file_create(&output->beside, place->path, 0666))
        return false;
    output->descriptor = output->beside.descriptor;
    const bool same_mode = !place->there || fchmod(output->descriptor, place->mode) == 0;
    if (same_mode && open_stream(output))
        return true;
    staged_file_discard(&output->beside);
    return false;
}

static bool open_in_place(struct output *output, int descriptor)
{
    if (descriptor < 0)
        return false;
    output->descriptor = descriptor;
    if (open_stream(output))
        return true;
    close(descriptor);
    return false;
}

bool output_open(struct output *output, const char *path, const struct output_inputs *inputs)
{
    char why[OUTPUT_WHY_BYTES];
    *output = (struct output){0};
    if (!output_place_find(&output->place, path))
        return false;
    if (!output_is_apart(path, inputs, why)) {
        errno = EBUSY;
        return false;
    }
    switch (output->place.kind) {
    case OUTPUT_FILE:
        return open_staged_file(output);
    case OUTPUT_IN_PLACE:
        return open_in_place(output, open(output->place.path, O_WRONLY | O_NOCTTY | O_CLOEXEC));
    case OUTPUT_OPEN:
        break;
    }
    if (output->place.descriptor != STDOUT_FILENO)
        return open_in_place(output, fcntl(output->place.descriptor, F_DUPFD_CLOEXEC, 0));
    output->out = stdout;
    return true;
}

bool output_is_possible(const char *path)
{
    struct output output;
    struct output_place place;
    if (!output_place_find(&place, path))
        return false;
    if (place.kind == OUTPUT_IN_PLACE)
        return faccessat(AT_FDCWD, place.path, W_OK, AT_EACCESS) == 0;
    if (place.kind == OUTPUT_OPEN)
        return true;
    if (!output_open(&output, path, &(struct output_inputs){0}))
        return false;
    output_end(&output, false);
    return true;
}

/* ------------------------------------------------------------------ closing */

static bool end_standard(struct output *output, bool well)
{
    const int why = errno;
    errno = 0;
    const bool flushed = fflush(output->out) == 0;
    const int flush_error = errno;
    const bool written = flushed && ferror(output->out) == 0;
    errno = flush_error != 0 ? flush_error : written && well ? 0 : why != 0 ? why : EIO;
    return well && written;
}

bool output_end(struct output *output, bool well)
{
    if (output->out == stdout)
        return end_standard(output, well);
    int why = errno;
    const bool failed = ferror(output->out) != 0;
    if (fclose(output->out) != 0 || failed || output->error != 0) {
        well = false;
        why = output->error != 0 ? output->error : errno;
    }
    errno = why;
    if (output->place.kind != OUTPUT_FILE) {
        close(output->descriptor);
        errno = why;
        return well;
    }
    if (well)
        return staged_file_commit(&output->beside, output->place.path);
    staged_file_discard(&output->beside);
    return false;
}
