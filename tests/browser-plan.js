// browser-plan - what the page of a plan looks like from inside; tests/browser adds it.  SPDX-License-Identifier: Apache-2.0
'use strict';
(function () {
const all = selector => Array.from(document.querySelectorAll(selector));
const shown = node => node.getBoundingClientRect().width > 0 && node.getBoundingClientRect().height > 0;
const colours = selector => Array.from(new Set(all(selector).map(node => getComputedStyle(node).backgroundColor)));
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
    bill: all('#bill tbody tr').reduce((sum, row) => sum + Number(row.children[3].title), 0),
    wide: document.documentElement.scrollWidth > window.innerWidth,
    ground: getComputedStyle(document.body).backgroundColor,
};
const out = document.createElement('pre');
out.id = 'browser-says';
out.textContent = JSON.stringify(said);
document.body.appendChild(out);
if (window.parent !== window) window.parent.postMessage(out.textContent, '*');
})();
