# siw-up - iWARP in software (siw): connection, data, bandwidth of each verb.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=200
. /lab/lib.sh

LAB_LINK=siw lab_two_nics
lab_equal "devices" "$(ibv_devinfo | grep -c '^hca_id:.*siw')" 2
rping -s -a 10.0.0.2 -C 10 &
sleep 1
rping -c -a 10.0.0.2 -I 10.0.0.1 -C 10 -v || lab_fail "rping over siw"
wait $!
for verb in send write read; do
    "ib_${verb}_bw" -R -d siw1 -n 200 -s 16384 -F >server.txt 2>&1 &
    sleep 1
    "ib_${verb}_bw" -R -d siw0 -n 200 -s 16384 -F 10.0.0.2 || lab_fail "ib_${verb}_bw over siw"
    wait $! || lab_fail "the server of ib_${verb}_bw: $(cat server.txt)"
done
