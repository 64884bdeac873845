// page - draws the charts of a report from its figures.            SPDX-License-Identifier: Apache-2.0
// Times are picoseconds.  All charts over time share what they show.
'use strict';
(function () {
const figures = JSON.parse(document.getElementById('figures').textContent);
const span = figures.span_ps;
const drawn = []; // {chart, graph, plot, repaint()}
const narrow = window.matchMedia('(max-width: 640px)');

// ---------------------------------------------------------------- words

function scaled(value, units, step) {
    let i = 0;
    while (i < units.length - 1 && Math.abs(value) >= step) {
        value /= step;
        i++;
    }
    return String(+value.toPrecision(4)) + ' ' + units[i];
}
const asTime = ps => ps === 0 ? '0' : scaled(ps, ['ps', 'ns', 'us', 'ms', 's'], 1000);
const asRate = bps => bps === 0 ? '0' : scaled(bps, ['b/s', 'kb/s', 'Mb/s', 'Gb/s', 'Tb/s'], 1000);
const asBytes = bytes => bytes === 0 ? '0' : scaled(bytes, ['B', 'KiB', 'MiB', 'GiB'], 1024);
const asNumber = value => (+value.toPrecision(4)).toLocaleString('en');
function asShare(share) {
    return share > 0 ? '1 in ' + asNumber(1 / share) : 'none';
}
const words = {ps: asTime, latency: asTime, bytes: asRate, rate: asRate, occupancy: asBytes, commands: asNumber, ports: asNumber,
               share: asShare};

// Enough digits to tell neighboring marks of an axis apart.
function timeMarks(from, until, pixels) {
    const wanted = Math.max(2, pixels / 90), raw = (until - from) / wanted;
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= raw);
    const unit = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us'], [1e3, 'ns'], [1, 'ps']].find(u => until >= u[0]) || [1, 'ps'];
    const digits = Math.max(0, -Math.floor(Math.log10(step / unit[0]) + 1e-9));
    const marks = [];
    for (let i = Math.ceil(from / step); i * step <= until; i++)
        marks.push({v: i * step, label: i === 0 ? '0' : (i * step / unit[0]).toFixed(digits) + ' ' + unit[1]});
    return marks;
}

// The values of a logarithmic axis: powers of ten; of a range with fewer than three of them also 2 and 5, or equal steps, if labels of this size have room.
function logValues(from, until, pixels, size) {
    const decade = pixels / Math.log10(until / from), raw = (until - from) / 4, power = Math.pow(10, Math.floor(Math.log10(raw))), steps = [], digits = [];
    const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= raw);
    for (let i = Math.ceil(from / step); i * step <= until; i++) steps.push(i * step);
    const inside = value => value >= from && value <= until, powers = [], stride = Math.ceil(size / decade);
    for (let i = Math.floor(Math.log10(from)); i <= Math.log10(until); i++) {
        digits.push(...[1, 2, 5].map(digit => Math.pow(10, i) * digit).filter(inside));
        if (i % stride === 0) powers.push(...[Math.pow(10, i)].filter(inside));
    }
    const fits = values => values.every((value, i) => i === 0 || Math.log10(value / values[i - 1]) * decade >= size);
    const choices = [digits, powers.length < 3 ? steps : powers, powers];
    return choices.find(values => values.length >= 3 && fits(values)) || choices.filter(fits).sort((one, other) => other.length - one.length)[0] || [];
}

// A logarithmic axis of times.  At its lower end a label would lie on those of the other axis.
function timeDecades(from, until, pixels) {
    const low = Math.max(from, 1), high = Math.max(until, low * 1.01);
    return logValues(low * Math.pow(high / low, 9 / pixels), high, pixels - 9, 18).map(v => ({v, label: asTime(v)}));
}

// ---------------------------------------------------------------- looks

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colourOf = i => style('--c' + i % 8);
function faint(colour, alpha) {
    const n = parseInt(colour.slice(1), 16);
    return 'rgba(' + (n >> 16) + ',' + (n >> 8 & 255) + ',' + (n & 255) + ',' + alpha + ')';
}

function element(tag, parent, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
}

// ---------------------------------------------------------------- what is common to all charts

// One finger scrolls the page; two zoom a chart.  A double click shows all again, on every chart the same.
const homes = new Map();
const touch = Dygraph.defaultInteractionModel;
const interaction = Object.assign({}, touch, {
    dblclick(event, graph) {
        graph.resetZoom();
        graph.updateOptions({dateWindow: homes.get(graph)});
    },
    touchstart(event, graph, context) {
        if (event.touches.length > 1) touch.touchstart(event, graph, context);
    },
    touchmove(event, graph, context) {
        if (event.touches.length > 1) touch.touchmove(event, graph, context);
    },
});

