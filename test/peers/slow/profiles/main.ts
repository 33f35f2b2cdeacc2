import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, release } from 'node:os';
import { createRandom } from '../../../../src/base/random/random.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { identityOf } from '../../../support/profiles/identity.js';
import type { Measurement } from '../../../support/profiles/measurement.js';
import { answerOf, cleanUp, createPodFixture, IMAGE } from '../../../support/profiles/pod-fixture.js';
import { probes } from '../../../support/profiles/probes.js';
import { createPodLifecycles, noSamples } from './pod-lifecycles.js';

/**
 * main.ts ENDPOINT NAME [ROUNDS]: measures a live runtime, and writes test/oracle/profiles/NAME.json and the times of
 * the profile. Neither the runtime nor the machine should have other work.
 */

/** Pods of the random part for each round of the scripted one, and how many run concurrently. */
const RANDOM_PODS = 2;
const WIDTH = 2;
const STEPS = 10;

const [endpoint = '', name = '', rounds = '20'] = process.argv.slice(2);
const cri = connectCri(endpoint);
await cri.waitForReady(5000);
await cleanUp(cri);
// Replies can depend on the number of images: the first sandbox pulls its own.
await createPodFixture(cri, 'first').pod();
await cleanUp(cri);

const answers: Record<string, string> = {};
let number = 0;
for (const [what, probe] of Object.entries(probes)) {
  await cri.pullImage({ image: IMAGE });
  answers[what] = await answerOf(probe(createPodFixture(cri, `probe-${number++}`)));
  await cleanUp(cri);
}
await cri.pullImage({ image: IMAGE });
const identity = await identityOf(cri, createPodFixture(cri, 'identity'));
await cleanUp(cri);

const load = loadavg()[0] ?? 0;
const samples = noSamples();
const lifecycles = createPodLifecycles(cri, samples);
await lifecycles.scripted(Number(rounds));
await lifecycles.random(RANDOM_PODS * Number(rounds), WIDTH, createRandom(name));
await cleanUp(cri);
cri.close();

const measurement: Measurement = {
  date: new Date().toISOString().slice(0, 10),
  machine: {
    processors: availableParallelism(),
    kernel: release(),
    cgroup: readFileSync('/proc/self/cgroup', 'utf8').startsWith('0::') ? 2 : 1,
    load: Number(load.toFixed(1)),
  },
  identity,
  answers,
  samples: Object.fromEntries(Object.entries(samples).map(([operation, all]) => [operation, all.length])),
  latency: Object.fromEntries(Object.entries(samples).map(([operation, all]) => [operation, quantiles(all)])),
};
const root = new URL('../../../../', import.meta.url);
writeFileSync(
  new URL(`test/oracle/profiles/${name}.json`, root),
  `${JSON.stringify(measurement, null, 2)}\n`,
);
const [, family, version] = /^(.*)-([\d.]+)$/.exec(name) ?? [];
if (family !== undefined)
  writeFileSync(
    new URL(`src/runtime/profiles/${family}/latency-${version}.json`, root),
    timesFile(measurement),
  );
console.log(
  `${Object.keys(answers).length} answers, ${Object.values(samples).flat().length} times of ${name} measured`,
);
process.exit(0);

/** From the smallest to the largest, without the slowest in a hundred, in ms. */
function quantiles(times: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  const last = Math.floor((sorted.length - 1) * 0.99);
  return Array.from({ length: STEPS + 1 }, (_, step) =>
    Number((sorted[Math.round((last * step) / STEPS)] ?? 0).toFixed(1)),
  );
}

function timesFile({ date, identity, machine, latency }: Measurement): string {
  const { runtimeName, runtimeVersion } = identity.version;
  const measured = `${runtimeName} ${runtimeVersion}, measured on ${date} by test/peers/slow/profiles with ${machine.processors} processors, kernel ${machine.kernel}, cgroup v${machine.cgroup}, load ${machine.load}: quantiles in steps of a tenth, in ms`;
  const times = Object.entries(latency).map(
    ([operation, quantiles]) => `    ${JSON.stringify(operation)}: [${quantiles.join(', ')}]`,
  );
  return `{\n  "measured": ${JSON.stringify(measured)},\n  "times": {\n${times.join(',\n')}\n  }\n}\n`;
}
