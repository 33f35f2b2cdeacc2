import { counted } from '../../../base/input/counted.js';
import type { Line } from '../../entries.js';
import { type Instance, titleOf } from './instances.js';
import { durationText, momentText, podKey } from './names.js';
import { lastWithin } from './order.js';
import type { Item, Lane, LineOf, Moment, Tone } from './timeline.js';

interface Facts {
  readonly lanes: readonly Lane[];
  readonly instances: readonly Instance[];
  readonly failed: readonly Item[];
}

/** Sentences about a tape, in order of time; repetitions are merged. */
export function momentsOf(
  happened: readonly (readonly [Line, number])[],
  { lanes, instances, failed }: Facts,
): Moment[] {
  const groups = new Groups();
  for (const [entry, line] of happened) {
    const sentence = sentenceOf(entry, line);
    if (sentence !== undefined) groups.add(entry.t, sentence);
  }
  for (const item of failed) if (item.lane.kind === 'call') groups.add(item.t, failureOf(item), item);
  const causes = causesIn(lanes);
  return [...groups.moments(), ...instances.flatMap((instance) => lifecycleOf(instance, causes))].sort(
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

interface Sentence {
  readonly tone: Tone;
  readonly text: string;
  readonly key?: string;
}

function sentenceOf(entry: Line, line: number): Sentence | undefined {
  switch (entry.kind) {
    case 'step':
      return { tone: 'step', text: `Step of the scenario: ${entry.text}`, key: `step ${line}` };
    case 'kubelet':
      if (entry.what === 'started') return undefined;
      return { tone: 'bad', text: exitOf(entry), key: `kubelet ${line}` };
    case 'pod':
      if (entry.what !== 'gone') return undefined;
      return { tone: 'step', text: `${podKey(entry.pod)} is gone`, key: `gone ${line}` };
    case 'fault': {
      const { rule, action, method, pod } = entry;
      const about = `${method === undefined ? '' : ` on ${method}`}${pod ? ` of ${podKey(pod)}` : ''}`;
      const isLost = action === 'drop' && method === 'GetContainerEvents';
      const effect = isLost ? ', so the kubelet does not get this event' : '';
      return { tone: 'fault', text: `Fault rule "${rule}" fired: ${action}${about}${effect}` };
    }
    case 'node':
      return { tone: toneOfNode(entry), text: nodeText(entry), key: `node ${line}` };
    case 'row':
      if (entry.status !== 'Running' || !isReady(entry.ready)) return undefined;
      return { tone: 'good', text: `${podKey(entry.pod)} is ready` };
    case 'event':
      return ofEvent(entry, line);
    case 'pleg':
      return PLEG_SENTENCES[entry.state];
    case 'plugin': {
      const { plugin, what } = entry;
      const isLost = what === 'lost';
      const text = `Plugin ${plugin} ${isLost ? 'is gone' : 'is connected'}`;
      return { tone: isLost ? 'bad' : 'good', text };
    }
    case 'nri':
      if (entry.failure === undefined) return undefined;
      return { tone: 'bad', text: `Plugin ${entry.plugin} fails ${entry.method}: ${entry.details ?? ''}` };
    case 'gap': {
      const text = `${counted(entry.lost, 'entry is', 'entries are')} missing on the tape: ${entry.text}`;
      return { tone: 'bad', text, key: `gap ${line}` };
    }
    default:
      return undefined;
  }
}

const PLEG_SENTENCES: Readonly<Partial<Record<LineOf<'pleg'>['state'], Sentence>>> = {
  discarded: { tone: 'bad', text: 'The channel of PLEG events is full, and the kubelet discards an event' },
  generic: {
    tone: 'bad',
    text: 'The kubelet gives up on the event stream, and lists everything each second',
  },
};

function ofEvent({ type, reason, text, pod, pull }: LineOf<'event'>, line: number): Sentence | undefined {
  const name = podKey(pod);
  const said = `${name}: ${trimDot(text)}`;
  if (type === 'Warning')
    return {
      tone: 'warn',
      text: `${name}: ${reason}, ${trimDot(text)}`,
      key: `${name} ${reason} ${stem(text)}`,
    };
  if (reason === 'Killing') return { tone: 'step', text: said, key: `kill ${line}` };
  return pull === 'succeeded' ? { tone: 'step', text: said } : undefined;
}

const exitOf = ({ what, text = '' }: LineOf<'kubelet'>): string =>
  what === 'killed' ? 'The kubelet is killed' : `The kubelet exits: ${trimDot(text)}`;

const toneOfNode = ({ ready }: LineOf<'node'>): Tone =>
  ready === 'True' ? 'good' : ready === 'False' ? 'bad' : 'warn';

const nodeText = ({ ready, text, evicting }: LineOf<'node'>): string => {
  const state = { True: 'Ready', False: 'NotReady', Unknown: 'Unknown' }[ready];
  return `The node is ${state}: ${trimDot(text)}${evicting ? '; its pods are evicted' : ''}`;
};

const failureOf = ({ code, method, lane: { pod } }: Item): Sentence => ({
  tone: 'bad',
  text: `${method}${pod === '' ? '' : ` of ${pod}`} fails with ${code}`,
});

/** Causes of waits and ends: back-offs of each lane, and events with which the kubelet ends a pod's container. */
interface Causes {
  readonly waits: ReadonlyMap<Lane, readonly Item[]>;
  readonly kills: ReadonlyMap<string, readonly Item[]>;
}

function causesIn(lanes: readonly Lane[]): Causes {
  const waits = new Map<Lane, readonly Item[]>();
  const kills = new Map<string, readonly Item[]>();
  for (const lane of lanes) {
    const { kind, pod, items } = lane;
    if (kind === 'event')
      kills.set(
        pod,
        items.filter(({ label }) => label === 'Killing'),
      );
    if (kind === 'container')
      waits.set(
        lane,
        items.filter(({ shape }) => shape === 'hatch'),
      );
  }
  return { waits, kills };
}

function lifecycleOf(instance: Instance, { waits, kills }: Causes): Moment[] {
  const { running, ended, lane, before } = instance;
  const moments: Moment[] = [];
  if (running !== undefined && before?.ended !== undefined) {
    const wait = lastWithin(waits.get(lane) ?? [], before.ended - 1, running.t);
    const gap = durationText(running.t - before.ended);
    const why =
      wait?.end === undefined ? '' : `; it waited for a back-off of ${durationText(wait.end - wait.t)}`;
    const text = `${titleOf(instance)} starts ${gap} after the end of the instance before${why}.`;
    moments.push({ t: running.t, tone: 'info', text, item: running });
  }
  if (running !== undefined && ended !== undefined) {
    const killing = lastWithin(kills.get(lane.pod) ?? [], running.t, ended);
    const killed = killing?.text.replace(/^Killing: /, '');
    const text = `${running.text}${killed === undefined ? '' : ` (the kubelet: ${trimDot(killed)})`}.`;
    moments.push({ t: ended, tone: running.endTone ?? running.tone, text, item: running });
  }
  return moments;
}

const isReady = (ready: string): boolean => {
  const [now, all] = ready.split('/');
  return now === all;
};

const trimDot = (text: string): string => text.replace(/\.$/, '');

/** Removes numbers and ids, which differ between repetitions. */
const stem = (text: string): string => text.replace(/[0-9a-f]{8,}|\d+/g, '#').slice(0, 60);
