# tidy - what one source file may contain.                         SPDX-License-Identifier: Apache-2.0
# usage: awk -f tidy.awk FILE...       Prints FILE:LINE: what is wrong.  Comments and the text of strings are
# blanked out before a line is searched for words of C.

function wrong(text) { print FILENAME ":" FNR ": " text }

# The line without comments and without what strings say; in_comment is carried from line to line.
function code_of(line,    out, at, two, one) {
    out = ""
    for (at = 1; at <= length(line); at++) {
        one = substr(line, at, 1)
        two = substr(line, at, 2)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; at++ }
            continue
        }
        if (in_text != "") {
            if (one == "\\") at++
            else if (one == in_text) { in_text = ""; out = out one }
            continue
        }
        if (two == "/*") { in_comment = 1; at++; continue }
        if (two == "//") break
        if (one == "\"" || one == "'") in_text = one
        out = out one
    }
    in_text = ""
    return out
}

function layer_of(path,    part) {
    split(path, part, "/")
    return part[1] == "model" ? part[2] : part[1]
}

# The folder of a file, or of a header as it is included: model/ is left out there.
function room_of(path,    room) {
    room = path
    sub(/\/[^\/]*$/, "", room)
    if (path !~ /^model\// && (room ~ /^(base|engine|net|fc|tcp|rnic|nvme)(\/|$)/)) room = "model/" room
    return room
}

# The rooms are a table of docs/architecture.md: `room`, what is there, what it sees of its own layer.
function read_rooms(file,    line, column, name, layer, seen, i, count) {
    while ((getline line < file) > 0) {
        if (split(line, column, " *\\| *") != 5 || column[2] !~ /^`(model|scenarios|replay|reports|bridge|cli)[a-z_\/]*`$/) continue
        name = column[2]
        gsub(/`/, "", name)
        rooms[name] = 1
        layer = layer_of(name "/")
        count = column[4] == "-" ? 0 : split(column[4], seen, ", ")
        for (i = 1; i <= count; i++)
            sees[name, (name ~ /^model\// ? "model/" : "") layer (seen[i] == layer ? "" : "/" seen[i])] = 1
    }
    close(file)
}

# A private header is for its own room, an inline one for those whose nodes carry frames; what else a room sees of its
# layer its row says.
function room_allows(file, header,    from, to) {
    from = room_of(file)
    to = room_of(header)
    if (header ~ /_inline\.h$/ && from !~ /^model\/(net|rnic)\// && from !~ /^tests(\/|$)/) return 0
    return from == to || (header !~ /_private\.h$/ && (layer_of(from "/") != layer_of(to "/") || (from, to) in sees))
}

# The rank below which a file may look.  Reports read a run's database and never the model above base; what they
# read from a wire has the layouts that the model writes.
function include_allowed(from, file, header,    to) {
    to = layer_of(header)
    if (from == "tests" || from == "cli" || from == to) return 1
    if (from == "nvme") return to == "base" || (header == "rnic/verbs.h" && file ~ /^model\/nvme\/rdma\//) || (header == "tcp/stream.h" && file ~ /^model\/nvme\/(tcp|iscsi)\//) || (to == "fc" && file ~ /^model\/nvme\/fc\//)
    if (from == "reports" && header == "scenarios/embedded.h") return 1
    if (from == "reports") return to == "base" || to == "replay" || header in layouts
    if (header == "scenarios/embedded.h") return rank[from] >= rank["scenarios"]
    return rank[to] < rank[from]
}

BEGIN {
    read_rooms("docs/architecture.md")
    split("base engine net fc tcp rnic nvme scenarios replay reports bridge cli tests", order, " ")
    for (i in order) rank[order[i]] = i + 0
    layouts["net/frame/frame.h"] layouts["rnic/cm/cm_mad.h"] layouts["nvme/wire/capsule.h"] layouts["nvme/wire/fabrics.h"] layouts["nvme/wire/wire.h"]
    layouts["nvme/wire/spec.h"] layouts["nvme/tcp/pdu.h"] layouts["nvme/iscsi/bhs.h"] layouts["nvme/iscsi/text.h"] layouts["fc/fc_frame.h"]
    word = "[^A-Za-z0-9_]"
    floating = word "(float|double)" word
    luck = word "(rand|random|drand48|srand) *\\("
    sorting = word "(qsort|qsort_r) *\\("
    clock = word "(time|clock|gettimeofday|clock_gettime|localtime|gmtime) *\\("
}

FNR == 1 {
    in_comment = 0
    in_text = ""
    unsure = 0
    layer = layer_of(FILENAME)
    if (layer != "tests" && !(room_of(FILENAME) in rooms)) wrong("docs/architecture.md has no row for " room_of(FILENAME))
    decides = FILENAME ~ /^(model|scenarios)\//
    licensed = FILENAME ~ /\.def$/
}

FNR <= 2 && /SPDX-License-Identifier: Apache-2\.0/ { licensed = 1 }
FNR == 2 && !licensed { wrong("the first comment does not begin with the SPDX identifier") }

/\t/ { wrong("a tab") }
/[ \t]$/ { wrong("space at the end of the line") }
/[^ -~\t]/ && FILENAME !~ /^tests\// { wrong("a character outside ASCII") }
length($0) > 100 { wrong("longer than 100 columns") }
FNR == 501 { wrong("the file is longer than 500 lines") }
/(^|[^A-Z])(TODO|FIXME|XXX)([^A-Z]|$)/ { wrong("an unfinished place") }
/Included only by/ && FILENAME ~ /\.h$/ && FILENAME !~ /_private\.h$/ { wrong("who may include it, its name says: _private.h") }

/^#include "/ {
    split($0, quoted, "\"")
    header = quoted[2]
    if (layer == "tests") next # they see everything
    if (header !~ /\//) wrong("include with its directory: " header)
    else if (!(layer_of(header) in rank)) wrong("unknown layer: " header)
    else if (!include_allowed(layer, FILENAME, header)) wrong(layer " may not include " header)
    else if (!room_allows(FILENAME, header)) wrong(room_of(FILENAME) " may not include " header)
}

{
    code = " " code_of($0) " "
    if (decides && code ~ floating) wrong("floating point decides nothing here")
    if (decides && code ~ luck) wrong("luck decides nothing here")
    if (unsure && (unsure_text $0) !~ /total order/)
        print FILENAME ":" FNR - 1 ": a sort that does not say why its order is a total order"
    unsure = FILENAME ~ /^model\// && code ~ sorting
    unsure_text = $0
    if (decides && code ~ clock) wrong("the time of the machine decides nothing here")
}
