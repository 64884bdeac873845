/* SPDX-License-Identifier: Apache-2.0
 * fault_bit_errors - bits of the frames that a port sends are flipped, so the far end drops the
 * frames because of their checksum.
 * The distance to the next error has an exponential distribution; error bursts are not modeled. */
#include "scenarios/data/fault.h"
#include "scenarios/world/world_faults.h"

struct bit_errors_params {
    int64_t rate; /* errors per bit, in parts per 10^15 */
};

static const struct opt bit_errors_rows[] = {
    {"rate", OPT_RATIO, offsetof(struct bit_errors_params, rate), "1e-12", "0", "1/100", NULL,
     "Bit error ratio: probability that a bit is received wrong.",
     "IEEE 802.3: links are specified for 1e-12", OPT_ACTS(FAULTS, MORE, TRACE)},
    {0}};

static unsigned bit_errors_breaks(const void *params)
{
    (void)params;
    return FAULT_LOSES_PAUSES | FAULT_DISTURBS_FLOWS;
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    const struct bit_errors_params *params = fault->params;
    struct port_fault *port = world_faults_port(world, spot);
    const int64_t per_10_15 = on ? params->rate : 0;
    port->bits_between_errors = per_10_15 > 0 ? INT64_C(1000000000000000) / per_10_15 : 0;
    port->bits_to_error = rng_exponential(&port->errors, port->bits_between_errors);
}

const struct fault_ops fault_bit_errors = {
    .name = "bit-errors",
    .about = "A port sends frames with bit errors.",
    .acts_on = OPT_PART_BIT(LOSS),
    .opts = bit_errors_rows,
    .params_bytes = sizeof(struct bit_errors_params),
    .place = FAULT_AT_PORTS,
    .counted_as = "drops.corrupt",
    .breaks = bit_errors_breaks,
    .apply = apply,
};
