import { connectCri } from '../../../src/cri/client/connect.js';
import { ContainerEventResponse, ContainerEventType } from '../../../src/cri/gen/runtime/v1/api.js';
import type { Section } from '../context.js';
import { IMAGE, startPod } from '../support/pods.js';
import { costsOf } from '../support/processor.js';
import type { Figure } from '../support/result.js';
import type { RealServer, Target } from '../support/servers.js';
import { EVENTS_OF, livesPerSecond, pathOf, preparedLife } from './life.js';

const EVENTS = pathOf('GetContainerEvents');
const EVENTS_PER_LIFE = Object.values(EVENTS_OF).reduce((sum, count) => sum + count, 0);
/** With the number of lives and what the events of both servers may differ in. */
const CROWDS = [
  { subscribers: 1, lives: 400, aim: 2 },
  { subscribers: 16, lives: 150, aim: 1.5 },
  { subscribers: 100, lives: 50, aim: 1.2 },
] as const;

/** A life's calls and the delivery of its events to each subscriber; a bare server sends as many events of the same size. */
export const events: Section = {
  name: 'events',
  title: 'Processor time of servers for an event of pod lifecycles, delivered to every subscriber',
  async run({ servers }) {
    const figures: Figure[] = [];
    for (const { subscribers, lives, aim } of CROWDS) {
      // Of a server with the usual queue, a subscriber that gets too little processor time is disconnected.
      const real = await servers.real('--events-queue', '1000000');
      await real.cri.pullImage({ image: { image: IMAGE } });
      const of = Object.fromEntries(Object.entries(EVENTS_OF).map(([name, count]) => [pathOf(name), count]));
      const message = Buffer.from(await usualEvent(real)).toString('base64');
      const bare = await servers.bare({ replies: preparedLife(), event: { path: EVENTS, message, of } });
      const crowds = await Promise.all([bare, real].map((target) => followers(target, subscribers)));
      const worker = ({ child, socket }: Target, index: number) => ({
        process: child.process,
        work: () =>
          Promise.all([crowds[index]?.received(lives * EVENTS_PER_LIFE), livesPerSecond(socket, lives)]),
      });
      const workers = { bare: worker(bare, 0), measured: worker(real, 1) };
      for (const { work } of Object.values(workers)) await work();
      const costs = await costsOf(workers);
      for (const crowd of crowds) crowd.leave();
      await servers.stopAll();
      const each = (cost: number) => cost / (subscribers * lives * EVENTS_PER_LIFE);
      figures.push(
        { name: `${subscribers} subscribers, bare server`, value: each(costs.bare.cost), unit: 'µs' },
        { name: `${subscribers} subscribers`, value: each(costs.measured.cost), unit: 'µs' },
        { name: '  relative to the bare server', value: costs.measured.ratio, unit: '', aim: { below: aim } },
      );
    }
    return figures;
  },
};

/** The event of a started container. */
async function usualEvent({ socket, cri }: RealServer): Promise<Uint8Array> {
  const client = connectCri(socket);
  const events = client.getContainerEvents({})[Symbol.asyncIterator]();
  // This subscribes, and the server reads the requests of a connection in their order.
  const first = events.next();
  await client.version({});
  const { podSandboxId } = await startPod(cri, 'usual');
  try {
    for (let next = first; ; next = events.next()) {
      const { value } = await next;
      if (
        value.containerEventType === ContainerEventType.CONTAINER_STARTED_EVENT &&
        value.containersStatuses.length > 0
      )
        return ContainerEventResponse.encode(value).finish();
    }
  } finally {
    await cri.stopPodSandbox({ podSandboxId });
    await cri.removePodSandbox({ podSandboxId });
    client.close();
  }
}

/** Subscribers, ten at most to a connection, that are there. */
async function followers({ socket }: Target, count: number) {
  const clients = Array.from({ length: Math.min(count, 10) }, () => connectCri(socket));
  let left = 0;
  let isDone = () => {};
  let failed = (_: unknown) => {};
  const follow = async (index: number) => {
    for await (const _ of (clients[index % clients.length] ?? connectCri(socket)).getContainerEvents({}))
      if (--left === 0) isDone();
  };
  for (let index = 0; index < count; index++) follow(index).catch((error) => failed(error));
  await Promise.all(clients.map((client) => client.version({}).catch(() => {})));
  return {
    /** Resolves when all together have received so many events each; rejects if one of them can't. */
    received: (each: number) =>
      new Promise<void>((resolve, reject) => {
        left += each * count;
        isDone = resolve;
        failed = reject;
      }),
    leave: () => {
      failed = () => {};
      for (const client of clients) client.close();
    },
  };
}
