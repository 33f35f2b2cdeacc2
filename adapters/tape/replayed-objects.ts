import type { Clock } from '../../src/base/clock/clock.js';
import { ContainerState, type ContainerStatus, PodSandboxState } from '../../src/cri/gen/runtime/v1/api.js';
import type { Exchange, History } from '../../src/tape/history/exchanges.js';
import { type Renaming, renamed } from '../../src/tape/history/renaming.js';
import type { Span } from '../../src/tape/history/states.js';
import { type Track, type TrackKind, Tracks } from '../../src/tape/history/tracks.js';
import { Player } from './player.js';

/** Exit code and reason of a container whose end was not recorded, as containerd reports an unknown end. */
const UNSEEN_END = { exitCode: 255, reason: 'Unknown' };

const containerState = (state: Span['state']): ContainerState => {
  if (state === 'created') return ContainerState.CONTAINER_CREATED;
  return state === 'running' ? ContainerState.CONTAINER_RUNNING : ContainerState.CONTAINER_EXITED;
};

const sandboxState = (state: Span['state']): PodSandboxState =>
  state === 'ready' ? PodSandboxState.SANDBOX_READY : PodSandboxState.SANDBOX_NOTREADY;

interface Config {
  readonly metadata?: { readonly uid?: string } | undefined;
  readonly annotations?: Readonly<Record<string, string>>;
}

export class ReplayedObjects {
  readonly tracks: Tracks;
  readonly #history: History;
  readonly #clock: Clock;
  readonly #players = new Map<Track, Player>();
  readonly #configs = new Map<Track, Config>();
  readonly #uids = new Map<string, string>();
  #begun: bigint | undefined;

  constructor(history: History, clock: Clock) {
    this.#history = history;
    this.#clock = clock;
    this.tracks = new Tracks(history);
  }

  /** Time begins with the first call. */
  begin(): void {
    if (this.#begun !== undefined) return;
    this.#begun = this.#clock.now();
    for (const track of this.tracks.all()) this.player(track);
  }

  player(track: Track): Player {
    const known = this.#players.get(track);
    if (known !== undefined) return known;
    const start = this.#history.exchanges[0]?.at ?? 0;
    const player = new Player(track, start, () => Number(this.#clock.now() - (this.#begun ?? 0n)));
    this.#players.set(track, player);
    return player;
  }

  players(): Iterable<Player> {
    return this.#players.values();
  }

  of(kind: TrackKind, id: string): Player | undefined {
    const track = this.tracks.get(kind, id);
    return track && this.player(track);
  }

  present(kind: TrackKind): Player[] {
    return [...this.#players.values()].filter(
      ({ track, state }) => track.kind === kind && state !== 'absent',
    );
  }

  /** Completes a prefix that only one existing object has; otherwise returns the given id. */
  wholeId(kind: 'pod' | 'container', id: string): string {
    if (id === '' || this.tracks.get(kind, id) !== undefined) return id;
    const found = this.present(kind).filter(({ track }) => track.id.startsWith(id));
    return (found.length === 1 ? found[0]?.track.id : undefined) ?? id;
  }

  made(exchange: Exchange, id: string, request: object): void {
    const kind = exchange.method === 'CreateContainer' ? 'container' : 'pod';
    const track = this.tracks.get(kind, id);
    const { config } = request as { config?: Config };
    if (track === undefined || config === undefined) return;
    this.#configs.set(track, config);
    const recorded = exchange.request.value<{ config?: Config }>().config?.metadata?.uid;
    const given = config.metadata?.uid;
    if (recorded && given && recorded !== given) this.#uids.set(recorded, given);
  }

  /** An RPC's view of an object now; undefined if it was never recorded. */
  seen(player: Player, source: string): object | undefined {
    const sight = player.sight(source);
    if (sight?.value === undefined) return undefined;
    const { span } = player;
    const isOther = sight.state !== undefined && span !== undefined && span.state !== sight.state;
    const { startedAt } = this.#history.header;
    const began = () => BigInt(startedAt) + BigInt(Math.round(span?.from ?? 0));
    return this.asOfNow(isOther ? inState(source, sight.value, span, began()) : sight.value, player);
  }

  asOfNow<T>(value: T, player: Player | undefined): T {
    return renamed(value, {
      time: (nanos) => this.timeNow(nanos, player),
      text: (text) => this.#textNow(text),
      annotations: player && this.#configs.get(player.track)?.annotations,
    } satisfies Renaming);
  }

  /** Converts Unix nanoseconds of the tape to Unix nanoseconds now. */
  timeNow(nanos: bigint, player: Player | undefined): bigint {
    if (player === undefined) return this.#clock.now();
    const onTape = Number(nanos - BigInt(this.#history.header.startedAt));
    return (this.#begun ?? 0n) + BigInt(Math.round(player.liveTime(onTape)));
  }

  #textNow(text: string): string {
    let now = text;
    for (const [recorded, given] of this.#uids)
      if (now.includes(recorded)) now = now.replaceAll(recorded, given);
    return now;
  }
}

/** Converts a list item or status that was recorded in one state to another state. `began` in Unix nanoseconds. */
function inState(source: string, value: object, { state }: Span, began: bigint): object {
  if (source === 'ListContainers') return { ...value, state: containerState(state) };
  if (source === 'ListPodSandbox') return { ...value, state: sandboxState(state) };
  const { status } = value as { status?: object };
  if (source === 'PodSandboxStatus' || source === 'GetContainerEvents')
    return { ...value, status: { ...status, state: sandboxState(state) } };
  if (source !== 'ContainerStatus') return value;
  const seen = status as ContainerStatus;
  const fresh = {
    ...seen,
    state: containerState(state),
    finishedAt: 0n,
    exitCode: 0,
    reason: '',
    message: '',
  };
  if (state === 'created') return { ...value, status: { ...fresh, startedAt: 0n } };
  if (state === 'running') return { ...value, status: { ...fresh, startedAt: seen.startedAt || began } };
  return { ...value, status: { ...seen, ...UNSEEN_END, state: containerState(state), finishedAt: began } };
}
