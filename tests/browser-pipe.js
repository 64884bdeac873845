// browser-pipe - Chromium without a window, driven through its DevTools pipe.    SPDX-License-Identifier: Apache-2.0
// For tests that wait for a worker, which --dump-dom does not.  Messages are JSON, each followed by a zero byte, on file
// descriptors 3 and 4 of the browser.
'use strict';
const {spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

class Browser {
    constructor() {
        this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
        const root = process.getuid() === 0 ? ['--no-sandbox'] : [];
        this.process = spawn('chromium', ['--headless', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe', ...root,
            '--host-resolver-rules=MAP * ~NOTFOUND', '--disable-background-networking', `--user-data-dir=${this.profile}`, 'about:blank'],
        {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
        this.next = 0;
        this.waiting = new Map();
        this.listeners = [];
        let rest = Buffer.alloc(0);
        this.process.stdio[4].on('data', chunk => {
            rest = Buffer.concat([rest, chunk]);
            for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) this.receive(JSON.parse(rest.subarray(0, end)));
        });
        this.process.on('exit', () => { for (const [, one] of this.waiting) one.reject(new Error('the browser ended')); });
    }
    receive(message) {
        const waiting = this.waiting.get(message.id);
        if (!waiting) return this.listeners.forEach(listener => listener(message));
        this.waiting.delete(message.id);
        if (message.error) waiting.reject(new Error(message.error.message));
        else waiting.resolve(message.result);
    }
    send(method, params = {}, sessionId) {
        const id = ++this.next;
        this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
        return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
    }
    async close() {
        const ended = new Promise(resolve => this.process.on('exit', resolve));
        await this.send('Browser.close').catch(() => {});
        await ended;
        fs.rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
    }
    // A page with a width, a height and a theme; `words` collects what its console and its workers report.
    async open(url, {width, height, theme}) {
        const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
        const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
        const page = {words: [], send: (method, params) => this.send(method, params, sessionId), targetId};
        this.listeners.push(message => {
            if (message.method === 'Target.attachedToTarget') { // frames and workers
                const inner = message.params.sessionId;
                for (const domain of ['Runtime', 'Log']) this.send(domain + '.enable', {}, inner).catch(() => {});
                this.send('Runtime.runIfWaitingForDebugger', {}, inner).catch(() => {});
            }
            const {method, params} = message;
            if (method === 'Runtime.consoleAPICalled') page.words.push(params.type + ': ' + params.args.map(arg => arg.value ?? arg.description).join(' '));
            if (method === 'Runtime.exceptionThrown') page.words.push('exception: ' + (params.exceptionDetails.exception?.description ?? params.exceptionDetails.text));
            if (method === 'Log.entryAdded') page.words.push(params.entry.level + ': ' + params.entry.text);
        });
        for (const domain of ['Page', 'Runtime', 'Log']) await page.send(domain + '.enable');
        await page.send('Target.setAutoAttach', {autoAttach: true, waitForDebuggerOnStart: true, flatten: true});
        await page.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
        await page.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: theme}]});
        await page.send('Page.navigate', {url});
        page.evaluate = async expression => {
            const {result, exceptionDetails} = await page.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
            if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
            return result.value;
        };
        page.until = async (expression, seconds) => {
            for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise(resolve => setTimeout(resolve, 50)))
                if (await page.evaluate(expression).catch(() => false)) return true;
            throw new Error('not within ' + seconds + ' s: ' + expression);
        };
        page.shoot = async (file, whole) => {
            const {data} = await page.send('Page.captureScreenshot', {format: 'png', captureBeyondViewport: Boolean(whole)});
            fs.writeFileSync(file, Buffer.from(data, 'base64'));
        };
        page.close = () => this.send('Target.closeTarget', {targetId});
        return page;
    }
}
module.exports = {Browser};
