/* SPDX-License-Identifier: Apache-2.0
 * accecn - the arithmetic of accurate ECN. */
#include "tcp/accecn.h"

#include "net/frame/frame.h"

enum {
    OPTION_BASE = 2,
    OPTION_FIELD = 3,
    SACK_BLOCK = 8,
    SACK_PADDING = 2,
    BITS = 24,
    SAFETY_SHIFT = 1, /* SAFETY_FACTOR 2 of RFC 9768 A.2.2 */
};

/* ------------------------------------------------------------------ handshake */

enum ecn_mode accecn_mode_of_syn(uint8_t ace, bool may_classic, bool may_accurate)
{
    const bool classic = (ace & ACE_SYN_CLASSIC) == ACE_SYN_CLASSIC;
    if (may_accurate && ace != 0 && ace != ACE_SYN_CLASSIC)
        return ECN_MODE_ACCURATE;
    return may_classic && classic ? ECN_MODE_CLASSIC : ECN_MODE_NONE;
}

enum ecn_mode accecn_mode_of_synack(uint8_t ace, uint8_t asked)
{
    if (asked == ACE_SYN_ACCURATE && ace != ACE_SYNACK_CLASSIC)
        return ace == 0 || ace == ACE_SYN_ACCURATE ? ECN_MODE_NONE : ECN_MODE_ACCURATE;
    const bool agrees = (ace & ACE_SYN_CLASSIC) == ACE_SYNACK_CLASSIC;
    return asked != 0 && agrees ? ECN_MODE_CLASSIC : ECN_MODE_NONE;
}

uint8_t accecn_reflect(uint8_t ecn)
{
    static const uint8_t flags[] = {
        [ECN_NOT_ECT] = 2, [ECN_ECT1] = 3, [ECN_ECT0] = 4, [ECN_CE] = 6};
    return flags[ecn & ECN_CE];
}

int accecn_reflected(uint8_t ace)
{
    for (uint8_t ecn = ECN_NOT_ECT; ecn <= ECN_CE; ecn++)
        if (accecn_reflect(ecn) == ace)
            return ecn;
    return -1;
}

bool accecn_is_valid_change(uint8_t sent, uint8_t received)
{
    if (sent == received)
        return true;
    return sent != ECN_NOT_ECT && received != ECN_NOT_ECT && sent != ECN_CE;
}

/* ------------------------------------------------------------------ feedback */

/* With many segments, the share of marked bytes says how often the counter wrapped. */
static uint32_t scale_by_bytes(const struct accecn_ack *ack, uint32_t least, uint32_t most)
{
    if (ack->bytes <= ack->marked_bytes)
        return most;
    const uint64_t product = (uint64_t)ack->marked_bytes * ack->packets;
    const uint32_t estimate = (uint32_t)((product + ack->bytes - 1) / ack->bytes);
    const uint32_t marks = least + (estimate & ~(uint32_t)ACE_MASK);
    return marks < most ? marks : most;
}

uint32_t accecn_new_marks(uint8_t ace, uint64_t cep, const struct accecn_ack *ack)
{
    const uint32_t least = (uint32_t)(ace - cep) & ACE_MASK;
    if (ack->packets <= ACE_MASK)
        return least;
    const uint32_t most = ack->packets - ((ack->packets - least) & ACE_MASK);
    if (!ack->bytes_known)
        return ack->often_stretched ? least : most;
    if (ack->marked_bytes == 0)
        return least;
    if (ack->packets >= 2 * (ACE_MASK + 1) && ack->orderly)
        return scale_by_bytes(ack, least, most);
    const uint64_t marked = ack->marked_bytes;
    if (marked > (uint64_t)least * ack->mss)
        return most;
    return marked < (uint64_t)most * ack->mss >> SAFETY_SHIFT ? least : most;
}

int32_t accecn_difference(uint32_t field, uint64_t counter)
{
    const uint32_t difference = (field - (uint32_t)counter) << (32 - BITS);
    return (int32_t)difference / (1 << (32 - BITS));
}

/* ------------------------------------------------------------------ option space */

uint32_t accecn_option_bytes(uint8_t fields, uint32_t padding)
{
    const uint32_t bytes = OPTION_BASE + OPTION_FIELD * (uint32_t)fields, rest = bytes % 4;
    return rest <= padding ? bytes - rest : bytes - rest + 4;
}

struct accecn_place accecn_place_option(uint32_t used, uint8_t blocks, uint8_t least)
{
    const uint32_t padding = blocks > 0 ? SACK_PADDING : 0;
    for (uint8_t kept = blocks;; kept--) {
        const uint32_t room = ACCECN_OPTION_SPACE - used + SACK_BLOCK * (uint32_t)(blocks - kept);
        for (int fields = ACCECN_FIELDS; fields >= least; fields--)
            if (accecn_option_bytes((uint8_t)fields, padding) <= room)
                return (struct accecn_place){true, (uint8_t)fields, kept};
        if (least == 0 || kept <= 2)
            return (struct accecn_place){false, 0, blocks};
    }
}
