import type { Entry, EntryOf } from '../../../tape/entries.js';
import type { Explored } from '../explore.js';
import { isWork } from '../points/state.js';
import { observe } from '../run/observe.js';
import { keyOf, remember } from '../run/remember.js';
import { perturbed } from '../run/schedule.js';

/** A decision or row of the kubelet that differs from the run without faults, or is missing. */
export interface Decision {
  readonly key: string;
  readonly text: string;
}

interface Step {
  readonly t: number;
  readonly about: string;
  readonly id: string;
  readonly key: string;
  /** What the kubelet does, or does not: `stops app of web`, `does not stop app of web`. */
  readonly does: string;
  readonly doesNot: string;
}

const VERBS: Readonly<Record<string, string>> = {
  RunPodSandbox: 'start a sandbox',
  StopPodSandbox: 'stop the sandbox',
  RemovePodSandbox: 'remove the sandbox',
  CreateContainer: 'create',
  StartContainer: 'start',
  StopContainer: 'stop',
  RemoveContainer: 'remove',
  PullImage: 'pull the image',
};

/** Number of cached runs without faults: most findings share a few scenarios. */
const MOST_KEPT = 8;

/**
 * Finds the kubelet's first decision that differs from the run of the same scenario without the finding's faults; the
 * kubelet program runs it, if there is one. `entries` are from the run with the faults; undefined if it ended with an
 * exception.
 */
export function createDifferences(
  program?: string,
): (explored: Explored, entries: readonly Entry[] | undefined) => Promise<Decision> {
  const withoutFaults = remember<Step[] | undefined>(MOST_KEPT);
  return async ({ scenario, finding }, entries) => {
    if (finding.schedule.length === 0) return { key: 'no fault', text: 'No fault is needed.' };
    const until = finding.until ?? perturbed(scenario, finding.schedule).until;
    const plain = { ...perturbed(scenario, []), until };
    const before = await withoutFaults(keyOf(plain), async () => {
      const { tape } = await observe(plain, undefined, program);
      return tape && stepsOf(tape.entries);
    });
    if (before === undefined || entries === undefined)
      return { key: 'exception', text: 'The run ends with an exception.' };
    return compare(before, stepsOf(entries));
  };
}

const ROW = 'row ';

const stepsOf = (entries: readonly Entry[]): Step[] => entries.flatMap((entry) => stepOf(entry) ?? []);

export function compare(plain: readonly Step[], other: readonly Step[]): Decision {
  const abouts = new Set([...plain, ...other].map(({ about }) => about));
  const firsts = [...abouts].flatMap((about) => {
    const [a, b] = [plain, other].map((steps) => steps.filter((each) => each.about === about)) as [
      Step[],
      Step[],
    ];
    const at = a.findIndex((step, index) => step.id !== b[index]?.id);
    const index = at < 0 ? a.length : at;
    const [without, instead] = [a[index], b[index]];
    if (instead !== undefined)
      return [{ about, t: instead.t, key: instead.key, text: `The kubelet ${instead.does}.` }];
    return without === undefined
      ? []
      : [{ about, t: without.t, key: `no ${without.key}`, text: `The kubelet ${without.doesNot}.` }];
  });
  const work = firsts.filter(({ about }) => !about.startsWith(ROW));
  const [first] = (work.length > 0 ? work : firsts).sort((a, b) => a.t - b.t);
  return first === undefined
    ? { key: 'nothing', text: 'The kubelet decides the same, but later.' }
    : { key: first.key, text: first.text };
}

function stepOf(entry: Entry): Step | undefined {
  if (entry.kind === 'call') return isWork(entry.method) ? callStep(entry) : undefined;
  if (entry.kind === 'row') return rowStep(entry);
  if (entry.kind === 'node') return nodeStep(entry);
  return undefined;
}

function callStep({ t, method, pod, container }: EntryOf<'call'>): Step | undefined {
  const verb = VERBS[method];
  if (verb === undefined) return undefined;
  const attempt = container?.attempt ?? pod?.attempt ?? 0;
  const again = attempt > 0 && /^(Run|Create|Start)/.test(method) ? ' again' : '';
  const subject =
    container === undefined ? `of ${pod?.name ?? 'a pod'}` : `${container.name} of ${pod?.name}`;
  const what = `${verb} ${subject}`.replace('pull the image of a pod', 'pull an image');
  return {
    t,
    about: `${pod?.name} ${container?.name}`,
    id: `${method} ${attempt}`,
    key: `${method}${again}`,
    does: `${what.replace(/^\w+/, (word) => `${word}s`)}${again}`,
    doesNot: `does not ${what}${again}`,
  };
}

function rowStep({ t, pod, ready, status, restarts }: EntryOf<'row'>): Step {
  const row = `${ready} ${status}, RESTARTS ${restarts}`;
  return {
    t,
    about: `${ROW}${pod.name}`,
    id: row,
    key: `row ${status}`,
    does: `shows ${pod.name} as ${row}`,
    doesNot: `does not show ${pod.name} as ${row}`,
  };
}

function nodeStep({ t, ready }: EntryOf<'node'>): Step {
  const state = ready === 'True' ? 'ready' : 'not ready';
  return {
    t,
    about: 'node',
    id: ready,
    key: `node ${state}`,
    does: `shows the node as ${state}`,
    doesNot: `does not show the node as ${state}`,
  };
}
