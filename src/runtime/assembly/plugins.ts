import type { RestartableServer, Suspendable } from '../../cri/restartable-server.js';
import type { RuntimeOptions } from '../engine/runtime.js';
import type { StreamingServer } from '../engine/streaming.js';
import type { PluginFaults } from '../fault-decisions.js';
import type { FieldsType } from '../faults/language/fields.js';
import type { AdjustedContainer } from '../nri/nri-backend.js';
import type { NriCall, NriLog, PluginStep } from '../nri/options.js';
import type { RuntimeProfile } from '../profiles/profile.js';

export type { AdjustedContainer } from '../nri/nri-backend.js';

export interface PluginOptions {
  readonly socket?: string | undefined;
  readonly socketMode?: number | undefined;
  /** With the programs of plugins to start. */
  readonly directory?: string | undefined;
  /** In ms. */
  readonly registrationTimeout?: number | undefined;
  /** In ms. */
  readonly requestTimeout?: number | undefined;
  /** The last one has precedence; without any, CDI devices have no effect. */
  readonly cdiDirectories?: readonly string[] | undefined;
  readonly log: NriLog;
}

export interface PluggedOptions extends Omit<RuntimeOptions, 'rules'> {
  /** Default: the engine without a profile. */
  readonly profile?: RuntimeProfile | undefined;
  readonly plugins?: RuntimePlugins | undefined;
}

export interface PluginWatch {
  readonly faults: PluginFaults;
  /** Called after each request to a plugin or from one. */
  readonly onCall?: ((call: NriCall) => void) | undefined;
  readonly onPlugin?: ((step: PluginStep) => void) | undefined;
}

export interface ConnectedPlugin {
  readonly index: string;
  readonly name: string;
  /** The events that it subscribes to, such as `CreateContainer`. */
  readonly events: readonly string[];
}

export interface RuntimePlugins extends Suspendable {
  /** Starts to accept plugins. Resolves when those that it starts itself are connected or have failed. */
  start(watch: PluginWatch): Promise<void>;
  connected(): readonly ConnectedPlugin[];
  adjusted(): readonly AdjustedContainer[];
  /** The type of a plugin's reply to a request such as `CreateContainer`. */
  replyOf(method: string): FieldsType;
  /** Calls `listener` when a plugin connects or disconnects. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void;
}

export const restartedTogether = (
  server: RestartableServer,
  plugins: readonly Suspendable[],
  streaming: StreamingServer | undefined,
): RestartableServer => ({
  connections: {
    disconnectAll: (how) => {
      server.connections.disconnectAll(how);
      // Only HTTP/2 has GOAWAY.
      if (how === 'reset') streaming?.disconnectAll();
    },
  },
  hold: (until) => streaming?.hold(until),
  suspend: async () => {
    await Promise.all([server, ...plugins, streaming].map((each) => each?.suspend()));
  },
  resume: async () => {
    for (const each of [...plugins, streaming, server]) await each?.resume();
  },
});
