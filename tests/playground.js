// playground - the page of report --playground in a browser, compared with the program.   SPDX-License-Identifier: Apache-2.0
// usage: node tests/playground.js PROGRAM FOLDER NAME...      NAME: the cases and lessons to run; screenshots go to FOLDER
'use strict';
const {spawnSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const {Browser} = require('./browser-pipe.js');

const [program, folder, ...names] = process.argv.slice(2);
const url = 'file://' + path.resolve(folder, 'playground.html');
const LONG = 300; // seconds; the machine may be busy
let failures = 0;

function check(what, well, said = '') {
    if (well) return;
    failures++;
    console.log(`${what}${said === '' ? '' : ': ' + (typeof said === 'string' ? said : JSON.stringify(said))}`);
}

function native(...args) {
    return spawnSync(program, args, {encoding: 'utf8', cwd: folder, maxBuffer: 1 << 28});
}
// The second line ends with the time that the run took.
const withoutTime = summary => summary.replace(/ in [0-9.]+ [a-z]+$/m, '');
const quote = JSON.stringify;
const id = name => `document.getElementById(${quote(name)})`;
const ready = `${id('state')}.textContent === 'Ready' && document.querySelectorAll('#parameters .knob').length > 3`;
const titleOf = name => {
    const file = `scenarios/lessons/${name}.md`;
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').match(/^# (.*)/)[1] : name;
};

async function choose(page, name) {
    await page.evaluate(`(() => { const choice = ${id('choice')};
        choice.value = Array.from(choice.options).find(one => one.text === ${quote(titleOf(name))}).value;
        choice.dispatchEvent(new Event('change')); })()`);
    await page.until(`playground.state.parametersFor === ${id('text')}.value`, LONG);
}
async function write(page, text) {
    await page.evaluate(`(() => { const text = ${id('text')}; text.value = ${quote(text)}; text.dispatchEvent(new Event('input')); })()`);
}
async function run(page) {
    await page.evaluate(`playground.last = null; ${id('run')}.click()`);
    await page.until('!playground.state.busy && !playground.state.testing', LONG);
    check('a run failed', await page.evaluate('playground.last !== null'), await page.evaluate(`${id('failure')}.textContent`));
    return page.evaluate('playground.last');
}
async function change(page, parameter, value) {
    await page.evaluate(`(() => { const knob = Array.from(document.querySelectorAll('.knob')).find(one => one.dataset.path === ${quote(parameter)});
        const field = knob.querySelector('input[type=text]'); field.value = ${quote(value)}; field.dispatchEvent(new Event('change')); })()`);
}

// The same digest, the same summary, and the same numbers in the charts.
function compare(name, shown, sets) {
    const file = 'native.db', code = native('run', name, ...sets, '--record', 'ios', '-o', file);
    if (!shown) return;
    const digest = code.stdout.match(/^digest ([0-9a-f]{32})$/m);
    check(`${name}: digest`, digest && digest[1] === shown.digest, `${shown.digest}, on the command line ${digest && digest[1]}`);
    check(`${name}: another summary`, withoutTime(code.stdout) === withoutTime(shown.summary));
    const figures = JSON.parse(native('report', file, '--figures').stdout);
    const inPage = shown.page.match(/<script type="application\/json" id="figures">([^]*?)<\/script>/);
    check(`${name}: other charts`, inPage && JSON.stringify(JSON.parse(inPage[1])) === JSON.stringify(figures));
    fs.rmSync(path.join(folder, file));
}

async function cases(page) {
    for (const name of names) {
        await choose(page, name);
        const shown = await run(page);
        compare(name, shown, []);
        if (shown) console.log(`  ${name}: ${(shown.ms / 1000).toFixed(2)} s in the browser, ${Math.round(shown.bytes / 1048576)} MiB, digest ${shown.digest}`);
    }
}

// One slider of each case or lesson, moved by one stop: the run has the numbers of the command line with the same --set.
async function sliders(page) {
    for (const name of names) {
        await choose(page, name);
        const moved = await page.evaluate(`(() => {
            const knobs = Array.from(document.querySelectorAll('#parameters .knob')).filter(knob => knob.querySelector('input[type=range]'));
            const knob = knobs.find(one => /queue-depth|outstanding|message-size|block-size/.test(one.dataset.path)) || knobs.find(one => /^(hosts|fabric)/.test(one.dataset.path));
            if (!knob) return null;
            const slider = knob.querySelector('input[type=range]');
            slider.value = +slider.value > 0 ? +slider.value - 1 : +slider.value + 1;
            slider.dispatchEvent(new Event('input'));
            slider.dispatchEvent(new Event('change'));
            return knob.dataset.path;
        })()`);
        check(`${name}: no slider`, moved !== null);
        const command = await page.evaluate(`${id('command')}.textContent`);
        check(`${name}: ${moved} is no --set`, command.includes(`--set ${moved}=`), command);
        const shown = await run(page), set = command.split(' --set ').slice(1).flatMap(one => ['--set', one]);
        compare(name, shown, set);
        if (shown) console.log(`  ${name}: ${set.join(' ')}, digest ${shown.digest}`);
        await page.evaluate(`${id('reset')}.click()`);
    }
}

async function queueDepth(page) {
    await choose(page, 'pause-storm');
    const before = await run(page);
    console.log(`  pause-storm: ${(before.ms / 1000).toFixed(2)} s in the browser`);
    await change(page, 'workloads.victims.queue-depth', '16');
    check('the command line', await page.evaluate(`${id('command')}.textContent`) ===
        'stormglass run pause-storm --set workloads.victims.queue-depth=16');
    const after = await run(page);
    const iops = summary => (summary.match(/^ {2}victims +\S+ +(\S+ \S)/m) || [])[1];
    check('a queue depth of 16 changes nothing', after && iops(before.summary) !== iops(after.summary), iops(before.summary));
    compare('pause-storm', after, ['--set', 'workloads.victims.queue-depth=16']);
    await change(page, 'workloads.victims.queue-depth', '8');
    check('a change back stays a change', !(await page.evaluate(`${id('command')}.textContent`)).includes('--set'));
}

// The results of a storm are shown before its causes are tested, and a page that is being read is replaced by a click only.
async function firstResults(page) {
    const shown = word => page.evaluate(`${id('page')}.srcdoc.includes(${quote(word)})`);
    await choose(page, 'pause-storm');
    await page.evaluate(`${id('run')}.click(); playground.begun = performance.now()`);
    await page.until('!playground.state.busy', LONG);
    const first = await page.evaluate('performance.now() - playground.begun');
    check('the first results wait for the reruns', await page.evaluate('playground.state.testing'));
    check('the first results name tested causes', await shown('<td>suspected</td>'));
    await page.evaluate(`${id('page')}.dispatchEvent(new PointerEvent('pointerenter'))`);
    await page.until('!playground.state.testing', LONG);
    const whole = await page.evaluate('performance.now() - playground.begun');
    console.log(`  pause-storm: results after ${(first / 1000).toFixed(1)} s, tested causes after ${(whole / 1000).toFixed(1)} s`);
    check('the first results take longer than half of the whole', first < whole / 2, `${first} ms of ${whole} ms`);
    check('a page that is being read was replaced', await shown('<td>suspected</td>'));
    await page.evaluate(`${id('replace')}.click()`);
    check('the tested causes are not shown', await shown('<td>confirmed</td>') && !await shown('<td>suspected</td>'));
    check('the digest changed', await page.evaluate('playground.first.digest === playground.last.digest'));
    await page.evaluate(`${id('run')}.click()`);
    await page.until('!playground.state.busy', LONG);
    await page.evaluate(`${id('stop')}.click()`);
    await page.until('!playground.state.testing', LONG);
    check('stopped tests', (await page.evaluate(`${id('tested')}.textContent`)).includes('not tested'));
    check('the results are gone', await page.evaluate(`playground.last.digest === ${id('digest')}.textContent`));
}

async function errors(page) {
    await choose(page, 'pause-storm');
    const text = await page.evaluate(`${id('text')}.value`);
    const wrong = text.replace('duration: 10ms', 'duration: 10mss').replace('queue-depth: 4', 'queue-dept: 4');
    fs.writeFileSync(path.join(folder, 'pause-storm.yaml'), wrong);
    const wanted = native('run', 'pause-storm.yaml').stderr.trimEnd();
    await write(page, wrong);
    await page.until(`document.querySelectorAll('#problems .error').length === 2`, LONG);
    const said = await page.evaluate(`Array.from(document.querySelectorAll('#problems button')).map(one => one.textContent)`);
    check('other errors than on the command line', said.join('\n') === wanted, said);
    for (let i = 0; i < said.length; i++) {
        await page.evaluate(`document.querySelectorAll('#problems button')[${i}].click()`);
        const [, line, column] = said[i].match(/^[^:]*:(\d+):(\d+):/);
        check('the cursor', await page.evaluate(`${id('place')}.textContent`) === `Line ${line}, column ${column}`, said[i]);
    }
    await write(page, text);
    await page.until(`document.querySelectorAll('#problems .error').length === 0`, LONG);
    await change(page, 'workloads.victims.queue-depth', 'many');
    await page.until(`document.querySelectorAll('#problems .error').length === 1`, LONG);
    await page.evaluate(`document.querySelector('#problems button').click()`);
    check('a click does not lead to the parameter', await page.evaluate(`document.activeElement.closest('.knob.wrong') !== null`));
    fs.rmSync(path.join(folder, 'pause-storm.yaml'));
}

// What a scenario contains is text, in the page and in the report.
async function hostile(page) {
    await choose(page, 'first-io');
    const image = '<img src=x onerror=parent.hacked=1>', end = '</script><script>parent.hacked=1</script>';
    const text = await page.evaluate(`${id('text')}.value`);
    const about = text.replace(/^about: .*$/m, `about: '${image}${end}'`) + `# ${image}${end}\n`;
    const clean = async what => check(`${what} adds elements`, await page.evaluate(`document.querySelectorAll('img').length === 0 && window.hacked === undefined`));
    await write(page, about.replace(/name: read\b/, `name: 'r${image}'`));
    await page.until(`document.querySelector('#problems .error') !== null`, LONG);
    check('an error does not quote the name', (await page.evaluate(`${id('problems')}.textContent`)).includes(image));
    await clean('a hostile name');
    await write(page, about);
    await page.until(`document.querySelector('#problems .error') === null`, LONG);
    const shown = await run(page);
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 500))');
    check('the summary does not quote the scenario', shown && shown.summary.includes(image + end));
    check('a hostile scenario adds elements to the report', shown && shown.page.includes('&lt;img src=x') && !shown.page.includes('<img src=x'));
    await clean('a hostile scenario');
    await page.evaluate(`${id('other')}.value = ${quote(`fabric.${image}=${image}`)}; ${id('add')}.click()`);
    await page.until(`document.querySelector('#problems .error') !== null`, LONG);
    await clean('a hostile parameter');
    await page.evaluate(`${id('reset')}.click()`);
    check('the frame may reach the page', await page.evaluate(`${id('page')}.getAttribute('sandbox')`) === 'allow-scripts allow-downloads');
}

