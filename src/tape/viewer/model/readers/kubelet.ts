import { counted } from '../../../../base/input/counted.js';
import type { Line } from '../../../entries.js';
import type { Lanes } from '../lanes.js';
import { containerLabel, durationText, podKey } from '../names.js';
import type { NodeStates, States } from '../states.js';
import type { Item, Lane, LineOf, Tone } from '../timeline.js';
import type { Readers } from './readers.js';

interface Parts {
  readonly lanes: Lanes;
  readonly states: States;
  readonly node: NodeStates;
}

export function kubeletReaders({ lanes, states, node }: Parts) {
  const moment = (t: number, line: number, kind: 'event' | 'log', entry: Line, tone: Tone, label: string) => {
    const { pod, text } = entry as LineOf<'event'>;
    const lane = lanes.lane(kind, podKey(pod), kind === 'event' ? 'events' : 'log');
    return lanes.add(lane, { t, end: t, shape: 'dot', tone, label, text, line });
  };

  const outputs = new WeakMap<Lane, Item>();
  /** The lines that a container printed before it failed become one dot. */
  const printed = (t: number, line: number, lane: Lane, text: string) => {
    const last = outputs.get(lane);
    if (last?.t === t) last.text += `\n${text}`;
    else
      outputs.set(
        lane,
        lanes.add(lane, {
          t,
          end: t,
          shape: 'dot',
          tone: 'bad',
          label: 'printed',
          text: `printed: ${text}`,
          line,
        }),
      );
  };

  const waits = new WeakMap<Lane, Item>();

  return {
    kubelet: (entry, line) => node.kubelet(entry, line),
    log: (entry, line) => {
      const { t, from, text } = entry;
      if (entry.pod !== undefined && entry.container !== undefined) {
        printed(t, line, lanes.lane('container', podKey(entry.pod), containerLabel(entry.container)), text);
        return;
      }
      const item = moment(t, line, 'log', entry, 'none', from);
      item.text = `${from}: ${text}`;
    },
    row: ({ t, pod, ready, status, restarts }, line) => {
      const lane = lanes.lane('row', podKey(pod), podKey(pod));
      const count = restarts > 0 ? ` · ${counted(restarts, 'restart')}` : '';
      const tone = toneOfRow(ready, status);
      const text = `${podKey(pod)}: ${ready} ${status}, ${counted(restarts, 'restart')}`;
      states.set(lane, { label: `${ready} ${status}${count}`, tone, text }, t, line);
    },
    event: (entry, line) => {
      const { t, type, reason, text, field, pod, probe = 'probe' } = entry;
      const tone = type === 'Warning' ? 'warn' : 'step';
      moment(t, line, 'event', entry, tone, reason).text = `${reason}: ${text}`;
      const name = /^spec\.\w+\{(.+)\}$/.exec(field)?.[1];
      if (reason !== 'Unhealthy' || name === undefined) return;
      const lane = lanes.lane('container', podKey(pod), name);
      lanes.add(lane, { t, end: t, shape: 'dot', tone: 'bad', label: probe, text, line });
    },
    node: (entry, line) => node.node(entry, line),
    backoff: ({ t, pod, container, waits: isWait, delay, endedAgo = 0 }, line) => {
      if (!isWait) return;
      const lane = lanes.lane('container', podKey(pod), containerLabel(container));
      const from = Math.max(0, t - endedAgo);
      const last = waits.get(lane);
      if (last !== undefined && last.t === from && last.end === from + delay) return;
      const label = `back-off ${durationText(delay)}`;
      const text = `${label}: no start before ${durationText(delay)} after the end`;
      const hatch = { t: from, end: from + delay, shape: 'hatch', tone: 'wait', label, text, line } as const;
      waits.set(lane, lanes.add(lane, hatch));
    },
    pleg: (entry, line) => node.pleg(entry, line),
    probe: ({ t, pod, container, probe, outcome, text }, line) => {
      const lane = lanes.lane('container', podKey(pod), containerLabel(container));
      const tone = outcome === 'success' ? 'good' : outcome === 'failure' ? 'bad' : 'warn';
      const words = `${probe} probe: ${outcome}${text ? `, ${text}` : ''}`;
      lanes.add(lane, { t, end: t, shape: 'dot', tone, label: probe, text: words, line });
    },
  } satisfies Readers;
}

function toneOfRow(ready: string, status: string): Tone {
  if (/BackOff|Err|Error|OOMKilled|Unknown|NodeLost/.test(status)) return 'bad';
  if (status === 'Completed' || status === 'Terminating') return 'idle';
  if (status !== 'Running') return 'wait';
  const [now, all] = ready.split('/');
  return now === all ? 'good' : 'warn';
}
