#!/bin/sh
# man - the man pages are well formed and complete.                SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/.." || exit 3
failed=0
fail() {
    echo "$1"
    failed=1
}

if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning docs/man/*.[1-9] || failed=1
else
    fail "mandoc is not here"
fi

# Quotation marks come in pairs, as they are printed.
for page in docs/man/*.[1-9]; do
    mandoc -T utf8 "$page" 2>/dev/null | sed 's/.\x08//g' | tr '\n' ' ' | grep -q -e '’’' -e '‘[^’]*‘' -e '’[^‘]*’’' &&
        fail "$page: quotation marks without their other half"
done

# The first page names each command once in its list, and once among what to see.
if [ -n "${STORMGLASS-}" ]; then
    commands=$("$STORMGLASS" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | sort)
    for list in '^\.It Xr stormglass-\([a-z-]*\) 1$' '^\.Xr stormglass-\([a-z-]*\) 1 ,$'; do
        named=$(sed -n "s/$list/\1/p" docs/man/stormglass.1 | sort)
        [ "$named" = "$commands" ] || fail "docs/man/stormglass.1: '$list' does not name each command once"
    done
    # ... in the groups of the help, and in their order.
    grouped=$("$STORMGLASS" --help | sed -n 's/^\([A-Z][a-z ]*:\)$/\1/p; s/^  \([a-z][a-z-]*\)  .*/\1/p')
    [ "$(sed -n 's/^\([A-Z][a-z ]*:\)$/\1/p; s/^\.It Xr stormglass-\([a-z-]*\) 1$/\1/p' docs/man/stormglass.1 |
        sed -n '/^Run and see:$/,$p' | head -n "$(echo "$grouped" | wc -l)")" = "$grouped" ] ||
        fail 'docs/man/stormglass.1: other groups than stormglass help'

    # Descriptions, exit codes and examples are those of the help.
    pages=$(mktemp -d)
    cp docs/man/*.1 "$pages"
    docs/man.sh "$STORMGLASS" "$pages"
    for page in "$pages"/*.1; do
        cmp -s "$page" "docs/man/$(basename "$page")" || fail "docs/man/$(basename "$page") is not what docs/man.sh writes"
    done
    rm -rf "$pages"
fi

# Each command has a page, and each of its options stands in it.
for source in cli/*/cmd_*.c; do
    [ -e "$source" ] || continue
    command=$(basename "$source" .c | sed 's/^cmd_//; s/_/-/g')
    page=docs/man/stormglass-$command.1
    if [ ! -e "$page" ]; then
        fail "$page is missing"
        continue
    fi
    [ -n "${STORMGLASS-}" ] || continue
    options=$("$STORMGLASS" "$command" --help 2>/dev/null | sed '/^Examples:$/,$d' | grep -o -e '--[a-z][a-z-]*' | sort -u)
    # Another program has the other half of it.
    [ "$command" = calibrate ] &&
        options="$options $("$STORMGLASS" calibrate --from x --help 2>/dev/null | sed '/^Examples:$/,$d' | grep -o -e '--[a-z][a-z-]*' | sort -u)"
    [ -n "$options" ] || fail "$command --help names no option"
    for option in $options; do
        case $option in --help | --version) continue ;; esac
        grep -q -e "Fl -${option#--}" "$page" || fail "$page does not name $option"
    done
done
exit "$failed"