async function stopAndLimits(page) {
    await choose(page, 'fat-tree-128');
    await page.evaluate(`${id('run')}.click()`);
    await page.until(`!${id('stop')}.disabled`, LONG);
    await page.evaluate(`${id('stop')}.click()`);
    check('a stopped run', await page.evaluate(`${id('state')}.textContent`) === 'Stopped');
    await choose(page, 'pause-storm');
    await change(page, 'fabric.topology.leaves', '6');
    await change(page, 'fabric.topology.hosts-per-leaf', '2000');
    await page.until(`playground.state.size.hosts === 12000`, LONG);
    await page.evaluate(`${id('run')}.click()`);
    check('a run without memory is not refused', (await page.evaluate(`${id('failure')}.textContent`)).includes('Run it on the command line'));
    await choose(page, 'first-io');
    await page.evaluate(`document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', ctrlKey: true}))`);
    check('Ctrl+Enter does not run', await page.evaluate('playground.state.busy'));
    await page.until('!playground.state.busy', LONG);
}

async function steps(page) {
    const script = ['next 3', 'next pause', 'back 2', 'why host0'];
    await choose(page, 'pause-storm');
    let printed = '';
    for (const line of script) {
        await page.evaluate(`${id('line')}.value = ${quote(line)}; ${id('stepper')}.requestSubmit()`);
        await page.until('!playground.state.busy', LONG);
        printed += `> ${line}\n`;
    }
    fs.writeFileSync(path.join(folder, 'script'), script.join('\n') + '\n');
    const wanted = native('step', 'pause-storm', '--script', 'script').stdout;
    const said = await page.evaluate(`${id('steps')}.textContent`);
    check('steps', said.split('\n').filter(line => !line.startsWith('> ')).join('\n') === wanted, said);
    check('commands are not shown', script.every(line => said.includes(`> ${line}\n`)), said);
    fs.rmSync(path.join(folder, 'script'));
}

