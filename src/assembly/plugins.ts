import type { RestartableServer } from '../cri/restartable-server.js';
import type { PluginFaults } from '../faults/plugin-faults.js';
import type { NriCall } from '../nri/options.js';

/** Who stands between a runtime and its node resource plugins. */
export interface PluginWatch {
  readonly faults: PluginFaults;
  /** Called with each request to a plugin, and each of a plugin, once it is over. */
  readonly onCall?: ((call: NriCall) => void) | undefined;
}

/** A plugin that is connected. */
export interface ConnectedPlugin {
  readonly index: string;
  readonly name: string;
  /** The events that it wants, such as `CreateContainer`. */
  readonly events: readonly string[];
}

/** The node resource plugins of a runtime in this process. */
export interface RuntimePlugins {
  /** Begins to take plugins in. Resolves when those that it starts itself are there, or have failed. */
  start(watch: PluginWatch): Promise<void>;
  /** Breaks all connections, and takes the socket away. */
  suspend(): Promise<void>;
  /** As `start`, after `suspend`. */
  resume(): Promise<void>;
  /** Those that get requests, in their order. */
  connected(): readonly ConnectedPlugin[];
}

/** The server of a runtime whose plugins lose their connections when it is restarted. */
export const restartedTogether = (server: RestartableServer, plugins: RuntimePlugins): RestartableServer => ({
  connections: server.connections,
  suspend: async () => {
    await Promise.all([server.suspend(), plugins.suspend()]);
  },
  resume: async () => {
    await plugins.resume();
    await server.resume();
  },
});
