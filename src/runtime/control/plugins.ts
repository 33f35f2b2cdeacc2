import { z } from 'zod';
import { createRealClock } from '../../base/clock/real-clock.js';
import type { RuntimePlugins } from '../assembly/plugins.js';
import { waitForPlugin } from '../assembly/wait-for-plugin.js';
import type { Route } from './router.js';
import { waitSchema } from './wait.js';

export const pluginsSchema = z.strictObject({
  plugin: z.string().optional().describe('answer when this one is connected, such as 10-logger'),
  wait: waitSchema,
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
