/* SPDX-License-Identifier: Apache-2.0
 * host_discovery - reads the discovery log, initially and after each event.
 * First the header, then header and records in pieces of 4 KiB, which is within any MDTS. The event
 * stays masked (RAE) until the last piece. A log of several pieces may change in between, so its
 * header is read again at the end; if its generation differs, the whole log is read again.
 * Source: libnvme 1.3 (nvme_discovery_log, nvme_get_log_page), as called by nvme discover and
 * nvme-stas; Fabrics 1.1, 5.3, for the last header. */
#include "base/memory.h"
#include "nvme/host/host_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PIECE_BYTES = 4096,
    RETRIES = 10, /* MAX_DISC_RETRIES of nvme-cli */
};

static uint64_t log_bytes(const struct host_log *log)
{
    return (1 + (uint64_t)log->there) * NVME_DISCOVERY_BYTES;
}

static uint32_t piece_bytes(const struct host_log *log)
{
    const uint64_t rest = log_bytes(log) - log->at;
    return rest < PIECE_BYTES ? (uint32_t)rest : PIECE_BYTES;
}

uint32_t nvme_host_discovery_bytes(const struct nvme_host *host)
{
    const struct host_log *log = &host->log;
    return log->state == HOST_LOG_PIECES ? piece_bytes(log) : NVME_DISCOVERY_BYTES;
}

void nvme_host_discovery_begin(struct nvme_host *host)
{
    host->log.state = HOST_LOG_HEADER;
    host->log.retries = 0;
}

void nvme_host_discovery_build(const struct nvme_host *host, struct host_request *request)
{
    const struct host_log *log = &host->log;
    const bool pieces = log->state == HOST_LOG_PIECES;
    const uint32_t bytes = nvme_host_discovery_bytes(host);
    const bool last = pieces && log->at + bytes == log_bytes(log);
    nvme_host_live_get_log(request, NVME_LOG_DISCOVERY, 0, bytes);
    if (!last)
        request->command.cdw10 |= NVME_LOG_RETAIN_EVENT;
    request->command.cdw12 = pieces ? (uint32_t)log->at : 0;
    request->command.cdw13 = pieces ? (uint32_t)(log->at >> 32) : 0;
}

static void take_header(struct nvme_host *host, const struct nvme_discovery_header *header)
{
    struct host_log *log = &host->log;
    log->generation = header->generation;
    log->at = 0;
    log->draft_count = 0;
    log->there = NVME_HOST_RECORDS_MAX;
    log->state = HOST_LOG_PIECES;
    if (header->records <= NVME_HOST_RECORDS_MAX) {
        log->there = (uint32_t)header->records;
        return;
    }
    char text[128];
    snprintf(text, sizeof text,
             "records of the NVMe discovery log: %" PRIu64 "; the host reads the first %d",
             header->records, NVME_HOST_RECORDS_MAX);
    nvme_host_note(host, text);
}

static void add_record(struct host_log *log, const unsigned char *bytes)
{
    if (log->draft_count == log->room) {
        log->room = log->room == 0 ? 16 : 2 * log->room;
        log->draft = memory_resized(log->draft, log->room, sizeof *log->draft);
        log->records = memory_resized(log->records, log->room, sizeof *log->records);
    }
    struct nvme_discovery_record *record = &log->draft[log->draft_count];
    nvme_discovery_decode_record(record, bytes);
    log->draft_count += record->subtype != NVME_SUBTYPE_CURRENT;
}

static enum host_log_verdict finish(struct host_log *log)
{
    struct nvme_discovery_record *draft = log->draft;
    log->draft = log->records;
    log->records = draft;
    log->record_count = log->draft_count;
    return HOST_LOG_WHOLE;
}

static enum host_log_verdict start_again(struct host_log *log)
{
    log->state = HOST_LOG_HEADER;
    return ++log->retries < RETRIES ? HOST_LOG_MORE : HOST_LOG_RESTLESS;
}

/* The header in the first piece shows whether the log has changed since the header was read. */
static enum host_log_verdict take_piece(struct nvme_host *host, const unsigned char *bytes,
                                        uint32_t length)
{
    struct host_log *log = &host->log;
    struct nvme_discovery_header header;
    const bool first = log->at == 0;
    nvme_discovery_decode_header(&header, bytes);
    if (first && header.generation != log->generation)
        return start_again(log);
    for (uint32_t at = first ? NVME_DISCOVERY_BYTES : 0; at < length; at += NVME_DISCOVERY_BYTES)
        add_record(log, bytes + at);
    log->at += length;
    if (log->at < log_bytes(log))
        return HOST_LOG_MORE;
    if (log_bytes(log) <= PIECE_BYTES)
        return finish(log);
    log->state = HOST_LOG_HEADER_AGAIN;
    return HOST_LOG_MORE;
}

enum host_log_verdict nvme_host_discovery_take(struct nvme_host *host, const unsigned char *bytes,
                                               uint32_t length)
{
    struct host_log *log = &host->log;
    struct nvme_discovery_header header;
    if (log->state == HOST_LOG_PIECES)
        return take_piece(host, bytes, length);
    nvme_discovery_decode_header(&header, bytes);
    if (log->state == HOST_LOG_HEADER) {
        take_header(host, &header);
        return HOST_LOG_MORE;
    }
    return header.generation == log->generation ? finish(log) : start_again(log);
}

void nvme_host_discovery_free(struct nvme_host *host)
{
    free(host->log.records);
    free(host->log.draft);
}

uint32_t nvme_host_records(const struct nvme_host *host)
{
    return host->log.record_count;
}

const struct nvme_discovery_record *nvme_host_record(const struct nvme_host *host, uint32_t index)
{
    CHECK(index < host->log.record_count);
    return &host->log.records[index];
}
