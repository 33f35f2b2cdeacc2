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
const hash = createHash('sha256');
let calls = 0;
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
    hash.update(`${t} ${rpc}\n`);
  },
  onRow: (row) => hash.update(JSON.stringify(row)),
  onEvent: (event) => hash.update(JSON.stringify(event)),
});
const seconds = (performance.now() - begun) / 1000;
clearInterval(watch);
const times = profile === undefined ? {} : timesOf((await session.post('Profiler.stop')).profile);
console.log(
  JSON.stringify({ seconds, calls, heap: heap / 2 ** 20, hash: hash.digest('hex').slice(0, 12), times }),
);
process.exit(0);

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
