import type { Image, ImageStatusRequest } from '../../../cri/gen/runtime/v1/api.js';
import { formatImageReference, parseImageReference } from '../../../cri/image-reference.js';
import type { OpenCall } from '../conversation/watcher.js';

/** What a name was seen to mean. */
export interface Meaning {
  readonly id: string;
  readonly line: number;
  /** Whether a pull said so. */
  readonly isPulled: boolean;
}

/** The images of one conversation, as far as they are known. Names are keys of `keyOf`. */
export interface ImageMemory {
  readonly meanings: Map<string, Meaning>;
  /** The line from which a name means nothing. */
  readonly removed: Map<string, number>;
  /** Names that were asked for in a pull, whatever came of it. */
  readonly pulled: Set<string>;
  /** Images that were absent before they were pulled by digest only. */
  readonly byDigest: Map<string, number>;
  /** Ids in the last whole list, while no pull has succeeded since. */
  listed: { readonly ids: ReadonlySet<string>; readonly line: number } | undefined;
  /** The line of the last pull that failed. */
  failedPull: number;
  /** Pulls and removals that are under way. */
  changing: number;
  /** The line at which the last of them began or ended. */
  changedAt: number;
  /** Whether no image has changed since the line. */
  isQuiet(since: number): boolean;
  /** All names of an image that is shown mean it from now on. */
  learn(image: Image, line: number): void;
  namesMeaning(id: string): string[];
  /** Notes that a name means nothing any more. */
  remove(key: string, line: number): void;
  /** Notes that a pull or a removal has begun. */
  begin(open: OpenCall): void;
  forget(): void;
}

/** Names that are remembered. */
const MOST = 5000;

/** Makes the memory of the images of one conversation, from its first call on. */
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

/** The form in which names of images are compared: ids as they are, references with registry and tag. */
export function keyOf(name: string): string {
  const reference = parseImageReference(name);
  if (reference === undefined || /^sha256:[0-9a-f]{64}$/.test(name)) return name.replace(/^sha256:/, '');
  return formatImageReference(reference);
}

/** The key of the image that a request is about. */
export const askedKey = ({ image }: Pick<ImageStatusRequest, 'image'>): string => keyOf(image?.image ?? '');

/** The keys of everything that an image is called. */
export const namesOf = ({ id, repoTags, repoDigests }: Image): string[] =>
  [id, ...repoTags, ...repoDigests].map(keyOf);
