// browser-plan - what the page of a plan looks like from inside; tests/browser adds it.  SPDX-License-Identifier: Apache-2.0
'use strict';
(function () {
const all = selector => Array.from(document.querySelectorAll(selector));
const shown = node => node.getBoundingClientRect().width > 0 && node.getBoundingClientRect().height > 0;
const colours = selector => Array.from(new Set(all(selector).map(node => getComputedStyle(node).backgroundColor)));
// Of two colours, as WCAG 2.1 has it: 4.5 is asked of text, 3 of what is drawn.
const luminance = colour => {
    const parts = colour.match(/[\d.]+/g).map(Number).slice(0, 3).map(part => colour.startsWith('color(') ? part : part / 255);
    const linear = parts.map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const behind = node => {
    for (; node; node = node.parentElement) {
        const colour = getComputedStyle(node).backgroundColor;
        if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'rgb(255, 255, 255)';
};
const contrast = (colour, ground) => {
    const [a, b] = [luminance(colour), luminance(ground)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
};
const least = (selector, of, ground) => Math.min(...all(selector).filter(shown).map(node => contrast(getComputedStyle(node)[of], ground(node))));
const outer = node => behind(node.parentElement);
// Words of a chart that lie on each other.
const overlaps = svg => {
    const boxes = Array.from(svg.querySelectorAll('text'), node => node.getBoundingClientRect());
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    return boxes.filter((a, i) => boxes.some((b, k) => k > i && !apart(a, b))).length;
};
const said = {
    fetched: performance.getEntriesByType('resource').map(entry => entry.name),
    chosen: all('.verdict.good').map(node => node.textContent),
    candidates: all('#candidates tbody tr').map(row => Array.from(row.children, cell => cell.title || cell.textContent)),
    points: all('#front circle').filter(shown).length,
    front: all('#front tbody tr').length,
    cells: {
        all: all('.map td').length, holds: all('.map .holds').filter(shown).length,
        fails: all('.map .fails').length, left: all('.map .left').length,
    },
    colours: [colours('.map .holds'), colours('.map .fails')],
    cliffs: all('#cliffs table:not(.moves) tbody tr').length,
    curves: all('.cliff circle').filter(shown).length,
    spans: all('.cliff .span').length,
    unmodelled: all('#unmodelled li').length,
    commands: all('.map .holds, .map .fails').filter(cell => cell.title.includes('stormglass run ')).length,
    versus: all('#versus .versus tbody tr').map(row => row.children[0].textContent + '|' + row.children[1].textContent + '|' + row.children[2].textContent),
    intervals: all('#versus .tornado i').filter(shown).length,
    bars: all('#assumed .tornado i').filter(shown).length,
    bill: all('#bill tbody tr').slice(0, -1).reduce((sum, row) => sum + Number(row.children[3].title), 0),
    total: Number((all('#bill tbody tr:last-child td')[3] || {}).title), legend: all('#front .legend span').map(key => key.textContent), crosses: all('.cliff .cross').length,
    // Boxes whose contents are wider than they, words of charts beyond them or smaller than 10 px: none.
    scrolling: all('.wide').filter(node => node.scrollWidth > node.clientWidth).map(node => node.textContent.slice(0, 40)),
    outside: all('.front text').filter(node => {
        const box = node.getBoundingClientRect(), chart = node.ownerSVGElement.getBoundingClientRect();
        return box.left < chart.left - 1 || box.right > chart.right + 1;
    }).length,
    letters: Math.min(...all('.front text').map(node => node.getScreenCTM().a * parseFloat(getComputedStyle(node).fontSize))),
    overlapping: all('.front').map(overlaps).reduce((sum, some) => sum + some, 0),
    contrast: {
        cells: least('.map td', 'color', behind), words: least('.front text', 'fill', behind), points: least('.front circle', 'fill', behind),
        bars: least('.tornado i', 'backgroundColor', outer),
    },
    wide: document.documentElement.scrollWidth > window.innerWidth,
    ground: getComputedStyle(document.body).backgroundColor,
};
const out = document.createElement('pre');
out.id = 'browser-says';
out.textContent = JSON.stringify(said);
document.body.appendChild(out);
if (window.parent !== window) window.parent.postMessage(out.textContent, '*');
})();
