import type { Header, Line } from '../../tape/entries.js';
import { Calls, EVENTS } from './calls.js';
import { Instances } from './instances.js';
import { Lanes } from './lanes.js';
import { createLinker } from './links.js';
import { momentsOf } from './moments.js';
import { containerLabel, durationText, podKey } from './names.js';
import { NodeStates, States } from './states.js';
import { eventName, objectOf, Statuses } from './statuses.js';
import type { Item, LineOf, Timeline, Tone } from './timeline.js';

/** Makes the picture of one tape from its lines, in order. */
export interface TimelineBuilder {
  /** The line with this number, from 2: the first one is the header. */
  add(entry: Line, line: number): void;
  /** The picture so far. */
  timeline(): Timeline;
  /**
   * Forgets what was over before a time, so that a picture that grows does not use more and more memory. What became of
   * pods and of the node is kept longer, up to `most` items. Returns the lines that the picture still shows.
   */
  forget(before: number, most: number): ReadonlySet<number>;
}

/** Begins the picture of a tape with this header. */
export function createTimelineBuilder(header: Header): TimelineBuilder {
  const lanes = new Lanes();
  const calls = new Calls(lanes);
  const states = new States(lanes);
  const node = new NodeStates(states, lanes);
  const instances = new Instances(lanes);
  const statuses = new Statuses(instances, BigInt(header.startedAt));
  const linker = createLinker(instances);
  const connections = new Map<number, Item>();
  const sandboxes = new Map<string, string | undefined>();
  let happened: (readonly [Line, number])[] = [];
  let end = 0;
  let lines = 1;

  const moment = (t: number, line: number, kind: 'event' | 'log', entry: Line, tone: Tone, label: string) => {
    const { pod, text } = entry as LineOf<'event'>;
    const lane = lanes.lane(kind, podKey(pod), kind === 'event' ? 'events' : 'log');
    return lanes.add(lane, { t, end: t, shape: 'dot', tone, label, text, line });
  };

  const readers: { readonly [K in Line['kind']]?: (entry: LineOf<K>, line: number) => void } = {
    call: (entry, line) => {
      if (calls.count === 0 && header.kubelet !== undefined) node.started(entry.t, line);
      const item = calls.begin(entry, line);
      statuses.asked(entry.call, entry.method, entry.pod, entry.container, entry.message);
      linker.call(entry, item);
    },
    reply: (entry, line) => {
      calls.finish(entry, line);
      node.answered(entry.method, entry, line);
      statuses.answered(entry, { t: entry.t, line });
    },
    end: (entry, line) => void calls.finish(entry, line),
    message: (entry, line) => {
      calls.message(entry.call);
      if (entry.method !== EVENTS) return;
      const { t, container, pod, message } = entry;
      const about = [pod?.name, container && containerLabel(container)].filter(Boolean).join('/');
      const label = message === undefined ? 'event' : eventName(entry.method, message);
      const lane = lanes.lane('stream', '', 'event stream');
      const text = `Container event ${label}${about === '' ? '' : ` of ${about}`}`;
      const item = lanes.add(lane, { t, end: t, shape: 'dot', tone: 'info', label, text, line });
      if (message === undefined) return;
      statuses.event(pod, message, { t, line });
      linker.event(objectOf(message).containerId, label, item);
    },
    connection: ({ t, connection, peer, what }, line) => {
      const open = connections.get(connection);
      if (what === 'lost') {
        connections.delete(connection);
        if (open === undefined) return;
        open.end = t;
        open.endLine = line;
        open.text += `; it was lost after ${durationText(t - open.t)}`;
        return;
      }
      const lane = lanes.lane('connection', '', 'connections');
      const text = `Connection ${connection} of ${peer}`;
      const label = `#${connection} ${peer}`;
      const item = { t, end: undefined, shape: 'bar', tone: 'step', label, text, line } as const;
      connections.set(connection, lanes.add(lane, item));
    },
    fault: (entry, line) => {
      const { t, rule, action, method, pod, container } = entry;
      const about = [podKey(pod), container && containerLabel(container)].filter(Boolean).join(' ');
      const on = `${method === undefined ? '' : ` on ${method}`}${about === '' ? '' : ` of ${about}`}`;
      const text = `Fault rule ${rule} acts: ${action}${on}`;
      const lane = lanes.lane('fault', '', 'faults and steps');
      const flag = {
        t,
        end: t,
        shape: 'flag',
        tone: 'fault',
        label: `${rule}: ${action}`,
        text,
        line,
      } as const;
      const item = lanes.add(lane, { ...flag, rules: [rule], ...(method && { method }) });
      linker.fault(item, calls.hit(entry));
      if (method !== EVENTS || action !== 'drop') return;
      const lost = { t, end: t, shape: 'cross', tone: 'bad', label: 'lost', line } as const;
      const words = `An event${about === '' ? '' : ` of ${about}`} is lost: fault rule ${rule}`;
      lanes.add(lanes.lane('stream', '', 'event stream'), { ...lost, text: words, rules: [rule] });
    },
    container: (entry, line) => {
      const { t, pod, container, what, exitCode, reason } = entry;
      if (container === undefined) return;
      const instance = instances.of(pod, container);
      if (what === 'created') instances.created(instance, { t, line });
      else if (what === 'started') instances.started(instance, { t, line });
      else if (what === 'ended') instances.ended(instance, { t, line }, { exitCode, reason });
      else instances.removed(instance, { t, line });
    },
    sandbox: ({ t, pod, what }, line) => {
      const key = podKey(pod);
      // A pod may have a new sandbox before its old one is gone.
      if (what !== 'ready' && sandboxes.has(key) && sandboxes.get(key) !== pod.id) return;
      const lane = lanes.lane('sandbox', key, 'sandbox');
      if (what === 'removed') {
        sandboxes.delete(key);
        return states.over(lane, t, line);
      }
      sandboxes.set(key, pod.id);
      const tone = what === 'ready' ? 'good' : 'idle';
      states.set(lane, { label: what, tone, text: `The sandbox of ${key} is ${what}` }, t, line);
    },
    log: (entry, line) => {
      const { t, from, text } = entry;
      if (from === 'kubelet') node.log(entry, line);
      const isLost = text.includes('Event channel is full');
      if (isLost) {
        const lane = lanes.lane('stream', '', 'event stream');
        lanes.add(lane, { t, end: t, shape: 'cross', tone: 'bad', label: 'discarded', text, line });
      }
      const item = moment(t, line, 'log', entry, 'none', from);
      item.text = `${from}: ${text}`;
    },
    row: ({ t, pod, ready, status, restarts }, line) => {
      const lane = lanes.lane('row', podKey(pod), podKey(pod));
      const count = restarts > 0 ? ` · ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : '';
      const tone = toneOfRow(ready, status);
      const text = `${podKey(pod)}: ${ready} ${status}, ${restarts} restarts`;
      states.set(lane, { label: `${ready} ${status}${count}`, tone, text }, t, line);
    },
    event: (entry, line) => {
      const { t, type, reason, text, field, pod } = entry;
      const tone = type === 'Warning' ? 'warn' : 'step';
      moment(t, line, 'event', entry, tone, reason).text = `${reason}: ${text}`;
      const name = /^spec\.\w+\{(.+)\}$/.exec(field)?.[1];
      if (reason !== 'Unhealthy' || name === undefined) return;
      const lane = lanes.lane('container', podKey(pod), name);
      const probe = /^\w+/.exec(text)?.[0].toLowerCase() ?? 'probe';
      lanes.add(lane, { t, end: t, shape: 'dot', tone: 'bad', label: probe, text, line });
    },
    node: (entry, line) => node.node(entry, line),
    backoff: ({ t, pod, container, waits, delay, endedAgo = 0 }, line) => {
      if (!waits) return;
      const lane = lanes.lane('container', podKey(pod), containerLabel(container));
      const from = Math.max(0, t - endedAgo);
      const last = lane.items.findLast(({ shape }) => shape === 'hatch');
      if (last !== undefined && last.t === from && last.end === from + delay) return;
      const label = `back-off ${durationText(delay)}`;
      const text = `${label}: no start before ${durationText(delay)} after the end`;
      lanes.add(lane, { t: from, end: from + delay, shape: 'hatch', tone: 'wait', label, text, line });
    },
    pleg: (entry, line) => node.pleg(entry, line),
    probe: ({ t, pod, container, probe, outcome, text }, line) => {
      const lane = lanes.lane('container', podKey(pod), containerLabel(container));
      const tone = outcome === 'success' ? 'good' : outcome === 'failure' ? 'bad' : 'warn';
      const words = `${probe} probe: ${outcome}${text ? `, ${text}` : ''}`;
      lanes.add(lane, { t, end: t, shape: 'dot', tone, label: probe, text: words, line });
    },
    step: (entry, line) => {
      const { t, text } = entry;
      node.step(entry, line);
      const lane = lanes.lane('fault', '', 'faults and steps');
      lanes.add(lane, { t, end: t, shape: 'flag', tone: 'step', label: text, text: `Step: ${text}`, line });
    },
    gap: ({ t, lost, text }, line) => {
      const lane = lanes.lane('fault', '', 'faults and steps');
      const words = `${lost} entries are missing here: ${text}`;
      lanes.add(lane, { t, end: t, shape: 'flag', tone: 'bad', label: `gap: ${lost}`, text: words, line });
    },
  };

  return {
    add: (entry, line) => {
      lines = line;
      end = Math.max(end, entry.t);
      if (TOLD.has(entry.kind)) happened.push([entry, line]);
      (readers[entry.kind] as ((entry: Line, line: number) => void) | undefined)?.(entry, line);
    },
    timeline: () => {
      const all = lanes.all();
      const links = linker.links();
      const moments = momentsOf(happened, { lanes: all, instances: instances.all, failed: calls.failed });
      const { count, methods, codes } = calls;
      return { header, end, lanes: all, links, moments, calls: count, methods, codes, lines };
    },
    forget: (before, most) => {
      const kept = lanes.forget(before, most);
      const isKept = (item: Item) => kept.has(item);
      calls.keep(isKept);
      instances.keep(isKept);
      linker.keep(isKept);
      happened = happened.slice(-most);
      return new Set([...kept].flatMap(({ line, endLine = line }) => [line, endLine]));
    },
  };
}

/** Kinds of entries that sentences are made from. */
const TOLD: ReadonlySet<Line['kind']> = new Set(['fault', 'step', 'event', 'node', 'row', 'gap', 'log']);

function toneOfRow(ready: string, status: string): Tone {
  if (/BackOff|Err|Error|OOMKilled|Unknown|NodeLost/.test(status)) return 'bad';
  if (status === 'Completed' || status === 'Terminating') return 'idle';
  if (status !== 'Running') return 'wait';
  const [now, all] = ready.split('/');
  return now === all ? 'good' : 'warn';
}
