import { createRealClock } from '../../src/clock/real-clock.js';
import { observe } from '../../src/explore/observe.js';
import { humanDuration } from '../../src/kubelet/status/human-duration.js';
import { createRandom } from '../../src/random/random.js';
import { readLines } from '../../src/reproduce/read/read-lines.js';
import { type Reproduction, reproduce } from '../../src/reproduce/reproduce.js';
import { causeOf } from '../../src/reproduce/search/cause-key.js';
import { clockText } from '../../src/scenario/clock-text.js';
import { loadScenario } from '../../src/scenario/load.js';
import type { LoadedScenario } from '../../src/scenario/loaded-scenario.js';
import type { Simulation } from '../../src/scenario/run.js';
import { runsOf } from '../../src/scenario/variants.js';
import { type Incident, incidents, withoutFaults } from '../explore/incidents.js';

/** How rows are seen: each second, with a fifth of them lost, or with ages as kubectl rounds them. */
export const viewings = ['each second', '20 % lost', 'ages'] as const;
export type Viewing = (typeof viewings)[number];

/** A run whose cause is known, and what is asked about it. */
export interface Case {
  readonly name: string;
  readonly version: string;
  /** The pod without its fault, version and title. */
  readonly pod: LoadedScenario;
  /** What happened. */
  readonly truth: LoadedScenario;
  /** What counts as the true cause: a part of the kind of one of the perturbations; '' for none. */
  readonly causes: readonly string[];
}

/** Other incidents, and what counts as their cause. */
const MORE: readonly {
  readonly name: string;
  readonly version: string;
  readonly causes: readonly string[];
}[] = [
  { name: 'crash-loop-back-off', version: '1.36', causes: [''] },
  { name: 'oom-loop', version: '1.36', causes: [''] },
  { name: 'ignores-sigterm', version: '1.36', causes: [''] },
  { name: 'liveness-crash-loop', version: '1.36', causes: [''] },
  { name: 'e08-ready-while-terminating', version: '1.36', causes: [''] },
  { name: 'image-pull-back-off', version: '1.36', causes: ['error before PullImage'] },
  { name: 'slow-pull', version: '1.36', causes: ['delay PullImage'] },
  { name: 'network-not-ready', version: '1.36', causes: ['NetworkReady=false'] },
  { name: 'kubelet-restart', version: '1.36', causes: ['kubelet restarted', 'kubelet down'] },
  { name: 'runtime-hang', version: '1.36', causes: ['lists hang'] },
  { name: 'stuck-terminating', version: '1.36', causes: ['error before StopPodSandbox'] },
  { name: 'flapping-runtime', version: '1.36', causes: ['RuntimeReady=false'] },
  { name: 'list-over-16-mib', version: '1.36', causes: ['error before ListContainers', 'lists hang'] },
  { name: 'e09-event-channel-full', version: '1.36', causes: ['event 1000 times'] },
  { name: 'e10-events-out-of-order', version: '1.36', causes: ['event out of order', 'event lost'] },
  { name: 'e11-running-after-stop', version: '1.36', causes: ['stale reply'] },
  { name: 'evented-events-duplicated', version: '1.36', causes: ['event twice'] },
];

/** All incidents with their causes. */
export const blindNames: readonly string[] = [
  ...incidents.map(({ name }) => name),
  ...MORE.map(({ name }) => name),
];

/** The case of an incident: its own scenario is the truth, with another seed. */
export async function caseOf(name: string): Promise<Case> {
  const known = incidents.find((each) => each.name === name);
  const more = MORE.find((each) => each.name === name);
  const version = (known ?? more)?.version ?? '1.36';
  const scenario = await loadScenario(`scenarios/${name}.yaml`);
  const run = runsOf(scenario, version)[0]?.scenario ?? scenario;
  const pod = await withoutFaults(name, version);
  const { version: _, ...kubelet } = pod.kubelet;
  return {
    name,
    version,
    pod: { ...pod, kubelet: { ...kubelet, version: undefined }, title: '', see: '', why: '', fix: '' },
    truth: { ...run, variants: [], seed: 'blind' },
    causes: more?.causes ?? [causeOf((known as Incident).kind)],
  };
}

