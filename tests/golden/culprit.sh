#!/bin/bash
# culprit.sh - the machine that injects harms: draws the same from a seed, and scores as it says.  SPDX-License-Identifier: Apache-2.0
set -u
culprit=$PWD/tests/culprit/culprit
. tests/golden/outside

# Six seeds: faults and settings of kinds.py, values of parameters, and a clean scenario; the last three again, with none drawn before them.
expect "drawn" 0 " of 6 drawn" "$culprit" --draw 1 6
grep -E '^seed (4|5|6):' out >first
expect "drawn again" 0 " of 3 drawn" "$culprit" --draw 4 3
grep '^seed ' out | cmp -s first || fail "seeds 4 to 6 are not the same twice: $(diff first out)"
[ "$(wc -l <first)" = 3 ] || fail "only $(wc -l <first) of seeds 4 to 6 are told"

# A judge that says always the same, and one fault more than the machine knows.
cat >judge <<'END'
#!/bin/bash
case "$*" in
"list faults") "$JUDGED" list faults && [ -z "${NEW-}" ] || echo "$NEW  A fault of tomorrow." ;;
"explain "*) printf '{"harm": {"severity": "%s"}, "causes": [%s], "prove": {"suspects": [%s]}}\n' "$SEVERITY" "$CAUSES" "$SUSPECTS" ;;
*) exec "$JUDGED" "$@" ;;
esac
END
chmod +x judge
export JUDGED=$program STORMGLASS=$work/judge SEVERITY=moderate CAUSES='' SUSPECTS=''
storm='{"suspect": "fault", "name": "faults.0", "sure": true}'
host='{"suspect": "host", "name": "host77", "sure": true}'

scores=0
# score NAME CODE WORDS KIND CAUSES SUSPECTS: of one scenario with one harm
score() {
    in_turn $((scores++)) 3 || return 0 # each takes seconds
    CAUSES=$5 SUSPECTS=$6 expect "$1" "$2" "$3" "$culprit" -v --prove 1 --bare --only "$4" 3 1
}
score "named" 0 "seed 3: right:" slow-receiver "$storm" '{"suspect": "fault", "name": "faults.0", "gone": 0.9, "culprit": true}'
score "nobody is named" 1 "seed 3: WRONG" slow-receiver '' ''
score "named second" 1 "WRONG, INNOCENT ACCUSED" slow-receiver "$host, $storm" ''
score "an innocent beside" 1 "right, INNOCENT ACCUSED" slow-receiver "$storm, $host" ''
score "too little is gone" 1 "right, NOT PROVED" slow-receiver "$storm" '{"suspect": "fault", "name": "faults.0", "gone": 0.7, "culprit": true}'
proof='{"suspect": "fault", "name": "faults.0", "gone": 0.9, "culprit": true}'
score "an innocent is convicted" 1 "right, NOT PROVED" slow-receiver "$storm" \
    "$proof, {\"suspect\": \"host\", \"name\": \"host77\", \"gone\": 0.1, \"culprit\": true}"
score "without the runner-up it is less" 1 "right, NOT PROVED" slow-receiver "$storm, ${host/true/false}" \
    "$proof, {\"suspect\": \"host\", \"name\": \"host77\", \"gone\": 0.3}"
score "so it is without the traffic" 0 "seed 3: right:" slow-receiver "$storm, ${host/true/false}" \
    "$proof, {\"suspect\": \"workload\", \"name\": \"oltp\", \"gone\": 0.9}"
score "by its path" 1 "right, NOT PROVED" slow-link '{"suspect": "setting", "name": "fabric.overrides[0].rate", "sure": true}' ''
score "by another parameter" 1 "WRONG, INNOCENT" slow-link '{"suspect": "setting", "name": "fabric.overrides[0].mtu", "sure": true}' ''
row='fabric.host-links.rate'
score "a parameter's value" 1 "right, NOT PROVED: $row" "$row" '{"suspect": "setting", "name": "fabric.overrides[0].rate", "sure": true}' ''
score "another parameter" 1 "WRONG, INNOCENT ACCUSED, NOT PROVED: $row" "$row" '{"suspect": "setting", "name": "fabric.overrides[0].mtu", "sure": true}' ''
score "somebody is named in a clean one" 1 "WRONG, INNOCENT" clean "$host" ''
SEVERITY=slight score "load is nobody" 0 "seed 3: right" clean '{"suspect": "load", "name": "host0", "sure": true}' ''
score "load that costs others nothing" 1 "WRONG" clean '{"suspect": "load", "name": "oltp", "sure": true, "confirmed": true}' ''
score "a clean one is severe" 1 "WRONG" clean '' ''
NEW=meteor expect "a new fault" 1 "has the fault meteor" "$culprit" --draw 1 1
exit $((failures > 0))
