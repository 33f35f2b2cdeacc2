import type { Pod } from './kubernetes/pod.js';
import type { TokenProjection } from './kubernetes/volumes.js';

/** A Service with a cluster IP: the fields that variables use. */
export interface ServiceAddress {
  readonly name: string;
  readonly clusterIP: string;
  readonly ports: readonly {
    readonly name?: string | undefined;
    readonly port: number;
    readonly protocol: string;
  }[];
}

export interface KubeObjects {
  /** Services of a namespace that have an address; undefined until they have been read. */
  services(namespace: string): readonly ServiceAddress[] | undefined;
  /** Returns a token of the pod's service account, bound to the pod. Rejects when there is none. */
  token(pod: Pod, source: TokenProjection): Promise<Buffer>;
  /** Ordered by key; undefined when the object does not exist. Rejects when it can't be read. */
  data(
    kind: 'configMap' | 'secret',
    namespace: string,
    name: string,
  ): Promise<ReadonlyMap<string, Buffer> | undefined>;
}

/** For a kubelet without an API server, with its messages (kubelet_pods.go makeEnvironmentVariables). */
export const noObjects: KubeObjects = {
  services: () => [],
  token: async () => {
    throw new Error('there is no API server to issue a token');
  },
  data: async (kind, namespace, name) => {
    throw new Error(`couldn't get ${kind} ${namespace}/${name}, no kubeClient defined`);
  },
};

/** Data of a required object; an optional one may be missing. Throws with the API server's message. */
export async function dataOf(
  objects: KubeObjects,
  kind: 'configMap' | 'secret',
  namespace: string,
  { name, optional }: { readonly name: string; readonly optional: boolean },
): Promise<ReadonlyMap<string, Buffer>> {
  const found = await objects.data(kind, namespace, name);
  if (found !== undefined) return found;
  if (optional) return new Map();
  throw new Error(`${kind === 'secret' ? 'secret' : 'configmap'} "${name}" not found`);
}
