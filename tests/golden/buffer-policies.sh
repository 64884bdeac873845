#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Buffer policies as users see them: the words, what check and headroom make of each, and ABM in runs.  And a policy that is
# added in the first place: no word comes to mean another one.
set -u
program=$(realpath "${STORMGLASS:?the program to test}")
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failures=0
fail() { echo "FAIL $*"; failures=$((failures + 1)); }
equal() { if [ "$2" = "$3" ]; then echo "ok   $1"; else fail "$1: '$2' instead of '$3'"; fi; }

digest() { "$program" run --confirm 0 --json "$@" 2>err | gojq -r .digest; }

# --- words ----------------------------------------------------------------------------------------------------

stems=$(sed -n 's/^POLICY(\(.*\))$/\1/p' "$here/model/net/switch/buffer.def")
words=$("$program" list buffer-policies | sed 's/ .*//')
equal 'the words are the stems' "$words" "$stems"
for word in $words; do
    "$program" run first-io --set "fabric.switch.policy=$word" -o policy.db >/dev/null 2>err || fail "$word: $(cat err)"
    said=$("$program" query policy.db "SELECT value FROM setting WHERE path = 'fabric.switch.policy'" 2>&1 | tail -n 1)
    equal "a run with policy $word says so" "$said" "$word"
    "$program" check pause-storm --set "fabric.switch.policy=$word" >out 2>&1 || fail "check with $word: $(cat out)"
    "$program" headroom --phases 0 --policy "$word" >out 2>err || fail "headroom with $word: $(cat err)"
    grep -q "^\.Cm $word\b" "$here/docs/man/stormglass-headroom.1" || fail "stormglass-headroom(1) does not know $word"
    grep -q "^| \`$word\`" "$here/docs/model.md" || fail "docs/model.md does not know $word"
done
"$program" run first-io --set fabric.switch.policy=amb >out 2>err
equal 'an unknown word' "$? $(grep -c 'did you mean\|expected dynamic' err)" '2 1'

# --- what is said of them -------------------------------------------------------------------------------------

sinks() { "$program" headroom --json --phases 0 --policy "$1" | gojq -c '.links[0].link.dynamic_threshold'; }
equal 'which thresholds sink' "$(sinks dynamic) $(sinks static) $(sinks abm)" 'true false true'

# By ABM eight senders to one port are paused sooner, and before anything is marked.
marks() { "$program" check incast-8to1 --set "fabric.switch.policy=$1" 2>&1 | grep -c 'a sender is already paused at a queue'; }
equal 'where pauses come before marks' "$(marks dynamic) $(marks abm)" '0 1'

# --- ABM in runs ----------------------------------------------------------------------------------------------

abm=(--set fabric.switch.policy=abm)
wanted=$(digest pause-storm "${abm[@]}")
[ "$wanted" != "$(digest pause-storm)" ] || fail 'abm plays as dynamic does'
for threads in 2 3; do
    equal "abm on $threads threads" "$(digest pause-storm "${abm[@]}" --threads $threads)" "$wanted"
done
equal 'abm, recorded' "$(digest pause-storm "${abm[@]}" --record packets -o abm.db)" "$wanted"
"$program" replay abm.db >out 2>err || fail "replay: $(cat out err)"
printf '%s\n' 'break leaf2:p9 prio 3 paused > 300us' continue 'why leaf2:p9' 'delete' continue digest |
    "$program" step pause-storm "${abm[@]}" >out 2>err || fail "step: $(cat err)"
equal 'abm, stepped through' "$(tail -n 1 out | grep -o '[0-9a-f]\{32\}')" "$wanted"
grep -q 'received from [^ ]*: shared memory .* threshold ' out || fail 'why says nothing of the threshold'
"$program" explain abm.db >out 2>err || fail "explain: $(cat err)"
[ "$("$program" run --json pause-storm "${abm[@]}" 2>/dev/null | gojq .drops.lossless)" = 0 ] || fail 'abm loses lossless frames'
[ "$(digest pause-storm "${abm[@]}" --set fabric.switch.abm.interval=5us)" != "$wanted" ] || fail 'abm-interval changes nothing'
[ "$(digest pause-storm "${abm[@]}" --set fabric.switch.abm-congested=1MB)" != "$wanted" ] || fail 'abm-congested changes nothing'

# --- a policy in the first place ------------------------------------------------------------------------------

cp -r "$here/model" model
sed 's/dynamic/first/g' model/net/switch/buffer_dynamic.c >model/net/switch/buffer_first.c
sed -i '0,/^POLICY/s//POLICY(first)\nPOLICY/' model/net/switch/buffer.def
cat >words.c <<'C'
#include "net/switch/buffer_kinds.h"
#include "net/switch/switch.h"

#include <stdio.h>

#define POLICY(stem) {#stem, &buffer_##stem},
static const struct { const char *word; const struct buffer_policy *policy; } files[] = {
#include "net/switch/buffer.def"
};

int main(void)
{
    for (size_t i = 0; i < BUFFER_POLICIES; i++) {
        struct switch_params params;
        char why[OPT_WHY_BYTES];
        switch_presets(&params);
        printf("%s %d", buffer_policies[params.policy] == &buffer_dynamic ? "dynamic" : "another", (int)i);
        if (opt_parse(opt_find(switch_opts, "policy"), files[i].word, &params.policy, why))
            printf(" %s %s", files[i].word, buffer_policies[params.policy] == files[i].policy ? "is itself" : "is another");
        putchar('\n');
    }
}
C
if ${CC:-cc} -std=gnu11 -DSTORMGLASS_HOSTILE=0 -Imodel words.c model/base/*.c model/net/switch/switch_params.c model/net/switch/buffer*.c -lm -o words 2>err; then
    equal 'the first place is the new one' "$(./words | head -n 1)" 'dynamic 0 first is itself'
    equal 'all words are themselves' "$(./words | grep -c '^dynamic .* is itself$')" "$(($(wc -l <<<"$stems") + 1))"
else
    fail "a policy in the first place: $(head -n 5 err)"
fi
[ "$failures" = 0 ]
