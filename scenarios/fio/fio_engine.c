/* SPDX-License-Identifier: Apache-2.0
 * fio_engine - fio's engines, and which of them do block I/O to an NVMe device. */
#include "scenarios/fio/fio_private.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum fio_engine engine;
} engines[] = {
    {"psync", FIO_ENGINE_SYNC},
    {"sync", FIO_ENGINE_SYNC},
    {"vsync", FIO_ENGINE_SYNC},
    {"pvsync", FIO_ENGINE_SYNC},
    {"pvsync2", FIO_ENGINE_SYNC},
    {"sg", FIO_ENGINE_SYNC},
    {"libaio", FIO_ENGINE_ASYNC},
    {"posixaio", FIO_ENGINE_ASYNC},
    {"solarisaio", FIO_ENGINE_ASYNC},
    {"windowsaio", FIO_ENGINE_ASYNC},
    {"io_uring", FIO_ENGINE_ASYNC},
    {"io_uring_cmd", FIO_ENGINE_ASYNC},
    {"xnvme", FIO_ENGINE_ASYNC},
    /* SPDK's plugins, by engine name and by plugin name (app/fio/nvme, app/fio/bdev). */
    {"spdk", FIO_ENGINE_SPDK},
    {"spdk_bdev", FIO_ENGINE_SPDK},
    {"spdk_nvme", FIO_ENGINE_SPDK},
    {"fio_plugin", FIO_ENGINE_SPDK},
    /* Other engines of fio: files, memory, networks, object stores and special device classes. */
    {"cpp_null", FIO_ENGINE_OTHER},
    {"cpuio", FIO_ENGINE_OTHER},
    {"dev-dax", FIO_ENGINE_OTHER},
    {"dfs", FIO_ENGINE_OTHER},
    {"dircreate", FIO_ENGINE_OTHER},
    {"dirdelete", FIO_ENGINE_OTHER},
    {"dirstat", FIO_ENGINE_OTHER},
    {"e4defrag", FIO_ENGINE_OTHER},
    {"exec", FIO_ENGINE_OTHER},
    {"falloc", FIO_ENGINE_OTHER},
    {"filecreate", FIO_ENGINE_OTHER},
    {"filedelete", FIO_ENGINE_OTHER},
    {"filestat", FIO_ENGINE_OTHER},
    {"ftruncate", FIO_ENGINE_OTHER},
    {"gfapi", FIO_ENGINE_OTHER},
    {"gfapi_async", FIO_ENGINE_OTHER},
    {"http", FIO_ENGINE_OTHER},
    {"ime_aio", FIO_ENGINE_OTHER},
    {"ime_psync", FIO_ENGINE_OTHER},
    {"ime_psyncv", FIO_ENGINE_OTHER},
    {"libblkio", FIO_ENGINE_OTHER},
    {"libcufile", FIO_ENGINE_OTHER},
    {"libhdfs", FIO_ENGINE_OTHER},
    {"libhipfile", FIO_ENGINE_OTHER},
    {"libiscsi", FIO_ENGINE_OTHER},
    {"libpmem", FIO_ENGINE_OTHER},
    {"librpma_apm_client", FIO_ENGINE_OTHER},
    {"librpma_apm_server", FIO_ENGINE_OTHER},
    {"librpma_gpspm_client", FIO_ENGINE_OTHER},
    {"librpma_gpspm_server", FIO_ENGINE_OTHER},
    {"libzbc", FIO_ENGINE_OTHER},
    {"mmap", FIO_ENGINE_OTHER},
    {"mtd", FIO_ENGINE_OTHER},
    {"nbd", FIO_ENGINE_OTHER},
    {"net", FIO_ENGINE_OTHER},
    {"netsplice", FIO_ENGINE_OTHER},
    {"nfs", FIO_ENGINE_OTHER},
    {"null", FIO_ENGINE_OTHER},
    {"page_fault", FIO_ENGINE_OTHER},
    {"pmemblk", FIO_ENGINE_OTHER},
    {"rados", FIO_ENGINE_OTHER},
    {"rbd", FIO_ENGINE_OTHER},
    {"rdma", FIO_ENGINE_OTHER},
    {"splice", FIO_ENGINE_OTHER},
};

/* `external:PATH` and a path name a plugin, which is identified by its file name without ".so". */
static const char *plugin_name(const char *text, char *room, size_t size)
{
    static const char external[] = "external:";
    const bool outside = strncmp(text, external, sizeof external - 1) == 0;
    const char *slash = strrchr(text, '/');
    if (!outside && slash == NULL)
        return text;
    const char *name = slash != NULL ? slash + 1 : text + sizeof external - 1;
    snprintf(room, size, "%.63s", name);
    char *end = strstr(room, ".so");
    if (end != NULL)
        *end = '\0';
    return room;
}

enum fio_engine fio_engine_find(const char *text)
{
    char room[64];
    const char *name = plugin_name(text, room, sizeof room);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        if (strcmp(engines[i].name, name) == 0)
            return engines[i].engine;
    return FIO_ENGINE_UNKNOWN;
}

static bool unknown_engine(struct fio_reader *reader, const struct fio_value *value)
{
    const char *text = value->text != NULL ? value->text : "";
    if (strchr(text, '/') != NULL || strncmp(text, "external:", 9) == 0)
        return fio_error(reader, value->column,
                         "ioengine '%.64s': only SPDK's plugins are supported: expected spdk, "
                         "spdk_bdev or an engine with the same I/O, such as libaio",
                         text);
    struct nearest nearest = nearest_to(text);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        nearest_offer(&nearest, engines[i].name);
    return fio_error(reader, value->column, "fio has no ioengine '%.64s'%s", text,
                     nearest_hint(&nearest).text);
}

FIO_READ(ioengine)
{
    const enum fio_engine engine =
        value->text != NULL ? fio_engine_find(value->text) : FIO_ENGINE_UNKNOWN;
    if (engine == FIO_ENGINE_OTHER)
        return fio_error(reader, value->column,
                         "ioengine '%s' is not supported: it does no block I/O to an NVMe device",
                         value->text);
    if (engine == FIO_ENGINE_UNKNOWN)
        return unknown_engine(reader, value);
    if (engine == FIO_ENGINE_SPDK)
        fio_note(reader, value->option_column,
                 "'ioengine=%.64s' has no effect here: the job runs as with libaio", value->text);
    raw->engine_sync = engine == FIO_ENGINE_SYNC;
    return true;
}
