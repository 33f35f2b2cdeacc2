import type { Image, ImageStatusRequest } from '../../../cri/gen/runtime/v1/api.js';
import { formatImageReference, parseImageReference } from '../../../cri/image-reference.js';
import type { OpenCall } from '../../world/watcher.js';

export interface Meaning {
  readonly id: string;
  readonly line: number;
  readonly isPulled: boolean;
}

/** Known images of a conversation. Names are keys of `keyOf`. */
export interface ImageMemory {
  readonly meanings: Map<string, Meaning>;
  readonly removed: Map<string, number>;
  readonly pulled: Set<string>;
  /** Images that were absent before they were pulled by digest only. */
  readonly byDigest: Map<string, number>;
  /** Ids in the last complete list, until a pull succeeds. */
  listed: { readonly ids: ReadonlySet<string>; readonly line: number } | undefined;
  failedPull: number;
  changing: number;
  /** Line at which the last of them began or ended. */
  changedAt: number;
  isQuiet(since: number): boolean;
  /** From now on all names of the image mean it. */
  learn(image: Image, line: number): void;
  namesMeaning(id: string): string[];
  remove(key: string, line: number): void;
  begin(open: OpenCall): void;
  forget(): void;
}

const MOST = 5000;

export function createImageMemory(): ImageMemory {
  const memory: ImageMemory = {
    meanings: new Map(),
    removed: new Map(),
    pulled: new Set(),
    byDigest: new Map(),
    listed: undefined,
    failedPull: 0,
    changing: 0,
    changedAt: 0,
    isQuiet: (since) => memory.changing === 0 && memory.changedAt <= since,
    learn: (image, line) => {
      for (const key of namesOf(image)) {
        memory.removed.delete(key);
        memory.meanings.set(key, { id: image.id, line, isPulled: false });
      }
      shorten(memory.meanings);
    },
    namesMeaning: (id) => [...memory.meanings].filter(([, one]) => one.id === id).map(([key]) => key),
    remove: (key, line) => {
      memory.removed.set(key, line);
      shorten(memory.removed);
    },
    begin: ({ call, line }) => {
      memory.changing++;
      memory.changedAt = line;
      if (call.method === 'PullImage') memory.pulled.add(askedKey(call.message.value()));
    },
    forget: () => {
      const { meanings, removed, pulled, byDigest } = memory;
      for (const each of [meanings, removed, pulled, byDigest]) each.clear();
      memory.listed = undefined;
    },
  };
  return memory;
}

function shorten(names: Map<string, unknown>): void {
  for (const oldest of names.keys()) {
    if (names.size <= MOST) break;
    names.delete(oldest);
  }
}

/** Canonical form of image names for comparison: ids unchanged, references with registry and tag. */
export function keyOf(name: string): string {
  const reference = parseImageReference(name);
  if (reference === undefined || /^sha256:[0-9a-f]{64}$/.test(name)) return name.replace(/^sha256:/, '');
  return formatImageReference(reference);
}

export const askedKey = ({ image }: Pick<ImageStatusRequest, 'image'>): string => keyOf(image?.image ?? '');

export const namesOf = ({ id, repoTags, repoDigests }: Image): string[] =>
  [id, ...repoTags, ...repoDigests].map(keyOf);
