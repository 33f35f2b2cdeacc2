import type { ContainerEventResponse } from '../../../src/cri/gen/runtime/v1/api.js';
import { PodSandboxState } from '../../../src/cri/gen/runtime/v1/api.js';
import {
  ContainerEventType,
  ContainerState,
  type Events,
  eachEvent,
  elapsed,
  isSandboxEvent,
  type Mutant,
  mutant,
  onEvents,
  sleep,
} from './mutant.js';

const { CONTAINER_CREATED_EVENT, CONTAINER_STARTED_EVENT, CONTAINER_STOPPED_EVENT, CONTAINER_DELETED_EVENT } =
  ContainerEventType;

const is = (event: ContainerEventResponse, type: ContainerEventType) => event.containerEventType === type;

/** Holds back events of one kind until after the next event of the same object. */
async function* swap(events: Events, fits: (event: ContainerEventResponse) => boolean): Events {
  const held = new Map<string, ContainerEventResponse>();
  for await (const event of events) {
    if (fits(event)) {
      held.set(event.containerId, event);
      continue;
    }
    yield event;
    const late = held.get(event.containerId);
    held.delete(event.containerId);
    if (late) yield late;
  }
}

const order: readonly Mutant[] = [
  mutant(
    'STARTED of a container comes before CREATED',
    'INV-29.container',
    onEvents((events) =>
      swap(events, (event) => is(event, CONTAINER_CREATED_EVENT) && !isSandboxEvent(event)),
    ),
  ),
  mutant(
    'CREATED of a container is lost',
    'INV-29.container',
    eachEvent((event) => isSandboxEvent(event) || !is(event, CONTAINER_CREATED_EVENT)),
  ),
  mutant(
    'STOPPED of a container is lost',
    'INV-29.container',
    eachEvent((event) => isSandboxEvent(event) || !is(event, CONTAINER_STOPPED_EVENT)),
  ),
  mutant(
    'STOPPED of a container is sent twice',
    'INV-29.container',
    onEvents(async function* (events) {
      for await (const event of events) {
        yield event;
        if (is(event, CONTAINER_STOPPED_EVENT)) yield { ...event, createdAt: event.createdAt + 1n };
      }
    }),
  ),
  mutant(
    'DELETED of a sandbox is lost',
    'INV-29.sandbox',
    eachEvent((event) => !isSandboxEvent(event) || !is(event, CONTAINER_DELETED_EVENT)),
  ),
  mutant(
    'STARTED of a sandbox is lost',
    'INV-29.sandbox',
    eachEvent((event) => !isSandboxEvent(event) || !is(event, CONTAINER_STARTED_EVENT)),
  ),
  mutant(
    'STOPPED of a container that exits immediately comes before STARTED',
    'INV-29.short-lived',
    onEvents((events) =>
      swap(events, (event) => is(event, CONTAINER_STARTED_EVENT) && !isSandboxEvent(event)),
    ),
  ),
  mutant(
    'the event stream ends immediately',
    'INV-29.unsubscribed',
    onEvents(async function* () {}),
  ),
  mutant('a removal sends no STOPPED', 'INV-34.removal-order', (real) => {
    const stopped = new Set<string>();
    return {
      stopContainer: (request, call) => {
        stopped.add(request.containerId);
        return real.stopContainer(request, call);
      },
      ...eachEvent(
        (event) =>
          isSandboxEvent(event) || !is(event, CONTAINER_STOPPED_EVENT) || stopped.has(event.containerId),
      )(real),
    };
  }),
  mutant('DELETED of a sandbox comes before that of its containers', 'INV-34.removal-order', (real) =>
    onEvents(async function* (events) {
      const held = new Map<string, ContainerEventResponse[]>();
      for await (const event of events) {
        const pod = event.podSandboxStatus?.id ?? '';
        if (is(event, CONTAINER_DELETED_EVENT) && !isSandboxEvent(event)) {
          held.set(pod, [...(held.get(pod) ?? []), event]);
          continue;
        }
        yield event;
        if (is(event, CONTAINER_DELETED_EVENT)) yield* held.get(pod) ?? [];
      }
    })(real),
  ),
];

