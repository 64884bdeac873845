// fabric - the topology over time: layers, a slider, panels of ports, nodes and queue pairs.  SPDX-License-Identifier: Apache-2.0
'use strict';
(function () {
const source = document.getElementById('fabric');
if (source === null) return;
const {figures, element, asTime, asRate, asBytes, asNumber, cursor, limits, showMoment, pin} = window.stormglass;
const data = JSON.parse(source.textContent), section = source.closest('section');
let svg = section.querySelector('svg.topology');
const overview = svg, frames = data.until_ps.length;

function percent(share) {
    if (share > 0 && share < 0.0005) return 'below 0.1%';
    return (share === 0 || share >= 0.0995 ? Math.round(100 * share) : (100 * share).toFixed(1).replace('.0', '')) + '%';
}
const layers = {
    pauses: {title: data.flow.many, steps: [0.01, 0.05, 0.2, 0.5], words: percent, about: 'share of time for which the port ' + data.flow.was},
    queue: {title: 'queue', steps: [0.1, 0.25, 0.5, 0.75], words: asBytes, about: 'bytes queued at the port'},
    utilization: {title: 'utilization', steps: [0.25, 0.5, 0.75, 0.95], words: percent, about: 'share of the line rate that the port sent'},
    marks: {title: 'ECN marks', steps: [0.1, 0.25, 0.5, 0.75], words: asNumber, whole: true, about: 'frames marked as they left by the port'},
    drops: {title: 'drops', steps: [0.1, 0.25, 0.5, 0.75], words: asNumber, whole: true, about: 'frames dropped at the port'},
};

// ---------------------------------------------------------------- the data

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const digit = Object.fromEntries(Array.from(digits, (letter, i) => [letter, i]));
const ports = data.ports.map(([name, node, peer, rate, mtu, length, number], index) =>
    ({index, node, peer, rate, mtu, length, name: name === null ? data.nodes[node][0] + ':p' + number : name, levels: {}}));
const nodes = data.nodes.map(([name, host], index) => ({index, name, host: host === 1, ports: []}));
ports.forEach(port => nodes[port.node].ports.push(port));
for (const layer of Object.keys(data.levels))
    for (const [index, text] of Object.entries(data.levels[layer])) {
        const values = new Float64Array(frames);
        for (let i = 0; 2 * i + 1 < text.length; i++)
            values[i] = (digit[text[2 * i]] * 64 + digit[text[2 * i + 1]]) / 4095 * data.scale[layer];
        if (layer === 'marks' || layer === 'queue') values.forEach((value, i) => { values[i] = Math.ceil(value - 0.5); });
        ports[index].levels[layer] = values;
    }
const scale = Object.assign({drops: Math.max(1, ...data.drops.map(drop => drop[4]))}, data.scale);
const begin = frame => frame === 0 ? data.from_ps : data.until_ps[frame - 1];
function frameOf(time) {
    const found = data.until_ps.findIndex(until => time <= until);
    return found < 0 ? frames - 1 : found;
}
function dropped(port, frame) {
    return data.drops.filter(drop => drop[0] === port.index &&
        (frame === null || (drop[5] <= data.until_ps[frame] && drop[6] >= begin(frame)))).reduce((sum, drop) => sum + drop[4], 0);
}
// Of a moment, or of the whole run its highest.
function worth(port, layer, frame) {
    if (layer === 'drops') return dropped(port, frame);
    const values = port.levels[layer];
    return values === undefined ? 0 : frame === null ? values.reduce((a, b) => Math.max(a, b), 0) : values[frame];
}
function heat(layer, value) {
    if (!(value > 0)) return 0;
    return 1 + layers[layer].steps.filter(step => value >= step * scale[layer]).length;
}

// ---------------------------------------------------------------- controls

// The pauses over time have room next to them, and their axis is the slider's.
const box = element('div', document.getElementById('storm') || document.getElementById('key-figures') || section, 'replay');
const strip = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
// A run without pauses begins with its drops, else with its load.
const unpaused = frames > 1 && !ports.some(port => port.levels.pauses);
const state = {layer: !unpaused ? 'pauses' : data.drops.length > 0 ? 'drops' : 'utilization', frame: null, picked: null, timer: null, pod: null};
let slider, said, play, panel;

function press(parent, text, title, act) {
    const button = element('button', parent, 'press', text);
    button.type = 'button';
    if (title) button.title = title;
    button.addEventListener('click', act);
    return button;
}

const bar = element('div', box, 'bar');
const chosen = element('div', bar, 'layers');
chosen.setAttribute('role', 'group');
chosen.setAttribute('aria-label', 'layer of the topology');
const layerButtons = Object.entries(layers).map(([name, layer]) => {
    const button = press(chosen, layer.title, layer.about, () => {
        state.layer = name;
        layerButtons.forEach(other => other.setAttribute('aria-pressed', other === button));
        paintStrip();
        paint();
    });
    button.setAttribute('aria-pressed', name === state.layer);
    return button;
});

// Without a drawing of each link, a layer has nothing to color but the strip of the slider.
chosen.hidden = svg === null && frames < 2;

function stop() {
    clearInterval(state.timer);
    state.timer = null;
    play.textContent = '\u25b6';
    play.setAttribute('aria-label', 'replay the run');
}
function go(frame) {
    pin((begin(frame) + data.until_ps[frame]) / 2);
}
// The frame in which the most ports were paused, else the one with the longest queue.
function worst() {
    const sum = frame => ports.reduce((all, port) => all + worth(port, 'pauses', frame), 0);
    const most = frame => ports.reduce((all, port) => Math.max(all, worth(port, 'queue', frame)), 0);
    const any = ports.some(port => port.levels.pauses);
    const sums = Array.from({length: frames}, (_, frame) => any ? sum(frame) : most(frame));
    return sums.indexOf(Math.max(...sums));
}
if (frames > 1) {
    play = press(bar, '\u25b6', 'replay the run', () => {
        if (state.timer !== null) return stop();
        play.textContent = '\u275a\u275a';
        play.setAttribute('aria-label', 'pause the replay');
        if (state.frame === null || state.frame === frames - 1) go(0);
        state.timer = setInterval(() => state.frame + 1 < frames ? go(state.frame + 1) : stop(), Math.max(80, 10000 / frames));
    });
    play.setAttribute('aria-label', 'replay the run');
    press(bar, 'first ' + data.flow.one, 'the first moment at which a port ' + data.flow.was, () => {
        const first = Array.from({length: frames}, (_, i) => i).find(i => ports.some(port => worth(port, 'pauses', i) > 0));
        go(first === undefined ? 0 : first);
    }).hidden = !ports.some(port => port.levels.pauses);
    press(bar, 'worst moment', data.flow.credits ? 'when most ports waited for credits; without waits: when a queue was longest' : 'when most ports were paused; without pauses: when a queue was longest', () => go(worst()));
    press(bar, 'whole run', 'the whole run at once', () => {
        stop();
        pin(null);
    });
}
const search = document.createElement('input');
search.className = 'search';
section.querySelector('h2').after(search);
search.type = 'search';
search.placeholder = 'port, host, switch or QP';
search.setAttribute('aria-label', 'find a port, host, switch or queue pair');
search.setAttribute('list', 'fabric-names');
const names = element('datalist', bar);
names.id = 'fabric-names';
search.addEventListener('focus', () => {
    if (names.firstChild) return;
    for (const name of nodes.map(node => node.name).concat(ports.map(port => port.name), data.qps.map(qp => 'QP ' + qp[0])).slice(0, 4000))
        element('option', names).value = name;
});
search.addEventListener('change', find);

if (frames > 1) {
    const track = element('div', box, 'track');
    strip.setAttribute('viewBox', '0 0 1000 30');
    strip.setAttribute('preserveAspectRatio', 'none');
    strip.setAttribute('aria-hidden', 'true');
    track.appendChild(strip);
    slider = element('input', track);
    slider.type = 'range';
    slider.min = 0;
    slider.max = frames - 1;
    slider.value = 0;
    slider.setAttribute('aria-label', 'moment of the run');
    slider.addEventListener('input', () => {
        stop();
        go(+slider.value);
    });
    cursor.listeners.push(time => {
        const frame = time === null ? null : frameOf(time);
        if (frame === state.frame) return;
        state.frame = frame;
        paint();
    });
}
said = element('p', box, 'said');
panel = element('div', box, 'panel');
panel.hidden = true;

// ---------------------------------------------------------------- the drawing

const made = (tag, attributes, parent) => {
    const one = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => one.setAttribute(name, value));
    return parent.appendChild(one);
};
let halves = [];     // of ports: the half of the link next to it, and a dot as large as its queue
let drawnNodes = []; // what can be chosen: nodes, and pods with all their ports
// Where a dot on a link is outside the box of its node.
function outside(node, x, y, dx, dy) {
    const rect = (drawnNodes.find(one => one.node === nodes[node]) || {}).rect;
    const room = name => rect ? rect.getAttribute(name) / 2 + 11 : 30;
    const away = Math.min(0.45, room('width') / Math.abs(dx || 1e-9), room('height') / Math.abs(dy || 1e-9));
    return {cx: x + dx * away, cy: y + dy * away};
}
function prepareBox(group) {
    const node = nodes[group.dataset.node], pod = node ? null : +group.dataset.pod, rect = group.querySelector('rect');
    const one = {node, pod, group, rect, plain: rect.getAttribute('class'),
        ports: node ? node.ports : portsOf(pod), act: () => node ? pick({node}) : openPod(pod),
        x: +rect.getAttribute('x') + rect.getAttribute('width') / 2, y: +rect.getAttribute('y') + rect.getAttribute('height') / 2};
    const up = group.querySelector('rect.up');
    if (up !== null) one.up = {rect: up, plain: up.getAttribute('class'), ports: linksUp(pod)};
    group.setAttribute('role', 'button');
    group.setAttribute('tabindex', drawnNodes.length === 0 ? 0 : -1);
    group.setAttribute('aria-label', node ? node.name : Array.from(group.querySelectorAll('text'), text => text.textContent).join(', '));
    group.addEventListener('click', one.act);
    group.addEventListener('keydown', walk);
    drawnNodes.push(one);
}
// A port has the half of its link that is next to it.
function prepare() {
    halves = [];
    drawnNodes = [];
    if (svg === null) return;
    const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    group.setAttribute('class', 'halves');
    svg.insertBefore(group, svg.querySelector('g'));
    svg.querySelectorAll('g[data-node], g[data-pod]').forEach(prepareBox);
    svg.querySelectorAll('line[data-ends]').forEach(line => {
        const ends = line.dataset.ends.split(' '), [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map(name => +line.getAttribute(name));
        const title = line.querySelector('title');
        [[ends[0], x1, y1], [ends[1], x2, y2]].forEach(([index, x, y]) => {
            const port = ports[index];
            if (port === undefined) return;
            const end = {x1: x, y1: y, x2: (x1 + x2) / 2, y2: (y1 + y2) / 2};
            const half = made('line', end, group);
            const dot = made('circle', Object.assign({r: 0}, outside(port.node, x, y, 2 * (end.x2 - x), 2 * (end.y2 - y))), group);
            const hit = made('line', Object.assign({class: 'hit'}, end), group);
            hit.appendChild(title.cloneNode(true));
            hit.addEventListener('click', () => pick({port}));
            halves.push({port, half, dot});
        });
    });
}

// Arrow keys go to the nearest node in that direction, Enter opens it.
function walk(event) {
    const here = drawnNodes.find(one => one.group === event.currentTarget);
    if (event.key === 'Escape') return closePod();
    if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        return here.act();
    }
    const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    if (way === undefined) return;
    event.preventDefault();
    const far = other => (other.x - here.x) * way[0] + (other.y - here.y) * way[1];
    const off = other => Math.abs((other.x - here.x) * way[1]) + Math.abs((other.y - here.y) * way[0]);
    const ahead = drawnNodes.filter(other => far(other) > 1), row = ahead.filter(other => way[0] === 0 || off(other) < 40);
    const next = (row.length ? row : ahead).sort((a, b) => far(a) + 3 * off(a) - far(b) - 3 * off(b))[0];
    if (next === undefined) return;
    here.group.setAttribute('tabindex', -1);
    next.group.setAttribute('tabindex', 0);
    next.group.focus();
}

// ---------------------------------------------------------------- pods

// Of a large fabric, the number of a node's or port's pod; the top row of switches has the one after the last.
function podOf(what) {
    return data.pods ? data.pod_of[what.node === undefined ? what.index : what.node] : null;
}
const portsOf = pod => ports.filter(port => podOf(port) === pod);
const peerOf = port => port.peer === null ? undefined : ports[port.peer];
// Links that leave a pod, both ends.
const linksUp = pod => portsOf(pod).filter(port => peerOf(port) && podOf(peerOf(port)) !== pod).flatMap(port => [port, peerOf(port)]);
const counted = (count, one, many) => count.toLocaleString('en') + ' ' + (count === 1 ? one : many);
const WIDE = 640, MANY = 128, LINKS = 600;

function closePod() {
    const pod = state.pod;
    if (pod === null) return;
    svg.remove();
    back.hidden = true;
    svg = overview;
    svg.style.display = '';
    state.pod = null;
    prepare();
    paint();
    const box = drawnNodes.find(one => one.pod === pod) || drawnNodes[0];
    drawnNodes.forEach(one => one.group.setAttribute('tabindex', one === box ? 0 : -1));
    box.group.focus({preventScroll: true});
}
const back = press(section, '\u2039 all pods', 'all pods of the fabric', closePod);
back.hidden = true;
overview === null || overview.parentNode.before(back);

// A box as page_topology.c draws it, with its name if that is readable.
function drawBox(at, size, name, attributes, title) {
    const group = made('g', attributes, svg);
    made('rect', {class: 'h0', x: at.x - size[0] / 2, y: at.y - size[1] / 2, width: size[0], height: size[1], rx: 3}, group);
    const letters = Math.min(13, size[0] * 1.4 / name.length);
    if (name !== '' && letters >= 7) made('text', {x: at.x, y: at.y + letters * 0.375, style: 'font-size:' + letters.toFixed(1) + 'px'}, group).textContent = name;
    made('title', {}, group).textContent = title;
}
// In rows from the hosts up, as many to a row as fit; returns where each is.
function placeRows(rows, from) {
    const places = new Map();
    let y = from;
    rows.forEach(row => {
        for (let first = 0; first < row.length; first += 64) {
            const part = row.slice(first, first + 64);
            part.forEach((node, i) => places.set(node.index, {x: (2 * i + 1) * WIDE / (2 * part.length), y}));
            y += first + 64 < row.length ? 26 : 84;
        }
    });
    return {places, bottom: y - 84};
}
// Names of many hosts do not fit: below the hosts of each switch, the first and the last.
function nameHosts(hosts, places, home, size, y) {
    const groups = new Map();
    hosts.forEach(host => groups.set(home(host), (groups.get(home(host)) || []).concat(host)));
    if (hosts.length > 64) return;
    groups.forEach(group => {
        const left = places.get(group[0].index).x, right = places.get(group[group.length - 1].index).x;
        const first = group[0].name, last = group[group.length - 1].name, prefix = /^[^0-9]*/.exec(first)[0];
        const text = group.length === 1 ? first : first + '..' + (last.startsWith(prefix) ? last.slice(prefix.length) : last);
        const letters = Math.min(11, (right - left + size) * 1.5 / text.length);
        if (letters >= 7)
            made('text', {x: (left + right) / 2, y, 'text-anchor': 'middle', style: 'font-size:' + letters.toFixed(1) + 'px'}, svg).textContent = text;
    });
}

function openPod(pod) {
    if (!data.pods || svg === null) return;
    const focused = svg.contains(document.activeElement);
    const members = nodes.filter(node => data.pod_of[node.index] === pod), hosts = members.filter(node => node.host);
    const home = host => Math.min(...host.ports.map(port => peerOf(port) ? peerOf(port).node : 0));
    hosts.sort((a, b) => home(a) - home(b) || a.index - b.index);
    const top = Math.max(...members.map(node => data.row_of[node.index]));
    const rows = Array.from({length: top}, (_, i) => members.filter(node => !node.host && data.row_of[node.index] === top - i));
    const others = Array.from(new Set(linksUp(pod).filter(port => podOf(port) !== pod).map(port => port.node)));
    if (state.pod !== null) svg.remove();
    overview.style.display = 'none';
    back.hidden = false;
    state.pod = pod;
    svg = made('svg', {class: 'topology pod', role: 'img', 'aria-label': 'one pod of the topology'}, overview.parentNode);
    const {places, bottom} = placeRows(rows.concat([hosts]).filter(row => row.length > 0), others.length ? 92 : 30);
    const lines = ports.filter(port => podOf(port) === pod && peerOf(port) && (podOf(peerOf(port)) !== pod || port.index < port.peer));
    // Links to the rest of the fabric end at one box.
    const leaving = lines.filter(port => podOf(peerOf(port)) !== pod);
    const drawn = lines.length - leaving.length > LINKS ? [] : lines.length > LINKS ? lines.filter(port => !leaving.includes(port)) : lines;
    drawn.forEach(port => {
        const a = places.get(port.node), out = leaving.indexOf(port);
        const b = out < 0 ? places.get(peerOf(port).node) : {x: (2 * out + 1) * WIDE / (2 * leaving.length), y: 40};
        const line = made('line', {class: 'h0', 'data-ends': port.index + ' ' + port.peer, x1: a.x, y1: a.y, x2: b.x, y2: b.y}, svg);
        made('title', {}, line).textContent = port.name + ' to ' + peerOf(port).name + ', ' + asRate(port.rate);
    });
    if (others.length)
        drawBox({x: WIDE / 2, y: 26}, [WIDE - 8, 28], counted(others.length, 'switch', 'switches') + ' outside, ' + counted(leaving.length, 'link', 'links'),
            {class: 'switch', 'data-pod': others.length && podOf(nodes[others[0]])}, others.slice(0, 100).map(node => nodes[node].name).join(', '));
    const size = Math.max(2, Math.min(18, WIDE * 0.7 / Math.min(64, hosts.length)));
    members.forEach(node => {
        const row = rows.find(row => row.includes(node)), at = places.get(node.index);
        const box = node.host ? [size, size] : [Math.max(3, Math.min(76, WIDE / Math.min(64, row.length) * 0.9)), 28];
        drawBox(at, box, node.host ? '' : node.name, {class: node.host ? 'host' : 'switch', 'data-node': node.index}, node.name);
    });
    nameHosts(hosts, places, home, size, bottom + size + 14);
    svg.setAttribute('viewBox', '0 0 ' + WIDE + ' ' + (bottom + 40));
    prepare();
    paint();
    // Opened by a key, the pod keeps the focus; a search keeps its own.
    if (focused) drawnNodes[0].group.focus({preventScroll: true});
}

function paintStrip() {
    strip.replaceChildren();
    const end = data.until_ps[frames - 1] - data.from_ps, place = time => (time - data.from_ps) / end * 1000;
    const sums = data.until_ps.map((_, frame) => {
        const values = ports.map(port => worth(port, state.layer, frame));
        return state.layer === 'queue' || state.layer === 'utilization' ? Math.max(...values) : values.reduce((a, b) => a + b, 0);
    });
    const most = Math.max(...sums);
    figures.faults.forEach(fault => made('rect', {class: 'fault', x: place(fault.from_ps), y: 0, height: 30,
        width: Math.max(1, place(fault.until_ps) - place(fault.from_ps))}, strip));
    sums.forEach((sum, frame) => {
        const height = most > 0 ? sum / most * 30 : 0;
        if (height > 0)
            made('rect', {x: place(begin(frame)), width: Math.max(1, place(data.until_ps[frame]) - place(begin(frame)) - 1), y: 30 - height, height}, strip);
    });
    state.mark = made('rect', {class: 'now', y: 0, height: 30}, strip);
}

function paint() {
    const {layer, frame} = state, still = frame === null && layer === 'pauses';
    if (svg !== null) svg.classList.toggle('moving', !still);
    for (const one of halves) {
        const level = heat(layer, worth(one.port, layer, frame));
        one.half.setAttribute('class', 'h' + level + (state.picked === one.port ? ' picked' : ''));
        const queue = layer === 'pauses' && frame !== null ? worth(one.port, 'queue', frame) / scale.queue : 0;
        one.dot.setAttribute('r', queue > 0 ? 2 + 8 * Math.sqrt(queue) : 0);
    }
    const hottest = ports => ports.reduce((most, port) => Math.max(most, heat(layer, worth(port, layer, frame))), 0);
    for (const one of drawnNodes) {
        const picked = state.picked && (state.picked === one.node || (one.pod !== undefined && one.pod === podOf(state.picked)));
        one.rect.setAttribute('class', (still ? one.plain : 'h' + hottest(one.ports)) + (picked ? ' picked' : ''));
        if (one.up) one.up.rect.setAttribute('class', still ? one.up.plain : 'up h' + hottest(one.up.ports));
    }
    if (frames > 1) {
        state.mark.setAttribute('width', frame === null ? 0 : 4);
        if (frame !== null) {
            slider.value = frame;
            state.mark.setAttribute('x', ((begin(frame) + data.until_ps[frame]) / 2 - data.from_ps) / (data.until_ps[frames - 1] - data.from_ps) * 1000 - 2);
        }
        slider.setAttribute('aria-valuetext', frame === null ? 'whole run' : asTime(begin(frame)) + ' to ' + asTime(data.until_ps[frame]));
    }
    said.textContent = tell();
    paintLegend();
    if (!panel.hidden) paintPanel();
}

function paintLegend() {
    const legend = section.querySelector('.legend');
    if (legend === null) return;
    legend.querySelectorAll('span:not(.roots)').forEach((span, i) => {
        if (i > 5) return;
        const {steps, words, whole} = layers[state.layer], at = step => words(step * scale[state.layer]);
        span.hidden = false;
        if (whole && i > 0) {
            const first = i === 1 ? 1 : Math.ceil(steps[i - 2] * scale[state.layer]), last = i === 5 ? Infinity : Math.ceil(steps[i - 1] * scale[state.layer]) - 1;
            span.hidden = last < first;
            span.lastChild.textContent = i === 5 ? words(first) + ' or more' : first === last ? words(first) : words(first) + ' to ' + words(last);
            return;
        }
        span.lastChild.textContent = i === 0 ? (state.layer === 'pauses' ? 'never' : 'none') : i === 1 ? 'below ' + at(steps[0])
            : i === 5 ? at(steps[3]) + ' or more' : at(steps[i - 2]).replace('%', '') + ' to ' + at(steps[i - 1]);
    });
    legend.lastElementChild.hidden = section.querySelector('.topology .root') === null; // no node has the color of a root cause
    legend.firstChild.textContent = layers[state.layer].title + ': ';
    const about = section.querySelector('.about');
    if (svg !== null && about !== null) about.textContent = 'Color: ' + layers[state.layer].about + '. ' + (!data.pods ? 'Click a link or a node.' :
        state.pod === null ? 'Click a pod, or search for a host.' : 'Click a link or a node; Escape shows all pods.');
}

function peerName(port) {
    return port.peer === null ? '' : ports[port.peer].name;
}
const superlatives = {queue: 'longest queue', utilization: 'highest utilization', marks: 'most ECN marks', drops: 'most drops'};
// Of the whole run: from the first to the last frame in which a port was paused.
function pausedDuring(frame) {
    const held = frame === null ? data.until_ps.map((_, at) => at).filter(at => ports.some(port => worth(port, 'pauses', at) > 0)) : [];
    return held.length ? ' between ' + asTime(begin(held[0])) + ' and ' + asTime(data.until_ps[held[held.length - 1]]) : '';
}
// How long a port was paused in the whole run: its counters, or its share of each frame.
function pausedTime(port) {
    const held = [0, 1, 2, 3, 4, 5, 6, 7].map(priority => counterOf(port, 'tx_prio' + priority + '_blocked_ps'));
    const counted = held.every(time => time === held[0]) ? held[0] : held.reduce((sum, time) => sum + time, 0); // a global pause counts once
    const shares = port.levels.pauses || [];
    return counted || shares.reduce((sum, share, frame) => sum + share * (data.until_ps[frame] - begin(frame)), 0);
}
// Drops are counted from the first to the last one, not for each frame.
function droppedDuring(port) {
    const rows = data.drops.filter(drop => drop[0] === port.index);
    const first = asTime(Math.min(...rows.map(drop => drop[5]))), last = asTime(Math.max(...rows.map(drop => drop[6])));
    return first === last ? ' at ' + first : ' between ' + first + ' and ' + last;
}
// The moment in a sentence.
function tell() {
    const {layer, frame} = state;
    const top = name => ports.reduce((best, port) => {
        const value = worth(port, name, frame);
        return value > best.value ? {port, value} : best;
    }, {value: 0});
    const when = frame === null ? 'Whole run' : asTime(begin(frame)) + ' to ' + asTime(data.until_ps[frame]);
    const parts = [];
    if (frame !== null || layer === 'pauses') {
        const paused = ports.filter(port => worth(port, 'pauses', frame) > 0);
        const by = port => (data.flow.credits ? ', of ' : ', by ') + peerName(port);
        const longest = () => {
            if (frame !== null) return ', most ' + top('pauses').port.name + ' (' + percent(top('pauses').value) + ' of this time' + by(top('pauses').port) + ')';
            const port = paused.reduce((best, other) => pausedTime(other) > pausedTime(best) ? other : best);
            return ', longest ' + port.name + ' (' + asTime(+pausedTime(port).toPrecision(3)) + by(port) + ')';
        };
        parts.push(paused.length === 0 ? (data.flow.credits ? 'no port waits for credits' : 'no port is paused')
            : paused.length + (paused.length === 1 ? ' port' : ' ports') + (data.flow.credits ? ' without credits' : ' paused') + pausedDuring(frame) + longest());
    }
    if (layer !== 'pauses' || frame !== null) {
        const name = layer === 'pauses' ? 'queue' : layer, most = top(name);
        parts.push(most.value === 0 ? 'no ' + layers[name].title : superlatives[name] + ' at ' + most.port.name + ', ' + layers[name].words(most.value) + (name === 'drops' ? droppedDuring(most.port) : ''));
    }
    return when + ': ' + parts.join('; ') + '.';
}

// ---------------------------------------------------------------- panels

function find() {
    const text = search.value.trim().toLowerCase();
    if (text === '') return;
    const qp = data.qps.find(one => text === 'qp ' + one[0] || text === String(one[0]));
    const exact = list => list.find(one => one.name.toLowerCase() === text);
    const near = list => list.find(one => one.name.toLowerCase().startsWith(text));
    const node = exact(nodes), port = exact(ports);
    if (qp) pick({qp});
    else if (node || port) pick(node ? {node} : {port});
    else if (near(nodes) || near(ports)) pick(near(nodes) ? {node: near(nodes)} : {port: near(ports)});
    else said.textContent = 'No port, node or queue pair begins with "' + search.value.trim() + '".';
}

function pick(what) {
    state.open = what;
    state.picked = what.port || what.node || (what.qp && ports[what.qp[1]]);
    panel.hidden = false;
    if (data.pods && (state.pod === null || podOf(state.picked) !== state.pod)) openPod(podOf(state.picked));
    paint();
}

function paintPanel() {
    panel.replaceChildren();
    const head = element('header', panel), open = state.open;
    const title = element('h3', head);
    press(head, '\u2715', 'close', () => {
        panel.hidden = true;
        state.picked = null;
        paint();
    }).setAttribute('aria-label', 'close');
    if (open.port) portPanel(open.port, title);
    else if (open.node) nodePanel(open.node, title);
    else queuePairPanel(open.qp, title);
}
const link = (parent, port) => press(parent, port.name, '', () => pick({port}));

function table(parent, heads, rows) {
    const made = element('table', element('div', parent, 'wide')), line = element('tr', element('thead', made)), body = element('tbody', made);
    heads.forEach(([text, number]) => element('th', line, number ? 'n' : '', text));
    rows.forEach(row => {
        const line = element('tr', body);
        row.forEach((value, i) => {
            const cell = element('td', line, heads[i][1] ? 'n' : '');
            if (value instanceof Object) link(cell, value);
            else cell.textContent = value;
        });
    });
}

const counterOf = (port, name) => {
    const list = data.counters[port.index] || [];
    for (let i = 0; i < list.length; i += 2) if (data.names[list[i]][0] === name) return list[i + 1];
    return 0;
};

// Why it was paused or paused others, in sentences.
function pausesOf(port) {
    const found = [];
    for (let priority = 0; priority < 8; priority++) {
        const held = counterOf(port, 'tx_prio' + priority + '_blocked_ps'), longest = counterOf(port, 'tx_prio' + priority + '_blocked_longest_ps');
        const sent = counterOf(port, 'tx_prio' + priority + '_pause_xoff');
        if (held > 0)
            found.push('Priority ' + priority + ' ' + data.flow.was + (data.flow.credits ? ' of ' + peerName(port) + ' for ' + asTime(held) : ' for ' + asTime(held) + ' by ' + peerName(port)) +
                (longest > 0 ? ', at most ' + asTime(longest) + ' at a time' : '') + '.');
        if (sent > 0) found.push('It paused ' + peerName(port) + ' with ' + sent.toLocaleString('en') + ' XOFF ' + (sent === 1 ? 'frame' : 'frames') + ' of priority ' + priority + '.');
    }
    data.xoff.filter(row => row[0] === port.index).forEach(row => found.push('It sent XOFF at ' + asBytes(row[2]) +
        (row[2] === row[3] ? '' : ' to ' + asBytes(row[3])) + ' of priority ' + row[1] + '.'));
    data.drops.filter(row => row[0] === port.index).forEach(row => found.push(row[4].toLocaleString('en') + (row[4] === 1 ? ' frame' : ' frames') +
        ' of priority ' + row[1] + ' dropped from ' + asTime(row[5]) + ' to ' + asTime(row[6]) + ': ' + row[2] + (row[3] ? ', lossless class' : '') + '.'));
    return found;
}

// A port's layer over time, with the thresholds that its switch has.
function spark(parent, port, layer) {
    const values = port.levels[layer];
    if (values === undefined) return;
    const row = element('div', parent, 'spark');
    const lines = layer === 'queue' && !nodes[port.node].host ? limits.map(limit => [limit.name.toLowerCase(), limit.bytes]) : [];
    const high = Math.max(...values), most = layer === 'queue' || layer === 'marks' ? high : 1, end = data.until_ps[frames - 1] - data.from_ps;
    const shown = lines.filter(line => line[1] <= most * 1.02);
    const x = time => ((time - data.from_ps) / end * 1000).toFixed(1), y = value => (38 - value / most * 36).toFixed(1);
    element('b', row, '', layers[layer].title);
    const picture = made('svg', {viewBox: '0 0 1000 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': layers[layer].title + ' of ' + port.name}, row);
    let path = 'M0 38';
    values.forEach((value, frame) => { path += 'L' + x(begin(frame)) + ' ' + y(value) + 'L' + x(data.until_ps[frame]) + ' ' + y(value); });
    made('path', {d: path + 'L1000 38Z'}, picture);
    shown.forEach(line => made('line', {class: 'threshold', x1: 0, x2: 1000, y1: y(line[1]), y2: y(line[1])}, picture));
    if (state.frame !== null) {
        const at = x((begin(state.frame) + data.until_ps[state.frame]) / 2);
        made('line', {class: 'now', x1: at, x2: at, y1: 0, y2: 40}, picture);
    }
    const value = worth(port, layer, state.frame);
    element('span', row, '', (state.frame === null ? 'highest ' : '') + layers[layer].words(value) +
        (lines.length ? '; ' + lines.map(line => line[0] + ' ' + asBytes(line[1])).join(', ') : ''));
    picture.addEventListener('click', event => {
        const where = picture.getBoundingClientRect();
        go(frameOf(data.from_ps + (event.clientX - where.left) / where.width * end));
    });
}

// What the port had buffered when it paused its link or let it go on, with the thresholds of both.
function sparkBuffer(parent, port) {
    const chart = figures.charts.find(one => one.id === 'occupancy'), sent = data.xoff.filter(row => row[0] === port.index);
    if (chart === undefined) return;
    for (const [, priority, ...range] of sent) {
        const series = chart.series.find(one => [port.name, port.name + ' priority ' + priority].includes(one.name));
        if (series === undefined) continue;
        const ends = [['XOFF', range[0], range[1]], ['XON', range[2], range[3]]].filter(end => end[1] !== null);
        const most = Math.max(...series.points.map(point => point[1]), ...ends.map(end => end[2]));
        const x = time => ((time - data.from_ps) / (data.until_ps[frames - 1] - data.from_ps) * 1000).toFixed(1), y = value => (38 - value / most * 36).toFixed(1);
        const row = element('div', parent, 'spark'), title = 'ingress, priority ' + priority;
        element('b', row, '', title);
        const picture = made('svg', {viewBox: '0 0 1000 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': title + ' of ' + port.name}, row);
        made('path', {class: 'line', d: series.points.map((point, i) => (i === 0 ? 'M' : 'L') + x(point[0]) + ' ' + y(point[1])).join('')}, picture);
        ends.forEach(([name, low]) => made('line', {class: 'threshold ' + name.toLowerCase(), x1: 0, x2: 1000, y1: y(low), y2: y(low)}, picture));
        const words = ([name, low, high]) => name + ' ' + asBytes(low) + (asBytes(low) === asBytes(high) ? '' : ' to ' + asBytes(high));
        element('span', row, '', 'highest ' + asBytes(Math.max(...series.points.map(point => point[1]))) + '; ' + ends.map(words).join(', '));
    }
}

function portPanel(port, title) {
    title.textContent = port.name;
    const line = element('p', panel, 'about', asRate(port.rate) + ', MTU ' + port.mtu + ' B, ' + port.length / 1000 + ' m; of ');
    press(line, nodes[port.node].name, '', () => pick({node: nodes[port.node]}));
    if (port.peer !== null) {
        line.appendChild(document.createTextNode(' to '));
        link(line, ports[port.peer]);
    }
    const words = pausesOf(port);
    if (words.length) element('p', panel, '', words.join(' '));
    ['pauses', 'queue', 'utilization', 'marks'].forEach(layer => spark(panel, port, layer));
    sparkBuffer(panel, port);
    const list = data.counters[port.index] || [], rows = [];
    for (let i = 0; i < list.length; i += 2) {
        const [name, sonic, unit] = data.names[list[i]];
        rows.push([name, sonic || '-', list[i + 1].toLocaleString('en') + (unit === 'count' ? '' : ' ' + (unit === 'bytes' ? 'B' : unit))]);
    }
    const details = element('details', panel);
    details.open = state.counters === true;
    details.addEventListener('toggle', () => state.counters = details.open);
    element('summary', details, '', 'Counters (' + rows.length + ')');
    if (rows.length) table(details, [['ethtool -S'], ['SONiC'], ['value', true]], rows);
    else element('p', details, 'missing', 'All counters of this port are 0, or the fabric has more than the page has room for.');
    element('code', element('p', panel, 'about', 'Its frames: '), '', 'stormglass pcap RUN.db --port ' + port.name + ' -o frames.pcapng');
}

function nodePanel(node, title) {
    title.textContent = node.name;
    const when = state.frame === null ? ', highest of the run' : '';
    element('p', panel, 'about', (node.host ? 'Host' : 'Switch') + ' with ' + node.ports.length + (node.ports.length === 1 ? ' port' : ' ports') + when + '.');
    table(panel, [['port'], ['to'], [data.flow.credits ? 'without credits' : 'paused', true], ['queue', true], ['utilization', true], ['dropped', true]], node.ports.map(port => [
        port, port.peer === null ? '-' : ports[port.peer], percent(worth(port, 'pauses', state.frame)), asBytes(worth(port, 'queue', state.frame)),
        percent(worth(port, 'utilization', state.frame)), asNumber(dropped(port, state.frame))]));
    const mine = data.qps.filter(qp => ports[qp[1]].node === node.index);
    if (mine.length) {
        const line = element('p', panel, '', 'Queue pairs that congestion control held back: ');
        mine.forEach(qp => press(line, 'QP ' + qp[0], '', () => pick({qp})));
    }
}

function queuePairPanel(qp, title) {
    const port = ports[qp[1]], peer = qp[2] === null ? undefined : nodes[qp[2]];
    title.textContent = 'QP ' + qp[0];
    const line = element('p', panel, '', 'Sends by ');
    link(line, port);
    if (peer) {
        line.appendChild(document.createTextNode(' to '));
        press(line, peer.name, '', () => pick({node: peer}));
    }
    line.appendChild(document.createTextNode('. Congestion control allowed it ' + asRate(qp[3]) + ' at its slowest, of ' + asRate(port.rate) + '. '));
    const to = element('a', line, '', 'Its rate over time');
    to.href = '#chart-control';
}

prepare();
if (frames > 1) paintStrip();
paint();
window.stormglass.fabric = {state, ports, nodes, pick, go, worth, frames, openPod, closePod};
})();
