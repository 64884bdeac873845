# iscsi-linux - Linux's iSCSI host and target: their PDUs are the model's (iscsi-linux.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400
. /lab/lib.sh

lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
lab_iscsi_target 10.0.0.2 file
lab_iscsi_host

# One job at a time, each in its own session, with the settings of the host that it asks for.
job() { # NAME SETTINGS FIO-ARGUMENT...
    local name=$1 settings=$2
    shift 2
    # shellcheck disable=SC2086 # a list of words
    lab_iscsi_login 10.0.0.2 $settings
    fio --name="$name" --filename="$LAB_DEVICE" --direct=1 --ioengine=libaio --iodepth=1 "$@" >"$name.txt" || lab_fail "$name"
    lab_iscsi_logout
}
host=node.conn[0].iscsi session=node.session.iscsi

job write4k '' --rw=write --bs=4k --size=400k
job read4k '' --rw=read --bs=4k --size=400k
job unmap4k '' --rw=trim --bs=4k --size=400k
job write1m '' --rw=write --bs=1m --size=8m
job read1m '' --rw=read --bs=1m --size=8m
# Data-Outs and Data-Ins of 8 KiB.
echo 8192 >"$LAB_ISCSI_GROUP/param/MaxXmitDataSegmentLength"
job write64k "$host.MaxRecvDataSegmentLength=8192" --rw=write --bs=64k --size=640k
job read512k "$host.MaxRecvDataSegmentLength=8192" --rw=read --bs=512k --size=2m
echo 262144 >"$LAB_ISCSI_GROUP/param/MaxXmitDataSegmentLength"
# No immediate data: an R2T for each write; and with digests.
job asked "$session.ImmediateData=No $session.InitialR2T=Yes" --rw=write --bs=64k --size=640k
job digests "$host.HeaderDigest=CRC32C $host.DataDigest=CRC32C" --rw=write --bs=16k --size=640k
# Data-Outs without an R2T.
echo No >"$LAB_ISCSI_GROUP/param/InitialR2T"
echo 8192 >"$LAB_ISCSI_GROUP/param/MaxXmitDataSegmentLength"
job unasked '' --rw=write --bs=64k --size=640k
# A session without I/O is pinged.
lab_iscsi_login 10.0.0.2
sleep 12
lab_iscsi_logout
# What fio has written comes back as it was.
job verified "$host.HeaderDigest=CRC32C $host.DataDigest=CRC32C" --rw=randwrite --bs=16k --iodepth=4 --size=1m --randseed=1 --verify=crc32c
lab_iscsi_calm
