// Runs the built command line, whose path is the first argument, and prints what would keep its process alive after the
// command has ended.

/** Of standard streams, and what this program itself does. */
const EXPECTED = new Set(['PipeWrap', 'TTYWrap', 'Immediate', 'FSReqPromise']);

const [main] = process.argv.splice(2, 1);
const { ended } = await import(main);
await ended;
// Sockets that were destroyed are closed in the next turns.
// biome-ignore lint/style/noRestrictedGlobals: Node runs this file without a loader for the sources.
for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve));
const left = process.getActiveResourcesInfo().filter((resource) => !EXPECTED.has(resource));
process.stdout.write(`${JSON.stringify({ left })}\n`);
