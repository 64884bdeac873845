/* SPDX-License-Identifier: Apache-2.0
 * headroom_methods - the headroom that published methods reserve for the same link.
 * Each method is integer arithmetic in the order of its source, so that its result matches the
 * source to the byte. The methods differ by a factor of four because they count different things:
 * the response time is the standard's bound or a chip's value, cells and interface delays are
 * included or not. */
#include "net/headroom/headroom.h"

#include "net/frame/frame.h"

#include <stddef.h>

enum { BITS = 8, QUANTUM_BITS = 512, QUANTUM_BYTES = QUANTUM_BITS / BITS };

static const int64_t mega = 1000000;

/* Rows by rate in Mb/s; the last has rate 0. */
struct by_rate {
    int64_t mbps, value;
};

static int64_t look_up(const struct by_rate *rows, int64_t rate)
{
    while (rows->mbps != 0 && rows->mbps * mega != rate)
        rows++;
    return rows->value;
}

/* IEEE 802.3 31B.3.7, as the tables of SONiC and of besthub.dev repeat it. */
int64_t headroom_ieee_quanta(int64_t rate)
{
    static const struct by_rate rows[] = {{10000, 60},   {25000, 80},   {40000, 118},  {50000, 147},
                                          {100000, 394}, {200000, 453}, {400000, 905}, {0, 0}};
    return look_up(rows, rate);
}

/* sonic-swss cfgmgr/buffer_headroom_mellanox.lua, pause_quanta_per_speed. */
int64_t headroom_sonic_quanta(int64_t rate)
{
    static const struct by_rate rows[] = {
        {100, 1},      {1000, 2},     {10000, 67},   {25000, 80},   {40000, 118}, {50000, 147},
        {100000, 394}, {200000, 453}, {400000, 905}, {800000, 905}, {0, 0}};
    return look_up(rows, rate);
}

time_ps headroom_quanta_ps(int64_t quanta, int64_t rate)
{
    return units_transfer_ps((uint64_t)(quanta * QUANTUM_BYTES), (uint64_t)rate);
}

static int64_t bytes_in(time_ps span, const struct headroom_link *link)
{
    return (int64_t)units_bytes_in(span, (uint64_t)link->rate);
}

/* ------------------------------------------------------------------ IEEE */

/* The delay of one interface in bit times: besthub.dev, "How to compute headroom for lossless
 * Ethernet links, part 2" (after a Cisco book; MAC, PCS, PMA and PHY bounds of 802.3). */
static int64_t interface_bits(int64_t rate)
{
    static const struct by_rate rows[] = {
        {10000, 8192}, {25000, 6144}, {40000, 24576}, {100000, 122880}, {0, 0}};
    return look_up(rows, rate);
}

/* 5 ns per meter: the same source. */
static int64_t cable_bytes(const struct headroom_link *link)
{
    return bytes_in(2 * link->length * 5, link);
}

static void ieee(const struct headroom_link *link, struct headroom_sum *sum)
{
    const int64_t interface = interface_bits(link->rate), quanta = headroom_ieee_quanta(link->rate);
    const int64_t around = WIRE_ETHERNET_BYTES + WIRE_GAP_BYTES;
    headroom_add(sum, "largest frame sent by this port", link->mtu + around);
    headroom_add(sum, "PFC frame", WIRE_PFC_BYTES + WIRE_GAP_BYTES);
    headroom_add(sum, "interface delay at both ends", 2 * interface / BITS);
    headroom_add(sum, "cable, both directions", cable_bytes(link));
    headroom_add(sum, "time until the peer stops",
                 quanta > 0 ? quanta * QUANTUM_BYTES : bytes_in(link->response, link));
    headroom_add(sum, "largest lossless frame sent by the peer", link->lossless_mtu + around);
    if (interface == 0 || quanta == 0)
        sum->note = quanta == 0
                        ? "the standard has no interface delay and no response time for this "
                          "rate: 0 B and the response time of the link are used"
                        : "the standard has no interface delay for this rate: 0 B is used";
}

/* ------------------------------------------------------------------ mlx5 */

enum { MLX5_LEAST_MBPS = 40000 };

