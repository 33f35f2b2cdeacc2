// Looks for what may have caused the rows of a pod whose start hung, in as many runs as argument 1 says, with as many threads
// as argument 2 says (0: none). Prints as JSON the runs, seconds of real time and of all threads, the memory in MiB, and the
// kind of the first cause.
import { createRealClock } from '../../dist/src/base/clock/real-clock.js';
import { readLines } from '../../dist/src/lab/reproduce/read/read-lines.js';
import { reproduce } from '../../dist/src/lab/reproduce/reproduce.js';
import { parseScenario } from '../../dist/src/lab/scenario/file/load.js';

const [schedules = 200, workers = 1] = process.argv.slice(2).map(Number);
const containers = [{ name: 'app', image: 'nginx:1' }];
const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
const scenario = await parseScenario(
  JSON.stringify({ version: 1, title: 'bench', pods: [{ manifest }], until: '4m' }),
  'bench.yaml',
);
const rows = `NAME   READY   STATUS              RESTARTS   AGE
web    0/1     ContainerCreating   0          0s
web    0/1     RunContainerError   0          2m1s
web    1/1     Running             1          2m2s
`;

const clock = createRealClock();
const begun = clock.elapsed();
const cpu = process.cpuUsage();
const { causes, runs } = await reproduce({
  scenario,
  saw: [readLines(rows, 'rows.txt')],
  budget: { schedules },
  versions: ['1.36'],
  seed: '1',
  depth: 2,
  workers,
  clock,
});
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    runs,
    seconds: (clock.elapsed() - begun) / 1000,
    cpu: (user + system) / 1e6,
    memory: process.memoryUsage().rss / 2 ** 20,
    first: causes[0]?.key,
  }),
);
process.exit(0);