let sharing = false;
function share(graph) {
    if (sharing) return;
    sharing = true;
    const range = graph.xAxisRange();
    for (const other of drawn)
        if (other.graph !== graph && other.chart.kind !== 'tail') {
            const theirs = other.graph.xAxisRange();
            if (theirs[0] !== range[0] || theirs[1] !== range[1]) other.graph.updateOptions({dateWindow: range.slice()});
        }
    sharing = false;
}

// One moment on all charts over time, and for whoever listens: the pointer's, else the pinned one.
const cursor = {pinned: null, listeners: []};
function showMoment(time) {
    for (const one of drawn) if (one.chart.kind !== 'tail') mark(one, time);
    cursor.listeners.forEach(listen => listen(time));
}
function mark(one, time) {
    const range = one.graph.xAxisRange(), area = one.graph.getArea();
    one.line.hidden = time === null || time < range[0] || time > range[1];
    if (!one.line.hidden)
        one.line.style.cssText = 'left:' + one.graph.toDomXCoord(time) + 'px;top:' + area.y + 'px;height:' + area.h + 'px';
    one.at = time;
    if (one.legend && time === null) one.legend.clear();
    else if (one.legend) one.legend.set(asTime(time), valuesAt(one.graph, time, one.chart));
}
// What the visible series are worth: of a step the one that has begun, else the nearest.
function valuesAt(graph, time, chart) {
    let low = 0, high = graph.numRows() - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (graph.getValue(middle, 0) <= time) low = middle;
        else high = middle - 1;
    }
    const steps = chart.held || (chart.kind === 'steps' && chart.unit !== 'latency');
    if (!steps && low + 1 < graph.numRows() && graph.getValue(low + 1, 0) - time < time - graph.getValue(low, 0)) low++;
    return graph.getLabels().slice(1).map((name, i) => ({name, yval: graph.getValue(low, i + 1)}))
        .filter((_, i) => graph.visibility()[i]);
}
const pointAt = time => showMoment(time);
const leave = () => showMoment(cursor.pinned);
function pin(time) {
    cursor.pinned = time;
    showMoment(time);
}

const labelWidth = () => narrow.matches ? 70 : 96;

// Where the scenario did something to the fabric; two runs may have done the same.
const moments = Array.from(new Map(figures.faults.map(fault => [fault.from_ps + ' ' + fault.until_ps, fault])).values());
function shade(canvas, area, graph) {
    canvas.save();
    canvas.beginPath();
    canvas.rect(area.x, area.y, area.w, area.h);
    canvas.clip();
    for (const fault of moments) {
        const left = graph.toDomXCoord(fault.from_ps), right = graph.toDomXCoord(fault.until_ps);
        canvas.fillStyle = faint(style('--root'), 0.09);
        canvas.fillRect(left, area.y, Math.max(1, right - left), area.h);
        canvas.fillStyle = style('--root');
        canvas.fillRect(left, area.y, 1, area.h);
    }
    canvas.restore();
}

// Thresholds: Kmin and Kmax of the switches on the chart of their queues; XOFF and XON of the ports on the charts of what they pause for.
const source = document.getElementById('fabric');
const fabric = source === null ? {settings: [], xoff: [], ports: [], nodes: []} : JSON.parse(source.textContent);
const settings = Object.fromEntries(fabric.settings);
function bytesOf(text) {
    const found = /^([0-9.]+)(B|KB|MB|KiB|MiB)$/.exec(text || '');
    return found === null ? null : found[1] * {B: 1, KB: 1e3, MB: 1e6, KiB: 1024, MiB: 1048576}[found[2]];
}
const limits = [['Kmin', 'fabric.switch.ecn-kmin'], ['Kmax', 'fabric.switch.ecn-kmax']]
    .map(([name, path]) => ({name, bytes: bytesOf(settings[path])})).filter(limit => limit.bytes !== null);
