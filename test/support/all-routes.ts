import { createVirtualClock } from '../../src/clock/virtual-clock.js';
import { type Controlled, controlRoutes } from '../../src/control/control-routes.js';

/** Every route of the control API, to read what they are; none can be called. */
export const allRoutes = controlRoutes({
  server: { log: {}, connections: {} },
  service: {},
  runtime: {},
  faults: { registry: {} },
  referee: {},
  clock: createVirtualClock(),
  recorder: {},
} as unknown as Controlled);
