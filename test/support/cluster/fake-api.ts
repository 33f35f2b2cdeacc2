import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../src/clock/clock.js';
import type { ApiClient, ApiRequest } from '../../../src/cluster/api/api-client.js';
import { ApiError } from '../../../src/cluster/api/api-error.js';

// biome-ignore lint/suspicious/noExplicitAny: objects of the API as their tests write them.
type Json = Record<string, any>;

/** An API server in memory, as far as nodes use one: objects, versions, watches, and the patches of statuses. */
export interface FakeApi {
  readonly client: ApiClient;
  /** Every request that reached it: `PATCH /api/v1/nodes/a/status`. */
  readonly requests: string[];
  /** The users of `requests`: names of their certificates, or `account`. */
  readonly users: string[];
  /** Stores an object and tells the watches. */
  put(collection: string, object: Json): Json;
  get(path: string): Json | undefined;
  /** Calls back with each object that a request adds to a collection, after it was answered. */
  onAdded(collection: string, added: (object: Json) => void): void;
  all(collection: string): Json[];
  remove(path: string): void;
  /** Ends all watches; the next one begins where it says, or with 410. */
  endWatches(error?: { readonly code: number; readonly message: string }): void;
  /** Requests fail from now on, with this answer or, without one, as a server that is away. */
  fail(error: ApiError | Error | undefined): void;
}

interface Watcher {
  readonly collection: string;
  readonly selector: string | undefined;
  readonly queue: Json[];
  wake(): void;
  ended: boolean;
}