if (limits.some(limit => limit.name === 'Kmax' && limit.bytes === 0)) limits.length = 0; // ECN marking is off
function portName(index) {
    const [name, node, , , , , number] = fabric.ports[index];
    return name === null ? fabric.nodes[node][0] + ':p' + number : name;
}
// Of the visible series; a threshold that moves with the free buffer is a range, and ranges close to each other are one.
function pauseLimits(chart, graph) {
    const shown = new Set(chart.series.filter((_, i) => graph.visibility()[i]).map(one => one.name));
    const rows = fabric.xoff.filter(row => shown.has(portName(row[0])) || shown.has(portName(row[0]) + ' priority ' + row[1]));
    return [['XOFF', 2], ['XON', 4]].flatMap(([name, at]) => {
        const ranges = [];
        rows.filter(row => row[at] !== null).map(row => [row[at], row[at + 1]]).sort((a, b) => a[0] - b[0]).forEach(([low, high]) => {
            const last = ranges[ranges.length - 1];
            if (last !== undefined && low <= last.high * 1.25) last.high = Math.max(last.high, high);
            else ranges.push({name, low, high});
        });
        return ranges;
    });
}
const LIMIT_FONT = '11px system-ui, sans-serif';
function drawLimit(canvas, area, graph, limit, left, taken) {
    const low = graph.toDomYCoord(limit.low), high = graph.toDomYCoord(limit.high);
    if (low < area.y || high > area.y + area.h) return;
    canvas.fillStyle = faint(style('--bad'), 0.1);
    if (low - high > 1) canvas.fillRect(area.x, high, area.w, low - high);
    canvas.beginPath();
    (low - high > 1 ? [low, high] : [low]).forEach(y => {
        canvas.moveTo(area.x, y);
        canvas.lineTo(area.x + area.w, y);
    });
    canvas.stroke();
    const words = asBytes(limit.low) === asBytes(limit.high) ? asBytes(limit.low) : asBytes(limit.low) + ' to ' + asBytes(limit.high);
    const text = limit.name + ' ' + words, width = canvas.measureText(text).width;
    const from = left ? area.x + 4 : area.x + area.w - 4 - width;
    // Above its line, else below it, else nowhere: two labels on each other could not be read.
    const free = y => y > area.y + 9 && y < area.y + area.h &&
        !taken.some(box => box.y > y - 12 && box.y < y + 12 && box.from < from + width + 6 && from < box.from + box.width + 6);
    const y = [high - 3, low + 12].find(free);
    if (y === undefined) return;
    taken.push({y, from, width, text});
}
// On the lines, with a rim in the color of the ground.
function nameLimits(canvas, taken) {
    canvas.save();
    canvas.font = LIMIT_FONT;
    canvas.textAlign = 'left';
    canvas.lineWidth = 4;
    canvas.lineJoin = 'round';
    canvas.strokeStyle = style('--sheet');
    canvas.fillStyle = style('--bad');
    taken.forEach(one => {
        canvas.strokeText(one.text, one.from, one.y);
        canvas.fillText(one.text, one.from, one.y);
    });
    canvas.restore();
}
// Names of Kmin and Kmax are at the right; those that would lie on each other are at both ends, like XOFF and XON.
function shadeLimits(chart) {
    return (canvas, area, graph) => {
        shade(canvas, area, graph);
        canvas.save();
        canvas.strokeStyle = style('--bad');
        canvas.setLineDash([5, 4]);
        canvas.font = LIMIT_FONT;
        const taken = [];
        graph.limitNames = taken;
        if (chart.id === 'queues') {
            const close = limits.length > 1 && graph.toDomYCoord(limits[0].bytes) - graph.toDomYCoord(limits[1].bytes) < 16;
            limits.forEach((limit, i) => drawLimit(canvas, area, graph, {name: limit.name, low: limit.bytes, high: limit.bytes}, i === 0 && close, taken));
        } else {
            pauseLimits(chart, graph).forEach(limit => drawLimit(canvas, area, graph, limit, limit.name === 'XON', taken));
        }
        canvas.restore();
    };
}
// The number of commands by step and latency, below the percentiles.
function shadeHeat(chart) {
    const most = Math.log(Math.max(...chart.heat.map(cell => cell[2])) + 1);
    return (canvas, area, graph) => {
        shade(canvas, area, graph);
        if (chart.cold) return;
        canvas.save();
        canvas.beginPath();
        canvas.rect(area.x, area.y, area.w, area.h);
        canvas.clip();
        for (const [step, eighth, count] of chart.heat) {
            const left = graph.toDomXCoord(step * chart.step_ps), right = graph.toDomXCoord((step + 1) * chart.step_ps);
            if (right < area.x || left > area.x + area.w) continue;
            const low = graph.toDomYCoord(Math.pow(10, eighth / 8)), high = graph.toDomYCoord(Math.pow(10, (eighth + 1) / 8));
            canvas.fillStyle = faint(style('--c5'), 0.08 + 0.5 * Math.log(count + 1) / most);
            canvas.fillRect(left, high, Math.max(1, right - left), low - high);
        }
        canvas.restore();
    };
}
const shadeOf = chart => chart.heat ? shadeHeat(chart) : ['queues', 'occupancy', 'receive'].includes(chart.id) ? shadeLimits(chart) : shade;