const subscribers: readonly Mutant[] = [
  mutant('each event goes to only one subscriber', 'INV-30.two-subscribers', (real) => {
    const gone = new Set<string>();
    return eachEvent((event) => {
      const key = `${event.containerId} ${event.containerEventType}`;
      if (gone.has(key)) return false;
      gone.add(key);
      return true;
    })(real);
  }),
  mutant(
    'every second subscriber misses DELETED',
    'INV-30.two-subscribers',
    onEvents(async function* (events, subscriber) {
      for await (const event of events)
        if (subscriber % 2 === 0 || !is(event, CONTAINER_DELETED_EVENT)) yield event;
    }),
  ),
  mutant(
    'CREATED is sent twice',
    'INV-30.two-subscribers',
    onEvents(async function* (events) {
      for await (const event of events) {
        yield event;
        if (is(event, CONTAINER_CREATED_EVENT)) yield event;
      }
    }),
  ),
  mutant('a subscriber that disconnects ends the other subscriptions', 'INV-35.departed', (real) => {
    const all = new Set<AbortController>();
    return {
      getContainerEvents: async function* (request, call) {
        const own = new AbortController();
        all.add(own);
        const leave = () => {
          for (const other of all) other.abort();
        };
        call.signal.addEventListener('abort', leave);
        const signal = AbortSignal.any([own.signal, call.signal]);
        yield* real.getContainerEvents(request, { ...call, signal });
      },
    };
  }),
  mutant('a subscriber that does not read blocks CreateContainer', 'INV-35.slow', (real) => {
    const unread = new Map<object, number>();
    return {
      getContainerEvents: async function* (request, call) {
        const queue: ContainerEventResponse[] = [];
        const pump = async () => {
          for await (const event of real.getContainerEvents(request, call)) queue.push(event);
        };
        void pump().catch(() => {});
        call.signal.addEventListener('abort', () => unread.delete(queue));
        while (!call.signal.aborted) {
          unread.set(queue, queue.length);
          const event = queue.shift();
          if (event) yield event;
          else await sleep(5);
        }
      },
      createContainer: async (request, call) => {
        const stuck = () => [...unread.keys()].some((queue) => (queue as unknown[]).length > 20);
        while (stuck() && !call.signal.aborted) await sleep(5);
        return real.createContainer(request, call);
      },
    };
  }),
];

const contents: readonly Mutant[] = [
  mutant(
    'created_at of all events is the same',
    'INV-31.time',
    eachEvent((event) => {
      event.createdAt = 1_700_000_000_000_000_000n;
    }),
  ),
  mutant('created_at of events decreases', 'INV-31.time', (real) => {
    let count = 0n;
    return eachEvent((event) => {
      event.createdAt -= 10_000_000_000n * count++;
    })(real);
  }),
  mutant(
    'created_at of events is in seconds',
    'INV-31.time',
    eachEvent((event) => {
      event.createdAt /= 1_000_000_000n;
    }),
  ),
  mutant(
    'events have no statuses of containers',
    'INV-32.contents',
    eachEvent((event) => {
      event.containersStatuses = [];
    }),
  ),
  mutant(
    'events have no status of the pod',
    'INV-32.contents',
    eachEvent((event) => {
      event.podSandboxStatus = undefined;
    }),
  ),
  mutant('DELETED still has the container', 'INV-32.contents', (real) => {
    let last: ContainerEventResponse['containersStatuses'] = [];
    return eachEvent((event) => {
      if (is(event, CONTAINER_DELETED_EVENT) && !isSandboxEvent(event)) event.containersStatuses = last;
      else if (event.containersStatuses.length > 0) last = event.containersStatuses;
    })(real);
  }),
  mutant(
    'STOPPED shows the previous status of the container',
    'INV-32.contents',
    eachEvent((event) => {
      if (!is(event, CONTAINER_STOPPED_EVENT)) return;
      for (const status of event.containersStatuses) status.state = ContainerState.CONTAINER_RUNNING;
    }),
  ),
  mutant(
    'STOPPED of a sandbox shows it READY',
    'INV-32.contents',
    eachEvent(({ podSandboxStatus }) => {
      if (podSandboxStatus) podSandboxStatus.state = PodSandboxState.SANDBOX_READY;
    }),
  ),
  mutant(
    'events are 1.5 seconds late',
    'INV-33.effect-first',
    onEvents(async function* (events) {
      const queue: { readonly event: ContainerEventResponse; readonly at: number }[] = [];
      const pump = (async () => {
        for await (const event of events) queue.push({ event, at: elapsed() + 1500 });
        return 'over' as const;
      })().catch(() => 'over' as const);
      for (;;) {
        const next = queue.shift();
        if (next) {
          await sleep(next.at - elapsed());
          yield next.event;
        } else if ((await Promise.race([pump, sleep(5)])) === 'over') return;
      }
    }),
  ),
];

export const eventMutants: readonly Mutant[] = [...order, ...subscribers, ...contents];
