/* SPDX-License-Identifier: Apache-2.0
 * port_cable - one-way latency of a link: the medium and its forward error correction.
 * A Reed-Solomon decoder outputs nothing before the last symbol of a codeword has arrived, so each
 * bit is delayed by the duration of a codeword, or of all interleaved codewords, and by the
 * decoding. RS(528,514) and RS(544,514) both carry 514 symbols of 10 bits: 20 blocks of 257 bits
 * that encode 80 blocks of 64, which are 5120 bits of the MAC. So 5280 bits at 103.125 Gb/s and
 * 5440 bits at 106.25 Gb/s both take 5120 bit times of 100 Gb/s: 51.2 ns.
 * Source: IEEE 802.3 cl. 91 (100G), 108 (25G), 134 (50G): one codeword; cl. 119 (200G, 400G): two
 * interleaved; cl. 172 (800G, 802.3df): four. */
#include "net/port/port.h"

enum { FEC_CODEWORD_BITS = 80 * 64 };
enum { FIBER_PS_PER_100_MM = 505, TWINAX_PS_PER_100_MM = 476 };
static const int64_t gbps = 1000000000;

/* Clock cycles of the decoder: 3 to encode, 3 of its own, 2t + 1 to correct t symbols, where t is 7
 * or 15. Source: a contribution to IEEE 802.3dj counts 3, 3 and 31 at 1 GHz. For t = 7 half of that
 * clock is inferred, because it yields the 250 ns at 25 Gb/s and 100 ns at 100 Gb/s that vendors
 * state in round figures. */
static const time_ps decoder_ps[] = {
    [PORT_FEC_RS_528] = (3 + 3 + 15) * 2000,
    [PORT_FEC_RS_544] = (3 + 3 + 31) * 1000,
};

/* The usual code for a rate: RS(528,514) for 25GBASE-R and 100GBASE-R4, RS(544,514) for PAM4 ports,
 * none for 10GBASE-R and 40GBASE-R4. */
static enum port_fec usual_fec(int64_t rate)
{
    if (rate < 25 * gbps || rate == 40 * gbps)
        return PORT_FEC_NONE;
    return rate > 100 * gbps || rate == 50 * gbps ? PORT_FEC_RS_544 : PORT_FEC_RS_528;
}

static int64_t interleaved(int64_t rate)
{
    return rate < 200 * gbps ? 1 : rate < 800 * gbps ? 2 : 4;
}

time_ps port_fec_ps(const struct port_params *params)
{
    enum port_fec fec = (enum port_fec)params->fec;
    if (fec == PORT_FEC_AUTO)
        fec = usual_fec(params->rate);
    if (fec == PORT_FEC_NONE)
        return 0;
    if (params->fec_latency >= 0)
        return params->fec_latency;
    const int64_t bits = FEC_CODEWORD_BITS * interleaved(params->rate);
    return (time_ps)units_transfer_ps((uint64_t)bits / 8, (uint64_t)params->rate) + decoder_ps[fec];
}

time_ps port_propagation(const struct port_params *params)
{
    const bool twinax = params->cable == PORT_CABLE_TWINAX;
    const int64_t per_100_mm = twinax ? TWINAX_PS_PER_100_MM : FIBER_PS_PER_100_MM;
    const time_ps medium = params->delay > 0 ? params->delay : params->length * per_100_mm / 100;
    return medium + port_fec_ps(params);
}