async function lesson(page) {
    for (const name of new Set(['pfc', ...names.filter(one => fs.existsSync(`scenarios/lessons/${one}.md`))])) {
        await choose(page, name);
        await page.until(`document.querySelectorAll('#lesson details').length === 5`, LONG);
        const said = await page.evaluate(`${id('lesson')}.textContent`).then(text => text.replace(/\s+/g, ''));
        const wanted = native('lesson', name).stdout.split(/\nNext: /)[0].replace(/^== /gm, '').replace(/\s+/g, '');
        check(`${name}: another lesson`, said.startsWith(wanted));
    }
}

// What a screen reader announces, and what a narrow screen clips.
async function looks(page, name) {
    const unnamed = await page.evaluate(`Array.from(document.querySelectorAll('input, select, textarea, button, iframe')).filter(one =>
        !(one.labels && one.labels.length) && !one.getAttribute('aria-label') && !one.title && one.textContent.trim() === '').map(one => one.outerHTML)`);
    check(`${name}: controls without a name`, unnamed.length === 0, unnamed);
    const wide = await page.evaluate('[document.documentElement.scrollWidth, window.innerWidth]');
    check(`${name}: wider than the window`, wide[0] <= wide[1], wide);
    const clipped = await page.evaluate(`Array.from(document.querySelectorAll('button, label, input, select, h1, h2, p')).filter(one =>
        one.offsetParent !== null && !one.closest('.knob') && (one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1 &&
        getComputedStyle(one).display !== 'inline' && one.tagName !== 'SELECT')).map(one => one.outerHTML.slice(0, 80))`);
    check(`${name}: clipped`, clipped.length === 0, clipped);
}

