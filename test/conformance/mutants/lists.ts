import {
  Container,
  type ContainerFilter,
  type PodSandbox,
  PodSandboxState,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { Decoded, StreamName } from '../decoded.js';
import { after, before, ContainerState, type Mutant, mutant, refuse, sleep } from './mutant.js';

const agreement: readonly Mutant[] = [
  mutant(
    'ListContainers shows every container as CREATED',
    'INV-18.containers',
    after('listContainers', ({ containers }) => {
      for (const one of containers) one.state = ContainerState.CONTAINER_CREATED;
    }),
  ),
  mutant(
    'ListContainers has no labels',
    'INV-18.containers',
    after('listContainers', ({ containers }) => {
      for (const one of containers) one.labels = {};
    }),
  ),
  mutant(
    'created_at is rounded to milliseconds in ListContainers',
    'INV-18.containers',
    after('listContainers', ({ containers }) => {
      for (const one of containers) one.createdAt -= one.createdAt % 1_000_000n;
    }),
  ),
  mutant(
    'ListPodSandbox shows stopped sandboxes as READY',
    'INV-18.sandboxes',
    after('listPodSandbox', ({ items }) => {
      for (const one of items) one.state = PodSandboxState.SANDBOX_READY;
    }),
  ),
  mutant('a container is listed before CreateContainer has succeeded', 'INV-21.snapshot', (real) => {
    const ghosts = new Map<Container, () => void>();
    return {
      createContainer: async (request, call) => {
        const ghost = Container.fromPartial({ id: 'e'.repeat(64), podSandboxId: request.podSandboxId });
        const seen = new Promise<void>((resolve) => ghosts.set(ghost, resolve));
        // Less than the time limit of a call.
        await Promise.race([seen, sleep(2000)]);
        ghosts.delete(ghost);
        return real.createContainer(request, call);
      },
      ...after('listContainers', (reply) => {
        reply.containers.push(...ghosts.keys());
        for (const tell of ghosts.values()) tell();
      })(real),
    };
  }),
];

/** Combines the results for each field of the container filter with OR. */
async function anyOf(real: Decoded, filter: ContainerFilter, call: never): Promise<Container[]> {
  const { labelSelector, ...rest } = filter;
  const empty: ContainerFilter = { id: '', podSandboxId: '', state: undefined, labelSelector: {} };
  const given = Object.entries(rest).filter(([, value]) => value !== '' && value !== undefined);
  const filters = given.map(([key, value]) => ({ ...empty, [key]: value }));
  if (Object.keys(labelSelector).length > 0) filters.push({ ...empty, labelSelector });
  const found = new Map<string, Container>();
  for (const one of filters.length > 0 ? filters : [empty]) {
    for (const item of (await real.listContainers({ filter: one }, call)).containers)
      found.set(item.id, item);
  }
  return [...found.values()];
}

const filters: readonly Mutant[] = [
  mutant('the fields of a container filter combine with OR', 'INV-19.containers', (real) => ({
    listContainers: async ({ filter }, call) =>
      filter
        ? { containers: await anyOf(real, filter, call as never) }
        : real.listContainers({ filter }, call),
  })),
  mutant('a label selector compares only the keys', 'INV-19.containers', (real) => ({
    listContainers: async ({ filter }, call) => {
      if (!filter) return real.listContainers({ filter }, call);
      const { containers } = await real.listContainers({ filter: { ...filter, labelSelector: {} } }, call);
      const keys = Object.keys(filter.labelSelector);
      return { containers: containers.filter(({ labels }) => keys.every((key) => key in labels)) };
    },
  })),
  mutant(
    'an empty value in a label selector matches any value',
    'INV-19.containers',
    before('listContainers', ({ filter }) => {
      if (filter)
        filter.labelSelector = Object.fromEntries(
          Object.entries(filter.labelSelector).filter(([, value]) => value),
        );
    }),
  ),
  mutant(
    'the state in a container filter is ignored',
    'INV-19.containers',
    before('listContainers', ({ filter }) => {
      if (filter) filter.state = undefined;
    }),
  ),
  mutant(
    'a prefix in a container filter matches nothing',
    'INV-19.containers',
    after('listContainers', (reply, { filter }) => {
      if (filter?.id && filter.id.length < 64) return { containers: [] };
      return reply;
    }),
  ),
  mutant(
    'an unknown id in a container filter is an error',
    'INV-19.containers',
    after('listContainers', (reply, { filter }) => {
      if (filter?.id && reply.containers.length === 0) refuse(5);
    }),
  ),
  mutant(
    'the state in a sandbox filter is ignored',
    'INV-19.sandboxes',
    before('listPodSandbox', ({ filter }) => {
      if (filter) filter.state = undefined;
    }),
  ),
  mutant('a sandbox matches if one label matches', 'INV-19.sandboxes', (real) => ({
    listPodSandbox: async ({ filter }, call) => {
      const { items } = await real.listPodSandbox(
        { filter: filter && { ...filter, labelSelector: {} } },
        call,
      );
      const wanted = Object.entries(filter?.labelSelector ?? {});
      const fits = ({ labels }: PodSandbox) =>
        wanted.length === 0 || wanted.some(([key, value]) => labels[key] === value);
      return { items: items.filter(fits) };
    },
  })),
  mutant(
    'an empty filter returns an empty list',
    'INV-19.empty',
    after('listContainers', (reply, { filter }) => {
      const isEmpty = filter && !filter.id && !filter.podSandboxId && !filter.state;
      if (isEmpty && Object.keys(filter.labelSelector).length === 0) return { containers: [] };
      return reply;
    }),
  ),
  mutant(
    'ListImages ignores its filter',
    'INV-19.images',
    before('listImages', (request) => {
      request.filter = undefined;
    }),
  ),
];

type Chunks = AsyncIterable<object>;
const itemsOf = (chunk: object): unknown[] => Object.values(chunk).find(Array.isArray) as unknown[];

const streaming = (
  method: Exclude<StreamName, 'getContainerEvents'>,
  what: string,
  through: (chunks: Chunks, signal: AbortSignal) => Chunks,
): Mutant =>
  mutant(`${method}: ${what}`, `INV-20.${method[0]?.toUpperCase()}${method.slice(1)}`, (real) => ({
    [method]: (request: never, call: { readonly signal: AbortSignal }) =>
      through(real[method](request, call as never), call.signal),
  }));

const streams: readonly Mutant[] = [
  streaming('streamPodSandboxes', 'an item is sent twice', async function* (chunks) {
    for await (const chunk of chunks) {
      yield chunk;
      yield chunk;
    }
  }),
  streaming('streamContainers', 'the last item is lost', async function* (chunks) {
    for await (const chunk of chunks) {
      itemsOf(chunk).pop();
      if (itemsOf(chunk).length > 0) yield chunk;
    }
  }),
  streaming('streamContainerStats', 'a chunk is empty', async function* (chunks) {
    yield { containerStats: [] };
    yield* chunks;
  }),
  streaming('streamPodSandboxStats', 'the stream does not end', async function* (chunks, signal) {
    yield* chunks;
    await sleep(60_000, signal).catch(() => {});
  }),
  streaming('streamPodSandboxMetrics', 'it fails before its end', async function* (chunks) {
    yield* chunks;
    refuse(14);
  }),
  streaming('streamImages', 'nothing comes', async function* () {}),
];

export const listMutants: readonly Mutant[] = [...agreement, ...filters, ...streams];
