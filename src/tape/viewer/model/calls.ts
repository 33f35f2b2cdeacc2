import { faultRulesIn } from '../../fault-rules.js';
import type { Lanes } from './lanes.js';
import { durationText, podKey } from './names.js';
import { type OpenCall, OpenCalls } from './open-calls.js';
import type { Item, LineOf, Tone } from './timeline.js';

export const EVENTS = 'GetContainerEvents';

export class Calls {
  readonly #lanes: Lanes;
  readonly #open = new OpenCalls();
  count = 0;
  failed: Item[] = [];
  readonly methods = new Set<string>();
  readonly codes = new Set<string>();

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  begin(entry: LineOf<'call'>, line: number): Item {
    const { t, call, method, container } = entry;
    const pod = podKey(entry.pod);
    const lane =
      method === EVENTS
        ? this.#lanes.lane('stream', '', 'event stream')
        : this.#lanes.lane('call', pod, pod === '' ? 'calls about the node' : 'calls');
    const about = container?.name ? `${method} ${container.name}` : method;
    const item = this.#lanes.add(lane, {
      t,
      end: undefined,
      shape: 'bar',
      tone: 'wait',
      label: about,
      text: `${about}: no answer on the tape`,
      line,
      method,
    });
    this.methods.add(method);
    this.#open.add(call, { item, method, pod, container: container?.name, messages: 0 });
    this.count++;
    return item;
  }

  finish(entry: LineOf<'reply'> | LineOf<'end'>, line: number): Item | undefined {
    const open = this.#open.take(entry.call);
    if (open === undefined) return undefined;
    const { item, messages } = open;
    const { code, details, by, trailers } = entry;
    item.end = entry.t;
    item.endLine = line;
    item.code = code;
    for (const rule of faultRulesIn(trailers)) addRule(item, rule);
    item.tone = toneOf(code, item.lane.kind === 'stream');
    const who = by === 'client' ? ', the client left' : by === 'deadline' ? ', its deadline passed' : '';
    const parts = [
      `${item.label}: ${code} after ${durationText(entry.t - item.t)}${who}`,
      ...(messages > 0 ? [`${messages} messages`] : []),
      ...(details ? [details] : []),
    ];
    item.text = parts.join('; ');
    this.codes.add(code);
    if (code !== 'OK') {
      if (item.lane.kind === 'call') item.label += ` ${code}`;
      this.failed.push(item);
    }
    return item;
  }

  keep(isKept: (item: Item) => boolean): void {
    this.#open.keep(isKept);
    this.failed = this.failed.filter(isKept);
  }

  message(call: number): void {
    const open = this.#open.get(call);
    if (open !== undefined) open.messages++;
  }

  /** The call that a rule affected: the last open one of this RPC with the same subject. */
  hit({ method, call, pod, container, rule }: LineOf<'fault'>): Item | undefined {
    if (method === undefined) return undefined;
    const key = podKey(pod);
    const isMeant = (each: OpenCall) =>
      method === EVENTS ||
      ((key === '' || each.pod === key) &&
        sameName(each.container, container?.name) &&
        !each.item.rules?.includes(rule));
    const found = call !== undefined ? this.#open.get(call) : this.#open.newest(method, isMeant);
    if (found === undefined) return undefined;
    addRule(found.item, rule);
    return found.item;
  }
}

const sameName = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other;

function addRule(item: Item, rule: string): void {
  item.rules ??= [];
  if (!item.rules.includes(rule)) item.rules.push(rule);
}

function toneOf(code: string, isStream: boolean): Tone {
  if (code === 'OK') return 'info';
  return isStream && code === 'CANCELLED' ? 'idle' : 'bad';
}