function options(chart, series) {
    const labels = series.map((_, i) => String(i));
    const fine = {
        labels: ['t'].concat(labels), visibility: series.map(one => !one.hidden),
        series: Object.fromEntries(series.map((one, i) => [labels[i], {strokePattern: one.dashed ? [6, 3] : null}])),
        legend: 'never', animatedZooms: false, dateWindow: [0, span], strokeWidth: 1.5, highlightCircleSize: 3,
        fillAlpha: 0.12, yRangePad: 6, underlayCallback: shadeOf(chart), axisLabelFontSize: 12, interactionModel: interaction,
        axes: {
            x: {ticker: timeMarks, drawGrid: true, axisLabelWidth: 80},
            y: {axisLabelFormatter: words[chart.unit], axisLabelWidth: labelWidth()},
        },
        plugins: [{activate: () => ({didDrawChart: event => nameLimits(event.drawingContext, event.dygraph.limitNames || [])})}],
        drawCallback(graph, first) {
            const mine = drawn.find(one => one.graph === graph);
            if (mine && chart.kind !== 'tail') mark(mine, mine.at);
            if (!first && chart.kind !== 'tail') share(graph);
        },
        clickCallback(event, x) { if (chart.kind !== 'tail') pin(x); },
    };
    return Object.assign(fine, looks(series));
}
const hue = (one, i) => (one.colour === undefined ? i : one.colour) % 8;
function looks(series) {
    return {
        colors: series.map((one, i) => colourOf(hue(one, i))), gridLineColor: style('--rule'),
        axisLineColor: style('--h0'),
    };
}

function keep(chart, graph, plot, with_, series, legend) {
    homes.set(graph, with_.dateWindow);
    const line = element('div', plot, 'cursor');
    line.hidden = true;
    drawn.push({chart, graph, plot, legend, line, at: null, repaint() { graph.updateOptions(looks(series)); }});
    operate(drawn[drawn.length - 1]);
}

// A chart by keys: arrows move the cursor of all charts, with Shift what they show; + and - zoom, Home shows all, Escape removes the cursor.
function operate(one) {
    const {chart, graph, plot} = one, tail = chart.kind === 'tail', keys = plot.nextSibling;
    plot.tabIndex = 0;
    plot.setAttribute('role', 'group');
    plot.setAttribute('aria-label', chart.title + ': chart; arrow keys move the cursor, plus and minus zoom, Home shows all');
    plot.addEventListener('focus', () => keys.setAttribute('aria-live', 'polite'));
    plot.addEventListener('blur', () => keys.removeAttribute('aria-live'));
    const show = range => {
        graph.updateOptions({dateWindow: range});
        if (!tail) share(graph);
    };
    let row = -1;
    const step = way => { // of the distribution, from one of its points to the next
        row = Math.min(graph.numRows() - 1, Math.max(0, row + way));
        graph.setSelection(row);
        one.legend.set(asTime(Math.pow(10, graph.getValue(row, 0))), valuesAt(graph, graph.getValue(row, 0), chart));
    };
    plot.addEventListener('keydown', event => {
        const [from, until] = graph.xAxisRange(), [first, last] = homes.get(graph), width = until - from;
        const inside = cursor.pinned !== null && cursor.pinned >= from && cursor.pinned <= until, at = inside && !tail ? cursor.pinned : (from + until) / 2;
        const zoom = factor => {
            const now = Math.min(last - first, width * factor), left = Math.min(last - now, Math.max(first, at - (at - from) * now / width));
            show([left, left + now]);
        };
        const way = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        if (way && event.shiftKey) show([from, until].map(end => end + Math.min(last - until, Math.max(first - from, way * width / 10))));
        else if (way && tail) step(way);
        else if (way) pin(inside ? Math.min(until, Math.max(from, cursor.pinned + way * width / 100)) : way > 0 ? from : until);
        else if (event.key === '+' || event.key === '=') zoom(0.5);
        else if (event.key === '-') zoom(2);
        else if (event.key === 'Home') show([first, last]);
        else if (event.key === 'Escape' && !tail) pin(null);
        else return;
        event.preventDefault();
    });
}

