import type { Readable } from 'node:stream';
import { CriError } from '../../../src/cri/errors.js';
import type { Context } from '../context.js';
import { messageOf } from '../errors.js';
import { type Identity, identify, KIND } from '../labels.js';
import { filledLines } from '../lines.js';

/** A container of ours in a listing. */
export interface Listed extends Identity {
  readonly dockerId: string;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A notification of Docker about one of our containers. */
export interface DockerEvent extends Identity {
  readonly action: string;
  readonly dockerId: string;
  /** Of an action `die`. */
  readonly exit: { readonly exitCode: number; readonly finishedAt: bigint };
}

/** Receiver of the notifications, one at a time. */
export interface MonitorHandlers {
  /** All there is, after events may have been missed. Events that come meanwhile follow. */
  reconcile(listing: readonly Listed[]): Promise<void>;
  event(event: DockerEvent): void;
}

/** Follows Docker's events, over any loss of the connection, until it is closed. */
export interface Monitor {
  /** Resolves once the first listing was dealt with. */
  start(handlers: MonitorHandlers): Promise<void>;
  /** Resolves once Docker can be asked, at once if it can now; rejects when the signal aborts. */
  untilConnected(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Between two tries to reach a Docker that is away, in ms. */
const RETRY = 500;

/**
 * Docker answers before it subscribes to the events, so those of the last seconds are asked for too. An event that
 * comes twice changes nothing.
 */
const OVERLAP = 5;

const NANOS_PER_SECOND = 1_000_000_000n;

const filters = { label: [KIND] };

/**
 * Follows Docker's events. After every new connection, everything is listed too, after the events
 * were subscribed to: so no exit is missed. RuntimeReady is false in between.
 */
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
      // Before everything is looked at: what is under way is waited for there, and may itself wait for Docker.
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

/** All containers with our label, running or not. */
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
  // JSON's numbers are not exact to the nanosecond; nothing better is known of a container that is gone.
  const exit = { exitCode: Number(actor?.Attributes.exitCode ?? 255), finishedAt: BigInt(timeNano) };
  return identity && { ...identity, action, dockerId: actor?.ID ?? '', exit };
}
