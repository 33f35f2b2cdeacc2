import { createRealClock } from '../base/clock/real-clock.js';
import type { AdjustedContainer, ConnectedPlugin, RuntimePlugins } from '../runtime/assembly/plugins.js';
import { waitForPlugin } from '../runtime/assembly/wait-for-plugin.js';
import { milliseconds } from './milliseconds.js';

export type { AdjustedContainer, ConnectedPlugin } from '../runtime/assembly/plugins.js';

/** The host of node resource plugins (NRI), as a test of a plugin needs it. */
export interface PluginTests {
  /** Where plugins connect: the path of a socket. */
  readonly socket: string;
  /** Those that are connected, in the order in which they get requests. */
  readonly connected: readonly ConnectedPlugin[];
  /**
   * The plugin of a name such as `10-logger`, once it is connected and synchronized. Rejects if it is not within `limit` of
   * real time (default `10s`, or ms).
   */
  waitFor(name: string, limit?: string | number): Promise<ConnectedPlugin>;
  /** What plugins and CDI devices have made of a container, by id or name; undefined if they have changed nothing. */
  adjusted(container: string): AdjustedContainer | undefined;
}

/** The plugins of a runtime that takes them in on a socket. */
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
