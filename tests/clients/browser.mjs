// What the packages of the block editor take from a browser when they are loaded, for Node.
import { Window } from "happy-dom";

const window = new Window();
for (const name of Object.getOwnPropertyNames(window)) {
    if (!(name in globalThis)) {
        Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
    }
}
globalThis.window = globalThis;
