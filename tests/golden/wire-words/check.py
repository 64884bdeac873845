# SPDX-License-Identifier: Apache-2.0
"""check.py change CAPTURE SEED OUTPUT   alters header fields of some frames
   check.py lines CAPTURE TREE           prints the lines that `compare --wire CAPTURE` should print

The decoder follows the tables of the standards: IBTA Vol 1 9.2, 9.3 and 12.6, annex A11 (the header of rdma_cm),
NVMe base 3.3.1 and 4.2, NVMe over Fabrics 7.  Captures are pcapng files with enhanced packet blocks."""
import random
import re
import struct
import sys

NAMES = {0: 'SEND_FIRST', 1: 'SEND_MIDDLE', 2: 'SEND_LAST', 3: 'SEND_LAST_IMM', 4: 'SEND_ONLY', 5: 'SEND_ONLY_IMM', 6: 'WRITE_FIRST',
         7: 'WRITE_MIDDLE', 8: 'WRITE_LAST', 9: 'WRITE_LAST_IMM', 10: 'WRITE_ONLY', 11: 'WRITE_ONLY_IMM', 12: 'READ_REQUEST',
         13: 'READ_RESPONSE_FIRST', 14: 'READ_RESPONSE_MIDDLE', 15: 'READ_RESPONSE_LAST', 16: 'READ_RESPONSE_ONLY',
         17: 'ACKNOWLEDGE', 22: 'SEND_LAST_INV', 23: 'SEND_ONLY_INV'}
RETH, AETH, IETH, IMMEDIATE = {6, 10, 11, 12}, {13, 15, 16, 17}, {22, 23}, {3, 5, 9, 11}
WRITES, UD_SEND, QP1 = range(6, 12), 0x64, 1
BTH, HEADERS = 14 + 20 + 8, 14 + 20 + 8 + 12
ADMIN = {0x02: 'Get-Log', 0x06: 'Identify', 0x08: 'Abort', 0x09: 'Set-Features', 0x0A: 'Get-Features', 0x0C: 'Async-Event',
         0x18: 'Keep-Alive'}
IO = {0: 'Flush', 1: 'Write', 2: 'Read'}
REQ, REJ, REP, RTU, DREQ, DREP = 0x10, 0x12, 0x13, 0x14, 0x15, 0x16
NVME_SERVICE = 0x0000000001060000 + 4420


def blocks(data):
    """Where each packet is in the file: its first byte and its length."""
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from('<II', data, at)
        if kind == 6:
            yield at + 28, struct.unpack_from('<I', data, at + 20)[0]
        at += length


def be(bytes, at, count):
    return int.from_bytes(bytes[at:at + count], 'big')


def le(bytes, at, count):
    return int.from_bytes(bytes[at:at + count], 'little')


def is_roce(frame):
    return be(frame, 12, 2) == 0x0800 and frame[23] == 17 and be(frame, 36, 2) == 4791


def extension(opcode):
    return 8 if opcode == UD_SEND else 16 * (opcode in RETH) + 4 * (opcode in AETH) + 4 * (opcode in IETH) + 4 * (opcode in IMMEDIATE)


# ---------------------------------------------------------------- changes
def change(frame, luck):
    """Alters one or two fields; the length of the frame and both addresses stay."""
    opcode = frame[BTH]
    payload = HEADERS + extension(opcode)

    def scramble(at, mask=0xFF):
        frame[at] ^= luck.randrange(1, 256) & mask
    for _ in range(luck.randrange(1, 3)):
        kind = luck.randrange(9)
        if kind == 0:
            scramble(15)                                # DSCP and ECN
        elif kind == 1:
            scramble(BTH + 1, 0xC0)                     # solicited, MigReq
        elif kind == 2:
            scramble(BTH + 2 + luck.randrange(2))       # P_Key
        elif kind == 3:
            scramble(BTH + 4, 0xC0)                     # FECN, BECN
        elif kind == 4 and opcode != UD_SEND:
            scramble(BTH + 8, 0x80)                     # acknowledge request
        elif kind == 5 and opcode != UD_SEND:
            scramble(BTH + 9 + luck.randrange(3))       # PSN
        elif kind < 8 and opcode == UD_SEND and frame[payload + 17] == REP:
            frame[payload + 17] = REJ                   # then packets to the target belong to no connection
        elif kind > 5 and opcode in WRITES and len(frame) - payload >= 4096:
            frame[payload:payload + 1600] = bytes(luck.choice((0, 0, 0, luck.randrange(256))) for _ in range(1600))
        elif kind == 6 and opcode == 4:
            frame[BTH + 1] |= luck.randrange(4) << 4    # pad: a capsule of another size
        elif opcode == UD_SEND:
            mad = payload + 24
            scramble(mad + luck.choice({REQ: [35, 39, 43, 47, 48, 49, 50, 51, 88, 89, 90, 91, 92, 93, 94, 95, 142, 143,
                                              176, 177, 178, 179, 180, 181, 182, 183],
                                        REP: [24, 25, 26, 27, 36, 37, 38, 39], REJ: [8, 10, 11, 86, 87],
                                        DREQ: [8, 9, 10]}.get(be(frame, payload + 16, 2), [100])))
        elif opcode in AETH:
            scramble(HEADERS + luck.randrange(4))       # syndrome, MSN
        elif opcode in RETH:
            scramble(HEADERS + luck.choice([7, 11, 15]))  # address, key, length
        elif opcode in IETH and luck.random() < 0.5:
            scramble(HEADERS + 3)
        elif len(frame) - payload == 64 + 4:            # not the type of the SGL: the place of its length depends on it
            scramble(payload + luck.choice([i for i in range(64) if not 24 <= i < 32 and not 36 <= i < 40]))
        elif len(frame) - payload == 16 + 4:
            scramble(payload + luck.randrange(16))


