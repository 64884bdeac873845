// worker - runs commands of the engine, away from the page.           SPDX-License-Identifier: Apache-2.0
// The page puts the loader of the engine (createStormglass) before this script and sends the module first.  Each
// command has a new instance, as a process has its own memory; files go from one command to the next.
'use strict';
let compiled = null;

async function compile(text) {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), letter => letter.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}

// The text of what a program wrote, byte by byte.
function collect() {
    let bytes = new Uint8Array(4096), count = 0;
    return {
        put(byte) {
            if (byte === null) return;
            if (count === bytes.length) {
                const larger = new Uint8Array(count * 2);
                larger.set(bytes);
                bytes = larger;
            }
            bytes[count++] = byte;
        },
        text: () => new TextDecoder().decode(bytes.subarray(0, count)),
    };
}

// Runs one command with files = {name: text or bytes}; keeps those of `kept`, if they exist.
async function command(args, files, kept) {
    const out = collect(), err = collect();
    let memory = null;
    const engine = await createStormglass({
        stdin: () => null, stdout: out.put, stderr: err.put,
        instantiateWasm(imports, received) {
            WebAssembly.instantiate(compiled, imports).then(instance => {
                memory = instance.exports.memory;
                received(instance);
            });
            return {};
        },
        quit(status, thrown) { throw thrown; },
    });
    for (const name in files) {
        const folder = name.replace(/[^/]*$/, '');
        if (folder !== '') engine.FS.mkdirTree(folder);
        engine.FS.writeFile(name, files[name]);
    }
    const begun = performance.now();
    const code = engine.callMain(args);
    const answer = {code, out: out.text(), err: err.text(), ms: performance.now() - begun, bytes: memory.buffer.byteLength, files: {}};
    for (const name of kept)
        if (engine.FS.analyzePath(name).exists) answer.files[name] = engine.FS.readFile(name);
    return answer;
}

// A run and its page, with the reruns that test causes or without; the page is missing if the run failed.
async function run(job) {
    const confirm = job.confirm ? [] : ['--confirm', '0'];
    const ran = await command(['run', job.name, '-o', 'run.db', '--record', 'ios'].concat(confirm, job.sets), job.files, ['run.db']);
    const database = ran.files['run.db'];
    delete ran.files;
    if (ran.code > 1 || !database) return {ran};
    const shown = await command(['report', 'run.db', '-o', 'page.html'], {'run.db': database}, ['page.html']);
    const page = shown.files['page.html'];
    delete shown.files;
    return {ran, shown, page: page ? new TextDecoder().decode(page) : null};
}

async function work(job) {
    try {
        let answer;
        if (job.kind === 'module') answer = compiled = job.compiled || await compile(job.text);
        else answer = job.kind === 'run' ? await run(job) : await command(job.args, job.files, []);
        postMessage({id: job.id, answer});
    } catch (error) {
        postMessage({id: job.id, failure: String(error)});
    }
}

// One after the other: two runs at once would need twice the memory.
let last = Promise.resolve();
onmessage = event => { last = last.then(() => work(event.data)); };
