/* SPDX-License-Identifier: Apache-2.0
 * beside - written, closed, renamed. */
#include "reports/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool beside_open(struct beside *beside, const char *path)
{
    *beside = (struct beside){.path = path, .name = malloc(strlen(path) + sizeof ".new")};
    if (beside->name == NULL)
        return false;
    sprintf(beside->name, "%s.new", path);
    beside->out = fopen(beside->name, "wb");
    const int why = errno;
    if (beside->out == NULL)
        free(beside->name);
    errno = why;
    return beside->out != NULL;
}

bool beside_end(struct beside *beside, bool well)
{
    int why = errno;
    if (fclose(beside->out) != 0 && well) {
        well = false;
        why = errno;
    }
    if (well && rename(beside->name, beside->path) != 0) {
        well = false;
        why = errno;
    }
    if (!well)
        unlink(beside->name);
    free(beside->name);
    errno = why;
    return well;
}
