// The life of a Deployment on one virtual clock: the kubelet of its pod is killed, the node becomes unknown, the pod is
// evicted after five minutes, and another one runs on the other node. Runs twice; prints what the API server shows, and
// whether both runs are equal.
//   main.ts PROGRAMS KUBELET DIRECTORY
import { performance } from 'node:perf_hooks';
import { type ClusterOptions, startCluster } from './cluster.js';
import { kubectl } from './kubectl.js';

const [programs = '', kubelet = '', directory = ''] = process.argv.slice(2);

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    },
  },
};

/** An observation and its time in s, to the microsecond. */
interface Seen {
  readonly t: number;
  readonly text: string;
}

async function life(options: ClusterOptions): Promise<Seen[]> {
  const begun = performance.now();
  const { clock, api, kill, close } = await startCluster(options);
  const seen: Seen[] = [];
  const say = (text: string) => {
    const t = Math.round(clock.elapsed() * 1000) / 1e6;
    seen.push({ t, text });
    console.log(`${t.toFixed(6)} s  ${text}`);
  };
  api.watch('/api/v1/nodes', ([name, status]) => `node ${name} ${status}`, say);
  const pods = '/api/v1/namespaces/default/pods';
  api.watch(pods, (cells) => `pod ${[0, 1, 2, 3, 6].map((column) => cells[column]).join(' ')}`, say);
  await clock.advance(30_000);
  const made = await api.until(
    api.ask('POST', '/apis/apps/v1/namespaces/default/deployments', undefined, deployment),
  );
  say(`deployment ${made}`);
  await clock.advance(60_000);
  const node = seen.at(-1)?.text.split(' ').at(-1) ?? '';
  say(`kill ${node}`);
  await kill(node);
  await clock.advance(480_000);
  say('end');
  console.log(await kubectl(clock, programs, directory, ['get', 'nodes,pods', '--output', 'wide']));
  await close();
  console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s of real time`);
  return seen;
}

/** The problems of a life. */
function problems(seen: readonly Seen[]): string[] {
  const find = (pattern: RegExp, from = 0) => seen.find(({ t, text }) => t > from && pattern.test(text));
  const killed = find(/^kill /);
  const [, first = ''] = killed?.text.split(' ') ?? [];
  const unknown = find(new RegExp(`^node ${first} NotReady`), killed?.t);
  const evicted = find(new RegExp(`^pod .* Terminating 0 ${first}`), unknown?.t);
  const replaced = find(/^pod .* 1\/1 Running 0 /, evicted?.t);
  const after = (later?: Seen, earlier?: Seen) => (later?.t ?? Number.NaN) - (earlier?.t ?? Number.NaN);
  const isWithin = (time: number, least: number, most: number) => time >= least && time <= most;
  return [
    // The last lease can be 10 s old, the grace period is 40 s, and the controller checks every 2 s.
    ...(isWithin(after(unknown, killed), 30, 52)
      ? []
      : ['the node is not unknown after 40 s without a lease']),
    ...(isWithin(after(evicted, unknown), 299, 303) ? [] : ['the pod is not evicted after 300 s']),
    ...(isWithin(after(replaced, evicted), 0, 5) && !replaced?.text.endsWith(first)
      ? []
      : ['no pod runs on the other node']),
  ];
}

const start = BigInt(Date.now() + 60_000) * 1_000_000n;
const options = { directory, programs, kubelet, nodes: ['node-1', 'node-2'], start };
const [one, two] = [await life(options), await life(options)];
const wrong = problems(one);
const differing = one.filter(({ t, text }, index) => two[index]?.t !== t || two[index]?.text !== text);
if (differing.length > 0 || one.length !== two.length)
  wrong.push(`${differing.length} of ${one.length} lines differ in the second run`);
for (const each of wrong) console.log(`failed: ${each}`);
process.exit(wrong.length > 0 ? 1 : 0);
