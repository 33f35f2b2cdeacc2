import type { RestartableServer, Suspendable } from '../../cri/restartable-server.js';
import type { PluginFaults } from '../fault-decisions.js';
import type { FieldsType } from '../faults/language/fields.js';
import type { NriCall, PluginStep } from '../nri/options.js';

/** Who stands between a runtime and its node resource plugins. */
export interface PluginWatch {
  readonly faults: PluginFaults;
  /** Called with each request to a plugin, and each of a plugin, once it is over. */
  readonly onCall?: ((call: NriCall) => void) | undefined;
  /** Called when a plugin comes or goes. */
  readonly onPlugin?: ((step: PluginStep) => void) | undefined;
}

/** A plugin that is connected. */
export interface ConnectedPlugin {
  readonly index: string;
  readonly name: string;
  /** The events that it wants, such as `CreateContainer`. */
  readonly events: readonly string[];
}

/** A container that plugins have changed. */
export interface AdjustedContainer {
  readonly id: string;
  readonly name: string;
  /** Id of its sandbox. */
  readonly sandboxId: string;
  /** Which plugin has set what: by field, or by entry of a field, such as `{ Env: { GPU: '10-gpu' } }`. */
  readonly owners: Readonly<Record<string, unknown>>;
  /** The OCI spec with all changes. */
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The node resource plugins of a runtime in this process. */
export interface RuntimePlugins extends Suspendable {
  /** Begins to take plugins in. Resolves when those that it starts itself are there, or have failed. */
  start(watch: PluginWatch): Promise<void>;
  /** Those that get requests, in their order. */
  connected(): readonly ConnectedPlugin[];
  /** The containers that plugins have changed. */
  adjusted(): readonly AdjustedContainer[];
  /** The message that plugins reply to a request such as `CreateContainer` with. */
  replyOf(method: string): FieldsType;
  /** Calls back whenever a plugin came or went; returns how to stop that. */
  onChange(listener: () => void): () => void;
}

/** The server of a runtime with what is in its process: plugins and streams lose their connections when it is restarted. */
export const restartedTogether = (
  server: RestartableServer,
  others: readonly Suspendable[],
): RestartableServer => ({
  connections: server.connections,
  suspend: async () => {
    await Promise.all([server, ...others].map((each) => each.suspend()));
  },
  resume: async () => {
    for (const other of others) await other.resume();
    await server.resume();
  },
});