export function createFakeApi(clock: Clock): FakeApi {
  const objects = new Map<string, Json>();
  const watchers = new Set<Watcher>();
  const requests: string[] = [];
  const users: string[] = [];
  const listeners = new Map<string, (object: Json) => void>();
  const lives = new Map<string, number>();
  let version = 100;
  let failure: Error | undefined;

  const tell = (collection: string, type: string, object: Json) => {
    for (const watcher of watchers) {
      // A watch of all namespaces sees those of each.
      const covers =
        collection === watcher.collection ||
        collection.replace(/\/namespaces\/[^/]+/, '') === watcher.collection;
      if (!covers || !isSelected(object, watcher.selector)) continue;
      watcher.queue.push({ type, object: structuredClone(object) });
      watcher.wake();
    }
  };
  const store = (path: string, object: Json): Json => {
    const isNew = !objects.has(path);
    if (object.metadata.uid === undefined) {
      const life = (lives.get(path) ?? 0) + 1;
      lives.set(path, life);
      object.metadata.uid = life === 1 ? `uid-${path}` : `uid-${path}-${life}`;
    }
    object.metadata.resourceVersion = String(++version);
    objects.set(path, object);
    tell(path.slice(0, path.lastIndexOf('/')), isNew ? 'ADDED' : 'MODIFIED', object);
    return object;
  };
  const missing = (path: string) => new ApiError(404, 'NotFound', `${path} not found`);

  const answer = ({ method, path, query, body }: ApiRequest): Json => {
    const given = body?.() as Json | undefined;
    const target = path.replace(/\/(status|approval)$/, '');
    const there = objects.get(target);
    switch (method) {
      case 'GET':
        if (there !== undefined) return there;
        if (/(s|es)$/.test(path) && !/\/(pods|nodes|leases)\/[^/]+$/.test(path))
          return {
            metadata: { resourceVersion: String(version) },
            items: all(path).filter((object) => isSelected(object, query?.fieldSelector)),
          };
        throw missing(path);
      case 'POST': {
        if (path.endsWith('/token')) return tokenRequest(given ?? {});
        if (given?.metadata.generateName !== undefined)
          given.metadata.name ??= `${given.metadata.generateName}${++version}`;
        const name = `${path}/${given?.metadata.name}`;
        if (objects.has(name)) throw new ApiError(409, 'AlreadyExists', `${name} already exists`);
        const added = store(name, given ?? {});
        void clock.run(async () => {
          await clock.sleep(10);
          listeners.get(path)?.(added);
        });
        return added;
      }
      case 'PUT':
        if (there === undefined) throw missing(path);
        return store(target, { ...given, metadata: { ...there.metadata, ...given?.metadata } });
      case 'PATCH':
        if (there === undefined) throw missing(path);
        if (given?.metadata?.uid !== undefined && given.metadata.uid !== there.metadata.uid)
          throw new ApiError(409, 'Conflict', 'another uid');
        return store(target, merge(there, given ?? {}) as Json);
      case 'DELETE': {
        if (there === undefined) throw missing(path);
        remove(path);
        return there;
      }
    }
  };
  const tokenRequest = ({ spec }: Json): Json => {
    const expires = Number(clock.now() / 1_000_000n) + spec.expirationSeconds * 1000;
    const expirationTimestamp = new Date(expires).toISOString();
    return { status: { token: `token ${++version}`, expirationTimestamp } };
  };
  const all = (collection: string): Json[] =>
    [...objects].flatMap(([path, object]) => {
      const own = path.slice(0, path.lastIndexOf('/'));
      return own === collection || own.replace(/\/namespaces\/[^/]+/, '') === collection ? [object] : [];
    });
  const remove = (path: string) => {
    const object = objects.get(path);
    if (object === undefined) return;
    objects.delete(path);
    object.metadata.resourceVersion = String(++version);
    tell(path.slice(0, path.lastIndexOf('/')), 'DELETED', object);
  };

  const clientAs = (user: () => Promise<string>): ApiClient => ({
    counts: { sent: 0, refused: 0, failed: 0 },
    waiting: 0,
    as: (credentials) =>
      clientAs(async () => {
        const { certificate } = await credentials.proof();
        const subject = certificate && new X509Certificate(certificate.cert).subject;
        return (
          subject
            ?.split('\n')
            .find((line) => line.startsWith('CN='))
            ?.slice(3) ?? 'nobody'
        );
      }),
    close: () => {},
    request: async (request) => {
      await clock.sleep(1);
      if (failure !== undefined) throw failure;
      requests.push(`${request.method} ${request.path}`);
      users.push(await user());
      return structuredClone(answer(request));
    },
    lines: async (path, { fieldSelector }, signal) => {
      if (failure !== undefined) throw failure;
      requests.push(`WATCH ${path}${fieldSelector === undefined ? '' : `?${fieldSelector}`}`);
      users.push(await user());
      let wake = () => {};
      const watcher: Watcher = {
        collection: path,
        selector: fieldSelector,
        queue: [],
        wake: () => wake(),
        ended: false,
      };
      watchers.add(watcher);
      signal.addEventListener('abort', () => wake());
      return (async function* () {
        try {
          for (;;) {
            const next = watcher.queue.shift();
            if (next !== undefined) yield next;
            else if (watcher.ended || signal.aborted) return;
            else await clock.idle(new Promise<void>((resolve) => (wake = resolve)));
          }
        } finally {
          watchers.delete(watcher);
        }
      })();
    },
  });
  const client = clientAs(async () => 'account');
  return {
    client,
    requests,
    users,
    put: (collection, object) => store(`${collection}/${object.metadata.name}`, object),
    get: (path) => objects.get(path),
    onAdded: (collection, added) => void listeners.set(collection, added),
    all,
    remove,
    endWatches: (error) => {
      for (const watcher of watchers) {
        if (error !== undefined) watcher.queue.push({ type: 'ERROR', object: error });
        watcher.ended = true;
        watcher.wake();
      }
    },
    fail: (error) => {
      failure = error;
    },
  };
}

/** As the API server selects by fields that nodes ask for. */
function isSelected({ metadata, spec }: Json, selector: string | undefined): boolean {
  const [field, wanted] = selector?.split('=') ?? [];
  if (field === 'spec.nodeName') return spec.nodeName === wanted;
  return field !== 'metadata.name' || metadata.name === wanted;
}

/** Strategic merge of what nodes send: lists with a key merge, all others are replaced. */
function merge(old: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const made: Json = { ...(old as Json | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete made[key];
    else if (Array.isArray(value) && (key === 'conditions' || key === 'podIPs' || key === 'hostIPs'))
      made[key] = mergeList(made[key] ?? [], value, key === 'conditions' ? 'type' : 'ip');
    else made[key] = merge(made[key], value);
  }
  return made;
}

function mergeList(old: Json[], patch: Json[], key: string): Json[] {
  const made = new Map(old.map((item) => [item[key], item]));
  for (const item of patch) {
    if (item.$patch === 'delete') made.delete(item[key]);
    else made.set(item[key], merge(made.get(item[key]) ?? {}, item) as Json);
  }
  return [...made.values()];
}
