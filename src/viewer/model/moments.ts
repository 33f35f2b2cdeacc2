import type { Line } from '../../tape/entries.js';
import { type Instance, titleOf } from './instances.js';
import { durationText, momentText, podKey } from './names.js';
import type { Item, Lane, LineOf, Moment, Tone } from './timeline.js';

/** What the sentences are made from, in addition to the entries. */
interface Facts {
  readonly lanes: readonly Lane[];
  readonly instances: readonly Instance[];
}

/** The sentences about a tape, in order of time; what repeats itself is one sentence. */
export function momentsOf(
  happened: readonly (readonly [Line, number])[],
  { lanes, instances }: Facts,
): Moment[] {
  const groups = new Groups();
  for (const [entry, line] of happened) {
    const sentence = sentenceOf(entry, line);
    if (sentence !== undefined) groups.add(entry.t, sentence);
  }
  for (const lane of lanes) if (lane.kind === 'call') failedCalls(lane, groups);
  return [...groups.moments(), ...instances.flatMap((instance) => livesOf(instance, instances, lanes))].sort(
    (a, b) => a.t - b.t,
  );
}

interface Group {
  readonly t: number;
  readonly text: string;
  readonly tone: Tone;
  readonly item: Item | undefined;
  last: number;
  count: number;
}

/** Sentences that come several times, at their first time. */
class Groups {
  readonly #groups = new Map<string, Group>();

  add(t: number, { tone, text, key = text }: Sentence, item?: Item): void {
    const known = this.#groups.get(key);
    if (known === undefined) {
      this.#groups.set(key, { t, text, tone, item, last: t, count: 1 });
      return;
    }
    known.count++;
    known.last = Math.max(known.last, t);
  }

  moments(): Moment[] {
    return [...this.#groups.values()].map(({ t, text, tone, item, last, count }) => {
      const until = last === t ? '' : ` until ${momentText(last)}`;
      return { t, tone, item, text: `${text}${count === 1 ? '' : ` (${count} times${until})`}.` };
    });
  }
}

/** What an entry says; sentences with the same key are one. */
interface Sentence {
  readonly tone: Tone;
  readonly text: string;
  readonly key?: string;
}

function sentenceOf(entry: Line, line: number): Sentence | undefined {
  switch (entry.kind) {
    case 'step':
      return { tone: 'step', text: `Step of the scenario: ${entry.text}`, key: `step ${line}` };
    case 'fault': {
      const { rule, action, method, pod } = entry;
      const about = `${method === undefined ? '' : ` on ${method}`}${pod ? ` of ${podKey(pod)}` : ''}`;
      const isLost = action === 'drop' && method === 'GetContainerEvents';
      const effect = isLost ? ', so the kubelet does not get this event' : '';
      return { tone: 'fault', text: `Fault rule "${rule}" acts: ${action}${about}${effect}` };
    }
    case 'node':
      return { tone: toneOfNode(entry), text: nodeText(entry), key: `node ${line}` };
    case 'row':
      if (entry.status !== 'Running' || !isReady(entry.ready)) return undefined;
      return { tone: 'good', text: `${podKey(entry.pod)} is ready` };
    case 'event':
      return ofEvent(entry, line);
    case 'log':
      if (!/Event channel is full|Fall back to Generic PLEG/.test(entry.text)) return undefined;
      return { tone: 'bad', text: `The kubelet logs: ${trimDot(entry.text)}` };
    case 'gap': {
      const text = `${entry.lost} entries are missing on the tape: ${entry.text}`;
      return { tone: 'bad', text, key: `gap ${line}` };
    }
    default:
      return undefined;
  }
}

function ofEvent({ type, reason, text, pod }: LineOf<'event'>, line: number): Sentence | undefined {
  const name = podKey(pod);
  const said = `${name}: ${trimDot(text)}`;
  if (type === 'Warning')
    return {
      tone: 'warn',
      text: `${name}: ${reason}, ${trimDot(text)}`,
      key: `${name} ${reason} ${stem(text)}`,
    };
  if (reason === 'Killing') return { tone: 'step', text: said, key: `kill ${line}` };
  return reason === 'Pulled' && text.startsWith('Success') ? { tone: 'step', text: said } : undefined;
}

const toneOfNode = ({ ready }: LineOf<'node'>): Tone =>
  ready === 'True' ? 'good' : ready === 'False' ? 'bad' : 'warn';

const nodeText = ({ ready, text, evicting }: LineOf<'node'>): string => {
  const state = { True: 'Ready', False: 'NotReady', Unknown: 'Unknown' }[ready];
  return `The node is ${state}: ${trimDot(text)}${evicting ? '; its pods are evicted' : ''}`;
};

function failedCalls({ pod, items }: Lane, groups: Groups): void {
  for (const item of items) {
    const { code, method, t } = item;
    if (code === undefined || code === 'OK' || method === undefined) continue;
    const about = pod === '' ? '' : ` of ${pod}`;
    const text = `${method}${about} fails with ${code}`;
    groups.add(t, { tone: 'bad', text }, item);
  }
}

/** Ends and restarts of an instance. */
function livesOf(instance: Instance, all: readonly Instance[], lanes: readonly Lane[]): Moment[] {
  const { running, ended, attempt, lane } = instance;
  const moments: Moment[] = [];
  const before = all.find((each) => each.lane === lane && each.attempt === attempt - 1);
  if (running !== undefined && before?.ended !== undefined) {
    const wait = lane.items.findLast(
      ({ shape, t }) => shape === 'hatch' && t >= (before.ended ?? 0) - 1 && t <= running.t,
    );
    const gap = durationText(running.t - before.ended);
    const why =
      wait?.end === undefined ? '' : `; it waited for a back-off of ${durationText(wait.end - wait.t)}`;
    const text = `${titleOf(instance)} starts ${gap} after the end of the instance before${why}.`;
    moments.push({ t: running.t, tone: 'info', text, item: running });
  }
  if (running !== undefined && ended !== undefined) {
    const killed = killing(lanes, lane, ended, running.t);
    const text = `${running.text}${killed === undefined ? '' : ` (the kubelet: ${trimDot(killed)})`}.`;
    moments.push({ t: ended, tone: running.tone, text, item: running });
  }
  return moments;
}

/** The kubelet's words when it was the one that ended a container. */
function killing(lanes: readonly Lane[], { pod }: Lane, ended: number, started: number): string | undefined {
  const events = lanes.find((each) => each.kind === 'event' && each.pod === pod);
  const found = events?.items.findLast(({ label, t }) => label === 'Killing' && t <= ended && t >= started);
  return found?.text.replace(/^Killing: /, '');
}

const isReady = (ready: string): boolean => {
  const [now, all] = ready.split('/');
  return now === all;
};

const trimDot = (text: string): string => text.replace(/\.$/, '');

/** A text without numbers and ids, which differ from time to time. */
const stem = (text: string): string => text.replace(/[0-9a-f]{8,}|\d+/g, '#').slice(0, 60);