/** What a run shows, as text. */
export function textsOf(run: Simulation, end: number, viewing: Viewing): string[] {
  const random = createRandom('viewing');
  const lines: string[] = [];
  const pods = [...new Set(run.rows.map(({ pod }) => pod))];
  const states: string[] = [];
  const time = (t: number) => (viewing === 'ages' ? '' : `${clockText(t)}   `);
  for (let t = 0; t < end; t++) {
    for (const pod of pods) {
      const row = run.rows.filter((each) => each.pod === pod && each.t <= t).at(-1);
      const gone = run.pods.find((each) => each.pod === pod && each.what === 'gone');
      if (row === undefined || (gone !== undefined && gone.t <= t)) continue;
      if (viewing === '20 % lost' && random.next() < 0.2) continue;
      const name = pod.includes('/') ? pod.replace('/', '   ') : pod;
      lines.push(
        `${time(t)}${name}   ${row.ready}   ${row.status}   ${row.restarts}   ${humanDuration(t * 1000)}`,
      );
    }
    const node = run.nodes.filter((each) => each.t <= t).at(-1);
    // The time of a node's row is that of the watch, whatever the pods' rows have.
    if (node !== undefined && t % 5 === 0)
      states.push(`${clockText(t)}   node   ${node.ready === 'True' ? 'Ready' : 'NotReady'}   <none>   5d`);
  }
  return [lines.join('\n'), eventsText(run, end, viewing), states.join('\n')];
}

/** As kubectl get events: equal events are one line with their number. */
function eventsText(run: Simulation, end: number, viewing: Viewing): string {
  if (viewing !== 'ages')
    return run.events
      .map(
        ({ t, type, reason, pod, message }) =>
          `${clockText(t)}   ${type}   ${reason}   ${pod}   ${oneLine(message)}`,
      )
      .join('\n');
  const byKey = new Map<string, { first: number; last: number; count: number; line: string }>();
  for (const { t, type, reason, pod, message } of run.events) {
    const key = `${type} ${reason} ${pod} ${message}`;
    const line = `${type}   ${reason}   pod/${pod.replace(/^.*\//, '')}   ${oneLine(message)}`;
    const known = byKey.get(key) ?? { first: t, last: t, count: 0, line };
    byKey.set(key, { ...known, last: t, count: known.count + 1 });
  }
  const ago = (t: number) => humanDuration((end - t) * 1000);
  const scheduled = [...new Set(run.rows.map(({ pod }) => pod))].map(
    (pod) => `${ago(0)}   Normal   Scheduled   pod/${pod.replace(/^.*\//, '')}   Successfully assigned`,
  );
  return [
    'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE',
    ...scheduled,
    ...[...byKey.values()].map(({ first, last, count, line }) =>
      count === 1 ? `${ago(last)}   ${line}` : `${ago(last)} (x${count} over ${ago(first)})   ${line}`,
    ),
  ].join('\n');
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** What an answer is worth. */
export interface Answered {
  readonly name: string;
  readonly viewing: Viewing;
  /** The place of the true cause, from 1; 0 when it is not among the answers. */
  readonly place: number;
  readonly first: string;
  readonly fit: number;
  readonly runs: number;
  readonly ms: number;
  readonly result: Reproduction;
}

/** Gives what was seen of a case to the search. */
export async function ask(
  given: Case,
  viewing: Viewing,
  workers = 0,
  budget: { schedules?: number; time?: number } = { schedules: 600 },
): Promise<Answered> {
  const { run } = await observe(given.truth);
  if (run === undefined) throw new Error(`${given.name} does not run`);
  const end = given.truth.until / 1000;
  const saw = textsOf(run, end, viewing)
    .filter((text) => text !== '')
    .map((text) => readLines(text, viewing));
  const clock = createRealClock();
  const begun = clock.elapsed();
  const result = await reproduce({ scenario: given.pod, saw, budget, seed: '1', depth: 2, workers, clock });
  const ms = clock.elapsed() - begun;
  const isTrue = (key: string) =>
    given.causes.some((cause) => (cause === '' ? key === '' : key.includes(cause)));
  const place = result.causes.findIndex(({ key, also }) => isTrue(key) || also.some(isTrue)) + 1;
  const first = result.causes[0];
  return {
    name: given.name,
    viewing,
    place,
    first: first?.key ?? '',
    fit: first?.fit ?? 0,
    runs: result.runs,
    ms,
    result,
  };
}
