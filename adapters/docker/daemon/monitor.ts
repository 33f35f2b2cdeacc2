import type { Readable } from 'node:stream';
import { CriError } from '../../../src/cri/errors.js';
import type { Context } from '../context.js';
import { messageOf } from '../errors.js';
import { type Identity, identify, KIND } from '../labels.js';
import { filledLines } from '../lines.js';

export interface Listed extends Identity {
  readonly dockerId: string;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface DockerEvent extends Identity {
  readonly action: string;
  readonly dockerId: string;
  /** Set for the action `die`. */
  readonly exit: { readonly exitCode: number; readonly finishedAt: bigint };
}

export interface MonitorHandlers {
  /** Receives the complete listing after events may have been missed. Events during the call follow. */
  reconcile(listing: readonly Listed[]): Promise<void>;
  event(event: DockerEvent): void;
}

export interface Monitor {
  /** Resolves after the first `reconcile`. */
  start(handlers: MonitorHandlers): Promise<void>;
  /** Resolves once Docker can be reached; rejects when the signal aborts. */
  untilConnected(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Time in ms between two attempts to reach Docker. */
const RETRY = 500;

/**
 * In seconds. Docker replies before it subscribes, so the monitor also requests the events of the last seconds.
 * Repeated events do no harm.
 */
const OVERLAP = 5;

const NANOS_PER_SECOND = 1_000_000_000n;

const filters = { label: [KIND] };

/** Subscribes to events on each new connection before it lists everything, so that it misses no exit. */
export function createMonitor(context: Omit<Context, 'untilConnected'>): Monitor {
  const { docker, clock, host } = context;
  const closing = new AbortController();
  let connected = latch();
  let running: Promise<void> = Promise.resolve();

  const once = async (handlers: MonitorHandlers, first: () => void): Promise<void> => {
    const wanted = { type: ['container'], event: ['create', 'die', 'destroy', 'start'], ...filters };
    const since = String(Number(clock.now() / NANOS_PER_SECOND) - OVERLAP);
    const request = { filters: JSON.stringify(wanted), since, abortSignal: closing.signal };
    const events = (await docker.getEvents(request as never)) as unknown as Readable;
    try {
      const listing = await listOurs(context);
      const isBack = !connected.isOpen;
      // Opened before the reconciliation, which waits for calls that may in turn wait for Docker.
      connected.open();
      await handlers.reconcile(listing);
      if (isBack) host.conditionChanged({ type: 'RuntimeReady', status: true, reason: '', message: '' });
      first();
      for await (const line of filledLines(events)) {
        const event = readEvent(line);
        if (event !== undefined) handlers.event(event);
      }
    } finally {
      events.destroy();
    }
  };
  const loop = async (handlers: MonitorHandlers, first: () => void): Promise<void> => {
    while (!closing.signal.aborted) {
      const reason = await once(handlers, first).then(() => 'it ended the stream of events', messageOf);
      if (closing.signal.aborted) return;
      if (connected.isOpen) connected = latch();
      const message = `Docker is away: ${reason}`;
      host.conditionChanged({ type: 'RuntimeReady', status: false, reason: 'DockerUnavailable', message });
      await clock.sleep(RETRY, closing.signal).catch(() => {});
    }
  };

  return {
    start: (handlers) =>
      new Promise((resolve) => {
        running = loop(handlers, resolve);
      }),
    untilConnected: (signal) =>
      Promise.race([
        connected.opened,
        new Promise<never>((_resolve, reject) => {
          const fail = () => reject(new CriError('unavailable', 'Docker is away'));
          if (signal.aborted) fail();
          signal.addEventListener('abort', fail, { once: true });
        }),
      ]),
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

export async function listOurs({ docker }: Pick<Context, 'docker'>): Promise<Listed[]> {
  const containers = await docker.listContainers({ all: true, filters });
  return containers.flatMap(({ Id: dockerId, State: state, Labels: labels }) => {
    const identity = identify(labels);
    return identity === undefined ? [] : [{ ...identity, dockerId, state, labels }];
  });
}

interface Latch {
  readonly opened: Promise<void>;
  readonly isOpen: boolean;
  open(): void;
}

function latch(): Latch {
  let isOpen = false;
  let resolve: () => void = () => {};
  const opened = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    opened,
    get isOpen() {
      return isOpen;
    },
    open: () => {
      isOpen = true;
      resolve();
    },
  };
}

interface RawEvent {
  readonly Action?: string;
  readonly timeNano?: number;
  readonly Actor?: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

function readEvent(line: string): DockerEvent | undefined {
  const { Action: action = '', Actor: actor, timeNano = 0 } = JSON.parse(line) as RawEvent;
  const identity = identify(actor?.Attributes);
  // JSON numbers are not exact to the nanosecond; nothing better is known about a removed container.
  const exit = { exitCode: Number(actor?.Attributes.exitCode ?? 255), finishedAt: BigInt(timeNano) };
  return identity && { ...identity, action, dockerId: actor?.ID ?? '', exit };
}
