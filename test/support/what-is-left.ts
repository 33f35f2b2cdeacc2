// Runs a command of Mockri, and prints what would keep its process alive after the command has ended.
import { run } from '../../src/cli/run.js';
import { turn } from '../../src/clock/turn.js';

/** Of standard streams, and what this program itself does. */
const EXPECTED = new Set(['PipeWrap', 'TTYWrap', 'Immediate', 'FSReqPromise']);

await run(process.argv.slice(2));
// Sockets that were destroyed are closed in the next turns.
for (let count = 0; count < 5; count++) await turn();
const left = process.getActiveResourcesInfo().filter((resource) => !EXPECTED.has(resource));
process.stdout.write(`${JSON.stringify({ left })}\n`);
