#!/bin/bash
# run - boots the laboratory's guest: all tests, some of them, or a shell.    SPDX-License-Identifier: Apache-2.0
# usage: bridge/lab/run.sh DIRECTORY boot | shell | test [NAME...] | one NAME
#   DIRECTORY has the image (image.sh) and receives NAME.log, NAME.pcap and NAME.keep/ of each test.
#   BRIDGE and STORMGLASS are the programs stormglass-bridge and stormglass; either may be missing.
#   LAB_JOBS tests run at a time (one for each processor), as far as their clock counts instructions; two machines share
#   only real time, and run alone.  `one` is one of them, for `test` itself.
# A test is tests/NAME.sh; its line "# lab: WORD=VALUE..." says what it needs:
#   nics=N      interfaces on one hub (1)            machines=2  two virtual machines, roles a and b; a wire for each interface
#   timeout=S   seconds of real time (300)           boots=N     how often it is run (1)
#   needs=bridge   skipped where that program is not built
#   wire=no     the wire is not captured: where more crosses it than a disk should hold
#   asked=yes   only when it is named: where it takes longer than all others together
# tests/NAME.before, where there is one, runs on the host before the boot, with the stem of the test's files;
# tests/NAME.check afterwards, with the stem of each boot's.
# Exit codes of both: 0 passed, 77 skipped, else failed; 1 in all when one failed.
set -u
here=$(dirname "$(realpath "$0")")
lab=$(realpath "${1:?DIRECTORY}") || exit 2
mode=${2-}
shift $(($# < 2 ? $# : 2))
BRIDGE=${BRIDGE-}
STORMGLASS=${STORMGLASS-}
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

# One machine: virtual time counts instructions, so this computer's speed and load are not in the numbers.  Two machines
# have a clock each, and real time is the only one that they share.  A frame leaves 2 us after its doorbell by a timer
# of virtual time, in the processor's own thread; QEMU's usual ways (ioeventfd, bottom half) would take real time.
# The timer is the HPET: Linux measures the APIC's in a loop that takes 3 s of each boot (nolapic_timer).
sending="tx=timer,x-txtimer=2000,ioeventfd=off,rx_queue_size=1024"
counted="-icount shift=0,sleep=off -rtc base=2026-01-01T00:00:00,clock=vm"

machine() { # INITRD COMMAND-LINE ARGUMENT...: becomes QEMU
    local initrd=$1 append=$2
    shift 2
    exec qemu-system-x86_64 -accel tcg -cpu max,rdrand=off,rdseed=off -smp 1 -m 1024 -seed 1 \
        -nodefaults -no-user-config -display none -monitor none -no-reboot \
        -kernel "$lab/vmlinux" -initrd "$initrd" \
        -append "console=ttyS0 quiet panic=-1 nokaslr nolapic_timer random.trust_cpu=off $append" "$@"
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
    children=()
    rm -rf "$2".log "$2".[ab].log "$2.pcap" "$wire".*
    if [ "$(need "$1" machines 1)" = 1 ]; then
        # shellcheck disable=SC2046,SC2086 # lists of words
        machine "$lab/$1.initrd" "lab.test=$1 lab.role=a" $counted $(hub "$(need "$1" nics 1)" "$wire_file") \
            $(disk "$2") -serial "file:$2.log" </dev/null >"$2.qemu" 2>&1 &
        children=($!)
        return
    fi
    for role in a b; do
        # shellcheck disable=SC2046 # lists of words
        machine "$lab/$1.initrd" "lab.test=$1 lab.role=$role" $(wires "$(need "$1" nics 1)" "$role") \
            $([ "$role" = b ] || echo "-object filter-dump,id=dump,netdev=n0,file=$2.pcap") \
            $(disk "$2.$role") -serial "file:$2.$role.log" </dev/null >"$2.$role.qemu" 2>&1 &
        children+=($!)
        for _ in $(seq 100); do [ -S "$wire.$(($(need "$1" nics 1) - 1))" ] && break || sleep 0.1; done
    done
}

await() { # SECONDS: until the machines have ended; 1 when one had to be killed
    local child end=$((SECONDS + $1)) late=0 running
    while :; do
        running=()
        for child in "${children[@]}"; do
            if kill -0 "$child" 2>/dev/null; then running+=("$child"); else wait "$child" 2>/dev/null; fi
        done
        # The one that is left without its peer does not take the whole time.
        [ ${#running[@]} = ${#children[@]} ] || end=$((SECONDS + 60 < end ? SECONDS + 60 : end))
        children=("${running[@]}")
        [ ${#running[@]} -gt 0 ] || return "$late"
        if [ "$SECONDS" -ge "$end" ]; then
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

boot_once() { # TEST STEM: the worst of the machines' exit codes; 98 for one that hung, 99 for one without a word
    local stem code worst=0 late=0
    local stems=("$2")
    [ "$(need "$1" machines 1)" = 1 ] || stems=("$2.a" "$2.b")
    start "$1" "$2"
    await "$(need "$1" timeout 300)" || late=1
    for stem in "${stems[@]}"; do
        collect "$stem"
        code=$?
        [ "$code" = 99 ] && [ "$late" = 1 ] && code=98
        # Skipped counts less than failed.
        if [ "$code" != 0 ] && { [ "$worst" = 0 ] || [ "$worst" = 77 ]; }; then worst=$code; fi
    done
    return "$worst"
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
        echo "FAIL  $test: what comes before it"
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
    98) echo "FAIL  $test: it hung, and was ended after $(need "$test" timeout 300) s" ;;
    99) echo "FAIL  $test: the machine ended without a word" ;;
    *) echo "FAIL  $test ($((SECONDS - begun)) s): code $code" ;;
    esac
    [ "$code" = 0 ] || [ "$code" = 77 ] && return 0
    tell "${stems[@]}"
    [ ! -s "$lab/$test.check.log" ] || sed 's/^/    check: /' "$lab/$test.check.log"
    return 1
}

# Each test's words come in one piece, when it has ended.
several() { # JOBS NAME...
    local jobs=$1
    shift
    # shellcheck disable=SC2016 # for the inner shell
    [ $# = 0 ] || printf '%s\n' "$@" |
        xargs -P "$jobs" -I{} bash -c '"$0" "$1" one "$3" >"$2/$3" 2>&1; cat "$2/$3"' "$0" "$lab" "$wires" {}
}

all_tests() { # NAME...: 1 when one failed
    local alone=() together=() test passed skipped failed
    for test; do
        if [ "$(need "$test" machines 1)" = 1 ]; then together+=("$test"); else alone+=("$test"); fi
    done
    several "${LAB_JOBS:-$(nproc)}" "${together[@]}"
    several 1 "${alone[@]}"
    passed=$(cat "$wires"/* | grep -c '^ok ')
    skipped=$(cat "$wires"/* | grep -c '^skip ')
    failed=$(($# - passed - skipped)) # also one that ended without its line
    echo "laboratory: $passed ok, $skipped skipped, $failed failed, $SECONDS s"
    [ "$failed" = 0 ]
}

command -v qemu-system-x86_64 >/dev/null || { echo "laboratory: there is no qemu-system-x86_64" >&2; exit 1; }
[ -s "$lab/image.cpio" ] || { echo "laboratory: $lab has no image (make lab-image)" >&2; exit 1; }
[ "$mode" = one ] || cpio --quiet -it <"$lab/image.cpio" 2>/dev/null | sed 's/^\(\.\/\)*/.\//' >"$lab/image.files"
case $mode in
boot | shell)
    # boot shows the kernel's words on the way to the shell.
    pack shell
    # shellcheck disable=SC2046 # lists of words
    (machine "$lab/shell.initrd" "lab.shell $([ "$mode" = shell ] || echo ignore_loglevel)" $(hub 2 "$lab/shell.pcap") \
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
