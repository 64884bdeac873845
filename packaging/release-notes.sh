#!/bin/sh
# release-notes - what CHANGELOG says of one version, with the ways to install it.    SPDX-License-Identifier: Apache-2.0
# usage: packaging/release-notes.sh VERSION
set -eu
cd "$(dirname "$0")/.."
version=$1 arch=$(dpkg --print-architecture 2>/dev/null || uname -m) machine=$(uname -m)
notes=$(awk -v version="$version" '/^## / { on = $2 == version; next } on' CHANGELOG.md)
[ -n "$notes" ] || { echo "release-notes: CHANGELOG.md has no section $version" >&2; exit 1; }
cat <<END
# stormglass $version

Debian 12: \`apt install ./stormglass_${version}_$arch.deb\`, and \`./stormglass-bridge_${version}_$arch.deb\` for hosts with RDMA devices.

Other Linux with glibc 2.36 or later: unpack \`stormglass-$version-linux-$machine.tar.gz\` and run \`bin/stormglass\`. Drawings need
Graphviz (libgvc 6), \`compare --wire\` needs libpcap; the bridge is only in the packages.

First run: \`stormglass run pause-storm\`. What scripts can rely on: \`man stormglass\`, section STABILITY.
END
printf '%s\n' "$notes"