// The legend: what a series is worth where the pointer is; a click hides the series.
function keys(box, chart, show) {
    const line = element('div', box, 'keys');
    const at = element('span', line, 'at');
    const buttons = chart.series.map((series, i) => {
        const button = element('button', line);
        button.type = 'button';
        button.title = 'show or hide';
        element('i', button, series.dashed ? 'dashed' : '').style.color = 'var(--c' + hue(series, i) + ')';
        button.classList.toggle('off', series.hidden === true);
        element('span', button, '', series.name);
        element('b', button);
        button.addEventListener('click', () => {
            button.classList.toggle('off');
            show(i, !button.classList.contains('off'));
        });
        return button;
    });
    if (chart.heat) {
        const button = element('button', line);
        button.type = 'button';
        button.title = 'show or hide the number of commands by latency';
        element('i', button, 'heat');
        element('span', button, '', 'commands');
        button.addEventListener('click', () => {
            chart.cold = button.classList.toggle('off');
            show(0, !buttons[0].classList.contains('off'));
        });
    }
    // Many series: all of them, or none to begin with.
    if (chart.series.length > 8)
        [['all', true], ['none', false]].forEach(([word, on]) => {
            const button = element('button', line, 'word', word);
            button.type = 'button';
            button.addEventListener('click', () => buttons.forEach((other, i) => {
                other.classList.toggle('off', !on);
                show(i, on);
            }));
        });
    return {
        set(x, points) {
            at.textContent = x;
            buttons.forEach(button => button.lastChild.textContent = '');
            for (const point of points)
                if (point.yval !== null && !isNaN(point.yval))
                    buttons[+point.name].lastChild.textContent = words[chart.unit](point.yval);
        },
        clear() {
            at.textContent = '';
            buttons.forEach(button => button.lastChild.textContent = '');
        },
    };
}

// ---------------------------------------------------------------- lines

// Series of points with their own places on the axis, as rows over all of them.
function merged(series, place) {
    const rows = new Map();
    series.forEach((one, i) => one.points.forEach(point => {
        const x = place(point[0]);
        if (!rows.has(x)) rows.set(x, [x].concat(series.map(() => null)));
        rows.get(x)[i + 1] = point[1];
    }));
    return Array.from(rows.values()).sort((a, b) => a[0] - b[0]);
}

function stepRows(chart) {
    // Stopped time of a step becomes the number of ports that stood still.
    const factor = chart.unit === 'ports' ? 1 / chart.step_ps : 1;
    const value = v => v === null ? null : v * factor;
    const bins = chart.series[0].values.length, rows = [];
    // A latency stands in the middle of its step; a step ends where the next begins.
    if (chart.unit === 'latency')
        return chart.series[0].values.map((_, i) =>
            [(i + 0.5) * chart.step_ps].concat(chart.series.map(s => s.values[i])));
    for (let i = 0; i <= bins; i++)
        rows.push([i * chart.step_ps].concat(chart.series.map(s => value(s.values[Math.min(i, bins - 1)]))));
    return rows;
}

function draw(chart, box, rows, more) {
    // The library cannot scale an axis of logarithms without a value.
    if (more.logscale && !rows.some(row => row.slice(1).some(value => value > 0)))
        return missing(box, 'No I/O of this workload was completed.');
    const plot = element('div', box, 'plot');
    const legend = keys(box, chart, (i, on) => graph.setVisibility(i, on));
    const with_ = options(chart, chart.series);
    const back = chart.kind === 'tail' ? x => Math.pow(10, x) : x => x;
    const tail = chart.kind === 'tail';
    with_.highlightCallback = (event, x, points) => {
        if (!tail) pointAt(x);
        legend.set(asTime(back(x)), points);
    };
    with_.unhighlightCallback = tail ? () => legend.clear() : leave;
    const axes = Object.assign({}, more.axes);
    Object.assign(with_, more);
    with_.axes = {x: Object.assign({ticker: timeMarks, axisLabelWidth: 80}, axes.x),
                  y: Object.assign({axisLabelFormatter: words[chart.unit],
                                    axisLabelWidth: labelWidth()}, axes.y)};
    const graph = new Dygraph(plot, rows, with_);
    keep(chart, graph, plot, with_, chart.series, legend);
}