# ---------------------------------------------------------------- pages of Identify and Get Log Page
def read_left_out(tree):
    values = {'NVME_ADMIN_IDENTIFY': 6, 'NVME_ADMIN_GET_LOG': 2, 'NVME_CNS_CONTROLLER': 1, 'NVME_CNS_NAMESPACE': 0,
              'NVME_CNS_DESCRIPTORS': 3, 'NVME_LOG_ERROR': 1, 'NVME_LOG_SMART': 2, 'NVME_LOG_EFFECTS': 5, 'NVME_LOG_ANA': 0x0C,
              'NVME_LOG_DISCOVERY': 0x70}
    text = open(f'{tree}/reports/wire/wire_left_out.def').read()
    return [tuple(values[word] if word in values else int(word, 0) for word in row)
            for row in re.findall(r'^PAGE_OWN\((\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*(\w+),', text, re.M)]


def page_words(own, opcode, selector, first, data, room):
    def value(i):
        at = first + i
        return 0 if any(o == opcode and s == selector and begin <= (at % stride if stride else at) < end
                        for o, s, begin, end, stride in own) else data[i]
    text, i, bytes = ' data', 0, [value(i) for i in range(len(data))]
    while i < len(bytes) and room - len(text) > 128:
        if bytes[i] == 0:
            i += 1
            continue
        end = k = i + 1  # a run ends before four zeros, or has 32 bytes
        while k < len(bytes) and k < end + 3 and k - i < 32:
            if bytes[k]:
                end = k + 1
            k += 1
        text += f' {first + i}=' + ''.join(f'{byte:02x}' for byte in bytes[i:end])
        i = end
    if i < len(bytes):
        sum = 2166136261
        for byte in bytes[i:]:
            sum = (sum ^ byte) * 16777619 & 0xFFFFFFFF
        return text + f' rest {sum:08x}'
    return text + (' zeroes' if text == ' data' else '')


# ---------------------------------------------------------------- the decoder
class Connection:
    def __init__(self, number, ip, qpn, service):
        self.number, self.ip, self.qpn, self.port, self.nvme = number, ip, [qpn, None], service & 0xFFFF, service == NVME_SERVICE
        self.qid, self.psn, self.commands, self.transfer = 0, {}, [], None
        self.by_cid, self.by_tag, self.by_key = {}, {}, {}


