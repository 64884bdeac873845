#!/bin/sh
# conduct - the rows of model/nvme/target/target_conduct.def as a table for docs/model.md.    SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
awk '
function value(text,    no_retry, i, parts, all) {
    gsub(/^ +| +$/, "", text)
    no_retry = sub(/^NO_RETRY\(/, "", text) && sub(/\)$/, "", text)
    if (text ~ /FEATURE\(/) {
        gsub(/FEATURE\(|\)/, "", text)
        gsub(/ \| /, ", ", text)
        sub(/0xA/, "10", text)
        return text
    }
    if (text in offset)
        return offset[text]
    if (text ~ /NVME_CONNECT_IN_DATA/)
        return "512 in the data"
    if (text in status)
        return status[text] (no_retry ? ", DNR" : "")
    return text
}
BEGIN {
    offset["NVME_CONNECT_HOSTNQN_AT"] = 512; offset["NVME_CONNECT_CNTLID_AT"] = 16
    status["OK"] = "carried out"
    status["SEQUENCE"] = "Command Sequence Error (0Ch)"
    status["INVALID_OPCODE"] = "Invalid Opcode (01h)"
    status["INVALID_FIELD"] = "Invalid Field (02h)"
    status["ID_CONFLICT"] = "Command ID Conflict (03h)"
    status["INVALID_NAMESPACE"] = "Invalid Namespace (0Bh)"
    status["SGL_TYPE"] = "SGL Descriptor Type Invalid (11h)"
    status["INVALID_QUEUE"] = "Invalid Queue Identifier (101h)"
    status["ABORT_LIMIT"] = "Abort Command Limit Exceeded (103h)"
    status["INVALID_LOG_PAGE"] = "Invalid Log Page (109h)"
    status["NOT_SAVEABLE"] = "Feature Not Saveable (10Dh)"
    status["NOT_CHANGEABLE"] = "Feature Not Changeable (10Eh)"
    status["NOT_OF_NAMESPACE"] = "Feature Not Namespace Specific (10Fh)"
    status["LBA_RANGE"] = "LBA Out of Range (80h)"
    status["INTERNAL"] = "Internal Error (06h)"
    status["WRITE_FAULT"] = "Write Fault (280h)"
    status["READ_ERROR"] = "Unrecovered Read Error (281h)"
    status["CONNECT_PARAMETERS"] = "Connect Invalid Parameters (182h)"
    print "| behavior | `stormglass` | `linux-nvmet` | `spdk` |"
    print "|---|---|---|---|"
}
/^\/\*|^ \*/ { next }
{ row = row " " $0 }
/"\)$/ {
    sub(/^ *CONDUCT\(/, "", row)
    text = row
    sub(/^[^"]*"/, "", text)
    sub(/"\)$/, "", text)
    gsub(/" +"/, "", text)
    sub(/".*/, "", row)
    count = split(row, column, /, */)
    if (count < 4 || column[1] !~ /^[a-z_]+$/) {
        print "conduct.sh: not a row: " row >"/dev/stderr"
        exit 1
    }
    print "| " text " | " value(column[2]) " | " value(column[3]) " | " value(column[4]) " |"
    row = ""
}
' model/nvme/target/target_conduct.def
