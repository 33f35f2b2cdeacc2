import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type { Lanes } from './lanes.js';
import { durationText } from './names.js';
import type { Item, Lane, LineOf, Tone } from './timeline.js';

interface State {
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
}

export class States {
  readonly #lanes: Lanes;
  readonly #now = new Map<Lane, Item>();

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  set(lane: Lane, state: State, t: number, line: number): void {
    const before = this.#now.get(lane);
    if (before?.label === state.label && before.tone === state.tone) return;
    this.#close(lane, t, line);
    this.#now.set(lane, this.#lanes.add(lane, { t, end: undefined, shape: 'bar', line, ...state }));
  }

  over(lane: Lane, t: number, line: number): void {
    this.#close(lane, t, line);
    this.#now.delete(lane);
  }

  #close(lane: Lane, t: number, line: number): void {
    const before = this.#now.get(lane);
    if (before === undefined) return;
    before.end = t;
    before.endLine = line;
    before.text += `, for ${durationText(t - before.t)}`;
  }
}

export class NodeStates {
  readonly #states: States;
  readonly #lanes: Lanes;
  /** Readiness of runtime and network, by the line of the message. */
  readonly #conditions = new Map<number, string>();

  constructor(states: States, lanes: Lanes) {
    this.#states = states;
    this.#lanes = lanes;
  }

  node({ t, ready, text, problems = [], taint, evicting }: LineOf<'node'>, line: number): void {
    const label = { True: 'Ready', False: 'NotReady', Unknown: 'Unknown' }[ready];
    const tone = { True: 'good', False: 'bad', Unknown: 'warn' }[ready] as Tone;
    const more = [...(taint ? [taint] : []), ...(evicting ? ['evicting'] : [])];
    const about = more.length > 0 ? ` (${more.join(', ')})` : '';
    const shown = `${label}${evicting ? ', evicting' : ''}`;
    this.#set('node', 'node', { label: shown, tone, text: `The node is ${label}: ${text}${about}` }, t, line);
    if (problems.includes('pleg-starting')) this.#pleg('starts', 'idle', text, t, line);
    else if (problems.includes('pleg-unhealthy')) this.#pleg('not healthy', 'bad', text, t, line);
    else this.#pleg('healthy', 'good', 'The PLEG is healthy', t, line);
  }

  pleg({ t, state, text = '', duration }: LineOf<'pleg'>, line: number): void {
    if (state === 'healthy') this.#pleg('healthy', 'good', text || 'The PLEG is healthy', t, line);
    else if (state === 'starting') this.#pleg('starts', 'idle', text || 'The PLEG starts', t, line);
    else if (state === 'unhealthy')
      this.#pleg('not healthy', 'bad', text || 'The PLEG is not healthy', t, line);
    else if (state === 'discarded') {
      const lane = this.#lanes.lane('stream', '', 'event stream');
      const lost = 'The channel of PLEG events is full: an event is discarded';
      this.#lanes.add(lane, { t, end: t, shape: 'cross', tone: 'bad', label: state, text: lost, line });
    } else if (state === 'generic') {
      const lane = this.#lanes.lane('pleg', '', 'PLEG');
      const why = 'The kubelet falls back to the generic PLEG';
      this.#lanes.add(lane, { t, end: t, shape: 'flag', tone: 'bad', label: state, text: why, line });
    } else {
      const took = duration === undefined ? '' : ` took ${durationText(duration)}`;
      const lane = this.#lanes.lane('pleg', '', 'PLEG');
      const about = text === '' ? '' : `: ${text}`;
      const [label, shown] = [state, `${state === 'relist' ? 'A relist' : `PLEG: ${state}`}${took}${about}`];
      this.#lanes.add(lane, { t, end: t, shape: 'tick', tone: 'step', label, text: shown, line });
    }
  }

  kubelet({ t, what, text }: LineOf<'kubelet'>, line: number): void {
    if (what === 'started') {
      this.#kubelet('running', t, line);
      return;
    }
    const why = what === 'killed' ? 'The kubelet was killed' : `The kubelet exits: ${text ?? ''}`;
    this.#set('kubelet', 'kubelet', { label: 'not running', tone: 'bad', text: why }, t, line);
  }

  /** The first call of a kubelet named on the tape. */
  started(t: number, line: number): void {
    this.#kubelet('running', t, line);
  }

  answered(method: string, entry: LineOf<'reply'>, line: number): void {
    if (!CHECKS.has(method)) return;
    const { code, t } = entry;
    if (code === 'UNAVAILABLE') {
      const text = `The runtime does not answer ${method}: ${entry.details ?? code}`;
      this.#set('runtime', 'runtime', { label: 'down', tone: 'bad', text }, t, line);
    } else if (code === 'OK') {
      const unready = method === 'Status' ? this.#unready(entry, line) : '';
      if (unready !== '')
        this.#set(
          'runtime',
          'runtime',
          { label: unready, tone: 'warn', text: `Status: ${unready}` },
          t,
          line,
        );
      else if (method === 'Status' || this.#isDown) this.#up(t, line);
      if (method === 'Status') this.#isDown = false;
    }
    if (code === 'UNAVAILABLE') this.#isDown = true;
  }

  #isDown = false;

  #up(t: number, line: number): void {
    this.#isDown = false;
    this.#set('runtime', 'runtime', { label: 'up', tone: 'good', text: 'The runtime answers' }, t, line);
  }

  #kubelet(label: string, t: number, line: number): void {
    this.#set('kubelet', 'kubelet', { label, tone: 'good', text: `The kubelet is ${label}` }, t, line);
  }

  #pleg(label: string, tone: Tone, text: string, t: number, line: number): void {
    this.#set('pleg', 'PLEG', { label, tone, text }, t, line);
  }

  #set(
    kind: 'node' | 'pleg' | 'runtime' | 'kubelet',
    name: string,
    state: State,
    t: number,
    line: number,
  ): void {
    this.#states.set(this.#lanes.lane(kind, '', name), state, t, line);
  }

  /** False conditions of a Status reply, as text. */
  #unready({ message, sameAs }: LineOf<'reply'>, line: number): string {
    if (message === undefined) return this.#conditions.get(sameAs ?? 0) ?? '';
    const status = message.status as { readonly conditions?: unknown } | undefined;
    const conditions = Array.isArray(status?.conditions) ? status.conditions : [];
    const unready = conditions
      .filter(({ type, status }) => status !== true && /^(Runtime|Network)Ready$/.test(type))
      .map(({ type }) => `${type}=false`)
      .join(', ');
    this.#conditions.set(line, unready);
    forgetOldest(this.#conditions, MOST_CONDITIONS);
    return unready;
  }
}

const MOST_CONDITIONS = 1000;

const CHECKS = new Set(['Version', 'Status', 'ListPodSandbox', 'ListContainers']);
