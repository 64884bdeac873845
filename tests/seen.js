// seen - what a reader sees of pages, in both themes and two widths.           SPDX-License-Identifier: Apache-2.0
// usage: node tests/seen.js FOLDER PAGE.html...      Screenshots go to FOLDER: the first screen, and the page as a whole.
'use strict';
const fs = require('fs');
const path = require('path');
const {Browser} = require('./browser-pipe.js');

const [folder, ...pages] = process.argv.slice(2);
const SCREEN = 900;
const RUN_SCREENS = 6;
let failures = 0;

// Runs in the page.  A label is a text of a drawing or of a chart; its box is a quadrangle, since host names are slanted.
function measure() {
    const said = {over: [], outside: [], cut: [], faint: [], scrolling: []};
    const shown = one => one.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
    const words = one => one.textContent.trim().replace(/\s+/g, ' ').slice(0, 60);
    const corners = text => {
        if (!(text instanceof SVGElement)) {
            const range = document.createRange();
            range.selectNodeContents(text);
            const box = range.getBoundingClientRect();
            return [[box.left, box.top], [box.right, box.top], [box.right, box.bottom], [box.left, box.bottom]];
        }
        const box = text.getBBox(), to = text.getScreenCTM(), low = box.height * 0.18; // without the space below and above letters
        return [[box.x, box.y + low], [box.x + box.width, box.y + low], [box.x + box.width, box.y + box.height - low],
            [box.x, box.y + box.height - low]].map(([x, y]) => [x * to.a + y * to.c + to.e, x * to.b + y * to.d + to.f]);
    };
    // Two convex quadrangles are apart if their projections on a normal of one of their sides are.
    const meet = (a, b) => {
        for (const [one, i] of [[a, 0], [a, 1], [b, 0], [b, 1]]) {
            const x = one[i + 1][1] - one[i][1], y = one[i][0] - one[i + 1][0], length = Math.hypot(x, y) || 1;
            const along = quad => quad.map(([px, py]) => (px * x + py * y) / length);
            const [first, second] = [along(a), along(b)];
            if (Math.max(...first) <= Math.min(...second) + 0.5 || Math.max(...second) <= Math.min(...first) + 0.5) return false;
        }
        return true;
    };
    for (const drawing of document.querySelectorAll('svg, .plot')) {
        if (!shown(drawing)) continue;
        const labels = Array.from(drawing.querySelectorAll('text, .dygraph-axis-label, .dygraph-ylabel')).filter(one => words(one) && shown(one))
            .map(one => [words(one), corners(one)]);
        labels.forEach(([one, a], i) => labels.slice(i + 1).forEach(([other, b]) => { if (meet(a, b)) said.over.push([one, other]); }));
        const frame = drawing.getBoundingClientRect();
        for (const [one, quad] of labels)
            if (quad.some(([x, y]) => x < frame.left - 1 || x > frame.right + 1 || y < frame.top - 3 || y > frame.bottom + 3)) said.outside.push(one);
    }
    // Words that are wider than what holds them, and cannot be reached by scrolling.
    const scrolls = one => /auto|scroll/.test(getComputedStyle(one).overflowX);
    for (const one of document.querySelectorAll('body *')) {
        if (one.closest('svg, .plot, script, style') || !shown(one)) continue;
        if (scrolls(one)) {
            if (one.scrollWidth > one.clientWidth + 1) said.scrolling.push((one.className || one.tagName) + ' in ' + (one.closest('section, nav')?.id || one.closest('nav')?.className || 'the head') +
                ` by ${one.scrollWidth - one.clientWidth}`);
            continue;
        }
        if (!Array.from(one.childNodes).some(node => node.nodeType === 3 && node.data.trim())) continue;
        let reach = one;
        while (reach && !scrolls(reach)) reach = reach.parentElement;
        const box = one.getBoundingClientRect();
        if (!reach && (box.right > innerWidth + 1 || box.left < -1)) said.cut.push(words(one));
        if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible') said.cut.push(words(one));
    }
    // Contrast of words and ground, as WCAG counts it.
    const parts = color => {
        const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number), share = /^color\(/.test(color) ? 255 : 1;
        return [red * share, green * share, blue * share, alpha];
    };
    const bright = color => color.slice(0, 3).map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    for (const one of document.querySelectorAll('body *')) {
        if (one.closest('svg, .plot, .keys, script, style') || !shown(one) || !Array.from(one.childNodes).some(node => node.nodeType === 3 && node.data.trim())) continue;
        let below = one, ground = parts(getComputedStyle(one).backgroundColor);
        while (ground[3] < 0.99 && below.parentElement) ground = parts(getComputedStyle(below = below.parentElement).backgroundColor);
        const [a, b] = [bright(parts(getComputedStyle(one).color)), bright(ground)];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.4 && ground[3] > 0.99) said.faint.push([words(one), contrast.toFixed(1)]);
    }
    const bottom = name => Math.max(0, ...Array.from(document.querySelectorAll(name)).map(one => one.getBoundingClientRect().bottom + scrollY));
    said.height = document.documentElement.scrollHeight;
    said.wide = document.documentElement.scrollWidth - innerWidth;
    said.several = document.getElementById('inputs') !== null; // a table of the answers, then pages of any length
    said.answer = said.several ? {verdict: bottom('#inputs tbody tr:first-child'), table: bottom('#inputs')} : {verdict: bottom('.verdict'), table: bottom('header ~ .wide, header ~ .rows'), first: bottom('.two.first')};
    said.astray = Array.from(document.querySelectorAll('a[href^="#"]')).map(link => link.getAttribute('href'))
        .filter(to => document.getElementById(decodeURIComponent(to.slice(1))) === null);
    return said;
}

