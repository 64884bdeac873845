// reader - what every page has: tables that can be sorted, filtered and saved, and links to sections that fold on a narrow screen.
// SPDX-License-Identifier: Apache-2.0
'use strict';
(function () {
const LONG = 8; // rows of a table that has a filter
const units = {ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12, B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824, 'b/s': 1, 'kb/s': 1e3, 'Mb/s': 1e6,
    'Gb/s': 1e9, 'Tb/s': 1e12, 'bit/s': 1, k: 1e3, M: 1e6, G: 1e9, '%': 1, W: 1, '': 1};

function made(tag, parent, className, text) {
    const one = document.createElement(tag);
    if (className) one.className = className;
    if (text !== undefined) one.textContent = text;
    parent.appendChild(one);
    return one;
}
const words = cell => cell === undefined ? '' : (cell.querySelector('details > code') || cell).textContent.trim();
// The title of a cell has the exact value and its unit.
const exact = cell => cell !== undefined && cell.title ? cell.title : words(cell);
function number(text) {
    const found = /^([+-]?[0-9][0-9,]*(?:\.[0-9]+)?)\s*(\S*)$/.exec(text);
    return found === null || units[found[2]] === undefined ? null : +found[1].replace(/,/g, '') * units[found[2]];
}
const natural = new Intl.Collator('en', {numeric: true});

// A column of numbers is sorted by value, any other by its text, with host2 before host10; cells without a value are last.
function sort(table, column, down) {
    const rows = table.rows, empty = text => text === '' || text === '-';
    const keys = new Map(rows.map(row => [row, exact(row.cells[column])])), numbers = new Map(rows.map(row => [row, number(keys.get(row))]));
    const numeric = rows.every(row => empty(keys.get(row)) || numbers.get(row) !== null);
    const compare = (a, b) => numeric ? numbers.get(a) - numbers.get(b) : natural.compare(keys.get(a), keys.get(b));
    const sorted = rows.slice().sort((a, b) => {
        const none = empty(keys.get(a)) - empty(keys.get(b));
        return none !== 0 ? none : (down ? -1 : 1) * compare(a, b);
    });
    table.body.append(...sorted);
}

// Numbers are sorted from the largest first, text from its beginning; the third click restores the order of the page.
function press(table, column) {
    const head = table.heads[column], was = head.getAttribute('aria-sort'), first = head.classList.contains('n') ? 'descending' : 'ascending';
    const second = first === 'descending' ? 'ascending' : 'descending', now = was === null ? first : was === first ? second : null;
    table.heads.forEach(other => other.removeAttribute('aria-sort'));
    if (now === null) return table.body.append(...table.rows);
    head.setAttribute('aria-sort', now);
    sort(table, column, now === 'descending');
}

function filter(table, text) {
    const wanted = text.trim().toLowerCase().split(/\s+/);
    let shown = 0;
    table.rows.forEach(row => {
        const found = row.textContent.toLowerCase();
        row.hidden = !wanted.every(word => found.includes(word));
        shown += !row.hidden;
    });
    table.count.textContent = shown === table.rows.length ? shown + ' rows' : shown + ' of ' + table.rows.length + ' rows';
}

// The rows as they are shown, with exact values and their unit in the head.
function csv(table) {
    const quote = text => /[,"\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    const rows = Array.from(table.body.rows).filter(row => !row.hidden), unit = table.heads.map((_, column) => {
        const found = new Set(rows.filter(row => row.cells[column] && row.cells[column].title).map(row => row.cells[column].title.split(' ')[1] || ''));
        return found.size === 1 ? Array.from(found)[0] : '';
    });
    const value = (cell, column) => cell === undefined ? '' : cell.title ? (unit[column] ? cell.title.split(' ')[0] : cell.title) : words(cell) === '-' ? '' : words(cell);
    return [table.heads.map((head, column) => words(head) + (unit[column] ? ' (' + unit[column] + ')' : ''))]
        .concat(rows.map(row => table.heads.map((_, column) => value(row.cells[column], column))))
        .map(line => line.map(quote).join(',')).join('\n') + '\n';
}
function save(table) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([csv(table)], {type: 'text/csv'}));
    link.download = (document.title.split(' - ')[0] + '-' + ((table.box.closest('section') || {}).id || 'table')).replace(/[^A-Za-z0-9_-]/g, '_') + '.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function prepare(box) {
    const element = box.querySelector('table'), body = element && element.tBodies[0];
    if (!body || !element.tHead || body.rows.length < 2) return null;
    const table = {box, body, rows: Array.from(body.rows), heads: Array.from(element.tHead.rows[0].cells)};
    if (table.heads.length < 2) return null;
    // A total is the sum of the rows above it, wherever they are.
    if (table.rows.some(row => words(row.cells[0]) === 'total' || words(row.cells[1]) === 'total')) return null;
    table.heads.forEach((head, column) => {
        const text = words(head);
        if (text === '') return;
        head.textContent = '';
        const button = made('button', head, 'sort', text);
        button.type = 'button';
        button.title = 'sort by this column';
        button.addEventListener('click', () => press(table, column));
    });
    if (table.rows.length < LONG) return table;
    const line = document.createElement('div');
    line.className = 'tools';
    box.before(line);
    const search = made('input', line);
    search.type = 'search';
    search.placeholder = 'filter rows';
    search.setAttribute('aria-label', 'show only rows that contain these words');
    search.addEventListener('input', () => filter(table, search.value));
    table.count = made('span', line, '', table.rows.length + ' rows');
    table.count.setAttribute('aria-live', 'polite');
    const button = made('button', line, '', 'CSV');
    button.type = 'button';
    button.title = 'save these rows';
    button.addEventListener('click', () => save(table));
    return table;
}

const tables = Array.from(document.querySelectorAll('.wide.rows')).map(prepare).filter(table => table !== null);
// On a narrow screen the links to the sections are one line until they are needed.
const contents = document.querySelector('nav.contents details');
if (contents && window.matchMedia('(max-width: 640px)').matches) {
    contents.open = false;
    contents.addEventListener('click', event => { if (event.target.tagName === 'A') contents.open = false; });
}
window.stormglassTables = {tables, csv};
})();