function drawSteps(chart, box) {
    const latency = chart.unit === 'latency';
    const eighths = (chart.heat || []).map(cell => cell[1]), edge = eighth => Math.pow(10, eighth / 8);
    const range = eighths.length ? {valueRange: [edge(Math.min(...eighths)) * 0.95, edge(Math.max(...eighths) + 1) * 1.05]} : {};
    draw(chart, box, stepRows(chart), latency
        ? {logscale: true, drawPoints: true, pointSize: 1.8, drawGapEdgePoints: true, axes: {y: Object.assign({ticker: timeDecades}, range)}}
        : {stepPlot: true, fillGraph: !chart.series.some(one => one.dashed), includeZero: true});
}

// What a series is worth where another one has a point: what it was worth, or what lies between its neighbors.
function filled(chart) {
    const places = Array.from(new Set(chart.series.flatMap(s => s.points.map(p => p[0])))).sort((a, b) => a - b);
    const next = chart.series.map(() => 0);
    return places.map(x => [x].concat(chart.series.map((series, i) => {
        const points = series.points;
        while (next[i] < points.length && points[next[i]][0] <= x) next[i]++;
        const before = points[next[i] - 1], after = points[next[i]];
        if (before === undefined || before[1] === null || before[0] === x || chart.held || after === undefined)
            return before === undefined || (after === undefined && before[0] < x) ? null : before[1];
        return after[1] === null ? null : before[1] + (after[1] - before[1]) * (x - before[0]) / (after[0] - before[0]);
    })));
}

function drawLines(chart, box) {
    const highlight = {highlightSeriesOpts: {strokeWidth: 2.5, highlightCircleSize: 4}};
    draw(chart, box, filled(chart), Object.assign(chart.unit === 'latency'
        ? {logscale: true, drawGapEdgePoints: true, axes: {y: {ticker: timeDecades}}}
        : {stepPlot: chart.held === true, includeZero: true, labelsKMG2: chart.unit === 'occupancy'},
    chart.series.length > 3 ? highlight : {}));
}

function drawPoints(chart, box) {
    draw(chart, box, merged(chart.series, x => x), {connectSeparatedPoints: true, drawPoints: true, pointSize: 1.8,
        strokeWidth: 0, includeZero: true, labelsKMG2: true});
}

// ---------------------------------------------------------------- the distribution

function decades(from, until, pixels) {
    return logValues(Math.pow(10, from), Math.pow(10, until), pixels, 64).map(v => ({v: Math.log10(v), label: asTime(v)}));
}
// 1 in 1, 10, 100, or with 2 and 5 between them if the range is short.
function shares(from, until) {
    const all = [1, 2, 5].flatMap(digit => [...Array(10).keys()].map(i => digit * Math.pow(10, i))).filter(n => n * from <= 1).sort((a, b) => a - b);
    const powers = all.filter(n => Number.isInteger(Math.log10(n)));
    return (powers.length < 3 ? all : powers).map(n => ({v: 1 / n, label: n === 1 ? 'all' : '1 in ' + n.toLocaleString('en')}));
}

function drawTail(chart, box) {
    // Nothing is longer than the longest: its share, 0, has no place on a logarithmic axis.
    const series = chart.series.map(s => ({points: s.points.filter(p => p[1] > 1e-12)}));
    const rows = merged(series, Math.log10);
    if (series.every(one => one.points.length < 2)) return missing(box, 'Each workload has a single latency: see the table.');
    const least = Math.min(...rows.map(r => Math.min(...r.slice(1).filter(v => v !== null))));
    draw(chart, box, rows, {logscale: true, connectSeparatedPoints: true, underlayCallback: null, yRangePad: 0, valueRange: [least * 0.8, 1.05],
        dateWindow: [rows[0][0] - 0.05, rows[rows.length - 1][0] + 0.05],
        axes: {x: {ticker: decades}, y: {ticker: shares}}});
}

// ---------------------------------------------------------------- bands

// Below each queue the ports that were paused because of it, in the order in which that began: with the first pause after the cause's.
function causalOrder(rows, bands) {
    const begins = rows.map(row => row.from_ps), byCause = [], below = rows.map(() => []);
    rows.forEach((row, index) => { if (row.cause !== undefined) below[row.cause].push(index); });
    const earliest = list => list.sort((a, b) => begins[a] - begins[b]);
    const visit = index => {
        if (byCause.includes(index)) return; // in a circle
        byCause.push(index);
        below[index].forEach(row => {
            const after = bands[row].find(band => band[1] >= begins[index]);
            if (after !== undefined && !byCause.includes(row)) begins[row] = after[1];
        });
        earliest(below[index]).forEach(visit);
    };
    earliest(rows.map((_, index) => index).filter(index => rows[index].cause === undefined)).forEach(visit);
    // Rows of a circle have no first cause: begin within the circle, not with what waits behind it.
    rows.forEach((_, index) => {
        const seen = new Set();
        let at = index;
        for (; !seen.has(at) && rows[at].cause !== undefined; at = rows[at].cause) seen.add(at);
        visit(at);
    });
    return {byCause, begins};
}

