/** The credentials of a pull: of a pull secret. */
export interface PullSecret {
  readonly namespace: string;
  readonly name: string;
  /** Equal for equal credentials. */
  readonly hash: string;
}

/** Who may use an image: all pods of the node, or those with one of these secrets. */
type Access = 'all' | readonly PullSecret[];

/** What a kubelet has on its disk about pulls. */
export interface PullRecords {
  /** Names of images whose pull has begun and not ended. */
  readonly begun: Set<string>;
  /** Who may use an image, by its id, then by its name without tag and digest. */
  readonly pulled: Map<string, Map<string, Access>>;
}

/** Makes the records of a node on which no kubelet has pulled anything. */
export const createPullRecords = (): PullRecords => ({ begun: new Set(), pulled: new Map() });

/** Keeps records of pulls, and says for which pods an image has to be pulled again although it is there. */
export interface PullManager {
  begin(image: string): void;
  failed(image: string): void;
  /** With the credentials of this secret; without one all pods may use the image. */
  pulled(image: string, id: string, secret: PullSecret | undefined): void;
  /** `secrets` gives those of the pod for this image. */
  mustPull(image: string, id: string, secrets: () => Promise<readonly PullSecret[]>): Promise<boolean>;
}

/**
 * images/pullmanager/image_pull_manager.go with its default policy, NeverVerifyPreloadedImages: who uses an image that a kubelet
 * has pulled must have credentials that it was pulled with, under the same name.
 */
export function createPullManager(records: PullRecords): PullManager {
  const { begun, pulled } = records;
  /** Pulls under way by image. Those before a restart of the kubelet are not counted. */
  const underWay = new Map<string, number>();

  const end = (image: string): void => {
    const count = underWay.get(image) ?? 0;
    if (count > 1) {
      underWay.set(image, count - 1);
      return;
    }
    underWay.delete(image);
    begun.delete(image);
  };

  const add = (image: string, id: string, access: Access): void => {
    const names = pulled.get(id) ?? new Map<string, Access>();
    pulled.set(id, names);
    const name = withoutTag(image);
    names.set(name, merged(names.get(name) ?? [], access));
  };

  return {
    begin: (image) => {
      begun.add(image);
      underWay.set(image, (underWay.get(image) ?? 0) + 1);
    },
    failed: end,
    pulled: (image, id, secret) => {
      add(image, id, secret === undefined ? 'all' : [secret]);
      end(image);
    },
    mustPull: async (image, id, secrets) => {
      const names = pulled.get(id);
      // The kubelet knows nothing of the image: it was there before.
      if (names === undefined && !begun.has(image)) return false;
      const access = names?.get(withoutTag(image));
      if (access === undefined) return true;
      if (access === 'all') return false;
      const found = (await secrets()).find((own) => access.some((known) => isKnown(own, known)));
      if (found !== undefined) add(image, id, [found]);
      return found === undefined;
    },
  };
}

const isSame = (a: PullSecret, b: PullSecret): boolean => a.namespace === b.namespace && a.name === b.name;

const isKnown = (own: PullSecret, known: PullSecret): boolean =>
  own.hash === known.hash || isSame(own, known);

function merged(before: Access, added: Access): Access {
  if (before === 'all' || added === 'all') return 'all';
  return [...before.filter((known) => !added.some((secret) => isSame(secret, known))), ...added];
}

/** trimImageTagDigest (image_pull_policies.go). */
const withoutTag = (image: string): string => image.replace(/@.*$/, '').replace(/:[^/:]+$/, '');