function check(what, well, said) {
    if (well) return;
    failures++;
    console.log(`${what}: ${JSON.stringify(said).slice(0, 700)}`);
}

async function look(browser, file, width, theme) {
    const name = `${path.basename(file, '.html')}-${theme}-${width}`;
    const page = await browser.open('file://' + path.resolve(file), {width, height: SCREEN, theme});
    await page.until(`document.readyState === 'complete'`, 60);
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 100)))');
    const said = await page.evaluate(`(${measure})()`);
    if (process.env.SAY) console.log(name, JSON.stringify({height: said.height, answer: said.answer, scrolling: said.scrolling}));
    await page.shoot(path.join(folder, name + '.png'));
    await page.shoot(path.join(folder, name + '-whole.png'), true);
    check(`${name}: words on the console`, page.words.length === 0, page.words);
    check(`${name}: a name became an element`, await page.evaluate('document.images.length === 0 && window.hacked === undefined'), name);
    check(`${name}: labels overlap`, said.over.length === 0, said.over);
    check(`${name}: labels outside of their drawing`, said.outside.length === 0, said.outside);
    check(`${name}: wider than the window`, said.wide <= 0, said.wide);
    check(`${name}: words are cut off`, said.cut.length === 0, said.cut);
    check(`${name}: too faint`, said.faint.length === 0, said.faint);
    check(`${name}: a link leads nowhere`, said.astray.length === 0, said.astray);
    check(`${name}: the navigation scrolls sideways`, !said.scrolling.some(one => one.includes('contents')), said.scrolling);
    if (width > 900) check(`${name}: has to be scrolled sideways`, said.scrolling.length === 0, said.scrolling);
    check(`${name}: the verdict is below the first screen`, said.answer.verdict > 0 && said.answer.verdict <= SCREEN, said.answer);
    if (width > 900) check(`${name}: the answer is below the first screen`, Math.max(...Object.values(said.answer)) <= SCREEN, said.answer);
    if (width > 900 && !said.several) check(`${name}: more than ${RUN_SCREENS} screens`, said.height <= RUN_SCREENS * SCREEN, said.height);
    // With everything opened.
    await page.evaluate(`document.querySelectorAll('details').forEach(fold => { fold.open = true; })`);
    const opened = await page.evaluate(`(${measure})()`);
    check(`${name}, opened: labels overlap`, opened.over.length === 0, opened.over);
    check(`${name}, opened: wider than the window`, opened.wide <= 0, opened.wide);
    check(`${name}, opened: words are cut off`, opened.cut.length === 0, opened.cut);
    check(`${name}, opened: too faint`, opened.faint.length === 0, opened.faint);
    await page.shoot(path.join(folder, name + '-opened.png'), true);
    await page.close();
}

// Without scripts the page has its text and its drawings.
async function plain(browser, file) {
    const name = path.basename(file, '.html') + ' without scripts', page = await browser.open('about:blank', {width: 1400, height: SCREEN, theme: 'light'});
    await page.send('Emulation.setScriptExecutionDisabled', {value: true});
    await page.send('Page.navigate', {url: 'file://' + path.resolve(file)});
    await page.until(`document.readyState === 'complete' && location.protocol === 'file:'`, 60);
    const said = await page.evaluate(`(${measure})()`);
    const parts = await page.evaluate(`[typeof window.stormglass, document.querySelectorAll('section').length, document.querySelectorAll('svg').length,
        Array.from(document.querySelectorAll('section h2')).every(head => head.checkVisibility())]`);
    check(`${name}: scripts run`, parts[0] === 'undefined', parts);
    check(`${name}: sections`, parts[1] > 3 && parts[3], parts);
    check(`${name}: no drawing`, parts[2] > 0 || !hasFabric(file), parts);
    check(`${name}: labels overlap`, said.over.length === 0, said.over);
    check(`${name}: wider than the window`, said.wide <= 0, said.wide);
    await page.shoot(path.join(folder, path.basename(file, '.html') + '-plain.png'), true);
    await page.close();
}
const hasFabric = file => fs.readFileSync(file, 'utf8').includes('id="fabric"');

async function main() {
    const browser = new Browser();
    try {
        for (const file of pages) {
            await plain(browser, file);
            for (const [width, theme] of [[1400, 'light'], [1400, 'dark'], [390, 'light'], [390, 'dark']]) await look(browser, file, width, theme);
        }
    } catch (error) {
        check('the test', false, error.stack);
    }
    await browser.close();
    if (failures === 0) console.log(`seen: ${pages.length} pages; screenshots in ${folder}`);
    process.exit(failures === 0 ? 0 : 1);
}
main();
