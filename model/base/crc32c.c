/* SPDX-License-Identifier: Apache-2.0
 * crc32c - four bits at a time, with a table that is short enough to check by eye. */
#include "base/crc32c.h"

/* Entry i: i, shifted through the reflected polynomial 82F63B78h four times. */
static const uint32_t nibbles[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

uint32_t crc32c(uint32_t crc, const unsigned char *bytes, size_t length)
{
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ nibbles[crc & 0xF];
        crc = crc >> 4 ^ nibbles[crc & 0xF];
    }
    return ~crc;
}

/* The product of two polynomials modulo the CRC's. Reflected: bit 31 is the coefficient of x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
        if ((a & bit) != 0)
            product ^= b;
        b = (b & 1) != 0 ? b >> 1 ^ UINT32_C(0x82F63B78) : b >> 1;
    }
    return product;
}

/* With n words more: power * x^(32 n), and the sum of n, to which `power of n` * sum is added. */
struct crc32c_run crc32c_run_of(uint32_t words)
{
    const uint32_t one = UINT32_C(1) << 31;
    uint32_t power = one, sum = 0;                            /* of the words so far */
    uint32_t square = UINT32_C(0x82F63B78), squares = square; /* x^32 = the polynomial without it */
    for (uint32_t left = words; left != 0; left >>= 1) {
        if ((left & 1) != 0) {
            sum = squares ^ multiply(square, sum);
            power = multiply(square, power);
        }
        squares ^= multiply(square, squares);
        square = multiply(square, square);
    }
    return (struct crc32c_run){words, power, sum};
}

uint32_t crc32c_repeat(uint32_t crc, const struct crc32c_run *run, uint32_t word)
{
    const uint32_t first = word >> 24 | (word >> 8 & 0xFF00) | (word << 8 & 0xFF0000) | word << 24;
    return ~(multiply(run->power, ~crc) ^ multiply(run->sum, first));
}
