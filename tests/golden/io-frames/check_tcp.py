# SPDX-License-Identifier: Apache-2.0
"""check_tcp.py SVG DATABASE COMMAND: the drawing of a command over TCP that is the only one of its run has all its segments, hop
by hop, and the PDUs that begin in them, as the bytes in the database have them."""
import os
import re
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../charts'))
from findings import end, fail, same  # noqa: E402

svg = open(sys.argv[1]).read()
db = sqlite3.connect(sys.argv[2])
db.row_factory = sqlite3.Row
PDUS = {4: 'CapsuleCmd', 5: 'CapsuleResp', 6: 'H2CData', 7: 'C2HData', 9: 'R2T'}
FIN = 1

command = db.execute('SELECT * FROM io WHERE io=?', (sys.argv[3],)).fetchone()
nodes = {row['node']: row['name'] for row in db.execute('SELECT node, name FROM node')}
peers = {(row['node'], row['port']): nodes[row['peer_node']] for row in db.execute('SELECT * FROM port')}
frames = db.execute("SELECT * FROM frame WHERE at_ps>=? AND at_ps<=? AND opcode='TCP' ORDER BY at_ps, node, psn",
                    (command['issued_ps'], command['completed_ps'] + 20 * 10**6)).fetchall()

wanted, length, following = [], {}, {}
while frames and not (frames[0]['payload_bytes'] and frames[0]['head'][(frames[0]['head'][12] >> 4) * 4] == 4):
    frames.pop(0)  # acknowledgments of the connection's set-up
ports = frames[0]['qpn'] if frames else 0
frames = [frame for frame in frames if frame['qpn'] in (ports, (ports & 0xFFFF) << 16 | ports >> 16)]
for frame in frames:
    head, source, seq, bytes = frame['head'], frame['source'], frame['psn'], frame['payload_bytes']
    if head[13] & FIN:
        continue
    if not bytes:
        words, number = 'ACK, ack', int.from_bytes(head[8:12], 'big')
    else:
        at, names, number = max(following.get(source, seq), seq), [], seq
        if (source, seq) not in length:  # the first hop
            while at < seq + bytes:
                pdu = head[(head[12] >> 4) * 4 + at - seq:]
                names.append(PDUS[pdu[0]])
                at += int.from_bytes(pdu[4:8], 'little')
            following[source] = at
            length[source, seq] = ' + '.join(names)
        words = (length[source, seq] or 'more') + ', seq'
    wanted.append((words, number, frame['bytes'], nodes[frame['node']], peers[frame['node'], frame['port']]))
found = [(re.sub('more [A-Za-z0-9]*', 'more', words), int(number), int(bytes), a, b) for words, number, bytes, a, b in
         re.findall(r'<title>([\w+ ]+, \w+) (\d+), (\d+) bytes: (\S+) to (\S+), sent', svg)]
left_out = int((re.findall(r'(\d+) hops? in the middle', svg) or [0])[0])
for row in found:
    if row not in wanted:
        fail(f'{row} is not in the database')
missing = [row for row in wanted if row not in found]
same('left out', len(missing), left_out)
if any('more' not in row[0] for row in missing):
    fail(f'not drawn: {[row for row in missing if "more" not in row[0]]}')
kinds = {word for row in found for word in re.findall(r'\w+(?=[,+ ])', row[0])}
same('kinds', {'CapsuleCmd', 'CapsuleResp', 'R2T' if command['operation'] == 'write' else 'C2HData', 'ACK'} - kinds, set())
end()
