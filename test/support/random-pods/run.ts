import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { parseScenario } from '../../../src/lab/scenario/file/load.js';
import { openSimulation } from '../../../src/lab/scenario/simulation/open-simulation.js';
import { runToEnd } from '../../../src/lab/scenario/simulation/simulate.js';
import type { Entry } from '../../../src/tape/entries.js';
import { createTape } from '../../../src/tape/tape.js';
import { type History, historiesOf } from './history.js';
import type { PodCase } from './pod-case.js';

export interface RunOptions {
  /** A kubelet program for virtual time whose log has each event. Default: the thin kubelet. */
  readonly program?: string | undefined;
  /** Such as `1.37`. */
  readonly version: string;
  readonly seed: number;
  /** How long each pod is observed, in s. */
  readonly seconds: number;
}

/** Start of the first pod in s: probes that begin sooner after the kubelet's start wait for a random time. */
const FIRST = 15;
/** Multiples of the golden ratio have fractions that are far apart. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Interval of the pods' starts in s: it doesn't divide a second, in which the kubelet lists. */
const STAGGER = 0.13;

/** Lifts the limits that pods would share: for events, pulls and requests to the API server. */
const CONFIG = {
  serializeImagePulls: false,
  registryPullQPS: 0,
  eventRecordQPS: 0,
  kubeAPIQPS: 5000,
  kubeAPIBurst: 10_000,
  maxPods: 500,
};

/** The scenario that runs pods on one node, and the start of each in s. */
export function scenarioOf(
  cases: readonly PodCase[],
  { version, seed, seconds }: Omit<RunOptions, 'program'>,
): { readonly text: string; readonly cameAt: ReadonlyMap<string, number> } {
  // Each seed starts at another point between two lists; a few consecutive seeds spread evenly.
  const first = FIRST + ((seed * GOLDEN) % 1);
  const cameAt = new Map(cases.map(({ name }, index) => [name, round(first + index * STAGGER)]));
  const text = JSON.stringify({
    version: 1,
    seed,
    kubelet: { version, config: CONFIG },
    faults: cases.flatMap(rulesOf),
    timeline: cases.flatMap((each) => stepsOf(each, cameAt.get(each.name) ?? 0)),
    until: `${round(first + cases.length * STAGGER + seconds)}s`,
  });
  return { text, cameAt };
}

/** Runs pods on one node, and returns their histories. */
export async function runPods(cases: readonly PodCase[], options: RunOptions): Promise<Map<string, History>> {
  const { program } = options;
  const { text, cameAt } = scenarioOf(cases, options);
  const scenario = await parseScenario(text, 'random-pods');
  const tape = createTape(createVirtualClock());
  const entries: Entry[] = [];
  tape.listen({
    only: ['kubelet', 'call', 'row', 'pod', program === undefined ? 'event' : 'log'],
    entry: (entry) => {
      if (entry.kind !== 'call' || entry.pod !== undefined) entries.push(entry);
    },
  });
  const simulation = await openSimulation({
    scenario,
    tape,
    backend: createMemoryBackend,
    program,
  });
  try {
    await runToEnd(simulation, { keepAll: false });
  } finally {
    await simulation.close();
  }
  return historiesOf(entries, cameAt);
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function stepsOf({ name, spec, behaviors, removedAt }: PodCase, at: number): object[] {
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  return [
    { at: `${at}s`, do: { addPod: { manifest, behaviors } } },
    ...(removedAt === undefined ? [] : [{ at: `${round(at + removedAt)}s`, do: { removePod: name } }]),
  ];
}

const rulesOf = ({ name, faults }: PodCase): object[] =>
  faults.map((rule, index) => ({
    ...rule,
    name: `${name}-${index}`,
    match: { ...rule.match, pod: { name } },
  }));
