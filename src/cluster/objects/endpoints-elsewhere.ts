import { z } from 'zod';
import { openWellServer } from '../../../adapters/memory/well-server.js';
import type { Clock } from '../../base/clock/clock.js';
import type { Place, Route } from '../../base/network/network.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { leadsToPods, type Service, selects } from '../../kubelet/kubernetes/services.js';
import type { ApiClient } from '../api/api-client.js';
import { isForbidden, isNotFound } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import { createReviewCache } from '../kubelet-server/review-cache.js';

/** How long an answer is used again, in ms. */
const GOOD = 2000;

/** v1.Endpoints: a node may read this, and no EndpointSlices (bootstrappolicy NodeRules). */
const endpointsSchema = z.object({
  subsets: z.array(z.object({ addresses: z.array(z.unknown()).default([]) })).default([]),
});

interface Parts {
  /** Asks the API server. */
  readonly api: Promise<ApiClient>;
  readonly clock: Clock;
  /** The pods of all nodes of this process. */
  readonly pods: () => readonly Pod[];
  readonly log: (message: string) => void;
}

/**
 * Where Services lead whose pods are all on nodes of others: to a server that is well, if the cluster shows an endpoint that is
 * Ready, as nothing simulated reaches a real address. Who may not see this takes them to be.
 */
export function createEndpointsElsewhere({
  api,
  clock,
  pods,
  log,
}: Parts): (service: Service) => Promise<Route> {
  let well: Place | undefined;
  const reviews = createReviewCache(
    clock,
    async (path) => {
      try {
        const { subsets } = endpointsSchema.parse(await (await api).request({ method: 'GET', path }));
        return subsets.some(({ addresses }) => addresses.length > 0);
      } catch (error) {
        if (isNotFound(error)) return false;
        if (!isForbidden(error)) throw error;
        log('may not get endpoints: Services without pods on these nodes are taken to be Ready');
        return true;
      }
    },
    () => GOOD,
  );
  return async (service) => {
    const isOurs = pods().some(({ metadata }) => selects(service, metadata));
    if (isOurs || !leadsToPods(service)) return 'refused';
    const { namespace, name } = service.metadata;
    const isReady = await reviews
      .get(apiPath`/api/v1/namespaces/${namespace}/endpoints/${name}`)
      .catch(() => false);
    if (!isReady) return 'refused';
    well ??= openWellServer(clock);
    return well;
  };
}
