/* SPDX-License-Identifier: Apache-2.0
 * report_several - the playground reports on one run, and has no readers of incidents. */
#include "cli/read/report_several.h"

bool report_is_several(const struct cli_args *args)
{
    return args->operand_count > 2;
}

int report_several(const struct cli_args *args)
{
    cli_error("report: expected one run, but found %d", args->operand_count);
    return CLI_USAGE;
}
