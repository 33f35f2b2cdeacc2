export interface PullSecret {
  readonly namespace: string;
  readonly name: string;
  /** Equal for equal credentials. */
  readonly hash: string;
}

type Access = 'all' | readonly PullSecret[];

export interface PullRecords {
  readonly begun: Set<string>;
  /** Access by image id, then by name without tag and digest. */
  readonly pulled: Map<string, Map<string, Access>>;
}

export const createPullRecords = (): PullRecords => ({ begun: new Set(), pulled: new Map() });

export interface PullManager {
  begin(image: string): void;
  failed(image: string): void;
  /** `secret` provided the credentials; without one all pods may use the image. */
  pulled(image: string, id: string, secret: PullSecret | undefined): void;
  /** `secrets` returns those of the pod for this image. */
  mustPull(image: string, id: string, secrets: () => Promise<readonly PullSecret[]>): Promise<boolean>;
}

/**
 * images/pullmanager/image_pull_manager.go with its default policy, NeverVerifyPreloadedImages: a pod may use an image
 * that a kubelet pulled only with credentials that it was pulled with, under the same name.
 */
export function createPullManager(records: PullRecords): PullManager {
  const { begun, pulled } = records;
  /** Pulls in progress by image, without those from before a kubelet restart. */
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
      // The kubelet has no record of the image: it was preloaded.
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
