import { pick, pickWeighted, type Random } from '../../base/random/random.js';
import { rpcs } from './catalog/index.js';
import type { Rpc } from './catalog/rpc.js';
import { type ProgramName, programNames } from './programs.js';
import type { PlannedCall, Sequence, Step } from './steps.js';
import { SUBSCRIBERS } from './subscribers.js';

/** Calls of a sequence: from 2 to this. */
const LONGEST = 14;

/** From 0 to 1. */
const CHANCES = {
  startsWithPod: 0.92,
  /** A container is created next when there is a pod but no container. */
  firstContainer: 0.75,
  /** A call uses a name that no call created. */
  unknown: 0.08,
  newName: 0.75,
  /** Reading calls are cheap for a real runtime. */
  reads: 0.5,
  /** A container is started right after its creation. */
  started: 0.5,
  unusualForm: 0.3,
  unusualRead: 0.6,
  unusualId: 0.12,
  together: 0.12,
};

const PROGRAM_WEIGHTS: Readonly<Record<ProgramName, number>> = {
  sleeps: 10,
  'exits with 0': 4,
  'exits with 3': 3,
  'is killed': 1,
  'ends on TERM': 2,
  'ignores TERM': 0.5,
  'does not exist': 2,
  'is a directory': 0.5,
};

/** A random sequence: good, bad, repeated, out-of-order and simultaneous calls. */
export function randomSequence(random: Random): Sequence {
  const generator = new Generator(random);
  const length = 2 + Math.floor(random.next() * (LONGEST - 1));
  return Array.from({ length }, () => generator.step());
}

/** A random sequence in which another subscriber of the event stream reads, or doesn't. */
export function subscriberSequence(random: Random, reads: boolean): Sequence {
  const generator = new Generator(random);
  const before = generator.step();
  const subscribe: Step = {
    calls: [{ method: 'GetContainerEvents', form: reads ? SUBSCRIBERS.reads : SUBSCRIBERS.unread }],
  };
  if (reads) return [before, subscribe, generator.step(), generator.step(), generator.step()];
  const pod: PlannedCall = { method: 'RunPodSandbox', form: '', pod: 'p1' };
  const create: PlannedCall = {
    method: 'CreateContainer',
    form: '',
    pod: 'p1',
    container: 'c9',
    program: 'sleeps',
  };
  return [{ calls: [pod] }, subscribe, { calls: [create], times: CHURN }];
}

/** Twice as many events fill the known queues of subscribers (containerd: 100), the socket and the client. */
const CHURN = 90;

class Generator {
  readonly #random: Random;
  readonly #pods: string[] = [];
  readonly #containers = new Map<string, string>();
  #last = '';

  constructor(random: Random) {
    this.#random = random;
  }

  step(): Step {
    const call = this.#call(this.#choose());
    const isAlone = this.#random.next() >= CHANCES.together || call.form !== '' || !TOGETHER.has(call.method);
    return { calls: isAlone ? [call] : [call, this.#companion(call)] };
  }

  #choose(): Rpc {
    const last = this.#last;
    if (last === 'CreateContainer' && this.#random.next() < CHANCES.started) return named('StartContainer');
    const isFirst = this.#pods.length === 0 && this.#random.next() < CHANCES.startsWithPod;
    if (isFirst) return named('RunPodSandbox');
    if (this.#containers.size === 0 && this.#random.next() < CHANCES.firstContainer)
      return named('CreateContainer');
    const reads = this.#random.next() < CHANCES.reads;
    return pickWeighted(this.#random, reads ? readingRpcs : changingRpcs, ({ weight }) => weight);
  }

  #call({ method, about, forms, changes }: Rpc): PlannedCall {
    const names = Object.keys(forms);
    const chance = changes ? CHANCES.unusualForm : CHANCES.unusualRead;
    const form = this.#random.next() < chance ? this.#pick(names) : (names[0] ?? '');
    this.#last = method;
    const call = { method, form };
    if (about === 'none') return call;
    if (about === 'new pod') return { ...call, pod: this.#newPod() };
    if (about === 'new container') return { ...call, ...this.#newContainer(), ...this.#id() };
    if (about === 'pod') return { ...call, pod: this.#pod(), ...this.#id() };
    const container = this.#container();
    const pod = this.#containers.get(container) ?? 'p1';
    const grace = method === 'StopContainer' ? { grace: this.#random.next() < 0.75 ? 0 : 1 } : {};
    return { ...call, container, pod, ...grace, ...this.#id() };
  }

  /** The same call again, or one whose result does not depend on the order of both. */
  #companion(call: PlannedCall): PlannedCall {
    const others = [...this.#containers.keys()].filter((name) => name !== call.container);
    const container = this.#pick(others);
    if (!ON_CONTAINER.has(call.method) || container === undefined || this.#random.next() < 0.6) return call;
    return { ...call, container, pod: this.#containers.get(container) ?? 'p1' };
  }

  #newPod(): string {
    const isNew = this.#pods.length === 0 || (this.#pods.length < 2 && this.#random.next() < CHANCES.newName);
    const pod = isNew ? `p${this.#pods.length + 1}` : this.#pick(this.#pods);
    if (isNew) this.#pods.push(pod);
    return pod;
  }

  #newContainer(): { readonly container: string; readonly pod: string; readonly program: ProgramName } {
    const program = pickWeighted(this.#random, programNames, (name) => PROGRAM_WEIGHTS[name]);
    const known = [...this.#containers];
    const isNew = known.length === 0 || this.#random.next() < CHANCES.newName;
    const again = this.#pick(known);
    if (!isNew && again !== undefined) return { container: again[0], pod: again[1], program };
    const [container, pod] = [`c${known.length + 1}`, this.#pod()];
    this.#containers.set(container, pod);
    return { container, pod, program };
  }

  #pod(): string {
    return this.#random.next() < CHANCES.unknown || this.#pods.length === 0 ? 'p9' : this.#pick(this.#pods);
  }

  #container(): string {
    const known = [...this.#containers.keys()];
    // Usually picks the latest one: its last change is most likely to cause an error.
    if (known.length === 0 || this.#random.next() < CHANCES.unknown) return 'c9';
    return this.#random.next() < 0.6 ? (known.at(-1) as string) : this.#pick(known);
  }

  #id(): Pick<PlannedCall, 'id'> {
    if (this.#random.next() >= CHANCES.unusualId) return {};
    return { id: this.#random.next() < 0.6 ? 'prefix' : 'empty' };
  }

  #pick<T>(items: readonly T[]): T {
    return pick(this.#random, items) as T;
  }
}

const changingRpcs = rpcs.filter(({ changes }) => changes);
const readingRpcs = rpcs.filter(({ changes }) => !changes);

const named = (method: string): Rpc => rpcs.find((rpc) => rpc.method === method) as Rpc;

/** Calls whose concurrent repetition has the same result in any order. */
const TOGETHER = new Set([
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
]);

/** Calls that can run concurrently on two containers of a pod. */
const ON_CONTAINER = new Set(['StartContainer', 'StopContainer', 'RemoveContainer']);
