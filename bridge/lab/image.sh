#!/bin/bash
# image - the laboratory's kernel and file system, from Debian's packages.   SPDX-License-Identifier: Apache-2.0
# usage: bridge/lab/image.sh DIRECTORY [FRESH]
#   Writes DIRECTORY/vmlinux, DIRECTORY/image.cpio, DIRECTORY/fio.cpio and DIRECTORY/packages.list.  Nothing is installed:
#   the packages are fetched with apt's own lists and caches under DIRECTORY, and unpacked there.  Without a change of
#   this script or of the list the image of the last time stays; FRESH=1 asks the archive for newer versions.
#   LINUX=6.12 takes that kernel of the archive in place of its default.
#   fio.cpio is fio with what only fio needs: storage clusters' libraries, three times as large as all the rest.
set -euo pipefail
script=$(realpath "$0")
mkdir -p "$1"
lab=$(realpath "$1")
fresh=${2-}
meta=linux-image-${LINUX:+$LINUX-}amd64
cd "$lab"

# What is run in the guest, and the packages that have it.
packages="busybox-static iproute2 ethtool rdma-core ibverbs-providers ibverbs-utils rdmacm-utils perftest nvme-cli fio nftables
    open-iscsi"
programs="busybox ip tc rdma ethtool ibv_devinfo ibv_devices ibv_rc_pingpong rping ib_write_bw ib_write_lat ib_read_lat
    ib_send_lat ib_send_bw ib_read_bw nvme nft iscsid iscsiadm"
providers="librxe-rdmav34.so libsiw-rdmav34.so"
modules="virtio_pci virtio_net virtio_blk crc32_generic crc32c_generic ib_uverbs rdma_ucm rdma_rxe null_blk brd
    nvmet nvmet_rdma nvmet_tcp nvme_core nvme_rdma nvme_tcp veth sch_tbf sch_netem sch_red sch_ingress cls_u32 act_gact
    nf_tables nft_numgen loop ext4 iscsi_tcp sd_mod target_core_mod target_core_iblock target_core_file iscsi_target_mod"
modules_built="siw" # those of Debian's kernel sources that its kernel is built without
# Dependencies of those packages that only their installation would need.
unwanted='^(perl|libperl|python3|libpython3|media-types|usrmerge|dpkg|tar|debconf|passwd|adduser|udev|pci.ids)'

say() { echo "  LAB   $*"; }
die() { echo "image: $*" >&2; exit 1; }
# patiently COMMAND...: again after a while, when the archive does not answer; what has come stays
patiently() {
    local pause
    for pause in 5 20 60; do
        "$@" && return
        sleep "$pause"
    done
    "$@"
}
key() { { cat "$script"; cat packages.list; } 2>/dev/null | sha256sum | cut -d' ' -f1; }

if [ -z "$fresh" ] && [ -s vmlinux ] && [ -s image.cpio ] && [ -s fio.cpio ] && [ "$(cat image.key 2>/dev/null)" = "$(key)" ]; then
    exit 0
fi
[ "$(dpkg --print-architecture)" = amd64 ] || die "the laboratory is made for amd64"

# --- packages: apt with a state of its own, where nothing counts as installed ---------------------------------

mkdir -p apt/lists/partial apt/archives/partial debs
: >apt/status
cat >apt/conf <<CONF
Dir::State "$lab/apt";
Dir::State::status "$lab/apt/status";
Dir::State::lists "$lab/apt/lists";
Dir::Cache "$lab/apt";
Dir::Log "$lab/apt";
APT::Install-Recommends "false";
APT::Sandbox::User "";
CONF
export APT_CONFIG=$lab/apt/conf

say "lists of the archive"
patiently apt-get -qq update || die "the archive's lists cannot be fetched"
kernel=$(apt-cache depends "$meta" | awk '/Depends: linux-image-/ { print $2; exit }')
[ -n "$kernel" ] || die "$meta names no kernel"
# shellcheck disable=SC2086 # a list of words
apt-get -qq -y --print-uris install $packages | awk -F"[' ]+" '/^\x27/ { print $3 }' |
    sed 's/%3a/:/; s/_\([^_]*\)_[^_]*\.deb$/=\1/' | grep -v -E "$unwanted" | LC_ALL=C sort >packages.new
