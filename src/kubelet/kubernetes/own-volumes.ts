/** Volume types without files of the machine: they belong to the pod, or come from API objects or an image. */
const OWN: ReadonlySet<string> = new Set(
  'name emptyDir configMap secret downwardAPI projected image'.split(' '),
);

/** Volumes of a pod that must not touch this machine's files: other types become an empty directory of the pod. */
export const ownVolumes = <V extends object>(volumes: readonly V[]): V[] =>
  volumes.map((volume) => {
    const own = Object.entries(volume).filter(([kind, value]) => OWN.has(kind) && value);
    return Object.fromEntries(own.length > 1 ? own : [...own, ['emptyDir', {}]]) as V;
  });

/** The only file of a node that a pod may get a copy of: a pod with hostNetwork sees its contents anyway. */
export const NODE_HOSTS = '/etc/hosts';

export const isNodeHosts = ({
  hostPath,
}: {
  readonly hostPath?: { readonly path: string } | undefined;
}): boolean => hostPath?.path === NODE_HOSTS;
