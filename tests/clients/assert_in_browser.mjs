// What the sessions ask of node:assert, for a browser.
const check = (passed, why) => {
    if (!passed) throw new Error(why);
};
const text = (value) => JSON.stringify(value);
export default {
    equal: (found, wanted) => check(Object.is(found, wanted), `${text(found)}, not ${text(wanted)}`),
    deepEqual: (found, wanted) => check(text(found) === text(wanted), `${text(found)}, not ${text(wanted)}`),
    rejects: (call, wanted) =>
        call().then(
            () => check(false, "It was not refused."),
            (error) => check(error.code === wanted.code, text(error)),
        ),
};