class Decoder:
    def __init__(self, tree):
        self.own, self.connections, self.by_id, self.by_qp, self.lines = read_left_out(tree), [], {}, {}, []

    def line(self, connection, side, kind, words):
        self.lines.append(((connection.number, side, kind), f"{connection.number} {('host', 'target')[side]} "
                           f"{('cm', 'requests', 'answers')[kind]} {words}"))

    def take(self, frame):
        opcode, pad = frame[BTH], frame[BTH + 1] >> 4 & 3
        begin = HEADERS + extension(opcode)
        payload = be(frame, 38, 2) - 8 - 12 - extension(opcode) - pad - 4
        if payload < 0:
            return
        ends = (be(frame, 26, 4), be(frame, 30, 4))
        data = frame[begin:begin + payload]
        if opcode == UD_SEND and be(frame, BTH + 5, 3) == QP1:
            self.message(frame, ends, data)
        elif opcode in NAMES and (ends[1], be(frame, BTH + 5, 3)) in self.by_qp:  # CNPs are left out
            connection, to = self.by_qp[ends[1], be(frame, BTH + 5, 3)]
            self.packet(connection, 1 - to, frame, opcode, data)

    def message(self, frame, ends, mad):
        attribute, b = be(mad, 16, 2), mad[24:]
        if attribute == REQ and (ends[0], be(b, 0, 4)) not in self.by_id:
            connection = Connection(len(self.connections) + 1, ends, be(b, 32, 3), be(b, 8, 8))
            self.connections.append(connection)
            self.by_id[ends[0], be(b, 0, 4)] = self.by_qp[ends[0], be(b, 32, 3)] = connection, 0
        connection, side = self.by_id.get((ends[0], be(b, 0, 4)), (None, 0))
        if connection is None or ends[1] != connection.ip[1 - side]:
            connection, side = self.by_id[ends[1], be(b, 4, 4)]
            side = 1 - side
        if attribute == REP:
            self.by_id[ends[0], be(b, 0, 4)] = self.by_qp[ends[0], be(b, 12, 3)] = connection, 1
            connection.qpn[1] = be(b, 12, 3)
        self.line(connection, side, 0, self.message_words(connection, side, attribute, b) + class_words(frame))

    def message_words(self, c, side, attribute, b):
        if attribute == REQ:
            c.psn[1 - side, 1] = c.psn[side, 2] = be(b, 44, 3) - 1
            mtu = b[50] >> 4
            words = f'REQ mtu {128 << mtu if 1 <= mtu <= 5 else 0} retries {b[47] & 7} rnr-retries {b[50] & 7} timeout {b[95] >> 3}'
            words += f' reads {b[35]} of {b[39]} class {b[92]} sl {b[94] >> 4} rate {b[91] & 63} hops {b[93]}'
            words += f' delays {b[47] >> 3} {b[43] >> 3} cm-retries {b[51] >> 4} p_key {be(b, 48, 2):04x} flow-control {b[43] & 1}'
            label, of_ports = be(b, 88, 3) >> 4, be(b, 142, 2) * 31 + c.port & 0xFFFFF
            words += ' flow-label of its ports' if label == of_ports else f' flow-label {label:05x}'
            if c.nvme:
                own = b[140 + 36:]
                c.qid = le(own, 2, 2)
                words += f' format {le(own, 0, 2)} queue {c.qid} hrqsize {le(own, 4, 2)} hsqsize {le(own, 6, 2)}'
            return words
        if attribute == REP:
            c.psn[1 - side, 1] = c.psn[side, 2] = be(b, 20, 3) - 1
            words = f'REP rnr-retries {b[27] >> 5} reads {b[24]} of {b[25]} ack-delay {b[26] >> 3} flow-control {b[26] & 1}'
            return words + (f' format {le(b, 36, 2)} crqsize {le(b, 38, 2)}' if c.nvme else '')
        if attribute == REJ:
            return f'REJ reason {be(b, 10, 2)} of {b[8] >> 6}' + (f' status {le(b, 86, 2)}' if c.nvme else '')
        if attribute == DREQ:
            return 'DREQ' + ('' if be(b, 8, 3) == c.qpn[1 - side] else ' of another queue pair')
        return {RTU: 'RTU', DREP: 'DREP'}[attribute]

    def packet(self, c, side, frame, opcode, data):
        kind, psn, header = (2 if 13 <= opcode <= 17 else 1), be(frame, BTH + 9, 3), HEADERS
        step = (psn - c.psn.get((side, kind), 0) + (1 << 23)) % (1 << 24) - (1 << 23)
        c.psn[side, kind] = psn
        words = f'{NAMES[opcode]} psn {step:+d}' + (f' {len(data)} B' if data else '')
        words += ' ack-request' if frame[BTH + 8] & 0x80 else ''
        words += (' solicited' if frame[BTH + 1] & 0x80 else '') + class_words(frame)
        if opcode in RETH:
            address, key, length = be(frame, header, 8), be(frame, header + 8, 4), be(frame, header + 12, 4)
            words += f' of {length} B'
            if c.nvme:
                command = c.by_key.get(key)
                words += ' for ' + number(command)
                if command and address != command['address']:
                    words += f" at {(address - command['address'] + (1 << 63)) % (1 << 64) - (1 << 63):+d}"
                if opcode in WRITES:
                    c.transfer = (command, psn, len(data), address - command['address']) if command and command['page'] else None
        if opcode in WRITES and c.transfer:
            command, first, bytes, at = c.transfer
            page, selector, offset = command['page']
            place = (offset + at + (psn - first) % (1 << 24) * bytes) % (1 << 64)
            words += page_words(self.own, page, selector, place, data, 2048 - len(words))
        if opcode in AETH:
            syndrome = frame[header]
            words += [' ack', f' RNR timer {syndrome & 31}'][syndrome >> 5] if syndrome >> 5 < 2 else f' NAK {syndrome:02x}'
            words += f' credits {syndrome}' if syndrome < 31 else ''
            words += f' msn {be(frame, header + 1, 3)}'
        if opcode in IETH:
            words += ' invalidates ' + (number(c.by_key.get(be(frame, header, 4))) if c.nvme else 'a key')
        if c.nvme and opcode in (0, 4, 5, 23):
            words += self.capsule(c, side, data)
        self.line(c, side, kind, words)

    def capsule(self, c, side, data):
        if side == 0 and len(data) >= 64:
            return self.command(c, data)
        if side == 1 and len(data) == 16:
            command = c.by_cid.get(le(data, 12, 2))
            words = f' | response to {number(command)} status {le(data, 14, 2) >> 1:x} sqhd {le(data, 8, 2)} queue {le(data, 10, 2)}'
            return words + ('' if command and command['connect'] else f' result {le(data, 0, 8):x}')
        return ' | no capsule'

    def command(self, c, sqe):
        opcode, cid, kind = sqe[0], le(sqe, 2, 2), sqe[39]
        keyed = kind >> 4 == 4
        length = le(sqe, 32, 3 if keyed else 4)
        name = {0: 'Property-Set', 4: 'Property-Get'}.get(sqe[4], 'Connect') if opcode == 0x7F else \
            (ADMIN if c.qid == 0 else IO).get(opcode, 'Command')
        words = f' | #{len(c.commands) + 1} {name} {opcode:02x} flags {sqe[1]:02x} nsid {le(sqe, 4, 4):x} sgl {kind:02x} {length} B cdw'
        words += ''.join(f' {le(sqe, at, 4):x}' for at in range(40, 64, 4))
        words += ''.join(f' cdw{at // 4} {le(sqe, at, 4):x}' for at in (8, 12) if le(sqe, at, 4))
        last = c.by_tag.get(cid & 0xFFF)
        words += f" ~ tag of #{last['number']}, count +{(cid - last['cid']) % 65536 >> 12}" if last else \
            f' ~ tag new, count {cid >> 12}'
        page = None
        if c.qid == 0 and opcode in (2, 6):
            page = opcode, sqe[40], le(sqe, 48, 8) if opcode == 2 else 0
        command = {'number': len(c.commands) + 1, 'cid': cid, 'address': le(sqe, 24, 8), 'page': page,
                   'connect': opcode == 0x7F and sqe[4] == 1}
        c.commands.append(command)
        c.by_cid[cid] = c.by_tag[cid & 0xFFF] = command
        if keyed and length:
            c.by_key[le(sqe, 35, 4)] = command
        return words


