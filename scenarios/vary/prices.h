/* SPDX-License-Identifier: Apache-2.0
 * prices - prices of the parts of a fabric, and the bill of materials of a scenario.
 *   stormglass-prices: 1
 *   currency: USD
 *   date: 2026-11-01
 *   source: One sentence.
 *   parts:
 *     - {part: nic, rate: 100Gbps, price: 700, power: 20}
 *     - {part: nic, rate: 100Gbps, transport: tcp, price: 450}
 *     - {part: switch, rate: 100Gbps, ports: 32, price: 12000, power: 350, rack-units: 1}
 *     - {part: cable, rate: 100Gbps, up-to: 5m, price: 90}
 *     - {part: drive, media: flash-tlc, price: 900, power: 9, capacity: 7.68TB, endurance: 14PB}
 *     - {part: host, price: 5000}        # also target: a host with namespaces
 *     - {part: core, price: 120}         # a processor core that TCP keeps busy
 * A link needs a cable of its rate (including optics, if any) that is long enough. A switch needs a
 * part whose ports are as fast as its fastest port, and as many. Of several parts that fit, the
 * cheapest one is used. A NIC with a transport fits only hosts whose workloads use this transport,
 * or TCP and iSCSI, which every Ethernet NIC carries. Kinds of parts without an entry cost nothing.
 * The number of cores is measured: prices_of adds none, prices_add_cores those of a run.
 * Prices and watts are in thousandths. */
#ifndef STORMGLASS_SCENARIOS_VARY_PRICES_H
#define STORMGLASS_SCENARIOS_VARY_PRICES_H

#include "scenarios/data/scenario.h"
#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"
#include "scenarios/format/tree.h"

enum { PRICES_PARTS_MAX = 256 };

#define PRICES_KINDS(X)                                                                            \
    X(NIC, "nic")                                                                                  \
    X(SWITCH, "switch")                                                                            \
    X(CABLE, "cable")                                                                              \
    X(DRIVE, "drive")                                                                              \
    X(HOST, "host")                                                                                \
    X(TARGET, "target")                                                                            \
    X(CORE, "core")

enum prices_kind {
#define X(name, word) PRICES_##name,
    PRICES_KINDS(X)
#undef X
        PRICES_KIND_COUNT
};

struct prices_part {
    int64_t part; /* enum prices_kind */
    int64_t rate; /* 0: any */
    int64_t ports, up_to;
    int64_t price, power, rack_units;
    int64_t capacity, endurance; /* of a drive: bytes of capacity, bytes that may be written; 0:
                                  * not given */
    const char *media;           /* medium of a drive; NULL: any */
    const char *transport;       /* of a NIC; NULL: any */
    unsigned carrier;            /* its index in nvme_carriers */
    struct diag_place place;
};

extern const struct opt prices_opts[];

struct prices {
    const char *currency, *date, *source;
    struct prices_part *parts;
    size_t count;
    const struct tree_node *written;
};

/* Reads a mapping as above; false, with messages, if it is invalid or two entries are for the same
 * part. */
bool prices_read(struct arena *arena, const struct tree_node *map, struct prices *prices,
                 struct diag *diag);

struct prices_bill {
    int64_t price, power, rack_units;
    uint32_t counts[PRICES_PARTS_MAX]; /* number of each part */
};

/* False, with a sentence about the part without a price. */
bool prices_of(const struct prices *prices, const struct scenario *scenario,
               struct prices_bill *bill, char why[DIAG_TEXT_BYTES]);

bool prices_have(const struct prices *prices, enum prices_kind kind);

/* Adds cores to a bill, the cheapest in the list. */
void prices_add_cores(const struct prices *prices, uint32_t count, struct prices_bill *bill);

/* "cable 100Gbps up to 5m" */
void prices_part_text(const struct prices_part *part, char *text, size_t size);

const char *prices_kind_word(enum prices_kind kind);

#endif
