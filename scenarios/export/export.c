/* SPDX-License-Identifier: Apache-2.0
 * export - list of the export kinds. */
#include "scenarios/export/export.h"

#define EXPORT(stem) extern const struct export_kind export_##stem;
#include "scenarios/export/export.def"
#undef EXPORT

const struct export_kind *const export_kinds[] = {
#define EXPORT(stem) &export_##stem,
#include "scenarios/export/export.def"
#undef EXPORT
};

const size_t export_kind_count = sizeof export_kinds / sizeof *export_kinds;
