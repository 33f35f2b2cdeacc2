import type { Json } from './json.js';

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Json;
}

export interface WatchRequest {
  readonly collection: string;
  readonly fieldSelector?: string | undefined;
  /** Sends changes after this resource version too. Default: only new changes. */
  readonly after?: number | undefined;
}

/** API objects by path, such as `/api/v1/namespaces/default/pods/web`, with versions and watches. */
export interface ApiObjects {
  /** Resource version of the last change. */
  readonly version: number;
  get(path: string): Json | undefined;
  /** Covers all namespaces if the path names none. */
  list(collection: string, fieldSelector?: string): Json[];
  /** Stores an object under a new version, notifies the watches, and sets a uid if there is none. */
  put(path: string, object: Json): Json;
  remove(path: string): Json | undefined;
  /** Returns a function that ends the watch; undefined when changes after that version are no longer kept. */
  watch(request: WatchRequest, tell: (change: ObjectChange) => void): (() => void) | undefined;
}

/** Changes kept for watches that start at an earlier version. */
const MOST_CHANGES = 1000;

interface Watch {
  readonly sees: (path: string, object: Json) => boolean;
  readonly tell: (change: ObjectChange) => void;
}

export function createApiObjects(): ApiObjects {
  const objects = new Map<string, Json>();
  const watches = new Set<Watch>();
  const uses = new Map<string, number>();
  const changes: { readonly version: number; readonly path: string; readonly change: ObjectChange }[] = [];
  let version = 100;
  let forgotten = version;

  const tell = (path: string, type: ObjectChange['type'], object: Json) => {
    const change = { type, object };
    changes.push({ version, path, change });
    if (changes.length > MOST_CHANGES) forgotten = changes.shift()?.version ?? forgotten;
    for (const watch of watches) if (watch.sees(path, object)) watch.tell(change);
  };
  const withUid = (path: string): string => {
    const use = (uses.get(path) ?? 0) + 1;
    uses.set(path, use);
    return use === 1 ? `uid-${path}` : `uid-${path}-${use}`;
  };
  return {
    get version() {
      return version;
    },
    get: (path) => objects.get(path),
    list: (collection, fieldSelector) =>
      [...objects].flatMap(([path, object]) =>
        isIn(path, collection) && isSelected(object, fieldSelector) ? [object] : [],
      ),
    put: (path, given) => {
      const isNew = !objects.has(path);
      const { uid = withUid(path), ...metadata } = given.metadata;
      const object = { ...given, metadata: { ...metadata, uid, resourceVersion: String(++version) } };
      objects.set(path, object);
      tell(path, isNew ? 'ADDED' : 'MODIFIED', object);
      return object;
    },
    remove: (path) => {
      const there = objects.get(path);
      if (there === undefined) return undefined;
      objects.delete(path);
      const metadata = { ...there.metadata, resourceVersion: String(++version) };
      tell(path, 'DELETED', { ...there, metadata });
      return there;
    },
    watch: ({ collection, fieldSelector, after = version }, toldOf) => {
      if (after < forgotten) return undefined;
      const sees = (path: string, object: Json) =>
        isIn(path, collection) && isSelected(object, fieldSelector);
      for (const { version: at, path, change } of changes)
        if (at > after && sees(path, change.object)) toldOf(change);
      const watch = { sees, tell: toldOf };
      watches.add(watch);
      return () => void watches.delete(watch);
    },
  };
}

const collectionOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

function isIn(path: string, collection: string): boolean {
  const own = collectionOf(path);
  return own === collection || own.replace(/\/namespaces\/[^/]+/, '') === collection;
}

/** Supports the field selectors that nodes send. */
function isSelected({ metadata, spec }: Json, selector: string | undefined): boolean {
  const [field, wanted] = selector?.split('=') ?? [];
  if (field === 'spec.nodeName') return (spec?.nodeName ?? '') === wanted;
  return field !== 'metadata.name' || metadata.name === wanted;
}