static int64_t mlx5_wire(int64_t mbps, int64_t meters)
{
    const int64_t speed = mbps > MLX5_LEAST_MBPS ? mbps : MLX5_LEAST_MBPS;
    return (301 + 216 * meters / 100) * speed / 1000;
}

int64_t headroom_mlx5(int64_t mbps, int64_t meters, int64_t mtu)
{
    return mlx5_wire(mbps, meters) + 272 * mtu / 100;
}

static void mlx5(const struct headroom_link *link, struct headroom_sum *sum)
{
    const int64_t mbps = link->rate / mega, meters = link->length / 1000;
    const int64_t fixed = mlx5_wire(mbps, 0);
    headroom_add(sum, "fixed part, 301 B per Gb/s", fixed);
    headroom_add(sum, "cable, 2.16 B per Gb/s and meter", mlx5_wire(mbps, meters) - fixed);
    headroom_add(sum, "frames, 2.72 times the MTU",
                 headroom_mlx5(mbps, meters, link->mtu) - sum->bytes);
    if (mbps < MLX5_LEAST_MBPS)
        sum->note = "the driver computes with 40 Gb/s for slower links";
}

/* ------------------------------------------------------------------ SONiC, dynamic model */

enum { SONIC_ROUND = 1024, SONIC_SMALLEST = 64 };

/* Worst-case ratio of cells to packets: `over / under`. */
struct share {
    __int128 over, under;
};

static struct share cell_occupancy(const struct headroom_link *link)
{
    const int64_t cell = link->cell, small = link->small_packets;
    const bool large = cell > 2 * SONIC_SMALLEST;
    const int64_t over = large ? cell : 2 * cell, under = large ? SONIC_SMALLEST : 1 + cell;
    return (struct share){(__int128)(PPM - small) * under + (__int128)small * over,
                          (__int128)PPM * under};
}

/* 198 000 km/s, and a kilobyte of 1024: 2 * m * Mb/s * 1e9 / 198e6 / (8 * 1024) equals mm * Mb/s
 * divided by this. */
static const int64_t sonic_cable_under = 99 * 8192;

static void sonic(const struct headroom_link *link, struct headroom_sum *sum)
{
    const int64_t quanta = headroom_sonic_quanta(link->rate);
    const int64_t response = quanta > 0 ? quanta * QUANTUM_BYTES : bytes_in(link->response, link);
    const __int128 cable = (__int128)link->length * (link->rate / mega);
    headroom_add(sum, "largest frame sent by this port (port MTU)", link->mtu);
    headroom_add(sum, "cable, both directions", (int64_t)(cable / sonic_cable_under));
    headroom_add(sum, "time until the peer stops", response);
    const struct share worst = cell_occupancy(link);
    const __int128 delay = (link->mtu + response) * (__int128)sonic_cable_under + cable;
    const __int128 over = delay * worst.over, under = worst.under * sonic_cable_under;
    headroom_add(sum, "partly filled buffer cells", (int64_t)(over / under) - sum->bytes);
    headroom_add(sum, "largest lossless frame sent by the peer (lossless MTU)", link->lossless_mtu);
    const __int128 step = under * SONIC_ROUND;
    const int64_t xoff =
        (int64_t)((over + link->lossless_mtu * under + step - 1) / step) * SONIC_ROUND;
    headroom_add(sum, "rounding up to a multiple of 1024 B", xoff - sum->bytes);
    if (quanta == 0)
        sum->note =
            "SONiC has no response time for this rate: the response time of the link is used";
}

/* ------------------------------------------------------------------ SONiC, static tables */

/* xoff of device/mellanox/x86_64-nvidia_sn4280-r0/Mellanox-SN4280-O28/pg_profile_lookup.ini. The
 * rows of 400G for 1500 and 2000 m equal those of 200G to the byte, apparently by mistake, and are
 * left out. */
enum { TABLE_LENGTHS = 5 };

static const int64_t table_metres[TABLE_LENGTHS] = {5, 40, 300, 1500, 2000};

