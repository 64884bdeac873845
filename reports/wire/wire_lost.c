/* SPDX-License-Identifier: Apache-2.0
 * wire_lost - the streams of a capture whose PDUs end early. */
#include "reports/text/json.h"
#include "reports/wire/wire_trace.h"

#include <inttypes.h>

void wire_lost_text(const struct wire_trace *trace, char mark, FILE *out)
{
    for (uint32_t i = 0; i < trace->connection_count; i++)
        for (unsigned side = 0; side < WIRE_SIDES; side++) {
            const struct wire_lost *lost = &trace->connections[i].lost[side];
            if (lost->why != NULL)
                fprintf(out,
                        "  %c not compared from frame %" PRIu64 ": the %s's PDUs of connection "
                        "%" PRIu32 ": %s\n",
                        mark, lost->frame, wire_side_name(side * WIRE_KINDS), i + 1, lost->why);
        }
}

void wire_lost_json(const struct wire_trace *trace, FILE *out)
{
    const char *comma = "";
    fputs(", \"lost\": [", out);
    for (uint32_t i = 0; i < trace->connection_count; i++)
        for (unsigned side = 0; side < WIRE_SIDES; side++) {
            const struct wire_lost *lost = &trace->connections[i].lost[side];
            if (lost->why == NULL)
                continue;
            fprintf(out,
                    "%s{\"connection\": %" PRIu32 ", \"side\": \"%s\", \"frame\": %" PRIu64
                    ", \"reason\": ",
                    comma, i + 1, wire_side_name(side * WIRE_KINDS), lost->frame);
            json_string(out, lost->why);
            fputc('}', out);
            comma = ", ";
        }
    fputs("]}", out);
}
