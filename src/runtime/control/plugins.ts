import { z } from 'zod';
import { createRealClock } from '../../base/clock/real-clock.js';
import { formatDuration } from '../../base/input/duration.js';
import { durationSchema } from '../../base/input/schemas.js';
import type { RuntimePlugins } from '../assembly/plugins.js';
import { waitForPlugin } from '../assembly/wait-for-plugin.js';
import type { Route } from './router.js';

/** Time in ms that `GET /v1/plugins` waits at most. */
const LONGEST_WAIT = 600_000;

export const pluginsSchema = z.strictObject({
  plugin: z.string().optional().describe('answer when this one is connected, such as 10-logger'),
  wait: durationSchema
    .refine((wait) => wait <= LONGEST_WAIT, `expected at most ${formatDuration(LONGEST_WAIT)}`)
    .default(0),
});

export function pluginRoutes(plugins: RuntimePlugins): Route[] {
  const clock = createRealClock();
  return [
    {
      method: 'GET',
      path: '/v1/plugins',
      handle: async ({ query, signal }) => {
        const { plugin, wait } = query(pluginsSchema);
        if (plugin !== undefined) await waitForPlugin(plugins, plugin, { clock, limit: wait, signal });
        return { json: { plugins: plugins.connected(), adjusted: plugins.adjusted() } };
      },
    },
  ];
}