static const struct table_row {
    int64_t mbps, xoff[TABLE_LENGTHS];
} table[] = {
    {10000, {16384, 16384, 19456, 35840, 41984}},
    {25000, {17408, 18432, 26624, 65536, 80896}},
    {40000, {19456, 21504, 34816, 96256, 121856}},
    {50000, {21504, 23552, 40960, 117760, 149504}},
    {100000, {37888, 43008, 75776, 230400, 293888}},
    {200000, {43008, 51200, 118784, 427008, 555008}},
    {400000, {73728, 91136, 225280, 0, 0}},
};

static const char *const table_note[TABLE_LENGTHS] = {"table row for 5 m", "table row for 40 m",
                                                      "table row for 300 m", "table row for 1500 m",
                                                      "table row for 2000 m"};

static void sonic_table(const struct headroom_link *link, struct headroom_sum *sum)
{
    unsigned column = 0;
    while (column < TABLE_LENGTHS && table_metres[column] * 1000 < link->length)
        column++;
    sum->known = false;
    sum->note = "the table has no row for this rate and length";
    for (unsigned i = 0; i < sizeof table / sizeof table[0] && column < TABLE_LENGTHS; i++) {
        if (table[i].mbps * mega != link->rate || table[i].xoff[column] == 0)
            continue;
        sum->known = true;
        sum->note = table_note[column];
        headroom_add(sum, "xoff of the table", table[i].xoff[column]);
    }
}

/* ------------------------------------------------------------------ rules of thumb */

static void two_bdp(const struct headroom_link *link, struct headroom_sum *sum)
{
    headroom_add(sum, "cable, both directions", bytes_in(2 * link->propagation, link));
}

/* In the order of the source: bytes on the wire in whole nanoseconds, then three times that. */
static void hpcc(const struct headroom_link *link, struct headroom_sum *sum)
{
    const __int128 bit_ns = (__int128)link->rate * (link->propagation / PS_PER_NS);
    headroom_add(sum, "3 x rate x propagation delay", (int64_t)(bit_ns / BITS / 1000000000) * 3);
}

static void gist(const struct headroom_link *link, struct headroom_sum *sum)
{
    const __int128 meter_gigabits = (__int128)link->length * (link->rate / mega);
    headroom_add(sum, "MTU of the sender", link->peer_mtu);
    headroom_add(sum, "MTU of the receiver", link->mtu);
    headroom_add(sum, "time until the peer stops, fixed", 3840);
    headroom_add(sum, "cable, 130 B per Gb/s and 100 m",
                 (int64_t)(meter_gigabits * 130 / (100 * 1000 * 1000)));
}

/* ------------------------------------------------------------------ the table */

const struct headroom_method headroom_methods[] = {
    {"ieee", "IEEE 802.3 and 802.1Qbb: the sum of the maximum delays, in bit times",
     "besthub.dev, How to compute headroom for lossless Ethernet links, part 2; 802.3 31B.3.7",
     ieee},
    {"mlx5", "the Linux driver of ConnectX NICs (mlx5)",
     "Linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c, calculate_xoff", mlx5},
    {"sonic-dynamic",
     "SONiC's dynamic buffer model on Spectrum, without delays of gearbox, MAC and PHY",
     "sonic-swss cfgmgr/buffer_headroom_mellanox.lua, xoff", sonic},
    {"sonic-static", "SONiC's table for a Spectrum-3 switch, at the next longer cable of the table",
     "sonic-buildimage device/mellanox/x86_64-nvidia_sn4280-r0/Mellanox-SN4280-O28/"
     "pg_profile_lookup.ini",
     sonic_table},
    {"gist", "rule of thumb derived from vendors' examples: two MTUs, 3840 B, and the cable",
     "a GitHub gist with examples for Mellanox and Cisco switches", gist},
    {"hpcc", "3 x rate x propagation delay, used by simulators derived from HPCC's",
     "HPCC artifact, simulation/scratch/third.cc", hpcc},
    {"2xbdp", "2 x rate x propagation delay: the bits on the cable only", "common rule of thumb",
     two_bdp},
    {0},
};

struct headroom_sum headroom_by(const struct headroom_method *method,
                                const struct headroom_link *link)
{
    struct headroom_sum sum = {.known = true};
    method->compute(link, &sum);
    return sum;
}
