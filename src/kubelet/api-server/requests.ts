import type { Clock } from '../../base/clock/clock.js';
import { toTime } from '../kubernetes/time.js';
import type { Json } from './json.js';
import type { ApiObjects } from './objects.js';
import { kindOfCollection } from './resources.js';

/** patchMergeKey in types.go of k8s.io/api, for the lists that nodes patch. */
const mergeKeys: Readonly<Record<string, string>> = {
  conditions: 'type',
  addresses: 'type',
  podIPs: 'ip',
  hostIPs: 'ip',
  ownerReferences: 'uid',
};

export interface ObjectRequest {
  readonly method: string;
  readonly path: string;
  readonly fieldSelector?: string | undefined;
  readonly body?: Json | undefined;
}

export class RequestProblem extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** Answers the requests that nodes send like an API server. Throws RequestProblem. */
export function answerRequest(objects: ApiObjects, clock: Clock, request: ObjectRequest): Json {
  const { method, path, body = {} } = request;
  const target = path.replace(/\/(status|approval)$/, '');
  const there = objects.get(target);
  const needed = (): Json => {
    if (there === undefined) throw new RequestProblem(404, 'NotFound', `${inWords(target)} not found`);
    if (isOther(there, body)) throw new RequestProblem(409, 'Conflict', `${inWords(target)} has another uid`);
    return there;
  };
  switch (method) {
    case 'GET':
      if (there === undefined && isCollection(path)) return listOf(objects, path, request.fieldSelector);
      return needed();
    case 'POST':
      if (path.endsWith('/token')) return tokenFor(body, clock);
      return create(objects, clock, path, body);
    case 'PUT':
      return objects.put(target, { ...body, metadata: { ...needed().metadata, ...body.metadata } });
    case 'PATCH':
      return objects.put(target, mergePatch(needed(), body) as Json);
    case 'DELETE': {
      needed();
      return objects.remove(target) as Json;
    }
    default:
      throw new RequestProblem(405, 'MethodNotAllowed', `${method} is not allowed`);
  }
}

/** Strategic merge patch: merges lists that have a merge key and replaces all others. */
function mergePatch(old: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const made: Json = { ...(old as Json | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const mergeKey = Object.hasOwn(mergeKeys, key) ? mergeKeys[key] : undefined;
    if (value === null) delete made[key];
    else if (Array.isArray(value) && mergeKey !== undefined)
      made[key] = mergeList(made[key] ?? [], value, mergeKey);
    else made[key] = mergePatch(made[key], value);
  }
  return made;
}

function mergeList(old: readonly Json[], patch: readonly Json[], key: string): Json[] {
  const isReplaced = patch.some(({ $patch }) => $patch === 'replace');
  const made = new Map(isReplaced ? [] : old.map((item) => [item[key], item]));
  for (const item of patch) {
    if (item.$patch === 'delete') made.delete(item[key]);
    else if (item.$patch !== 'replace')
      made.set(item[key], mergePatch(made.get(item[key]) ?? {}, item) as Json);
  }
  return [...made.values()];
}

/** Formats a path like API server messages: `leases.coordination.k8s.io "node"`. */
function inWords(path: string): string {
  const [, group, plural, name] =
    /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/[^/]+)?\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (name === undefined) return path;
  return `${plural}${group === undefined ? '' : `.${group}`} "${name}"`;
}

const isOther = ({ metadata }: Json, body: Json): boolean => {
  const uid = body.metadata?.uid ?? body.preconditions?.uid;
  return uid !== undefined && uid !== metadata.uid;
};

const isCollection = (path: string): boolean => kindOfCollection(path) !== undefined;

function listOf(objects: ApiObjects, path: string, fieldSelector: string | undefined): Json {
  const { apiVersion, kind } = kindOfCollection(path) as { apiVersion: string; kind: string };
  return {
    apiVersion,
    kind: `${kind}List`,
    metadata: { resourceVersion: String(objects.version) },
    items: objects.list(path, fieldSelector),
  };
}

function create(objects: ApiObjects, clock: Clock, collection: string, body: Json): Json {
  const { generateName, name = `${generateName}${objects.version}` } = body.metadata ?? {};
  const path = `${collection}/${name}`;
  if (objects.get(path) !== undefined)
    throw new RequestProblem(409, 'AlreadyExists', `${inWords(path)} already exists`);
  const creationTimestamp = toTime(clock.now());
  return objects.put(path, { ...body, metadata: { creationTimestamp, ...body.metadata, name } });
}

function tokenFor({ spec, ...rest }: Json, clock: Clock): Json {
  const expires = clock.now() + BigInt(spec?.expirationSeconds ?? 3600) * 1_000_000_000n;
  return { ...rest, spec, status: { token: `token-${clock.now()}`, expirationTimestamp: toTime(expires) } };
}
