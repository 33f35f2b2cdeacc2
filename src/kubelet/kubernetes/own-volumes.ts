/** Kinds of volumes without files of the machine: they are the pod's, or come from objects of the API or from an image. */
const OWN: ReadonlySet<string> = new Set(
  'name emptyDir configMap secret downwardAPI projected image'.split(' '),
);

/** v1.Volumes of a pod that must not touch this machine's files: any other kind is an empty directory of the pod. */
export const ownVolumes = <V extends object>(volumes: readonly V[]): V[] =>
  volumes.map((volume) => {
    const own = Object.entries(volume).filter(([kind, value]) => OWN.has(kind) && value);
    return Object.fromEntries(own.length > 1 ? own : [...own, ['emptyDir', {}]]) as V;
  });

/** The one file of a node that a pod may be given a copy of: it sees what is in it with hostNetwork, too. */
export const NODE_HOSTS = '/etc/hosts';

/** Whether a volume is that file. */
export const isNodeHosts = ({
  hostPath,
}: {
  readonly hostPath?: { readonly path: string } | undefined;
}): boolean => hostPath?.path === NODE_HOSTS;
