import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { StatusError } from '../../../src/cri/errors.js';
import {
  ContainerEventResponse,
  ContainerEventType,
  ListContainersResponse,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { type Call, type CriService, criMethods } from '../../../src/cri/service.js';
import { Effects } from '../../../src/runtime/faults/actions/effects.js';
import { runTimedRules } from '../../../src/runtime/faults/actions/timed.js';
import { faultLayer } from '../../../src/runtime/faults/faults.js';
import type { FaultHost } from '../../../src/runtime/faults/host.js';
import type { FaultInput } from '../../../src/runtime/faults/language/rule-schema.js';
import { readRules } from '../../../src/runtime/faults/language/written-rule.js';
import { FaultRegistry } from '../../../src/runtime/faults/matching/registry.js';

const POD = {
  id: 'pod-1',
  name: 'web-1',
  namespace: 'default',
  uid: 'u1',
  attempt: 0,
  labels: { app: 'web' },
};
const APP = { id: 'ctr-1', sandboxId: 'pod-1', name: 'app', attempt: 0, labels: {} };

/** A service with fault rules, in virtual time. */
export interface FaultyService {
  readonly clock: VirtualClock;
  readonly registry: FaultRegistry;
  readonly service: CriService;
  /** Calls that reached the service, and actions on the host. */
  readonly log: string[];
  readonly trailers: string[];
  call(signal?: AbortSignal): Call;
  /** Keeps the event stream open after its last event. */
  keepOpen(): void;
  /** Sets created_at of the listed container. */
  setCreatedAt(nanos: bigint): void;
}

/**
 * Fault rules between a caller and a service that only records calls. `events` are the times of its stream's events.
 */
export function faultyService(rules: FaultInput[], events: number[] = []): FaultyService {
  const clock = createVirtualClock();
  const log: string[] = [];
  const trailers: string[] = [];
  const seen: Backing = { events, createdAt: 5_000_000_000n, staysOpen: false };
  const conditions = () => ({ runtime: true, network: true });
  const registry = new FaultRegistry({ clock, seed: 1, conditions });
  registry.add(readRules(rules, 'test'), 'test');
  const host = notingHost(clock, log);
  const effects = new Effects(host, clock);
  const service = faultLayer({ registry, host, clock, effects })(notingService(clock, log, seen));
  runTimedRules(registry, effects, clock);
  const transport = {
    connection: 1,
    peer: 'test',
    addTrailer: (_: string, value: string) => void trailers.push(value),
    reset: (code: number) => Boolean(log.push(`rst ${code}`)),
    disconnect: (how: string) => void log.push(`break ${how}`),
  };
  return {
    clock,
    registry,
    service,
    log,
    trailers,
    keepOpen: () => {
      seen.staysOpen = true;
    },
    setCreatedAt: (nanos) => {
      seen.createdAt = nanos;
    },
    call: (signal = new AbortController().signal) => ({ signal, deadline: undefined, transport }),
  };
}

/** Replies of the service. */
interface Backing {
  readonly events: readonly number[];
  createdAt: bigint;
  staysOpen: boolean;
}

function notingService(clock: VirtualClock, log: string[], backing: Backing): CriService {
  const methods = Object.keys(criMethods).map((name) => [
    name,
    async (request: { containerId?: string; timeout?: bigint }) => {
      log.push(`${name}${request.timeout === undefined ? '' : ` ${request.timeout}`}@${clock.elapsed()}`);
      if (name === 'version')
        return { version: '0.1.0', runtimeName: 'x', runtimeVersion: '1', runtimeApiVersion: 'v1' };
      return name === 'listContainers'
        ? ListContainersResponse.fromPartial({ containers: [{ id: 'ctr-1', createdAt: backing.createdAt }] })
        : {};
    },
  ]);
  return {
    ...Object.fromEntries(methods),
    async *getContainerEvents() {
      for (const createdAt of backing.events) {
        yield ContainerEventResponse.fromPartial({
          containerId: 'ctr-1',
          containerEventType: ContainerEventType.CONTAINER_STARTED_EVENT,
          createdAt: BigInt(createdAt),
        });
      }
      if (backing.staysOpen) await clock.idle(new Promise(() => {}));
    },
  } as unknown as CriService;
}

const notingHost = (clock: VirtualClock, log: string[]): FaultHost => ({
  pod: (id) => (id === POD.id ? POD : undefined),
  container: (id) => (id === APP.id ? APP : undefined),
  conditions: () => ({ runtime: true, network: true }),
  runningContainers: () => [APP],
  exitContainer: (id, { exitCode, reason }) =>
    log.push(`exit ${id} ${exitCode} ${reason}@${clock.elapsed()}`),
  overrideCondition: (type, override) =>
    log.push(`${type} ${override?.status} ${override?.reason}@${clock.elapsed()}`),
  skewClock: (by) => log.push(`skew ${by}@${clock.elapsed()}`),
  restart: async ({ downFor, state }) => void log.push(`restart ${downFor} ${state}@${clock.elapsed()}`),
  disconnectAll: (how) => log.push(`disconnect ${how}`),
  holdStreams: () => {},
});

/** Starts a call, lets an hour pass, and returns its result and time. */
export async function outcome(faulty: FaultyService, start: () => unknown): Promise<string> {
  const promise = faulty.clock.run(async () => start());
  const ended = promise.then(
    () => `ok@${faulty.clock.elapsed()}`,
    (error: unknown) =>
      error instanceof StatusError
        ? `${error.code} ${error.message}@${faulty.clock.elapsed()}`
        : String(error),
  );
  await faulty.clock.advance(3_600_000);
  return Promise.race([ended, Promise.resolve('pending')]);
}

/** StartContainer. */
export const start = (faulty: FaultyService, containerId = 'ctr-1', signal?: AbortSignal) =>
  faulty.service.startContainer({ containerId }, faulty.call(signal));

/** The events of the stream with their times, and its end within an hour. */
export async function received(faulty: FaultyService): Promise<string[]> {
  const seen: string[] = [];
  const reading = faulty.clock.run(async () => {
    for await (const message of faulty.service.getContainerEvents({}, faulty.call())) {
      const event = Buffer.isBuffer(message) ? ContainerEventResponse.decode(message) : message;
      seen.push(`${event.createdAt}@${faulty.clock.elapsed()}`);
    }
  });
  const end = reading.then(
    () => 'end',
    (error: unknown) => String((error as Error).message),
  );
  await faulty.clock.advance(3_600_000);
  return [...seen, await Promise.race([end, Promise.resolve('open')])];
}
