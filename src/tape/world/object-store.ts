import type { TrackedObject } from './tracked-object.js';

/** The properties required to store an object; the rest starts empty. */
export type NewObject = Pick<
  TrackedObject,
  'id' | 'kind' | 'sandboxId' | 'name' | 'madeAt' | 'presence' | 'presenceLine'
>;

export interface ObjectStore {
  readonly byId: ReadonlyMap<string, TrackedObject>;
  readonly live: ReadonlySet<TrackedObject>;
  find(id: string | undefined): TrackedObject | undefined;
  containersOf(sandboxId: string): TrackedObject[];
  add(object: NewObject): TrackedObject;
  setPresence(object: TrackedObject, presence: TrackedObject['presence'], line: number): void;
  clear(): void;
}

const MOST_GONE = 5000;

export function createObjectStore(): ObjectStore {
  const byId = new Map<string, TrackedObject>();
  const live = new Set<TrackedObject>();
  const bySandbox = new Map<string, TrackedObject[]>();
  const gone = new Set<TrackedObject>();

  const containersOf = (sandboxId: string) => bySandbox.get(sandboxId) ?? [];
  const drop = (object: TrackedObject) => {
    gone.delete(object);
    if (byId.get(object.id) === object) byId.delete(object.id);
    if (object.kind === 'sandbox') bySandbox.delete(object.id);
  };
  return {
    byId,
    live,
    containersOf,
    find: (id) => {
      if (id === undefined || id === '') return undefined;
      const exact = byId.get(id);
      if (exact !== undefined || id.length >= 64) return exact;
      const fitting = [...live].filter((each) => each.id.startsWith(id));
      return fitting.length === 1 ? fitting[0] : undefined;
    },
    add: (object) => {
      const made = newObject(object);
      byId.set(made.id, made);
      live.add(made);
      if (made.kind === 'container') bySandbox.set(made.sandboxId, [...containersOf(made.sandboxId), made]);
      return made;
    },
    setPresence: (object, presence, line) => {
      if (presence === 'gone' && object.presence !== 'gone') {
        live.delete(object);
        gone.add(object);
        const [oldest] = gone;
        if (gone.size > MOST_GONE && oldest !== undefined) drop(oldest);
      }
      object.presence = presence;
      object.presenceLine = line;
    },
    clear: () => {
      for (const each of [byId, live, bySandbox, gone]) each.clear();
    },
  };
}

const newObject = (object: NewObject): TrackedObject => ({
  ...object,
  alone: 0,
  isWhole: object.madeAt > 0,
  creating: 0,
  createdAt: 0,
  leastBy: '',
  least: 0,
  leastLine: 0,
  startTried: false,
  stopTried: false,
  failedStart: false,
  hasRun: false,
  changing: 0,
  changedAt: object.presenceLine,
});
