// browser - what a page looks like from inside; tests/browser adds it to the page.  SPDX-License-Identifier: Apache-2.0
'use strict';
(function () {
const said = {charts: {}, fetched: performance.getEntriesByType('resource').map(entry => entry.name)};
const all = window.stormglass.drawn;
const of = id => all.find(one => one.chart.id === id);
const scale = window.devicePixelRatio || 1;

// How long the page is before anything is opened, and what is on the first screen.
const bottom = name => Math.max(...Array.from(document.querySelectorAll(name)).map(box => box.getBoundingClientRect().bottom), 0);
said.height = document.documentElement.scrollHeight;
said.answer = document.querySelector('.verdict') ? [bottom('.verdict'), bottom('header ~ .wide'), bottom('.first')] : null;

function layers(one) {
    return Array.from(one.plot.querySelectorAll('canvas'));
}
function painted(one) {
    return layers(one).reduce((sum, canvas) => {
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
        return sum + count;
    }, 0);
}
function pixel(one, x, y) {
    return Math.max(...layers(one).map(canvas =>
        canvas.getContext('2d').getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data[3]));
}

// Sums and extremes of what the library holds, series by series.
function held(one) {
    const graph = one.graph, series = [];
    for (let column = 1; column < graph.numColumns(); column++) {
        let sum = 0, count = 0, most = null;
        for (let row = 0; row < graph.numRows(); row++) {
            const value = graph.getValue(row, column);
            if (value === null || isNaN(value)) continue;
            sum += value;
            count++;
            most = most === null || value > most ? value : most;
        }
        series.push({sum, count, most});
    }
    return {rows: graph.numRows(), series};
}

function mouse(target, type, one, x, y) {
    const box = layers(one)[0].getBoundingClientRect();
    target.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true, view: window, button: 0, detail: 1,
        clientX: box.left + x, clientY: box.top + y, screenX: box.left + x, screenY: box.top + y}));
}
function overlay(one) {
    return layers(one)[layers(one).length - 1];
}

for (const one of all)
    said.charts[one.chart.id] = {painted: painted(one), range: one.graph.xAxisRange(), held: held(one),
        names: (one.chart.series || []).map(series => series.name),
        keys: Array.from(one.plot.nextSibling.querySelectorAll('button span')).map(key => key.textContent)};
said.missing = Array.from(document.querySelectorAll('.missing')).map(line => line.parentNode.id);

// A band is where the figures say, and nothing is where no band is.
const pauses = of('pauses');
if (pauses) {
    const graph = pauses.graph, rows = pauses.chart.rows.length;
    const mine = pauses.chart.bands.filter(band => band[0] === 0);
    const longest = mine.reduce((a, b) => b[2] - b[1] > a[2] - a[1] ? b : a);
    const y = graph.toDomYCoord(rows - 1);
    said.band = pixel(pauses, graph.toDomXCoord((longest[1] + longest[2]) / 2), y);
    said.gap = pixel(pauses, graph.toDomXCoord(window.stormglass.figures.span_ps * 0.95), y);
    mouse(pauses.plot, 'mousemove', pauses, graph.toDomXCoord((longest[1] + longest[2]) / 2), y);
    said.pointed = pauses.plot.nextSibling.textContent;
}

