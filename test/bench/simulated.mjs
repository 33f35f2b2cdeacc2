// Runs one simulation in a process of its own: the built program on the memory backend, as `mockri simulate` does.
// Arguments: a scenario as JSON, `process` or `socket`, and `profile` to have the time divided by files.
// Prints what it took as JSON: `Simulated` of support/simulated.ts.
import { createHash } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { createMemoryBackend } from '../../dist/adapters/memory/memory-backend.js';
import { parseScenario } from '../../dist/src/scenario/load.js';
import { simulate } from '../../dist/src/scenario/simulation.js';
import { statusOf } from '../../dist/src/server/status.js';

const [text, over, profile] = process.argv.slice(2);
const given = { version: 1, title: 'bench', ...JSON.parse(text) };
const scenario = await parseScenario(JSON.stringify(given), 'bench.yaml');
const hashes = { calls: createHash('sha256'), rows: createHash('sha256'), events: createHash('sha256') };
let calls = 0;
/** Calls of one instant, which have no order: over a socket it is another one. */
let together = { t: 0, rpcs: [] };
let heap = 0;
const watch = setInterval(() => {
  heap = Math.max(heap, process.memoryUsage().heapUsed);
}, 100);

const session = new Session();
if (profile !== undefined) {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
}
const begun = performance.now();
await simulate({
  scenario,
  over,
  keepAll: false,
  backend: (clock) => createMemoryBackend({ clock }),
  codeOf: (error) => statusOf(error, 'strict', String).code,
  onCall: ({ t, rpc }) => {
    calls++;
    if (t !== together.t) endInstant(t);
    together.rpcs.push(rpc);
  },
  onRow: (row) => hashes.rows.update(JSON.stringify(row)),
  onEvent: (event) => hashes.events.update(JSON.stringify(event)),
});
endInstant(Infinity);
const seconds = (performance.now() - begun) / 1000;
clearInterval(watch);
const times = profile === undefined ? {} : timesOf((await session.post('Profiler.stop')).profile);
const hash = Object.values(hashes).map((each) => each.digest('hex').slice(0, 12));
console.log(JSON.stringify({ seconds, calls, heap: heap / 2 ** 20, hash: hash.join(), times }));
process.exit(0);

function endInstant(next) {
  if (together.rpcs.length > 0) hashes.calls.update(`${together.t} ${together.rpcs.sort()}\n`);
  together = { t: next, rpcs: [] };
}

/** Microseconds by file, or by what V8 calls it that is in no file. */
function timesOf({ nodes, samples, timeDeltas }) {
  const addresses = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.url || callFrame.functionName]));
  const sums = {};
  samples.forEach((id, index) => {
    const address = addresses.get(id);
    sums[address] = (sums[address] ?? 0) + timeDeltas[index];
  });
  return sums;
}
