/* SPDX-License-Identifier: Apache-2.0
 * plural - the word that agrees with a count.
 * plural(drives, "drive", "drives") returns the noun, plural(drives, "is", "are") the verb, for any
 * integer type of the count. tests/plurals.sh finds strings that should use it. */
#ifndef STORMGLASS_BASE_PLURAL_H
#define STORMGLASS_BASE_PLURAL_H

#define plural(count, one, many) ((count) == 1 ? (one) : (many))

#endif