function drawBands(chart, box) {
    const rows = chart.rows.length;
    const byRow = chart.rows.map(() => []);
    chart.bands.forEach(band => byRow[band[0]].push(band));
    const plot = element('div', box, 'plot');
    plot.style.height = 34 + rows * 20 + 'px';
    const line = element('div', box, 'keys');
    const at = element('span', line, 'at', 'Point at a band to see its port and times.');
    // Rows from the top: longest first, or each below its cause.
    const order = chart.rows.map((_, row) => row), {byCause, begins} = causalOrder(chart.rows, byRow);
    let shown = order, arrows = false;
    const place = row => rows - 1 - shown.indexOf(row);
    if (chart.rows.some(row => row.cause !== undefined)) {
        const button = element('button', box.querySelector('header'), '', 'in order of cause');
        button.type = 'button';
        button.title = 'below each queue the ports that were paused because of it, with an arrow where that began';
        button.setAttribute('aria-pressed', 'false');
        button.addEventListener('click', () => {
            arrows = !arrows;
            shown = arrows ? byCause : order;
            button.setAttribute('aria-pressed', String(arrows));
            graph.updateOptions({file: [[0, 0], [span, 0]]});
        });
    }
    const with_ = options({unit: 'ports', kind: 'bands'}, [{}]);
    with_.plotter = () => {};
    with_.highlightCircleSize = 0;
    with_.valueRange = [-0.6, rows - 0.4];
    with_.axes.y = {drawGrid: false, axisLabelWidth: labelWidth(), valueRange: [-0.6, rows - 0.4],
        ticker: () => chart.rows.map((row, i) => ({v: place(i), label_v: place(i), label: row.port}))};
    with_.underlayCallback = (canvas, area, graph) => {
        const height = Math.max(4, area.h / (rows + 0.2) * 0.72), range = graph.xAxisRange();
        shade(canvas, area, graph);
        canvas.save();
        canvas.beginPath();
        canvas.rect(area.x, area.y, area.w, area.h);
        canvas.clip();
        byRow.forEach((bands, row) => {
            const top = graph.toDomYCoord(place(row)) - height / 2;
            canvas.fillStyle = faint(style('--h0').slice(0, 7), 0.18);
            canvas.fillRect(area.x, top, area.w, height);
            for (const band of bands) {
                if (band[2] < range[0] || band[1] > range[1]) continue;
                const left = graph.toDomXCoord(band[1]), right = graph.toDomXCoord(band[2]);
                const part = band[3] / (band[2] - band[1]);
                canvas.fillStyle = faint(style(part > 0.66 ? '--h5' : part > 0.33 ? '--h4' : '--h3'), 0.4 + 0.6 * part);
                canvas.fillRect(left, top, Math.max(0.7, right - left), height);
            }
        });
        if (arrows) chart.rows.forEach((row, index) => {
            if (row.cause === undefined) return;
            const x = graph.toDomXCoord(begins[index]), from = graph.toDomYCoord(place(row.cause)), until = graph.toDomYCoord(place(index));
            const down = until > from ? 1 : -1;
            canvas.strokeStyle = canvas.fillStyle = style('--ink');
            canvas.lineWidth = 1.5;
            canvas.beginPath();
            canvas.moveTo(x, from);
            canvas.lineTo(x, until);
            canvas.stroke();
            canvas.beginPath();
            canvas.moveTo(x, until);
            canvas.lineTo(x - 4, until - 7 * down);
            canvas.lineTo(x + 4, until - 7 * down);
            canvas.fill();
        });
        canvas.restore();
    };
    const graph = new Dygraph(plot, [[0, 0], [span, 0]], with_);
    plot.addEventListener('mousemove', event => {
        const where = graph.eventToDomCoords(event);
        const time = Math.min(span, Math.max(0, graph.toDataXCoord(where[0])));
        const line = rows - 1 - Math.round(graph.toDataYCoord(where[1])), row = line >= 0 && line < rows ? shown[line] : -1;
        const near = (graph.xAxisRange()[1] - graph.xAxisRange()[0]) / plot.clientWidth;
        pointAt(time);
        if (!(row >= 0 && row < rows)) return;
        const cause = chart.rows[row].cause;
        const band = byRow[row].find(b => b[1] - near <= time && time <= b[2] + near);
        at.textContent = asTime(time) + ': ' + chart.rows[row].name + (band === undefined
            ? ': ' + asTime(chart.rows[row].blocked_ps) + ' in total'
            : ' from ' + asTime(band[1]) + ' for ' + asTime(band[2] - band[1]) +
              (band[3] < band[2] - band[1] ? ', ' + asTime(band[3]) + ' of it' : '')) +
            (cause === undefined ? '' : '; for the queue at ' + chart.rows[cause].port);
    });
    plot.addEventListener('mouseleave', leave);
    keep(chart, graph, plot, with_, [{}]);
}

