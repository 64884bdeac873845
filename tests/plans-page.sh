#!/bin/sh
# plans-page - docs/plans.md has the plans and the words of its generator.    SPDX-License-Identifier: Apache-2.0
# Running all plans takes half a minute, which is `make plans`. Here a program that answers nothing takes the place of
# stormglass: each line that the generator then prints is its own or a plan's, and must be a line of the page.
set -eu
cd "$(dirname "$0")/.."
printed=$(docs/plans.sh true) && [ -n "$printed" ] || {
    echo "FAIL  docs/plans.sh failed, or printed nothing"
    exit 1
}
printf '%s\n' "$printed" | grep -vxFf docs/plans.md && {
    echo "FAIL  docs/plans.md lacks the lines above, which docs/plans.sh writes: make plans"
    exit 1
}
echo "ok    docs/plans.md has what docs/plans.sh writes"