async function main() {
    const browser = new Browser();
    const grounds = new Set();
    try {
        for (const [width, theme] of [[1400, 'light'], [1400, 'dark'], [390, 'light'], [390, 'dark']]) {
            const name = `playground-${theme}-${width}`, page = await browser.open(url, {width, height: 900, theme});
            await page.until(ready, LONG);
            if (width > 900) check(`${name}: Run is below the first screen`, await page.evaluate(`${id('run')}.getBoundingClientRect().bottom < 900`));
            await page.shoot(path.join(folder, `${name}.png`));
            await run(page);
            await page.evaluate('new Promise(resolve => setTimeout(resolve, 1000))');
            await looks(page, name);
            await page.shoot(path.join(folder, `${name}-run.png`));
            grounds.add(theme + await page.evaluate('getComputedStyle(document.body).backgroundColor'));
            if (width === 1400 && theme === 'light') {
                for (const part of [cases, sliders, queueDepth, firstResults, errors, hostile, steps, lesson, stopAndLimits]) await part(page);
                check('something was fetched', await page.evaluate(`performance.getEntriesByType('resource').filter(one => !one.name.startsWith('blob:')).length`) === 0);
            }
            check(`${name}: words on the console`, page.words.length === 0, page.words);
            await page.close();
        }
        check('light and dark look the same', grounds.size === 2, Array.from(grounds));
    } catch (error) {
        check('the test', false, error.stack);
    }
    await browser.close();
    if (failures === 0) console.log(`playground: as on the command line; screenshots in ${folder}`);
    process.exit(failures === 0 ? 0 : 1);
}
main();
