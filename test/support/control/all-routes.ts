import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { ApiClient } from '../../../src/cluster/api/api-client.js';
import type { Cluster } from '../../../src/cluster/cluster.js';
import { type NodesControlled, nodeControlRoutes } from '../../../src/cluster/control-routes.js';
import { nodeMetricsRoute } from '../../../src/cluster/metrics.js';
import { type Controlled, controlRoutes } from '../../../src/runtime/control/control-routes.js';
import { Holds } from '../../../src/runtime/faults/holds.js';
import { createTape } from '../../../src/tape/tape.js';

const tape = createTape(createVirtualClock());
const recorder = { all: { tape, runtimes: [] } };

/** Every route of the control API of one runtime, to inspect them; they can't be called. */
export const allRoutes = controlRoutes({
  server: { log: {}, connections: {} },
  service: {},
  runtime: {},
  plugins: {},
  faults: { registry: {}, holds: new Holds() },
  referee: {},
  clock: createVirtualClock(),
  recorder,
} as unknown as Controlled);

/** Every route of `mockri node`. */
export const nodeRoutes = [
  ...nodeControlRoutes({
    nodes: new Map(),
    clock: createVirtualClock(),
    recorder,
  } as unknown as NodesControlled),
  nodeMetricsRoute({} as Cluster, {} as ApiClient),
];
