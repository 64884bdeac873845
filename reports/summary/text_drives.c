/* SPDX-License-Identifier: Apache-2.0
 * text_drives - write amplification of flash, and work of the drives in arrays. */
#include "reports/summary/text_part.h"

#include "base/plural.h"
#include "replay/database/words.h"

/* Only for media that age. */
static void write_media(const struct text *text)
{
    const int64_t hosts = text_result(text, "media.bytes_written");
    const int64_t flash = text_result(text, "media.bytes_programmed");
    const int64_t waited = text_result(text, "media.writes_waited");
    const int64_t erases = text_result(text, "media.erases");
    char amplification[32];
    if (hosts == 0)
        return;
    text_head(text, "Flash");
    store_ask_text(text->store,
                   "SELECT coalesce(' (write amplification '||round(max(value),2)||')', '')"
                   " FROM result WHERE path='media.write_amplification'",
                   amplification, sizeof amplification);
    fprintf(text->out, "%s from hosts, %s programmed%s, %s block%s erased\n",
            words_bytes(hosts).text, words_bytes(flash).text, amplification,
            words_count(erases).text, plural(erases, "", "s"));
    if (waited > 0)
        fprintf(text->out, "                %s write%s waited because the write buffer was full\n",
                words_count(waited).text, plural(waited, "", "s"));
}

static void write_rebuild(const struct text *text)
{
    const int64_t failed = text_result(text, "array.drives_failed");
    const int64_t degraded = text_result(text, "array.degraded_reads");
    const int64_t rebuilt = text_result(text, "array.bytes_rebuilt");
    const int64_t left = text_result(text, "array.bytes_to_rebuild");
    const int64_t took = text_result(text, "array.rebuild_ps");
    if (failed == 0)
        return;
    fprintf(text->out,
            "                %s drive%s failed, %s read%s reconstructed from other drives",
            words_count(failed).text, plural(failed, "", "s"), words_count(degraded).text,
            plural(degraded, "", "s"));
    if (rebuilt > 0)
        fprintf(text->out, "; %s rebuilt in %s", words_bytes(rebuilt).text, words_time(took).text);
    const __int128 rest = rebuilt > 0 ? (__int128)took * left / rebuilt : 0;
    if (rest > 0 && rest < INT64_MAX)
        fprintf(text->out, ", %s left to rebuild: %s at this rate", words_bytes(left).text,
                words_time((time_ps)rest).text);
    fputc('\n', text->out);
}

/* Only if a namespace consists of several drives. */
static void write_arrays(const struct text *text)
{
    const int64_t read = text_result(text, "array.host_bytes_read");
    const int64_t written = text_result(text, "array.host_bytes_written");
    const int64_t partial = text_result(text, "array.partial_stripes");
    if (read + written == 0)
        return;
    text_head(text, "Arrays");
    fprintf(text->out, "hosts read %s and wrote %s, drives read %s and wrote %s\n",
            words_bytes(read).text, words_bytes(written).text,
            words_bytes(text_result(text, "array.drive_bytes_read")).text,
            words_bytes(text_result(text, "array.drive_bytes_written")).text);
    if (partial > 0)
        fprintf(text->out, "                %s partial-stripe %s, preceded by reads for parity\n",
                words_count(partial).text, plural(partial, "write", "writes"));
    write_rebuild(text);
}

void text_drives(const struct text *text)
{
    write_media(text);
    write_arrays(text);
}
