import { createRealClock } from '../base/clock/real-clock.js';
import type { AdjustedContainer, ConnectedPlugin, RuntimePlugins } from '../runtime/assembly/plugins.js';
import { waitForPlugin } from '../runtime/assembly/wait-for-plugin.js';
import { milliseconds } from './milliseconds.js';

export type { AdjustedContainer, ConnectedPlugin } from '../runtime/assembly/plugins.js';

/** Tests of a node resource plugin (NRI). */
export interface PluginTests {
  /** Path of the socket for plugins. */
  readonly socket: string;
  /** Connected plugins in the order in which they get requests. */
  readonly connected: readonly ConnectedPlugin[];
  /**
   * Resolves when the plugin, such as `10-logger`, is synchronized. Rejects after `limit` of real time (default `10s`).
   */
  waitFor(name: string, limit?: string | number): Promise<ConnectedPlugin>;
  /** Changes that plugins and CDI devices made to a container, by id or name; undefined without changes. */
  adjusted(container: string): AdjustedContainer | undefined;
}

export function pluginTests(plugins: RuntimePlugins, socket: string): PluginTests {
  const clock = createRealClock();
  return {
    socket,
    get connected() {
      return plugins.connected();
    },
    waitFor: async (name, limit = '10s') => {
      const found = await waitForPlugin(plugins, name, { clock, limit: milliseconds(limit) });
      if (found !== undefined) return found;
      const others = plugins.connected().map((each) => `${each.index}-${each.name}`);
      throw new Error(
        `no plugin ${name} within ${limit}; connected: ${others.join(', ') || 'none'}. Does it connect to ${socket}?`,
      );
    },
    adjusted: (container) =>
      plugins.adjusted().find(({ id, name }) => id === container || name === container),
  };
}