// Dashed lines at the thresholds of the queues: most of the pixels of a row.
const queues = of('queues');
if (queues) {
    const area = queues.graph.getArea(), places = Array.from({length: 200}, (_, i) => area.x + (i + 0.5) * area.w / 200);
    said.limits = window.stormglass.limits.map(limit => [limit.name,
        places.filter(x => pixel(queues, x, queues.graph.toDomYCoord(limit.bytes)) > 80).length > 80]);
}
// A drag over one chart zooms all of them over time; a double click shows all again.
const zoomed = of('goodput') || of('spread');
if (zoomed) {
    const graph = zoomed.graph, area = graph.getArea();
    const from = area.x + area.w * 0.3, until = area.x + area.w * 0.6, y = area.y + area.h / 2;
    said.wanted = [graph.toDataXCoord(from), graph.toDataXCoord(until)];
    mouse(overlay(zoomed), 'mousemove', zoomed, from, y);
    said.hover = zoomed.plot.nextSibling.textContent;
    mouse(overlay(zoomed), 'mousedown', zoomed, from, y);
    mouse(document, 'mousemove', zoomed, (from + until) / 2, y);
    mouse(document, 'mousemove', zoomed, until, y);
    mouse(document, 'mouseup', zoomed, until, y);
    said.zoomed = all.filter(one => one.chart.kind !== 'tail').map(one => one.graph.xAxisRange());
    said.painted_zoomed = all.map(painted);
    mouse(overlay(zoomed), 'dblclick', zoomed, from, y);
    said.again = all.filter(one => one.chart.kind !== 'tail').map(one => one.graph.xAxisRange());
    // The legend hides a series.
    const key = zoomed.plot.nextSibling.querySelector('button'), before = painted(zoomed);
    key.click();
    said.hidden = !graph.visibility()[0] && painted(zoomed) !== before;
    key.click();
    said.shown = graph.visibility()[0] && painted(zoomed) === before;
}
// By keys: an arrow is one hundredth of what is shown, plus halves what is shown on all charts, Home shows all, Escape takes the cursor away.
if (zoomed) {
    const key = (name, more) => zoomed.plot.dispatchEvent(new KeyboardEvent('keydown', Object.assign({key: name, bubbles: true, cancelable: true}, more)));
    const {cursor} = window.stormglass, over = () => all.filter(one => one.chart.kind !== 'tail').map(one => one.graph.xAxisRange());
    zoomed.plot.focus();
    said.keys = {focus: document.activeElement === zoomed.plot, named: all.every(one => one.plot.tabIndex === 0 && one.plot.getAttribute('aria-label').startsWith(one.chart.title)), at: []};
    for (const name of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) {
        key(name);
        said.keys.at.push(cursor.pinned);
    }
    said.keys.words = zoomed.plot.nextSibling.textContent;
    key('+');
    said.keys.zoomed = over();
    key('ArrowRight', {shiftKey: true});
    said.keys.moved = over();
    key('Home');
    said.keys.home = over();
    key('Escape');
    said.keys.left = cursor.pinned;
    const tail = of('tail');
    if (tail) {
        for (let i = 0; i < 2; i++) tail.plot.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true}));
        said.keys.tail = tail.graph.getSelection();
    }
}
// What a reader asks for is drawn: the first series that is hidden at first, then none, then all.
const many = all.find(one => one.chart.series && one.chart.series.some(series => series.hidden));
if (many) {
    const buttons = Array.from(many.plot.nextSibling.querySelectorAll('button'));
    const at = many.chart.series.findIndex(series => series.hidden);
    said.asked = [many.graph.visibility()[at]];
    buttons[at].click();
    said.asked.push(many.graph.visibility()[at]);
    for (const word of ['none', 'all']) {
        const button = buttons.find(other => other.textContent === word);
        if (button) button.click();
        said[word] = button ? [many.graph.visibility().filter(on => on).length, painted(many)] : null;
    }
    said.many = many.chart.series.length;
}
// The heat map below the percentiles has each command once, and can be hidden.
const heat = of('latency1');
if (heat && heat.chart.heat) {
    const button = Array.from(heat.plot.nextSibling.querySelectorAll('button')).find(other => other.textContent === 'commands');
    said.heat = {count: heat.chart.heat.reduce((sum, cell) => sum + cell[2], 0), painted: [painted(heat)]};
    button.click();
    said.heat.painted.push(painted(heat));
    button.click();
    said.heat.painted.push(painted(heat));
}
// XOFF and XON on the chart of the buffers.
const occupancy = of('occupancy');
if (occupancy && window.stormglass.pauseLimits(occupancy.chart, occupancy.graph).length) {
    const area = occupancy.graph.getArea(), places = Array.from({length: 200}, (_, i) => area.x + (i + 0.5) * area.w / 200);
    said.thresholds = window.stormglass.pauseLimits(occupancy.chart, occupancy.graph).map(limit => [limit.name, limit.low, limit.high,
        places.filter(x => pixel(occupancy, x, occupancy.graph.toDomYCoord(limit.low)) > 80).length > 80]);
}
// In order of cause, each row is below the one that caused it.
const byCause = pauses && Array.from(document.querySelectorAll('.chart header button')).find(other => other.textContent === 'in order of cause');
if (byCause) {
    const labels = () => Array.from(pauses.plot.querySelectorAll('.dygraph-axis-label-y')).sort((a, b) =>
        a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(label => label.textContent);
    said.cause = {longest: labels()};
    byCause.click();
    said.cause.order = labels();
    said.cause.of = pauses.chart.rows.map(row => [row.port, row.cause === undefined ? null : pauses.chart.rows[row.cause].port]);
    byCause.click();
    said.cause.again = labels();
}
// The replay: each moment on the drawing, in the sentence and on all charts; panels by search, click and keys.
const fabric = window.stormglass.fabric;
if (fabric && fabric.frames > 1) {
    const paused = () => document.querySelectorAll('.halves line:not(.hit):not(.h0)').length;
    const press = words => Array.from(document.querySelectorAll('.replay button')).find(button => button.textContent === words).click();
    const panel = document.querySelector('.panel');
    const find = words => {
        const search = document.querySelector('.search');
        search.value = words;
        search.dispatchEvent(new Event('change'));
        return panel.textContent;
    };
    said.replay = {counts: [], layers: {}};
    const slider = document.querySelector('.track input');
    for (let frame = 0; frame < fabric.frames; frame++) {
        slider.value = frame;
        slider.dispatchEvent(new Event('input'));
        said.replay.counts.push(paused());
    }
    press('worst moment');
    said.replay.worst = document.querySelector('.said').textContent;
    said.replay.lines = Array.from(new Set(all.filter(one => one.chart.kind !== 'tail').map(one => one.at))).length;
    said.replay.cursors = Array.from(document.querySelectorAll('.cursor')).filter(line => !line.hidden).length;
    for (const layer of ['queue', 'utilization', 'ECN marks', 'drops', 'pauses']) {
        press(layer);
        said.replay.layers[layer] = paused();
    }
    said.replay.port = find('leaf0:p0');
    said.replay.counters = panel.querySelectorAll('tbody tr').length;
    said.replay.sparks = panel.querySelectorAll('.spark').length;
    said.replay.node = find('leaf0').slice(0, 40);
    said.replay.unknown = (find('<img src=x>'), document.querySelector('.said').textContent);
    const key = name => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
    const host = document.querySelector('.topology .host');
    if (host) {
        host.focus();
        key('ArrowUp');
        said.replay.up = document.activeElement.getAttribute('aria-label');
        key('Enter');
        said.replay.entered = panel.querySelector('h3').textContent;
        panel.querySelector('header button').click();
    }
    // Pods open by a key, close by Escape, and open for what is searched; the last one stays open and is measured below.
    const pods = Array.from(document.querySelectorAll('.pods g[data-pod]'));
    if (pods.length) {
        const drawnHosts = () => document.querySelectorAll('.topology.pod .host').length;
        said.pods = {names: pods.map(pod => pod.getAttribute('aria-label')), hosts: []};
        pods[1].focus();
        key('Enter');
        said.pods.hosts.push(drawnHosts());
        key('Escape');
        said.pods.hosts.push(drawnHosts());
        said.pods.back = document.activeElement === pods[1];
        const name = fabric.nodes.filter(node => node.host).pop().name;
        find(name);
        said.pods.hosts.push(drawnHosts());
        said.pods.found = [name, panel.querySelector('h3').textContent, document.querySelector('.topology.pod rect.picked + title').textContent];
        panel.querySelector('header button').click();
    }
    press('whole run');
    said.replay.whole = document.querySelector('.said').textContent;
    press('drops');
    said.replay.drops = document.querySelector('.said').textContent;
    press('pauses');
    const swatch = document.querySelector('#topology .legend i.root');
    said.replay.root = [swatch.parentNode.checkVisibility(), document.querySelector('.topology .root') !== null];
    said.replay.closed = panel.hidden && !document.querySelector('.topology').classList.contains('moving');
}
// The CSV of each chart, as its button would save it.
said.csv = Object.fromEntries(all.map(one => [one.chart.id, window.stormglass.csv(one.chart)]));
// Tables: by a number, by a name, and back; a filter; the CSV of what is shown.
const list = window.stormglassTables.tables.find(table => table.box.closest('#members details details'));
if (list) {
    const heads = list.heads.map(head => head.textContent), rows = () => Array.from(list.body.rows).filter(row => !row.hidden).map(row => Array.from(row.cells, cell => cell.textContent));
    const column = name => rows().map(row => row[heads.indexOf(name)]);
    const press = name => list.heads[heads.indexOf(name)].querySelector('button').click();
    const tools = list.box.previousElementSibling, search = tools.querySelector('input');
    const filter = text => {
        search.value = text;
        search.dispatchEvent(new Event('input'));
        return [rows().length, tools.querySelector('span').textContent];
    };
    said.table = {heads, before: rows()};
    press('mean');
    said.table.mean = Array.from(list.body.rows, row => +row.cells[heads.indexOf('mean')].title.split(' ')[0]);
    said.table.sorted = list.heads[heads.indexOf('mean')].getAttribute('aria-sort');
    press('host');
    said.table.host = column('host');
    said.table.found = filter('HOST25 backup');
    said.table.csv = window.stormglassTables.csv(list).trim().split('\n');
    said.table.all = filter('');
    press('host');
    press('host');
    said.table.again = rows();
}
// A link opens its section, and only that one; then all are opened.
const folded = Array.from(document.querySelectorAll('.folded'));
if (folded.length) {
    location.hash = '#' + folded[folded.length - 1].id;
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    said.unfolded = folded.map(section => section.querySelector('details').open);
}
document.querySelectorAll('details').forEach(fold => { fold.open = true; });
said.source = Array.from(document.querySelectorAll('#reproduce details details pre'), pre => pre.textContent);
said.drawings = Array.from(document.querySelectorAll('.drawing svg'))
    .filter(svg => svg.getBoundingClientRect().width > 0)
    .map(svg => [svg.querySelectorAll('path').length, Math.round(svg.getBoundingClientRect().width)]);
// Words that lie over each other, beside the charts.
const boxes = Array.from(document.querySelectorAll('.topology text, .card b, .card span')).filter(words => words.textContent)
    .map(words => [words.textContent, words.getBoundingClientRect(), words.closest('svg')]);
said.over = [];
boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    if (/^host/.test(one) && /^host/.test(other)) return; // slanted: their boxes meet, they do not
    if (a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom) said.over.push(one + ' ' + other);
}));
// Links that pass behind a node which is not their end: they cannot be seen.
said.behind = [];
const middles = Array.from(document.querySelectorAll('.topology g[data-node]')).map(group => {
    const box = group.querySelector('rect'), size = name => +box.getAttribute(name);
    return {node: +group.dataset.node, x: size('x') + size('width') / 2, y: size('y') + size('height') / 2};
});
document.querySelectorAll('.topology line[data-ends]').forEach(line => {
    const ends = line.dataset.ends.split(' ').map(port => window.stormglass.fabric.ports[port].node);
    const [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map(name => +line.getAttribute(name)), length = Math.hypot(x2 - x1, y2 - y1);
    middles.filter(other => !ends.includes(other.node)).forEach(other => {
        const along = ((other.x - x1) * (x2 - x1) + (other.y - y1) * (y2 - y1)) / length;
        const off = Math.abs((other.x - x1) * (y2 - y1) - (other.y - y1) * (x2 - x1)) / length;
        if (along > 0 && along < length && off < 5) said.behind.push([line.dataset.ends, other.node]);
    });
});
// Links that lead nowhere.
said.astray = Array.from(document.querySelectorAll('nav a')).map(link => link.getAttribute('href'))
    .filter(to => to.startsWith('#') && document.getElementById(to.slice(1)) === null);
// Rows of the tables of a section.
said.rows = Object.fromEntries(Array.from(document.querySelectorAll('section')).map(section =>
    [section.id, Array.from(section.querySelectorAll('table')).map(table => table.querySelectorAll('td:first-child').length)]));
said.falls = document.querySelectorAll('.fall ul').length;
said.storms = Array.from(document.querySelectorAll('.storm-chart .chart')).map(chart => chart.id);
said.wide = document.documentElement.scrollWidth > window.innerWidth;
said.ground = getComputedStyle(document.body).backgroundColor;
const out = document.createElement('pre');
out.id = 'browser-says';
out.textContent = JSON.stringify(said);
document.body.appendChild(out);
// In a frame of a phone's width the words are for the page around it.
if (window.parent !== window) window.parent.postMessage(out.textContent, '*');
})();
