/* SPDX-License-Identifier: Apache-2.0
 * fuzz_folder - any bytes as the list of a folder of output: a name that is not on it is refused
 * where a file has it, and what the list says is not believed of links.
 * Reads: replay/files/output_folder.c */
#include "base/check.h"
#include "replay/files/output_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder_path[64], list_path[96], link_path[96], file_path[96];

static void clear(void)
{
    unlink(list_path);
    unlink(link_path);
    unlink(file_path);
    rmdir(folder_path);
}

static void prepare(void)
{
    snprintf(folder_path, sizeof folder_path, "/tmp/stormglass-fuzz-XXXXXX");
    CHECK(mkdtemp(folder_path) != NULL);
    snprintf(list_path, sizeof list_path, "%s/.stormglass", folder_path);
    snprintf(link_path, sizeof link_path, "%s/link", folder_path);
    snprintf(file_path, sizeof file_path, "%s/\001", folder_path);
    FILE *file = fopen(file_path, "w");
    CHECK(file != NULL && fclose(file) == 0 && symlink("/nowhere", link_path) == 0);
    atexit(clear);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct output_inputs none = {0};
    struct output_folder folder;
    if (folder_path[0] == '\0')
        prepare();
    FILE *list = fopen(list_path, "w");
    CHECK(list != NULL);
    fwrite(data, 1, size, list);
    fclose(list);
    if (output_folder_open(&folder, folder_path, &none)) {
        CHECK(!output_folder_may(&folder, "link"));
        CHECK(output_folder_may(&folder, "new"));
        bool listed = false;
        for (uint32_t i = 0; i < folder.count; i++)
            listed |= strcmp(folder.names[i], "\001") == 0;
        CHECK(output_folder_may(&folder, "\001") == listed);
    }
    output_folder_close(&folder);
    return 0;
}
