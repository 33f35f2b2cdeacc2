import type { Clock } from '../../base/clock/clock.js';
import { forgetOldest } from '../../base/input/forget-oldest.js';
import type { KubeObjects } from '../../kubelet/index.js';
import type { ApiClient } from '../api/api-client.js';
import { isNotFound } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';

/**
 * How long to reuse an object, in ms: one reply for a thousand pods that start together. The kubelet watches each
 * object instead, which would be a connection for each here.
 */
const FRESH = 10_000;
const MOST = 500;

type Data = ReadonlyMap<string, Buffer> | undefined;

interface ApiData {
  /** Text in a ConfigMap, base64 in a Secret. */
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** ConfigMaps and Secrets, read when a pod needs them; all nodes of a process share the cache. */
export function createObjectCache(api: ApiClient, clock: Clock): Pick<KubeObjects, 'data'> {
  const kept = new Map<string, { readonly data: Promise<Data>; readonly at: number }>();

  const read = async (kind: 'configMap' | 'secret', path: string): Promise<Data> => {
    try {
      const { data = {}, binaryData = {} } = (await api.request({ method: 'GET', path })) as ApiData;
      const encoding = kind === 'secret' ? 'base64' : 'utf8';
      const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)] as const);
      const bytes = Object.entries(binaryData).map(
        ([key, value]) => [key, Buffer.from(value, 'base64')] as const,
      );
      return new Map([...texts, ...bytes]);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  return {
    data: (kind, namespace, name) => {
      const path = apiPath`/api/v1/namespaces/${namespace}/${kind === 'secret' ? 'secrets' : 'configmaps'}/${name}`;
      const known = kept.get(path);
      if (known !== undefined && clock.elapsed() - known.at < FRESH) return clock.idle(known.data);
      const data = read(kind, path);
      kept.delete(path);
      kept.set(path, { data, at: clock.elapsed() });
      // Failures and missing objects are not cached: an object may be created any moment.
      const forget = () => {
        if (kept.get(path)?.data === data) kept.delete(path);
      };
      data.then((found) => found === undefined && forget(), forget);
      forgetOldest(kept, MOST);
      return data;
    },
  };
}
