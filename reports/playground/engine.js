// engine - a worker that runs commands of the simulator.                  SPDX-License-Identifier: Apache-2.0
'use strict';
class Engine {
    constructor(failed) {
        this.failed = failed;
        this.worker = null;
        this.waiting = new Map();
        this.next = 0;
    }

    ask(job) {
        return new Promise((resolve, reject) => {
            const id = ++this.next;
            this.waiting.set(id, {resolve, reject});
            this.worker.postMessage(Object.assign({id}, job));
        });
    }

    // module = {text}: compressed, in base64; or {compiled}. Returns the compiled module, which another engine can use.
    start(module) {
        const read = id => JSON.parse(document.getElementById(id).textContent);
        const place = URL.createObjectURL(new Blob([read('loader'), '\n', read('worker')], {type: 'text/javascript'}));
        this.worker = new Worker(place);
        URL.revokeObjectURL(place);
        this.worker.onmessage = event => {
            const {id, answer, failure} = event.data, waiting = this.waiting.get(id);
            this.waiting.delete(id);
            if (!waiting) return;
            if (failure === undefined) waiting.resolve(answer);
            else waiting.reject(new Error(failure));
        };
        this.worker.onerror = event => {
            event.preventDefault();
            this.failed('The engine stopped: ' + event.message);
        };
        return this.ask(Object.assign({kind: 'module'}, module));
    }

    stop() {
        if (this.worker) this.worker.terminate();
        this.worker = null;
        for (const waiting of this.waiting.values()) waiting.reject(new Error('stopped'));
        this.waiting.clear();
    }
}
