// Runs one simulation in a process of its own: the built program on the memory backend, as `mockri simulate` does.
// Arguments: a scenario as JSON, `process` or `socket`, and `profile` to have the time divided by files.
// Prints what it took as JSON: `Simulated` of support/simulated.ts.
import { createHash } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { createMemoryBackend } from '../../dist/adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../dist/src/base/clock/virtual-clock.js';
import { parseScenario } from '../../dist/src/lab/scenario/file/load.js';
import { simulate } from '../../dist/src/lab/scenario/simulation/simulate.js';
import { createTape, listenTo } from '../../dist/src/tape/tape.js';

const [text, over, profile] = process.argv.slice(2);
const given = { version: 1, title: 'bench', ...JSON.parse(text) };
const scenario = await parseScenario(JSON.stringify(given), 'bench.yaml');
const hashes = { rows: createHash('sha256'), events: createHash('sha256') };
let calls = 0;
/** Of which calls were made when. A sum, because those of one instant have no order: over a socket it is another one. */
let callSum = 0;
const rpcHashes = new Map();
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
const tape = createTape(createVirtualClock());
listenTo(tape, 'call', ({ t, method }) => {
  calls++;
  callSum = (callSum + Math.imul(Math.round(t / 1e6) + 1, rpcHash(method))) >>> 0;
});
const begun = performance.now();
await simulate({
  scenario,
  over,
  keepAll: false,
  backend: createMemoryBackend,
  tape,
  onRow: (row) => hashes.rows.update(JSON.stringify(row)),
  onEvent: (event) => hashes.events.update(JSON.stringify(event)),
});
const seconds = (performance.now() - begun) / 1000;
clearInterval(watch);
if (calls === 0) throw new Error('the kubelet made no call');
const times = profile === undefined ? {} : timesOf((await session.post('Profiler.stop')).profile);
const hash = [callSum.toString(16), ...Object.values(hashes).map((each) => each.digest('hex').slice(0, 12))];
console.log(JSON.stringify({ seconds, calls, heap: heap / 2 ** 20, hash: hash.join(), times }));
process.exit(0);

/** Cheap, for it is counted in: the first four bytes of each RPC's SHA-256, odd, looked up. */
function rpcHash(rpc) {
  let hash = rpcHashes.get(rpc);
  if (hash === undefined) {
    hash = createHash('sha256').update(rpc).digest().readUInt32BE() | 1;
    rpcHashes.set(rpc, hash);
  }
  return hash;
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
