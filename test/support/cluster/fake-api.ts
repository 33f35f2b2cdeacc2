import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../src/base/clock/clock.js';
import type { ApiClient, ApiRequest } from '../../../src/cluster/api/api-client.js';
import { ApiError } from '../../../src/cluster/api/api-error.js';
import type { Json } from '../../../src/kubelet/api-server/json.js';
import { type ApiObjects, createApiObjects } from '../../../src/kubelet/api-server/objects.js';
import { answerRequest, RequestProblem } from '../../../src/kubelet/api-server/requests.js';

/** An API server in memory with the parts that nodes use: objects, versions, watches, and status patches. */
export interface FakeApi {
  readonly client: ApiClient;
  /** Every request that reached it: `PATCH /api/v1/nodes/a/status`. */
  readonly requests: string[];
  /** The users of `requests`: names of their certificates, or `account`. */
  readonly users: string[];
  /** Stores an object and notifies the watches. */
  put(collection: string, object: Json): Json;
  get(path: string): Json | undefined;
  /** Calls back with each object that a request adds to a collection, after its reply. */
  onAdded(collection: string, added: (object: Json) => void): void;
  all(collection: string): Json[];
  remove(path: string): void;
  /** Gives the user all rights in access reviews. */
  grant(user: string): void;
  /** Ends all watches; the next one begins at its version, or fails with 410. */
  endWatches(error?: { readonly code: number; readonly message: string }): void;
  /** Nodes lose their rights: their own requests are Forbidden, as without the Node authorizer. */
  refuseNodes(): void;
  /** Requests of paths with this text become Forbidden. */
  forbid(path: string): void;
  /** Requests fail with this reply or, without one, as with an unreachable server. */
  fail(error: ApiError | Error | undefined): void;
}

interface Watcher {
  readonly queue: Json[];
  wake(): void;
  ended: boolean;
}

/** Sets the node of a pod, which ends its place in watches of unbound pods. */
function bind(objects: ApiObjects, path: string, nodeName: string): Json {
  const pod = objects.remove(path);
  return objects.put(path, { ...pod, spec: { ...pod?.spec, nodeName } });
}

export function createFakeApi(clock: Clock): FakeApi {
  const objects = createApiObjects();
  const watchers = new Set<Watcher>();
  const requests: string[] = [];
  const users: string[] = [];
  const listeners = new Map<string, (object: Json) => void>();
  const granted = new Set<string>();
  let failure: Error | undefined;
  let refusesNodes = false;
  let forbidden: string | undefined;

  const answer = ({ method, path, query, body }: ApiRequest): Json => {
    try {
      const given = body?.() as Json | undefined;
      const [, bound] = /^(.*)\/binding$/.exec(path) ?? [];
      if (bound !== undefined) return bind(objects, bound, given?.target.name);
      const object = answerRequest(objects, clock, { method, path, ...query, body: given });
      if (method === 'POST')
        void clock.run(async () => {
          await clock.sleep(10);
          listeners.get(path)?.(object);
        });
      return object;
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      throw new ApiError(error.code, error.reason, error.message);
    }
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
      const name = await user();
      users.push(name);
      if (forbidden !== undefined && request.path.includes(forbidden))
        throw new ApiError(403, 'Forbidden', `User "${name}" cannot do this`);
      if (request.path.endsWith('/selfsubjectaccessreviews')) return { status: { allowed: !refusesNodes } };
      if (request.path.endsWith('/subjectaccessreviews')) {
        const asked = (request.body?.() as Json | undefined)?.spec.user;
        if (String(asked).startsWith('system:node:')) return { status: { allowed: !refusesNodes } };
        return { status: { allowed: granted.has(asked) } };
      }
      if (refusesNodes && name.startsWith('system:node:'))
        throw new ApiError(403, 'Forbidden', `User "${name}" cannot do this`);
      return structuredClone(answer(request));
    },
    lines: async (path, { fieldSelector }, signal) => {
      if (failure !== undefined) throw failure;
      requests.push(`WATCH ${path}${fieldSelector === undefined ? '' : `?${fieldSelector}`}`);
      users.push(await user());
      let wake = () => {};
      const watcher: Watcher = { queue: [], wake: () => wake(), ended: false };
      watchers.add(watcher);
      const end = objects.watch({ collection: path, fieldSelector }, (change) => {
        watcher.queue.push(structuredClone(change));
        watcher.wake();
      });
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
          end?.();
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
    put: (collection, object) => objects.put(`${collection}/${object.metadata.name}`, object),
    get: objects.get,
    onAdded: (collection, added) => void listeners.set(collection, added),
    all: (collection) => objects.list(collection),
    remove: (path) => void objects.remove(path),
    grant: (user) => void granted.add(user),
    endWatches: (error) => {
      for (const watcher of watchers) {
        if (error !== undefined) watcher.queue.push({ type: 'ERROR', object: error });
        watcher.ended = true;
        watcher.wake();
      }
    },
    refuseNodes: () => {
      refusesNodes = true;
    },
    forbid: (path) => {
      forbidden = path;
    },
    fail: (error) => {
      failure = error;
    },
  };
}
