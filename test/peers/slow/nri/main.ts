import { writeFileSync } from 'node:fs';
import { createRandom } from '../../../../src/base/random/random.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { IMAGE } from '../../../support/profiles/pod-fixture.js';
import { compareConfigurations, compareLives, type Difference } from './compare.js';
import { forCrio, type Life, randomLife } from './random-life.js';
import { createSide } from './side.js';

/** main.ts PROFILE REAL SOCKET OURS SOCKET LIVES SEED [ONLY]: random lives of pods on two runtimes with node resource plugins. */
const [
  profile = '',
  real = '',
  realSocket = '',
  ours = '',
  ourSocket = '',
  lives = '300',
  seed = '1',
  only = '',
] = process.argv.slice(2);
/** Whether to run a life of this name: by default all. */
const isWanted = (name: string): boolean => only === '' || only.split(',').includes(name);

/** Concurrent lives. */
const WIDTH = 3;
/** Batches, by the number of plugins. */
const BATCHES = [1, 2, 3];

const fitting = (life: Life): Life => (profile.startsWith('cri-o') ? forCrio(life) : life);

const sides = [connectCri(real), connectCri(ours)];
for (const cri of sides) {
  await cri.waitForReady(10_000);
  await cri.pullImage({ image: IMAGE });
}
const differences: Difference[] = [];
let compared = 0;
let conflicts = 0;
/** Lives in which a runtime dropped a plugin, as it does with slow ones. */
let incomplete = 0;
for (const plugins of BATCHES) {
  const random = createRandom(`${seed}/${plugins}`);
  const [first, second] = await Promise.all([
    createSide(sides[0] as never, realSocket, plugins),
    createSide(sides[1] as never, ourSocket, plugins),
  ]);
  differences.push(...compareConfigurations(first.configurations, second.configurations));
  let next = 0;
  const compareAll = async () => {
    while (next < Number(lives) / BATCHES.length) {
      const number = next++;
      const name = `life-${plugins}-${number}`;
      if (!isWanted(name)) continue;
      const life = fitting(randomLife(random.fork(String(number)), name, plugins));
      const [one, two] = await Promise.all([first.live(life), second.live(life)]);
      compared++;
      if ([one, two].some(({ requests }) => new Set(requests.map(({ plugin }) => plugin)).size < plugins))
        incomplete++;
      if (two.answers.some((answer) => answer.includes('both tried to set'))) conflicts++;
      differences.push(...compareLives(life.name, one, two));
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, compareAll));
  await Promise.all([first.close(), second.close()]);
}

const kinds = new Map<string, Difference[]>();
for (const difference of differences) {
  const known = kinds.get(difference.kind) ?? [];
  known.push(difference);
  kinds.set(difference.kind, known);
}
for (const [kind, all] of [...kinds].sort(([, a], [, b]) => b.length - a.length)) {
  const { life, left, right } = all[0] as Difference;
  console.log(`${all.length} × ${kind} (${life})\n    ${profile}: ${left}\n    mockri: ${right}`);
}
if (process.env.OUT !== undefined) writeFileSync(process.env.OUT, JSON.stringify(differences, null, 1));
console.log(
  `${compared} lives, ${conflicts} with a conflict, ${incomplete} without one of the plugins: ${differences.length} differences of ${kinds.size} kinds`,
);
process.exit(kinds.size > 0 ? 1 : 0);
