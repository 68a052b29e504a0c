
let underway = 0;

/** Counts files that are on their way; while there are any, the document says so, and the style sheet shows it. */
function count(change) {
    underway += change;
    document.documentElement.toggleAttribute("data-loading", underway > 0);
}

/** Asks for a file that lies beside this one. */
async function fetched(name) {
    const done = () => count(-1);
    count(1);
    try {
        const answer = await fetch(new URL(name, import.meta.url));
        if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
        answer.clone().arrayBuffer().then(done, done);
        return answer;
    } catch (error) {
        done();
        throw error;
    }
}

let sharedFile;

/** A module out of the file of those that parts share. A file that did not come is asked for again the next time. */
async function shared(from, to) {
    sharedFile ??= fetched("./SHARED").then((answer) => answer.arrayBuffer());
    const asked = sharedFile;
    try {
        const module = (await asked).slice(from, to);
        return new Response(module, { headers: { "content-type": "application/wasm" } });
    } catch (error) {
        if (sharedFile === asked) sharedFile = undefined;
        throw error;
    }
}
