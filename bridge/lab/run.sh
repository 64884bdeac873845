#!/bin/bash
# run - boots the laboratory's guest: all tests, some of them, or a shell.    SPDX-License-Identifier: Apache-2.0
# usage: bridge/lab/run.sh DIRECTORY boot | shell | test [NAME...] | one NAME
#   DIRECTORY has the image (image.sh) and receives NAME.log, NAME.pcap and NAME.keep/ of each test.
#   BRIDGE and STORMGLASS are the programs stormglass-bridge and stormglass; either may be missing.
#   LAB_JOBS tests run at a time (one for each processor) if their clock counts instructions; these yield the processor to
#   everything else (nice).  Tests with two machines share real time, so they run one at a time and are not niced.
#   LAB_SEED=N (1) varies the course of a test: the random numbers, and the moment at which the test begins.
#   `one` runs one test, for `test` itself.
# A test is tests/NAME.sh; its line "# lab: WORD=VALUE..." says what it needs:
#   nics=N      interfaces on one hub (1)            machines=2  two virtual machines, roles a and b; a wire for each interface
#   timeout=S   seconds of the guest's clock (300)   boots=N     how often it is run (1)
#   needs=bridge   skipped where that program is not built
#   wire=no     the wire is not captured: where more crosses it than a disk should hold
#   asked=yes   only when it is named: where it takes longer than all others together
# tests/NAME.before, where there is one, runs on the host before the boot, with the stem of the test's files;
# tests/NAME.check afterwards, with the stem of each boot's.
# Exit codes of both: 0 passed, 77 skipped, else failed; 1 in all when one failed.  The last lines of the output repeat
# which tests failed, and why.
set -u
here=$(dirname "$(realpath "$0")")
lab=$(realpath "${1:?DIRECTORY}") || exit 2
mode=${2-}
shift $(($# < 2 ? $# : 2))
BRIDGE=${BRIDGE-}
STORMGLASS=${STORMGLASS-}
seed=${LAB_SEED:-1}
children=()
wires=$(mktemp -d)
trap '[ ${#children[@]} = 0 ] || kill "${children[@]}" 2>/dev/null; rm -rf "$wires"' EXIT
trap 'exit 130' INT TERM

need() { # TEST WORD [DEFAULT]: a value of the line "# lab:"
    local value
    value=$(sed -n "s/^# lab:.*\b$2=\([^ ]*\).*/\1/p" "$here/tests/$1.sh" 2>/dev/null | head -n 1)
    echo "${value:-${3-}}"
}

# --- the second archive: what differs from test to test, laid over the image ----------------------------------------

pack_program() { # PROGRAM TREE: with those of its libraries that the image does not have
    local library
    cp "$1" "$2/usr/bin/"
    for library in $(ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p'); do
        library=${library#/}
        library=${library#usr/}
        grep -q -x -E "\./(usr/)?$library" "$lab/image.files" && continue
        mkdir -p "$2/$(dirname "$library")"
        cp -L "/$library" "$2/$library"
    done
}

pack() { # TEST: writes TEST.initrd
    local tree program with=
    tree=$(mktemp -d)
    mkdir -p "$tree/lab/cases" "$tree/usr/bin"
    cp "$here/init" "$tree/init"
    cp "$here/lib.sh" "$tree/lab/lib.sh"
    [ ! -e "$here/tests/$1.sh" ] || cp "$here/tests/$1.sh" "$tree/lab/test.sh"
    [ ! -d "$here/tests/$1.files" ] || cp -r "$here/tests/$1.files" "$tree/lab/files"
    if [ "$(need "$1" needs)" = bridge ] || [ ! -e "$tree/lab/test.sh" ]; then
        for program in "$BRIDGE" "$STORMGLASS"; do
            [ ! -x "$program" ] || pack_program "$program" "$tree"
        done
        cp "$here"/../../scenarios/cases/*.yaml "$here"/cases/*.yaml "$tree/lab/cases/"
    fi
    chmod 755 "$tree" "$tree/init"
    find "$tree" -exec touch -h -d @0 {} +
    (cd "$tree" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0 --reproducible) >"$lab/$1.cpio"
    # fio is large, and is unpacked by each boot: only tests that name it have it, and the shell.
    if [ ! -e "$here/tests/$1.sh" ] || grep -q fio "$here/tests/$1.sh"; then with=$lab/fio.cpio; fi
    # shellcheck disable=SC2086 # with may be empty
    cat "$lab/image.cpio" $with "$lab/$1.cpio" >"$lab/$1.initrd"
    rm -rf "$tree" "$lab/$1.cpio"
}

# --- the machine -------------------------------------------------------------------------------------------

# One machine: virtual time counts instructions, so this computer's speed and load are not in the numbers.  A frame leaves
# 2 us after its doorbell by a timer of virtual time, in the processor's own thread; QEMU's usual ways (ioeventfd, bottom
# half) would take real time.  The timer is the HPET: Linux measures the APIC's in a loop that takes 3 s of each boot
# (nolapic_timer).
# Two machines count instructions too while they run, 4 ns each, and follow real time only while they are idle: real time is
# the only clock that they share.  With a clock of real time alone, a guest that waits for a processor sees time jump:
# its kernel panics in the boot ("IO-APIC + timer doesn't work") or reports soft lockups.
# Two machines have a processor without CMPXCHG16B.  With it, the allocator of memory (SLUB) of Linux 6.12 followed a null
# pointer within a minute, and the trace had flags that no processor sets (QEMU 7.2).
sending="tx=timer,x-txtimer=2000,ioeventfd=off,rx_queue_size=1024"
processor="max,rdrand=off,rdseed=off"
counted="-cpu $processor -icount shift=0,sleep=off -rtc base=2026-01-01T00:00:00,clock=vm"
shared="-cpu $processor,cx16=off -icount shift=2,sleep=on"

machine() { # INITRD COMMAND-LINE ARGUMENT...: becomes QEMU
    local initrd=$1 append=$2
    shift 2
    exec qemu-system-x86_64 -accel tcg -smp 1 -m 1024 -seed "$seed" \
        -nodefaults -no-user-config -display none -monitor none -no-reboot \
        -kernel "$lab/vmlinux" -initrd "$initrd" \
        -append "console=ttyS0 quiet panic=-1 nokaslr nolapic_timer random.trust_cpu=off lab.seed=$seed $append" "$@"
}

hub() { # NICS [PCAP]: interfaces on one hub, as arguments
    local nic
    for ((nic = 0; nic < $1; nic++)); do
        echo "-netdev hubport,id=n$nic,hubid=0"
        echo "-device virtio-net-pci,netdev=n$nic,mac=02:00:00:00:00:0$((nic + 1)),$sending"
    done
    [ -z "${2-}" ] || echo "-object filter-dump,id=dump,netdev=n0,file=$2"
}

disk() { # STEM: an empty disk, on which init leaves the files that are to be kept
    rm -f "$1.disk"
    truncate -s 64M "$1.disk"
    echo "-drive file=$1.disk,format=raw,if=virtio"
}

wires() { # NICS ROLE: a wire for each interface to the other machine, as arguments
    local nic server=on
    [ "$2" = a ] || server=off
    for ((nic = 0; nic < $1; nic++)); do
        echo "-netdev stream,id=n$nic,server=$server,addr.type=unix,addr.path=$wires/wire.$nic"
        echo "-device virtio-net-pci,netdev=n$nic,mac=02:00:00:00:0$nic:0$([ "$2" = a ] && echo 1 || echo 2)"
    done
}

start() { # TEST STEM: starts the machine or machines of one boot
    local wire=$wires/wire role
    local wire_file=$2.pcap
    [ "$(need "$1" wire yes)" = yes ] || wire_file=
    local words
    words="lab.test=$1 lab.timeout=$(need "$1" timeout 300)"
    children=()
    rm -rf "$2".log "$2".[ab].log "$2.pcap" "$wire".*
    if [ "$(need "$1" machines 1)" = 1 ]; then
        # shellcheck disable=SC2046,SC2086 # lists of words
        machine "$lab/$1.initrd" "$words lab.role=a" $counted $(hub "$(need "$1" nics 1)" "$wire_file") \
            $(disk "$2") -serial "file:$2.log" </dev/null >"$2.qemu" 2>&1 &
        children=($!)
        return
    fi
    for role in a b; do
        # shellcheck disable=SC2046,SC2086 # lists of words
        machine "$lab/$1.initrd" "$words lab.role=$role" $shared $(wires "$(need "$1" nics 1)" "$role") \
            $([ "$role" = b ] || echo "-object filter-dump,id=dump,netdev=n0,file=$2.pcap") \
            $(disk "$2.$role") -serial "file:$2.$role.log" </dev/null >"$2.$role.qemu" 2>&1 &
        children+=($!)
        # b can connect only to sockets that a has made.
        until [ -S "$wire.$(($(need "$1" nics 1) - 1))" ] || ! kill -0 "${children[0]}" 2>/dev/null; do sleep 0.1; done
    done
}

# processor_seconds PID: the processor time that a process has used
processor_seconds() {
    local stat ticks
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || { echo 0; return; } # it has ended
    # shellcheck disable=SC2206 # a list of words; the name before the last parenthesis may have spaces
    ticks=(${stat##*) })
    echo $(((ticks[11] + ticks[12]) / $(getconf CLK_TCK)))
}

# The guest itself ends a test that takes too long by its clock (init).  await only ends machines whose guest cannot, by a
# measure that the load of this computer does not change: they have used three times that in processor time; or their peer
# has ended without passing.  Twenty times that in real time is for a QEMU that neither runs nor ends.
await() { # STEM SECONDS: waits until the machines have ended; 1 when one had to be killed
    local child end=$((SECONDS + 20 * $2)) peer_end="" late=0 running
    while :; do
        running=()
        for child in "${children[@]}"; do
            if kill -0 "$child" 2>/dev/null; then running+=("$child"); else wait "$child" 2>/dev/null; fi
        done
        if [ ${#running[@]} != ${#children[@]} ] && ! cat "$1".*log | tr -d '\r' | grep -q '^@@lab end 0$'; then
            peer_end=$((SECONDS + 10))
        fi
        children=("${running[@]}")
        [ ${#running[@]} -gt 0 ] || return "$late"
        for child in "${running[@]}"; do
            if [ "$(processor_seconds "$child")" -ge $((3 * $2)) ]; then end=0; fi
        done
        if [ "$SECONDS" -ge "${peer_end:-$end}" ] || [ "$SECONDS" -ge "$end" ]; then
            kill -KILL "${running[@]}" 2>/dev/null
            late=1
        fi
        sleep 0.2
    done
}

collect() { # STEM: the serial line without its carriage returns, and the files that were kept; the exit code
    local code
    [ -e "$1.log" ] || : >"$1.log"
    sed -i 's/\r//g; s/\x1b\[[0-9;?]*[a-zA-Z]//g' "$1.log"
    rm -rf "$1.keep"
    if [ -n "$(head -c 512 "$1.disk" | tr -d '\0' | head -c 1)" ]; then
        mkdir "$1.keep"
        tar -xf "$1.disk" -C "$1.keep" 2>/dev/null
    fi
    rm -f "$1.disk"
    grep -v 'hub 0 is not connected to host' "$1.qemu" | sed 's/^/qemu: /' >>"$1.log"
    rm -f "$1.qemu"
    code=$(sed -n 's/^@@lab end \([0-9]*\)$/\1/p' "$1.log")
    return "${code:-99}"
}

# --- tests -------------------------------------------------------------------------------------------------

# rank CODE: the more, the more it says about what went wrong; a machine that was ended (98) is often a failed one's peer
rank() {
    case $1 in 0) echo 0 ;; 77) echo 1 ;; 98) echo 2 ;; *) echo 3 ;; esac
}

boot_once() { # TEST STEM: the worst of the machines' exit codes; 98 for one that hung, 99 for one without a word
    local stem code worst=0 late=0
    local stems=("$2")
    [ "$(need "$1" machines 1)" = 1 ] || stems=("$2.a" "$2.b")
    start "$1" "$2"
    await "$2" "$(need "$1" timeout 300)" || late=1
    for stem in "${stems[@]}"; do
        collect "$stem"
        code=$?
        [ "$code" = 99 ] && [ "$late" = 1 ] && ! grep -q 'Kernel panic' "$stem.log" && code=98
        [ "$(rank "$code")" -le "$(rank "$worst")" ] || worst=$code
    done
    return "$worst"
}

# reason TEST CODE STEM...: why a test failed, in one line
reason() {
    local test=$1 code=$2 logs=() stem log
    shift 2
    for stem; do for log in "$stem.log" "$stem.a.log" "$stem.b.log"; do [ ! -e "$log" ] || logs+=("$log"); done; done
    if [ -s "$lab/$test.check.log" ]; then
        echo "$test.check: $(tail -n 1 "$lab/$test.check.log")"
    elif grep -h -m 1 '^FAILED: ' "${logs[@]}" >"$wires/reason.$test" || # lab_fail
        grep -h -m 1 -o 'Kernel panic.*' "${logs[@]}" >"$wires/reason.$test"; then
        head -n 1 "$wires/reason.$test" | sed 's/^FAILED: //'
    elif grep -q '^@@lab hung' "${logs[@]}"; then
        echo "it did not end within $(need "$test" timeout 300) s of the guest's clock"
    elif [ "$code" = 98 ]; then
        echo "QEMU was killed: the guest did not end"
    elif [ "$code" = 99 ]; then
        echo "the guest ended without a verdict: $(cat "${logs[@]}" | tail -n 1)"
    else # a command that failed by itself: its words, if any, are the last before the kernel's
        echo "exit code $code after: $(cat "${logs[@]}" | sed '/^--- kernel/,$d' | grep -v '^@@lab' | tail -n 1)"
    fi
}

tell() { # STEM...: the logs of a test that failed
    local stem log
    for stem; do
        for log in "$stem.log" "$stem.a.log" "$stem.b.log"; do
            [ ! -e "$log" ] || { echo "--- $log"; tail -n 80 "$log" | sed 's/^/    /'; }
        done
    done
}

one_test() { # TEST: prints its line; 0 passed or skipped, 1 failed
    local test=$1 begun=$SECONDS boots boot stems=() code=0 why=
    if [ ! -e "$here/tests/$test.sh" ]; then
        echo "FAIL  $test: there is no bridge/lab/tests/$test.sh"
        return 1
    fi
    if [ "$(need "$test" needs)" = bridge ] && [ ! -x "$BRIDGE" ]; then
        echo "skip  $test: stormglass-bridge is not built"
        return 0
    fi
    if [ -x "$here/tests/$test.before" ] && ! STORMGLASS=$STORMGLASS "$here/tests/$test.before" "$lab/$test" >&2; then
        echo "FAIL  $test: $test.before failed"
        return 1
    fi
    pack "$test"
    boots=$(need "$test" boots 1)
    for ((boot = 1; boot <= boots && code == 0; boot++)); do
        stems+=("$lab/$test$([ "$boots" = 1 ] || echo ".$boot")")
        boot_once "$test" "${stems[-1]}"
        code=$?
    done
    rm -f "$lab/$test.initrd" "$lab/$test.check.log"
    if [ "$code" = 0 ] && [ -x "$here/tests/$test.check" ]; then
        STORMGLASS=$STORMGLASS "$here/tests/$test.check" "${stems[@]}" >"$lab/$test.check.log" 2>&1
        code=$?
        why=$(sed -n '$p' "$lab/$test.check.log")
    elif [ "$code" = 77 ]; then
        why=$(cat "$lab/$test"*.log | sed -n 's/^SKIPPED: //p' | head -n 1)
    fi
    case $code in
    0) echo "ok    $test ($((SECONDS - begun)) s)${why:+: $why}" ;;
    77) echo "skip  $test: $why" ;;
    *) echo "FAIL  $test ($((SECONDS - begun)) s): $(reason "$test" "$code" "${stems[@]}")" ;;
    esac
    [ "$code" = 0 ] || [ "$code" = 77 ] && return 0
    tell "${stems[@]}"
    [ ! -s "$lab/$test.check.log" ] || sed 's/^/    check: /' "$lab/$test.check.log"
    return 1
}

# several JOBS NICENESS NAME...: each test's output comes in one piece, when it has ended.
several() {
    local jobs=$1 niceness=$2
    shift 2
    # shellcheck disable=SC2016 # for the inner shell
    [ $# = 0 ] || printf '%s\n' "$@" |
        xargs -P "$jobs" -I{} nice -n "$niceness" bash -c '"$0" "$1" one "$3" >"$2/out.$3" 2>&1; cat "$2/out.$3"' \
            "$0" "$lab" "$wires" {}
}

all_tests() { # NAME...: 1 when one failed
    local alone=() together=() test passed=0 skipped=0 failed=()
    for test; do
        if [ "$(need "$test" machines 1)" = 1 ]; then together+=("$test"); else alone+=("$test"); fi
    done
    several "${LAB_JOBS:-$(nproc)}" 19 "${together[@]}"
    several 1 0 "${alone[@]}"
    for test; do
        if grep -q -s '^ok ' "$wires/out.$test"; then
            passed=$((passed + 1))
        elif grep -q -s '^skip ' "$wires/out.$test"; then
            skipped=$((skipped + 1))
        else # also one that ended without its line
            failed+=("$test")
        fi
    done
    echo "laboratory: $passed ok, $skipped skipped, ${#failed[@]} failed, $SECONDS s"
    for test in "${failed[@]}"; do grep -h -s -m 1 '^FAIL ' "$wires/out.$test" || echo "FAIL  $test: it ended without a verdict"; done
    [ ${#failed[@]} = 0 ]
}

command -v qemu-system-x86_64 >/dev/null || { echo "laboratory: there is no qemu-system-x86_64" >&2; exit 1; }
[ -s "$lab/image.cpio" ] || { echo "laboratory: $lab has no image (make lab-image)" >&2; exit 1; }
[ "$mode" = one ] || cpio --quiet -it <"$lab/image.cpio" 2>/dev/null | sed 's/^\(\.\/\)*/.\//' >"$lab/image.files"
case $mode in
boot | shell)
    # boot shows the kernel's words on the way to the shell.
    pack shell
    # shellcheck disable=SC2046 # lists of words
    (machine "$lab/shell.initrd" "lab.shell $([ "$mode" = shell ] || echo ignore_loglevel)" -cpu "$processor" $(hub 2 "$lab/shell.pcap") \
        -serial mon:stdio)
    ;;
test)
    # shellcheck disable=SC2046 # a list of words
    [ $# -gt 0 ] || set -- $(cd "$here/tests" && grep -L '^# lab:.*\basked=yes' ./*.sh | sed 's/^\.\///; s/\.sh$//')
    all_tests "$@"
    ;;
one) one_test "$1" ;;
*)
    echo "usage: bridge/lab/run.sh DIRECTORY boot | shell | test [NAME...] | one NAME" >&2
    exit 2
    ;;
esac
