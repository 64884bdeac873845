// playground - the editor, the parameters and the results; engines run in workers (engine.js).  SPDX-License-Identifier: Apache-2.0
// All text from the engine or a scenario is set as textContent, or shown in a frame without access to this page.
'use strict';
(function () {
const find = id => document.getElementById(id);
const data = JSON.parse(find('files').textContent);
const text = find('text');

// In MiB. Measured with leaf-spine fabrics: 323 for 32 hosts, 477 for 512 hosts, 683 for 1,024 hosts with as many pairs.
const MEMORY = {most: 2048, base: 300, host: 0.2, pair: 0.2};

const state = {
    name: '', shipped: '', lesson: null, beside: {}, // the scenario: file name, text as shipped, and files next to it
    sets: new Map(), parameters: [], size: null, version: 0,
    busy: false, testing: false, tests: null, read: false, script: [], shown: '',
};
window.playground = {state, first: null, last: null};

// The reruns that test causes take several times as long as the run: they have an engine of their own, so that errors, steps and
// further runs do not wait for them.
const engine = new Engine(fail), tester = new Engine(fail);
let compiled = null;

// ---------------------------------------------------------------------------------------------------- the scenario

const base = name => name.replace(/.*\//, '');
const isYaml = name => name.endsWith('.yaml');

function choices() {
    const list = [];
    const own = data.own[0], library = data.library.filter(file => isYaml(file.name));
    if (!library.some(file => file.text === own.text)) list.push({group: 'Own', title: base(own.name), files: data.own});
    const beside = data.library.filter(file => file.name.startsWith('cases/') && !isYaml(file.name));
    for (const file of library) {
        const name = base(file.name).replace(/\.yaml$/, '');
        const lesson = data.library.find(other => other.name === 'lessons/' + name + '.md');
        if (file.name.startsWith('cases/')) list.push({group: 'Cases', title: name, files: [file].concat(beside)});
        else if (lesson) list.push({group: 'Lessons', title: lesson.text.match(/^# (.*)/)[1], files: [file], lesson: name});
    }
    const number = choice => parseInt(choice.title, 10) || 0;
    return list.sort((a, b) => a.group === 'Lessons' && b.group === 'Lessons' ? number(a) - number(b) : 0);
}

const all = choices();

function fillChoice() {
    const groups = new Map();
    all.forEach((choice, index) => {
        if (!groups.has(choice.group)) {
            const group = document.createElement('optgroup');
            group.label = choice.group;
            groups.set(choice.group, group);
            find('choice').appendChild(group);
        }
        groups.get(choice.group).appendChild(new Option(choice.title, String(index)));
    });
}

function open(index) {
    const choice = all[index];
    state.name = base(choice.files[0].name);
    if (!isYaml(state.name)) state.name += '.yaml';
    state.shipped = choice.files[0].text;
    state.beside = {};
    for (const file of choice.files.slice(1))
        if (!isYaml(file.name)) state.beside[choice.group === 'Cases' ? base(file.name) : file.name] = file.text;
    state.lesson = choice.lesson || null;
    text.value = state.shipped;
    text.scrollTop = 0;
    text.setSelectionRange(0, 0);
    showPlace();
    discard();
    showLesson();
}

function files() {
    return Object.assign({[state.name]: text.value}, state.beside);
}
function sets() {
    const list = [];
    for (const [path, value] of state.sets) list.push('--set', path + '=' + value);
    return list;
}

// The second line ends with the time that the run took.
const withoutTime = summary => summary.replace(/ in [0-9.]+ [a-z]+$/m, '');

const quoted = word => /^[\w.,:=/%+-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";

function showCommand() {
    const name = text.value === state.shipped && data.library.some(file => file.text === state.shipped)
        ? state.name.replace(/\.yaml$/, '') : state.name;
    find('command').textContent = ['stormglass', 'run', name].concat(sets()).map(quoted).join(' ');
}

// ---------------------------------------------------------------------------------------------------- errors

function showPlace() {
    const before = text.value.slice(0, text.selectionStart).split('\n');
    find('place').textContent = 'Line ' + before.length + ', column ' + (before[before.length - 1].length + 1);
}

// Columns count bytes of UTF-8, as on the command line.
function goTo(line, column) {
    const lines = text.value.split('\n');
    let at = 0;
    for (let i = 0; i < line - 1 && i < lines.length; i++) at += lines[i].length + 1;
    const bytes = new TextEncoder().encode(lines[line - 1] || '').slice(0, Math.max(0, column - 1));
    at += new TextDecoder().decode(bytes).length;
    text.focus();
    text.setSelectionRange(at, at);
    text.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(text).lineHeight));
    showPlace();
}

// The engine's messages: one block for each, which begins with FILE:LINE:COLUMN or with the program's name.
function blocks(messages) {
    const list = [];
    for (const line of messages.split('\n')) {
        const place = line.match(/^(.+?):(\d+)(?::(\d+))?: (error|warning|note): /);
        if (place) list.push({file: place[1], line: +place[2], column: +(place[3] || 1), level: place[4], text: line});
        else if (/^\S/.test(line)) list.push({level: line.includes('error') ? 'error' : 'note', text: line});
        else if (line !== '' && list.length > 0) list[list.length - 1].text += '\n' + line;
    }
    return list;
}

function showProblems(messages) {
    const list = blocks(messages);
    find('problems').replaceChildren(...list.map(block => {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = block.level;
        button.textContent = block.text;
        if (block.file === state.name) button.onclick = () => goTo(block.line, block.column);
        else if (block.file === '--set') button.onclick = () => focusSet(block.line - 1);
        else button.disabled = true;
        return button;
    }));
    const wrong = new Set(list.filter(block => block.file === '--set').map(block => Array.from(state.sets.keys())[block.line - 1]));
    for (const knob of document.querySelectorAll('.knob[data-path]')) knob.classList.toggle('wrong', wrong.has(knob.dataset.path));
}

function focusSet(index) {
    const path = Array.from(state.sets.keys())[index];
    const knob = Array.from(document.querySelectorAll('.knob[data-path]')).find(one => one.dataset.path === path);
    if (knob) knob.querySelector('input[type=text], select').focus();
}

let later = 0;
function checkSoon(textChanged) {
    showCommand();
    state.version++;
    clearTimeout(later);
    later = setTimeout(() => check(textChanged), 350);
    if (textChanged) state.parametersFor = null;
}

// Asks the engine for errors, and after a change of the text for its parameters, too.
async function check() {
    const version = state.version, render = state.parametersFor !== text.value, source = text.value;
    try {
        if (render) {
            const offers = await engine.ask({kind: 'command', args: ['offers', state.name], files: files()});
            if (version !== state.version) return;
            if (offers.code === 0) {
                const answer = JSON.parse(offers.out);
                state.parameters = answer.parameters;
                state.size = {hosts: answer.hosts, pairs: answer.pairs};
                state.parametersFor = source;
                showParameters();
            }
            showProblems(offers.err);
            showLimits();
            if (offers.code !== 0) return;
        }
        if (state.sets.size === 0) {
            if (!render) showProblems('');
            return;
        }
        const again = await engine.ask({kind: 'command', args: ['offers', state.name].concat(sets()), files: files()});
        if (version !== state.version) return;
        if (again.code === 0) {
            const answer = JSON.parse(again.out);
            state.size = {hosts: answer.hosts, pairs: answer.pairs};
        }
        showProblems(again.err);
        showLimits();
    } catch (error) {
        if (error.message !== 'stopped') fail(error.message);
    }
}

// ---------------------------------------------------------------------------------------------------- parameters

function change(parameter, value) {
    if (value === parameter.value || value === '') state.sets.delete(parameter.path);
    else state.sets.set(parameter.path, value);
    const knob = Array.from(document.querySelectorAll('.knob[data-path]')).find(one => one.dataset.path === parameter.path);
    if (knob) knob.classList.toggle('changed', state.sets.has(parameter.path));
    checkSoon(false);
}

function element(name, properties, ...children) {
    const one = Object.assign(document.createElement(name), properties);
    one.append(...children);
    return one;
}

function boundsOf(parameter) {
    const bounds = parameter.min !== null && parameter.max !== null ? parameter.min + ' to ' + parameter.max
        : parameter.min !== null ? 'at least ' + parameter.min : parameter.max !== null ? 'at most ' + parameter.max : '';
    return parameter.about + (bounds ? ' Range: ' + bounds + '.' : '') + ' Default: ' + parameter.default + '.';
}

function knobOf(parameter, index) {
    const value = state.sets.has(parameter.path) ? state.sets.get(parameter.path) : parameter.value;
    const id = 'parameter-' + index;
    const knob = element('div', {className: 'knob' + (state.sets.has(parameter.path) ? ' changed' : ''), title: boundsOf(parameter)},
        element('label', {htmlFor: id, textContent: parameter.path}));
    knob.dataset.path = parameter.path;
    if (parameter.choices.length > 0 && parameter.choices.includes(value)) {
        const select = element('select', {id, className: 'alone'}, ...parameter.choices.map(word => new Option(word, word)));
        select.value = value;
        select.onchange = () => change(parameter, select.value);
        knob.append(select);
        return knob;
    }
    const field = element('input', {type: 'text', id, value, spellcheck: false, autocomplete: 'off'});
    field.onchange = () => {
        change(parameter, field.value.trim());
        if (field.value.trim() === '') field.value = parameter.value;
        if (slider && parameter.stops.includes(field.value)) slider.value = parameter.stops.indexOf(field.value);
    };
    let slider = null;
    if (parameter.stops.length > 1) {
        slider = element('input', {type: 'range', min: 0, max: parameter.stops.length - 1, step: 1});
        slider.value = Math.max(0, parameter.stops.indexOf(value));
        slider.setAttribute('aria-label', parameter.path + ', slider');
        slider.setAttribute('aria-valuetext', value);
        slider.oninput = () => {
            field.value = parameter.stops[+slider.value];
            slider.setAttribute('aria-valuetext', field.value);
        };
        slider.onchange = () => change(parameter, parameter.stops[+slider.value]);
        knob.append(slider);
    } else {
        field.className = 'alone';
    }
    knob.append(field);
    return knob;
}

function showParameters() {
    const knobs = state.parameters.map(knobOf);
    find('parameters').replaceChildren(...knobs.filter((knob, i) => state.parameters[i].written));
    find('more').replaceChildren(...knobs.filter((knob, i) => !state.parameters[i].written));
}

function discard() {
    state.sets.clear();
    state.parametersFor = null;
    checkSoon(true);
}

// ---------------------------------------------------------------------------------------------------- memory

const megabytes = count => count < 1024 ? Math.round(count) + ' MiB' : (count / 1024).toFixed(1) + ' GiB';

function estimate() {
    return MEMORY.base + MEMORY.host * state.size.hosts + MEMORY.pair * state.size.pairs;
}

function showLimits() {
    find('limits').textContent = 'WebAssembly has at most ' + megabytes(MEMORY.most) + ' of memory' +
        (state.size ? '; this scenario needs about ' + megabytes(estimate()) + '.' : '.');
}

// ---------------------------------------------------------------------------------------------------- runs

function fail(message) {
    find('failure').textContent = message;
    find('failure').hidden = false;
}

function enable() {
    find('run').disabled = state.busy;
    find('enter').disabled = state.busy;
    find('stop').disabled = !state.busy && !state.testing;
}

function setBusy(busy, words) {
    state.busy = busy;
    enable();
    find('state').textContent = words;
}

// Shows the seconds that have passed, until it is stopped.
function startClock(id, words) {
    const begun = performance.now(), show = () => { find(id).textContent = words + Math.round((performance.now() - begun) / 1000) + ' s'; };
    show();
    const timer = setInterval(show, 1000);
    return {stop: () => { clearInterval(timer); }, seconds: () => ((performance.now() - begun) / 1000).toFixed(1) + ' s'};
}

// Returns the results, or null if the run failed.
function resultsOf({ran, shown, page}) {
    const digest = ran.out.match(/^digest ([0-9a-f]{32})$/m);
    if (digest && page) return {digest: digest[1], summary: ran.out, code: ran.code, ms: ran.ms, bytes: ran.bytes, page};
    showProblems(ran.err);
    fail(ran.err || (shown && shown.err) || 'The engine ended with exit code ' + ran.code + '.');
    return null;
}

function showPage(results) {
    find('summary').textContent = results.summary;
    find('page').srcdoc = results.page;
    state.read = false;
}

function showRun(ran, results) {
    showProblems(ran.err);
    find('digest').textContent = results.digest;
    find('time').textContent = (results.ms / 1000).toFixed(2) + ' s';
    find('memory').textContent = megabytes(results.bytes / 1048576) + ' of memory';
    find('answer').hidden = false;
    find('result-part').hidden = false;
    showPage(results);
    find('result-part').scrollIntoView();
    setBusy(false, results.code === 0 ? 'All expectations are met' : 'An expectation is not met');
}

// Repeats the run with the reruns that test its causes. The page is replaced, unless it is being read.
async function testCauses(job, first) {
    const clock = startClock('tested', 'The results are complete. Reruns without each suspected cause test the causes: ');
    state.testing = true;
    find('tests').hidden = false;
    enable();
    try {
        await tester.start({compiled});
        const results = resultsOf(await tester.ask(Object.assign({confirm: true}, job)));
        if (results) window.playground.last = Object.assign({}, results, {ms: first.ms, bytes: first.bytes});
        const same = !results || withoutTime(results.summary) === withoutTime(first.summary);
        find('tests').hidden = same;
        find('tested').textContent = 'The causes were tested by reruns in ' + clock.seconds() + '.';
        find('replace').hidden = same || !state.read;
        find('replace').onclick = () => {
            find('replace').hidden = true;
            showPage(results);
        };
        if (!same && !state.read) showPage(results);
    } catch (error) {
        find('tested').textContent = 'The causes were not tested: ' + error.message;
    } finally {
        clock.stop();
        stopTests();
    }
}

function stopTests() {
    tester.stop();
    state.testing = false;
    enable();
}

async function run() {
    if (state.busy) return;
    find('failure').hidden = true;
    if (state.size && estimate() > MEMORY.most) {
        fail('This scenario has ' + state.size.hosts + ' hosts and needs about ' + megabytes(estimate()) + ' of memory; WebAssembly has ' +
            megabytes(MEMORY.most) + '. Run it on the command line:\n' + find('command').textContent);
        return;
    }
    setBusy(true, 'Running');
    stopTests();
    await state.tests;
    find('tests').hidden = true;
    const clock = startClock('state', 'Running, '), job = {kind: 'run', name: state.name, sets: sets(), files: files()};
    let first = null;
    try {
        const answer = await engine.ask(Object.assign({confirm: false}, job));
        clock.stop();
        first = resultsOf(answer);
        if (first) showRun(answer.ran, first);
        else setBusy(false, 'Not run');
    } catch (error) {
        if (error.message !== 'stopped') {
            fail('The engine stopped: ' + error.message);
            setBusy(false, 'Not run');
        }
    } finally {
        clock.stop();
    }
    window.playground.first = window.playground.last = first;
    if (first) state.tests = testCauses(job, first);
}

async function stop() {
    stopTests();
    if (!state.busy) return;
    engine.stop();
    setBusy(false, 'Stopped');
    try {
        await engine.start({compiled});
    } catch (error) {
        fail('The engine cannot be loaded: ' + error.message);
    }
}

// ---------------------------------------------------------------------------------------------------- lessons

async function showLesson() {
    const name = state.lesson;
    find('lesson-part').hidden = name === null;
    if (name === null) return;
    find('lesson').textContent = 'The engine measures the numbers of this lesson.';
    try {
        const answer = await engine.ask({kind: 'command', args: ['lesson', name], files: {}});
        if (name !== state.lesson) return;
        const parts = answer.out.split(/^== (.*)$/m);
        const list = [element('p', {textContent: parts[0].trim()})];
        for (let i = 1; i + 1 < parts.length; i += 2)
            list.push(element('details', {open: i === 1}, element('summary', {textContent: parts[i]}),
                element('pre', {textContent: parts[i + 1].trim(), tabIndex: 0})));
        find('lesson').replaceChildren(...list);
    } catch (error) {
        if (error.message !== 'stopped') fail(error.message);
    }
}

// ---------------------------------------------------------------------------------------------------- steps

function tell(words) {
    find('steps').textContent += words;
    find('steps').scrollTop = find('steps').scrollHeight;
}

function restart() {
    state.script = [];
    state.shown = '';
    find('steps').textContent = '';
}

// A new command repeats those before it; what they print is known.
async function step(line) {
    if (state.busy || line === '') return;
    const source = text.value + sets().join(' ');
    if (state.script.length > 0 && state.scriptFor !== source) {
        restart();
        tell('The scenario has changed: the run starts again.\n');
    }
    state.scriptFor = source;
    setBusy(true, 'Stepping');
    tell('> ' + line + '\n');
    try {
        const script = state.script.concat([line]);
        const answer = await engine.ask({kind: 'command', args: ['step', state.name, '--script', 'script'].concat(sets()),
            files: Object.assign(files(), {script: script.join('\n') + '\n'})});
        if (answer.code > 1) {
            tell(answer.err);
        } else {
            tell(answer.out.startsWith(state.shown) ? answer.out.slice(state.shown.length) : answer.out);
            state.shown = answer.out;
            state.script = script;
        }
        setBusy(false, 'Ready');
    } catch (error) {
        if (error.message !== 'stopped') {
            tell('The engine stopped: ' + error.message + '\n');
            setBusy(false, 'Ready');
        }
    }
}

// ---------------------------------------------------------------------------------------------------- events

text.addEventListener('input', () => checkSoon(true));
for (const type of ['keyup', 'click']) text.addEventListener(type, showPlace);
find('choice').addEventListener('change', () => open(+find('choice').value));
find('run').addEventListener('click', run);
find('run').setAttribute('aria-keyshortcuts', 'Control+Enter');
find('run').title = 'Ctrl+Enter';
find('stop').addEventListener('click', stop);
find('reset').addEventListener('click', () => {
    text.value = state.shipped;
    discard();
});
find('restart').addEventListener('click', restart);
find('stepper').addEventListener('submit', event => {
    event.preventDefault();
    step(find('line').value.trim());
    find('line').value = '';
});
find('add').addEventListener('click', () => {
    const [path, ...value] = find('other').value.split('=');
    if (value.length === 0 || path.trim() === '') {
        fail('Any other value: expected PATH=VALUE, such as fabric.switch.alpha=25%');
        return;
    }
    find('failure').hidden = true;
    const known = state.parameters.find(parameter => parameter.path === path.trim());
    state.sets.set(path.trim(), value.join('=').trim());
    if (!known) state.parameters.push({path: path.trim(), value: '', about: 'Set by you.', default: '-', min: null, max: null,
        written: true, choices: [], stops: []});
    showParameters();
    find('other').value = '';
    checkSoon(false);
});
// A reader would lose the place in a page that is replaced.
for (const type of ['pointerenter', 'focus']) find('page').addEventListener(type, () => { state.read = true; });
document.addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.ctrlKey) run();
});

async function begin() {
    fillChoice();
    showLimits();
    setBusy(true, 'Loading the engine');
    if (typeof WebAssembly === 'undefined' || typeof DecompressionStream === 'undefined') {
        fail('This browser has no WebAssembly or no DecompressionStream; use one of 2023 or later.');
        return;
    }
    try {
        const loaded = engine.start({text: find('module').textContent});
        const own = data.own[0].text, first = all.findIndex(choice => choice.files[0].text === own);
        find('choice').value = String(first);
        open(first);
        compiled = await loaded;
        setBusy(false, 'Ready');
    } catch (error) {
        if (error.message !== 'stopped') fail('The engine cannot be loaded: ' + error.message);
    }
}
begin();
})();