echo "$kernel=$(apt-cache show "$kernel" | awk '/^Version:/ { print $2; exit }')" >>packages.new
mv packages.new packages.list

say "$(wc -l <packages.list) packages"
(
    cd debs
    mapfile -t wanted < <(sed 's/:\([0-9]*\):/:\1:/' ../packages.list)
    patiently apt-get -qq download "${wanted[@]}" || die "a package cannot be fetched"
)
rm -rf root tree tree.fio built
mkdir root tree tree.fio
while IFS== read -r name version; do
    deb=debs/${name}_${version/:/%3a}_
    deb=$(ls "$deb"*.deb) || die "$name $version did not come"
    dpkg-deb -x "$deb" root
done <packages.list

# --- programs with their libraries ------------------------------------------------------------------------------

declare -A taken
find root -name '*.so*' ! -path '*/ceph/erasure*' | LC_ALL=C sort >libraries.list

part=tree # or tree.fio, which has what is not in tree

take() { # PATH in root: copies the file and what it is linked with
    local file=$1 to library path
    to=${file#root/}
    [ -z "${taken[$to]-}" ] || return 0
    taken[$to]=1
    mkdir -p "$part/$(dirname "$to")"
    cp -L "$file" "$part/$to"
    for library in $(readelf -d "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        path=$(grep -m 1 "/$library\$" libraries.list) || die "$file needs $library, which no package has"
        take "$path"
    done
}

say "programs and libraries"
# Links of the libraries may be absolute; they are resolved inside the tree by name.
for program in $programs; do
    for path in bin sbin usr/bin usr/sbin; do
        [ ! -e "root/$path/$program" ] || { take "root/$path/$program"; continue 2; }
    done
    die "no package has $program"
done
for provider in $providers; do
    take "$(grep -m 1 "/libibverbs/$provider\$" libraries.list)"
done
take "$(grep -m 1 '/libgcc_s\.so\.1$' libraries.list)" # rping ends threads, which loads it
loader=root/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
take "$loader"
part=tree.fio take root/usr/bin/fio
mkdir -p tree/lib64 tree/etc tree/dev tree/proc tree/sys tree/tmp tree/run
cp -L "$loader" tree/lib64/
mkdir -p tree/etc/libibverbs.d
for provider in $providers; do
    cp "root/etc/libibverbs.d/$(expr "$provider" : 'lib\(.*\)-rdmav')".driver tree/etc/libibverbs.d/
done
mkdir -p tree/etc/nvme tree/etc/iscsi
cp root/etc/iscsi/iscsid.conf tree/etc/iscsi/
printf 'root:x:0:0::/:/bin/sh\n' >tree/etc/passwd

# --- kernel and modules -------------------------------------------------------------------------------------------

say "kernel"
release=$(ls root/lib/modules)
# Unpacked here, or each boot would do it again in software emulation, which takes longer than the rest of the kernel's
# way up.  The first xz, or zstd, in the file is the kernel.
at() { LC_ALL=C grep -abo -m 1 -P "$1" root/boot/vmlinuz-* | head -n 1 | cut -d: -f1 || :; } # MAGIC
packed() { tail -c "+$(($1 + 1))" root/boot/vmlinuz-*; } # OFFSET
xz_at=$(at '\xfd7zXZ\x00') zstd_at=$(at '\x28\xb5\x2f\xfd')
if [ -n "$xz_at" ]; then
    { packed "$xz_at" | xz -dc 2>/dev/null || :; } >vmlinux
elif [ -n "$zstd_at" ]; then
    { packed "$zstd_at" | zstd -dc 2>/dev/null || :; } >vmlinux
else
    die "the kernel is neither xz nor zstd"
fi
readelf -n vmlinux | grep -q Xen || die "the kernel cannot be booted without its decompressor"
find "root/lib/modules/$release/kernel" -name '*.ko.xz' -exec xz -d {} +

# build_module NAME FOLDER OPTION: a module of the kernel's own version, by the headers and the compiler that Debian has for it,
# which fixes each symbol's version (CONFIG_MODVERSIONS).  Nothing is installed: the headers name one absolute path, their own.
build_module() {
    local series headers=linux-headers-$release version tree=$lab/built
    series=$(expr "$release" : '\([0-9]*\.[0-9]*\)')
    version=$(sed -n "s/^linux-image-$release=//p" packages.list)
    say "module $1, of linux-source-$series $version"
    mkdir -p built
    (
        cd built
        patiently apt-get -qq download "$headers=$version" "linux-headers-${release%%-amd64}-common=$version" \
            "linux-kbuild-$series=$version" "linux-source-$series=$version" || die "a package for module $1 cannot be fetched"
        for deb in linux-headers-*.deb linux-kbuild-*.deb; do dpkg-deb -x "$deb" .; done
        dpkg-deb --fsys-tarfile linux-source-*.deb | tar -xO "./usr/src/linux-source-$series.tar.xz" | xz -dc |
            tar -x --strip-components=1 "linux-source-$series/$2"
        sed -i "s|include /usr/src|include $tree/usr/src|" "usr/src/$headers/Makefile"
        make -s -C "usr/src/$headers" "M=$tree/$2" "$3=m" CONFIG_DEBUG_INFO_BTF_MODULES= modules >make.log 2>&1 || { cat make.log >&2; die "module $1 cannot be built"; }
    )
    mkdir -p "root/lib/modules/$release/kernel/$2"
    objcopy --strip-debug "built/$2/$1.ko" "root/lib/modules/$release/kernel/$2/$1.ko"
    rm -rf built
}
for module in $modules_built; do
    [ -n "$(find "root/lib/modules/$release/kernel" -name "$module.ko")" ] ||
        build_module "$module" "drivers/infiniband/sw/$module" "CONFIG_RDMA_${module^^}"
done

declare -A where needs
while read -r file; do
    name=${file##*/}
    name=${name%.ko}
    where[${name//-/_}]=$file
done < <(find "root/lib/modules/$release/kernel" -name '*.ko')

depends() { # MODULE: prints it, then what it depends on, nearest first
    local dependency
    echo "$1"
    [ -n "${where[$1]-}" ] || return 0
    [ -n "${needs[$1]-}" ] || needs[$1]=" $(objcopy -O binary --only-section=.modinfo "${where[$1]}" /dev/stdout |
        tr '\0' '\n' | sed -n 's/^depends=//p' | tr ',-' ' _')"
    for dependency in ${needs[$1]}; do depends "$dependency"; done
}

target=tree/lib/modules/$release
mkdir -p "$target"
queue=()
for module in $modules $modules_built; do
    grep -q "/${module//_/[-_]}\.ko\$" "root/lib/modules/$release/modules.builtin" && continue
    [ -n "${where[$module]-}" ] || die "the kernel has no module $module"
    queue+=("$module")
done
for module in "${queue[@]}"; do depends "$module"; done | LC_ALL=C sort -u | while read -r module; do
    file=${where[$module]-}
    [ -n "$file" ] || die "a module needs $module, which the kernel does not have"
    to=$target/${file#"root/lib/modules/$release/"}
    mkdir -p "$(dirname "$to")"
    cp "$file" "$to"
    # The line of modules.dep: what must be loaded first stands last, each once.
    printf '%s:' "${file#"root/lib/modules/$release/"}"
    depends "$module" | tail -n +2 | tac | awk '!seen[$0]++' | tac | while read -r dependency; do
        printf ' %s' "${where[$dependency]#"root/lib/modules/$release/"}"
    done
    echo
done >"$target/modules.dep"
[ -s "$target/modules.dep" ] || die "no modules"

# --- the archive: as of root, of no date, in one order --------------------------------------------------------------

archive() { # TREE
    find "$1" -exec touch -h -d @0 {} +
    (cd "$1" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0 --reproducible)
}
archive tree >image.cpio
archive tree.fio >fio.cpio
rm -rf root tree tree.fio debs libraries.list apt
key >image.key
say "image of $(($(stat -c %s image.cpio) >> 20)) MiB, fio of $(($(stat -c %s fio.cpio) >> 20)) MiB, Linux $release"
