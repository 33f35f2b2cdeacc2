import type { Call, CriRequest, CriResponse } from '../../../src/cri/service.js';
import { after, ContainerState, type Mutant, mutant, onFailure, refuse, sleep, stateOf } from './mutant.js';

type Create = CriRequest<'createContainer'>;

const nameOf = ({ podSandboxId, config }: Create): string =>
  `${podSandboxId} ${config?.metadata?.name} ${config?.metadata?.attempt}`;

/** The same request with a unique attempt. */
const renamed = (request: Create): Create => {
  const config = structuredClone(request.config);
  if (config?.metadata) config.metadata.attempt += 1000 + Math.floor(Math.random() * 1e6);
  return { ...request, config };
};

/** Rejects the second of two concurrent calls for one container. */
function exclusive<R extends { readonly containerId: string }, A>(
  serve: (request: R, call: Call) => Promise<A>,
): (request: R, call: Call) => Promise<A> {
  const busy = new Set<string>();
  return async (request, call) => {
    if (busy.has(request.containerId)) refuse(2, 'another call is in progress');
    busy.add(request.containerId);
    await sleep(10);
    return serve(request, call).finally(() => busy.delete(request.containerId));
  };
}

const reservations: readonly Mutant[] = [
  mutant(
    'two containers can have the same name',
    'INV-12.container',
    onFailure('createContainer', (_, request, real, call) => real.createContainer(renamed(request), call)),
  ),
  mutant(
    'two sandboxes can have the same name',
    'INV-12.sandbox',
    onFailure('runPodSandbox', (_, request, real, call) => {
      const config = structuredClone(request.config);
      if (config?.metadata) config.metadata.attempt += 1 + Math.floor(Math.random() * 1e6);
      return real.runPodSandbox({ ...request, config }, call);
    }),
  ),
  mutant('a name is free once its container has exited', 'INV-12.held', (real) => {
    const owners = new Map<string, string>();
    return {
      createContainer: async (request, call) => {
        const owner = owners.get(nameOf(request));
        const isOver =
          owner !== undefined && (await stateOf(real, owner)) === ContainerState.CONTAINER_EXITED;
        const reply = await real.createContainer(isOver ? renamed(request) : request, call);
        owners.set(nameOf(request), reply.containerId);
        return reply;
      },
    };
  }),
  mutant('a name stays reserved after the removal of its container', 'INV-13.reuse', (real) => {
    const taken = new Set<string>();
    return {
      createContainer: async (request, call) => {
        if (taken.has(nameOf(request))) refuse(6);
        taken.add(nameOf(request));
        return real.createContainer(request, call);
      },
    };
  }),
  mutant('the next owner of a name gets the old id', 'INV-13.reuse', (real) => {
    const ids = new Map<string, string>();
    return after('createContainer', (reply, request) => {
      const old = ids.get(nameOf(request)) ?? reply.containerId;
      ids.set(nameOf(request), old);
      return { containerId: old };
    })(real);
  }),
  mutant('a failed CreateContainer keeps the name', 'INV-13.failed-create', (real) => {
    const lost = new Set<string>();
    return {
      createContainer: (request, call) => {
        if (lost.has(nameOf(request))) refuse(6);
        return real.createContainer(request, call).catch((error: Error) => {
          lost.add(nameOf(request));
          throw error;
        });
      },
    };
  }),
  mutant(
    'a failed CreateContainer leaves a container',
    'INV-13.failed-create',
    onFailure('createContainer', async (error, request, real, call) => {
      const config = structuredClone(request.config);
      const { images } = await real.listImages({ filter: undefined }, call);
      if (config?.image) config.image.image = images[0]?.id ?? '';
      await real.createContainer({ ...request, config }, call);
      throw error;
    }),
  ),
];

const ids: readonly Mutant[] = [
  mutant(
    'ids have 32 digits',
    'INV-14.ids',
    after('createContainer', ({ containerId }) => ({ containerId: containerId.slice(0, 32) })),
  ),
  mutant('an id is used twice', 'INV-14.ids', (real) => {
    let first: CriResponse<'createContainer'> | undefined;
    return after('createContainer', (reply) => {
      first ??= reply;
      return first;
    })(real);
  }),
  mutant('a prefix is not resolved', 'INV-14.ids', (real) => ({
    containerStatus: async (request, call) =>
      request.containerId.length < 64 ? refuse(5) : real.containerStatus(request, call),
  })),
  mutant('an ambiguous prefix finds the first match', 'INV-14.ambiguous', (real) => ({
    containerStatus: async (request, call) => {
      const { containers } = await real.listContainers({ filter: undefined }, call);
      const found = containers.find(({ id }) => id.startsWith(request.containerId));
      return real.containerStatus({ ...request, containerId: found?.id ?? request.containerId }, call);
    },
  })),
  mutant('an ambiguous prefix removes the first match', 'INV-14.ambiguous', (real) => ({
    removeContainer: async (request, call) => {
      const { containers } = await real.listContainers({ filter: undefined }, call);
      const found = containers.find(({ id }) => id.startsWith(request.containerId));
      return real.removeContainer({ containerId: found?.id ?? request.containerId }, call);
    },
  })),
];

const races: readonly Mutant[] = [
  mutant(
    'all concurrent starts are OK',
    'INV-15.start',
    onFailure('startContainer', () => ({})),
  ),
  mutant('a stop during another one is rejected', 'INV-15.stop', (real) => ({
    stopContainer: exclusive(real.stopContainer),
  })),
  mutant('a removal during another one is rejected', 'INV-15.remove', (real) => ({
    removeContainer: exclusive(real.removeContainer),
  })),
  mutant('ContainerStatus is one call behind', 'INV-16.linearizable', (real) => {
    const last = new Map<string, CriResponse<'containerStatus'>>();
    return {
      ...after('createContainer', async ({ containerId }) => {
        const call = { signal: new AbortController().signal, deadline: undefined };
        last.set(containerId, await real.containerStatus({ containerId, verbose: false }, call));
      })(real),
      ...after('containerStatus', (reply, { containerId }) => {
        const stale = last.get(containerId);
        last.set(containerId, reply);
        return stale ?? reply;
      })(real),
    };
  }),
  mutant('a container created while its sandbox stops leaks', 'INV-16.stop-create', (real) => {
    const leaked: CriResponse<'listContainers'>['containers'] = [];
    return {
      stopPodSandbox: async (request, call) => {
        const reply = await real.stopPodSandbox(request, call);
        const { containers } = await real.listContainers({ filter: undefined }, call);
        leaked.push(...containers.filter(({ podSandboxId }) => podSandboxId === request.podSandboxId));
        return reply;
      },
      ...after('listContainers', (reply) => {
        const known = new Set(reply.containers.map(({ id }) => id));
        reply.containers.push(...leaked.filter(({ id }) => !known.has(id)));
      })(real),
    };
  }),
  mutant(
    'a canceled CreateContainer keeps the name reserved, without a container',
    'INV-17.CreateContainer',
    (real) => {
      const taken = new Set<string>();
      return {
        createContainer: async (request, call) => {
          if (taken.has(nameOf(request))) refuse(6);
          taken.add(nameOf(request));
          await sleep(100);
          if (call.signal.aborted) refuse(1);
          taken.delete(nameOf(request));
          return real.createContainer(request, call);
        },
      };
    },
  ),
];

export const nameMutants: readonly Mutant[] = [...reservations, ...ids, ...races];
