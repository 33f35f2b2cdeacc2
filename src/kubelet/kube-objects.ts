import type { Pod } from './kubernetes/pod.js';
import type { TokenProjection } from './kubernetes/volumes.js';

/** A Service with a cluster IP, as far as variables show it. */
export interface ServiceAddress {
  readonly name: string;
  readonly clusterIP: string;
  readonly ports: readonly {
    readonly name?: string | undefined;
    readonly port: number;
    readonly protocol: string;
  }[];
}

/** The objects of the API that containers see: ConfigMaps, Secrets and services. */
export interface KubeObjects {
  /** The services of a namespace that have an address; undefined before they were read. */
  services(namespace: string): readonly ServiceAddress[] | undefined;
  /** A token of the pod's service account that is bound to the pod. Rejects when there is none. */
  token(pod: Pod, source: TokenProjection): Promise<Buffer>;
  /** The object's data, in the order of its keys; undefined when there is no such object. Rejects when it can't be read. */
  data(
    kind: 'configMap' | 'secret',
    namespace: string,
    name: string,
  ): Promise<ReadonlyMap<string, Buffer> | undefined>;
}

/** A kubelet without an API server has none, with its texts (kubelet_pods.go makeEnvironmentVariables). */
export const noObjects: KubeObjects = {
  services: () => [],
  token: async () => {
    throw new Error('there is no API server to issue a token');
  },
  data: async (kind, namespace, name) => {
    throw new Error(`couldn't get ${kind} ${namespace}/${name}, no kubeClient defined`);
  },
};

/** The data of an object that must be there, unless it is optional. Throws with the API server's words. */
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