// ---------------------------------------------------------------- the page

function csv(chart) {
    const quote = text => /[,"\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    const lines = [];
    if (chart.kind === 'bands') {
        lines.push('port,from_ps,until_ps,blocked_ps');
        chart.bands.forEach(b => lines.push([quote(chart.rows[b[0]].name), b[1], b[2], b[3]].join(',')));
    } else if (chart.kind === 'steps') {
        lines.push(['from_ps'].concat(chart.series.map(s => quote(s.name))).join(','));
        chart.series[0].values.forEach((_, i) =>
            lines.push([i * chart.step_ps].concat(chart.series.map(s => s.values[i] === null ? '' : s.values[i])).join(',')));
    } else {
        lines.push(chart.kind === 'tail' ? 'series,latency_ps,share' : 'series,at_ps,value');
        chart.series.forEach(s => s.points.forEach(p => lines.push([quote(s.name), p[0], p[1]].join(','))));
    }
    return lines.join('\n') + '\n';
}

function save(chart) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([csv(chart)], {type: 'text/csv'}));
    link.download = (figures.scenario + (figures.against ? '-pair' : '')).replace(/[^A-Za-z0-9_-]/g, '_') + '-' + chart.id + '.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function missing(box, text) {
    element('p', box, 'missing', text);
}

// What has nothing to show says so in a line, below all charts.
function add(chart, parent, nothing) {
    const found = chart[chart.kind === 'bands' ? 'bands' : 'series'] || [];
    if (found.length === 0) {
        const line = element('div', nothing);
        line.id = 'chart-' + chart.id;
        element('b', line, '', chart.title);
        return missing(line, chart.missing || 'None in this run.');
    }
    const box = element('div', parent, 'chart');
    box.id = 'chart-' + chart.id;
    const head = element('header', box);
    element('h3', head, '', chart.title);
    element('p', box, 'about', chart.about);
    if (chart.missing) missing(box, 'One of the runs is not shown: ' + chart.missing);
    const button = element('button', head, '', 'CSV');
    button.type = 'button';
    button.title = 'save these numbers';
    button.addEventListener('click', () => save(chart));
    ({bands: drawBands, steps: drawSteps, points: drawPoints, lines: drawLines, tail: drawTail})[chart.kind](chart, box);
}

if (figures.faults.length > 0)
    element('p', document.getElementById('drawn'), 'legend', '').append(...figures.faults.map(fault => {
        const key = document.createElement('span');
        element('i', key, 'fault');
        element('span', key, '', 'fault: ' + fault.name);
        return key;
    }));
const nothing = document.createElement('div');
nothing.className = 'nothing';
figures.charts.forEach(chart => add(chart,
    document.querySelector('[data-chart="' + chart.id + '"]') || document.getElementById('drawn'), nothing));
if (nothing.firstChild) document.getElementById('drawn').appendChild(nothing);
drawn.forEach(one => one.graph.resize()); // the first one was as wide as the page until it had neighbours
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawn.forEach(one => one.repaint()));
document.querySelectorAll('.drawing').forEach(box => box.addEventListener('click', () => box.classList.toggle('full')));
// A link to a folded section opens it, and paper has no folds.
function unfold() {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const fold = target && target.querySelector(':scope > details');
    if (fold) fold.open = true;
}
window.addEventListener('hashchange', unfold);
window.addEventListener('beforeprint', () => document.querySelectorAll('.folded > details, .command > details').forEach(fold => { fold.open = true; }));
document.querySelectorAll('a[href^="#"]').forEach(link => link.addEventListener('click', () => setTimeout(unfold)));
unfold();
window.stormglass = {limits, pauseLimits, figures, drawn, csv, element, asTime, asRate, asBytes, asNumber, cursor, showMoment, pin};
})();