def number(command):
    return f"#{command['number']}" if command else 'no command'


def class_words(frame):
    words = f' dscp {frame[15] >> 2}' if frame[15] >> 2 else ''
    words += ('', ' ect1', ' ect0', ' ce')[frame[15] & 3]
    words += (' fecn' if frame[BTH + 4] & 0x80 else '') + (' becn' if frame[BTH + 4] & 0x40 else '')
    words += ' migreq' if frame[BTH + 1] & 0x40 else ''
    return words + ('' if be(frame, BTH + 2, 2) == 0xFFFF else f' p_key {be(frame, BTH + 2, 2):04x}')


data = bytearray(open(sys.argv[2], 'rb').read())
if sys.argv[1] == 'change':
    luck = random.Random(int(sys.argv[3]))
    for at, length in blocks(data):
        frame = data[at:at + length]
        if is_roce(frame) and luck.random() < 0.4:
            change(frame, luck)
            data[at:at + length] = frame
    open(sys.argv[4], 'wb').write(data)
else:
    decoder = Decoder(sys.argv[3])
    for at, length in blocks(data):
        if is_roce(data[at:at + length]):
            decoder.take(data[at:at + length])
    for _, line in sorted(decoder.lines, key=lambda entry: entry[0]):  # stable: within a stream in the order of the frames
        print(line)
