/* SPDX-License-Identifier: Apache-2.0
 * plural - the word that agrees with a count.
 * plural(drives, "drive", "drives") is the noun, plural(drives, "is", "are") the verb, whatever
 * integer type the count has.  tests/plurals.sh finds strings that do without. */
#ifndef STORMGLASS_BASE_PLURAL_H
#define STORMGLASS_BASE_PLURAL_H

#define plural(count, one, many) ((count) == 1 ? (one) : (many))

#endif
