import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import type { CriService } from '../../cri/service.js';
import { type Referee, refereeRules } from '../../tape/judge/referee.js';
import { addPod, givenPodSchema } from '../assembly/add-pod.js';
import type { RuntimePlugins } from '../assembly/plugins.js';
import type { TapeRecorder } from '../assembly/tape-recorder.js';
import type { Runtime } from '../engine/runtime.js';
import type { Faults } from '../faults/faults.js';
import type { CriServer } from '../server/server.js';
import { eventRoutes } from './events.js';
import { faultRoutes } from './faults.js';
import { holdRoutes } from './holds.js';
import { liveTapeRoute } from './live/live-tape.js';
import type { Measured } from './metrics.js';
import { openApiRoute } from './openapi-route.js';
import { pageRoute } from './page.js';
import { pluginRoutes } from './plugins.js';
import { Problem } from './problem.js';
import type { Route } from './router.js';
import { callRoutes, clockRoutes, healthRoute, runtimeRoutes } from './runtime-routes.js';
import { tapeRoutes } from './tape.js';

/**
 * `POST /v1/pods` creates a pod with containers in given states, as a CRI client would. Fault rules do not act on it.
 */
const podRoutes = (runtime: Runtime, service: CriService): Route[] => [
  {
    method: 'POST',
    path: '/v1/pods',
    handle: async ({ body }) => {
      const given = await body(givenPodSchema);
      const id = await addPod(given, { service, runtime }).catch((error: unknown) => {
        throw new Problem(409, messageOf(error));
      });
      return { status: 201, json: { pod: runtime.snapshot().sandboxes.find((each) => each.id === id) } };
    },
  },
];

export interface Controlled {
  readonly server: Pick<CriServer, 'log' | 'connections'>;
  /** Without the fault rules: an observer must not change their counts. */
  readonly service: CriService;
  /** Undefined when the state is in another process. */
  readonly runtime: Runtime | undefined;
  /** Undefined if the runtime accepts no node resource plugins. */
  readonly plugins?: RuntimePlugins | undefined;
  readonly faults: Faults;
  readonly referee: Referee;
  readonly clock: Clock;
  /** Undefined if nothing can be recorded. */
  readonly recorder?: TapeRecorder | undefined;
}

export function controlRoutes({
  server,
  service,
  runtime,
  plugins,
  faults,
  referee,
  clock,
  recorder,
}: Controlled): Route[] {
  const { log, connections } = server;
  const routes = [
    healthRoute(),
    ...(runtime ? [...runtimeRoutes(runtime), ...podRoutes(runtime, service)] : []),
    ...(plugins ? pluginRoutes(plugins) : []),
    ...callRoutes(log),
    ...faultRoutes(faults.registry, runtime),
    ...(faults.holds ? holdRoutes(faults.holds) : []),
    refereeRoute(referee),
    ...eventRoutes({ log, service, tape: recorder?.tape }),
    ...clockRoutes(clock),
    ...(recorder ? [...tapeRoutes(recorder), liveTapeRoute({ recorder, calls: log }), pageRoute()] : []),
    lazyMetricsRoute({ log, connections, runtime, faults, referee }),
  ];
  return [...routes, openApiRoute(routes)];
}

/** Loads the metrics with the first request for them: prom-client would delay the start of a server. */
export const loadMetrics = () => import('./metrics.js');

function lazyMetricsRoute(measured: Measured): Route {
  let made: Promise<Route> | undefined;
  const load = async () => (await loadMetrics()).metricsRoute(measured);
  return {
    method: 'GET',
    path: '/metrics',
    handle: async (request) => {
      made ??= load();
      return (await made).handle(request);
    },
  };
}

/** `GET /v1/referee`: the errors of clients, counted by rule and one by one. */
function refereeRoute({ mode, counts, findings }: Referee): Route {
  const rules = () =>
    Object.entries(refereeRules).map(([id, rule]) => ({ id, ...rule, count: counts.get(id) ?? 0 }));
  return {
    method: 'GET',
    path: '/v1/referee',
    handle: () => ({ json: { mode, rules: rules(), findings } }),
  };
}
