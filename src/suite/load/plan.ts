import { pick, pickWeighted, type Random } from '../../base/random/random.js';
import type { ProgramName } from '../diff/programs.js';
import type { PlannedCall, Sequence, Step } from '../diff/steps.js';

/** Steps of a pod after its sandbox runs: from 3 to this. */
const LONGEST = 14;
/** Maximum number of concurrent calls. */
const MOST_TOGETHER = 4;
const MOST_CONTAINERS = 3;

/** Fraction of steps with several calls. */
const TOGETHER = 0.4;

const PROGRAMS: readonly ProgramName[] = [
  'sleeps',
  'sleeps',
  'sleeps',
  'exits with 0',
  'exits with 3',
  'ends on TERM',
];

/** Relative frequencies of actions on a pod. Lists of everything cost much. */
const WEIGHTS = {
  create: 5,
  start: 7,
  stop: 4,
  remove: 3,
  status: 5,
  exec: 2,
  'list of pod': 3,
  'status of pod': 2,
  'list by id': 1,
  'stats of pod': 1,
  'list of all': 0.6,
  'stop pod': 0.8,
  'remove pod': 0.4,
} as const;

const deeds = Object.keys(WEIGHTS) as readonly (keyof typeof WEIGHTS)[];

/** The life of a pod: its calls, some of which several clients make concurrently. */
export function randomPlan(random: Random): Sequence {
  const planner = new Planner(random);
  const length = 3 + Math.floor(random.next() * (LONGEST - 2));
  return [
    { calls: [{ method: 'RunPodSandbox', form: '', pod: 'p1' }] },
    { calls: [planner.create()] },
    ...Array.from({ length }, () => planner.step()),
  ];
}

class Planner {
  readonly #random: Random;
  readonly #containers: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  step(): Step {
    const isAlone = this.#random.next() >= TOGETHER;
    const count = isAlone ? 1 : 2 + Math.floor(this.#random.next() * (MOST_TOGETHER - 1));
    return { calls: Array.from({ length: count }, () => this.#call()) };
  }

  create(): PlannedCall {
    const container = `c${this.#containers.length + 1}`;
    this.#containers.push(container);
    const program = this.#pick(PROGRAMS);
    return { method: 'CreateContainer', form: '', pod: 'p1', container, program };
  }

  #call(): PlannedCall {
    const deed = pickWeighted(this.#random, deeds, (each) => WEIGHTS[each]);
    if (deed === 'create' && this.#containers.length < MOST_CONTAINERS) return this.create();
    // Usually picks the latest one, which may not be started yet.
    const container =
      this.#random.next() < 0.7 ? (this.#containers.at(-1) as string) : this.#pick(this.#containers);
    const ofPod = { form: '', pod: 'p1' };
    const ofContainer = { ...ofPod, container };
    switch (deed) {
      case 'create':
      case 'start':
        return { method: 'StartContainer', ...ofContainer };
      case 'stop':
        return { method: 'StopContainer', ...ofContainer, grace: this.#random.next() < 0.8 ? 0 : 1 };
      case 'remove':
        return { method: 'RemoveContainer', ...ofContainer };
      case 'status':
        return { method: 'ContainerStatus', ...ofContainer };
      case 'exec':
        return { method: 'ExecSync', ...ofContainer };
      case 'list of pod':
        return { method: 'ListContainers', form: 'by pod', pod: 'p1' };
      case 'list by id':
        return { method: 'ListPodSandbox', form: 'by id', pod: 'p1' };
      case 'status of pod':
        return { method: 'PodSandboxStatus', ...ofPod };
      case 'stats of pod':
        return { method: 'ListContainerStats', form: 'by pod', pod: 'p1' };
      case 'list of all':
        return { method: this.#random.next() < 0.5 ? 'ListContainers' : 'ListPodSandbox', form: '' };
      case 'stop pod':
        return { method: 'StopPodSandbox', ...ofPod };
      case 'remove pod':
        return { method: 'RemovePodSandbox', ...ofPod };
    }
  }

  #pick<T>(items: readonly T[]): T {
    return pick(this.#random, items) as T;
  }
}
