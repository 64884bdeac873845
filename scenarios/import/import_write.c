/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import/import_write.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* ---- targets ---- */

/* True if the name of a host indicates storage. "tgt" must be a word or begin one. */
static bool is_called_target(const char *name)
{
    static const char *const words[] = {"target", "nvmet", "array", "storage", "tgt"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (const char *at = name; *at != '\0'; at++) {
            const bool begins = at == name || !isalpha((unsigned char)at[-1]);
            if (strncasecmp(at, words[i], strlen(words[i])) == 0 &&
                (begins || strlen(words[i]) > 3))
                return true;
        }
    return false;
}

/* Determines the targets; false: no name or every name indicates storage, so the second half are
 * targets. */
static bool find_targets(const char *const *hosts, const bool *said, size_t count, bool *is_target)
{
    size_t targets = 0;
    for (size_t i = 0; i < count; i++) {
        is_target[i] = (said != NULL && said[i]) || is_called_target(hosts[i]);
        targets += is_target[i];
    }
    if (targets > 0 && targets < count)
        return true;
    for (size_t i = 0; i < count; i++)
        is_target[i] = i >= count / 2;
    return false;
}

static void put_hosts(FILE *out, const char *const *hosts, const bool *is_target, size_t count,
                      bool targets)
{
    const char **names = memory_zeroed(count, sizeof *names);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (is_target[i] == targets)
            names[found++] = hosts[i];
    import_names(out, names, found);
    free(names);
}

static void put_missing(FILE *out, size_t count, const char *port)
{
    fprintf(out,
            "# Fewer than two hosts: add hosts and a workload.  %s to fabric.topology.hosts,\n",
            count == 0 ? "Add names such as host0 and host1" : "Add a name such as host1");
    fprintf(out,
            "# and for each a cable to its links:\n"
            "#       - {ends: [\"%s\", \"host1:p0\"]}\n",
            port == NULL ? "leaf0:p1" : port);
    fputs("# then one of them as the target, below hosts, and what the others do:\n"
          "#   targets: {where: [host1], namespaces: [{media: flash-tlc, count: 1}]}\n"
          "# workloads:\n"
          "#   - {name: example, kind: nvme, from: [host0], to: [host1], read: 70%, "
          "block-size: 4KiB, queue-depth: 8}\n",
          out);
}

void import_workload(FILE *out, const char *const *hosts, const bool *said, size_t count,
                     const char *port)
{
    if (count < 2) {
        put_missing(out, count, port);
        return;
    }
    bool *is_target = memory_zeroed(count, sizeof *is_target);
    const bool named = find_targets(hosts, said, count, is_target);
    fputs(named ? "  # These hosts are targets by their names or by the file.\n"
                : "  # The second half of the hosts are targets, because no name marks a target.\n",
          out);
    fputs("  targets:\n    where: ", out);
    put_hosts(out, hosts, is_target, count, true);
    fputs("\n    namespaces: [{media: flash-tlc, count: 1}]\n", out);
    fputs("workloads:\n  # Replace this example with your workloads.\n  - name: example\n    kind: "
          "nvme\n    from: ",
          out);
    put_hosts(out, hosts, is_target, count, false);
    fputs("\n    to: ", out);
    put_hosts(out, hosts, is_target, count, true);
    fputs("\n    read: 70%\n    block-size: 4KiB\n    queue-depth: 8\n", out);
    free(is_target);
}
