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

/** How long to reuse an answer, in ms. */
const GOOD = 2000;

/** v1.Endpoints: a node may read this, but no EndpointSlices (bootstrappolicy NodeRules). */
const endpointsSchema = z.object({
  subsets: z.array(z.object({ addresses: z.array(z.unknown()).default([]) })).default([]),
});

interface Parts {
  readonly api: Promise<ApiClient>;
  readonly clock: Clock;
  readonly pods: () => readonly Pod[];
  readonly log: (message: string) => void;
}

/**
 * Routes Services whose pods are all on other nodes to a healthy server, if the cluster shows a Ready endpoint, because
 * nothing simulated reaches a real address. Without permission to see this, assumes that there is one.
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
