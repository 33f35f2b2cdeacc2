// Explores a pod with two containers for four minutes of virtual time: argument 1 is a number of schedules, argument 2 of
// threads (0: none). Prints as JSON how many schedules there were, what each took of a core, and the memory in MiB: after
// the first tenth, and at the end.
import { createRealClock } from '../../dist/src/base/clock/real-clock.js';
import { explore } from '../../dist/src/lab/explore/explore.js';
import { parseScenario } from '../../dist/src/lab/scenario/file/load.js';

const [schedules = 300, workers = 1] = process.argv.slice(2).map(Number);
const containers = ['app', 'side'].map((name) => ({ name, image: 'nginx:1' }));
const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
const scenario = await parseScenario(
  JSON.stringify({ version: 1, title: 'bench', pods: [{ manifest }], until: '4m' }),
  'bench.yaml',
);

const abort = new AbortController();
const clock = createRealClock();
const memory = [];
let begun;
let measured;
const rest = {
  seed: 1,
  depth: 2,
  only: [],
  shard: { index: 0, of: 1 },
  clock,
  workers,
  signal: abort.signal,
};
await explore({
  ...rest,
  scenario,
  budget: { schedules },
  onProgress: ({ schedules: done, reduced }) => {
    if (reduced !== undefined) return;
    memory.push(process.memoryUsage().rss / 2 ** 20);
    // What is compiled and read first does not count.
    if (begun === undefined) begun = { done, at: clock.elapsed(), cpu: process.cpuUsage() };
    const { user, system } = process.cpuUsage(begun.cpu);
    const count = done - begun.done;
    measured = { schedules: count, seconds: (clock.elapsed() - begun.at) / 1000, cpu: (user + system) / 1e6 };
    // Nothing is to be reduced.
    if (done >= schedules) abort.abort();
  },
});
const early = memory[Math.floor(memory.length / 10)];
console.log(
  JSON.stringify({ ...measured, memory: { early, end: memory.at(-1), most: Math.max(...memory) } }),
);
process.exit(0);
