/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import/import_write.h"

enum { NAMES_IN_LINE = 6, MTU_OVERHEAD = 104, PATH_MTU_MOST = 4096, PATH_MTU_LEAST = 256 };

void import_names(FILE *out, const char *const *names, size_t count)
{
    fputc('[', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i == 0 ? "" : i % NAMES_IN_LINE == 0 ? ",\n      " : ", ", names[i]);
    fputc(']', out);
}

int64_t import_path_mtu(int64_t link_mtu)
{
    int64_t mtu = PATH_MTU_MOST;
    while (mtu > PATH_MTU_LEAST && mtu + MTU_OVERHEAD > link_mtu)
        mtu /= 2;
    return mtu;
}

void import_workload(FILE *out, const char *const *hosts, size_t count)
{
    const size_t half = count / 2;
    if (count < 2) {
        fputs("# Fewer than two hosts: add hosts and a workload.\n", out);
        return;
    }
    fputs("  # To begin with, the second half of the hosts are targets.\n"
          "  targets:\n    where: ",
          out);
    import_names(out, hosts + half, count - half);
    fputs("\n    namespaces: [{media: flash-tlc, count: 1}]\n", out);
    fputs("workloads:\n  # Replace this with what your hosts do.\n"
          "  - name: example\n    kind: nvme\n    from: ",
          out);
    import_names(out, hosts, half);
    fputs("\n    to: ", out);
    import_names(out, hosts + half, count - half);
    fputs("\n    read: 70%\n    block-size: 4KiB\n    queue-depth: 8\n", out);
}
