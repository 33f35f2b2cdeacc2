import type { Clock } from '../../base/clock/clock.js';
import type { Accounts } from '../../base/input/account.js';
import type { CdiDevices } from '../cdi/devices.js';
import type { PluginFaults } from '../fault-decisions.js';
import type { FailureKind } from '../ttrpc/error.js';
import type { NriRules } from './rules.js';
import type { ValidatorConfig } from './validator.js';

/** Time in ms that a plugin has to register (nri pkg/api/timeouts.go). */
export const REGISTRATION_TIMEOUT = 5000;
/** Time in ms that a plugin has for a request. */
export const REQUEST_TIMEOUT = 2000;
/** Plugins that are connected at once. */
export const MOST_PLUGINS = 256;

/** How a host treats its plugins. */
export interface HostOptions {
  readonly clock: Clock;
  /** What the node may keep in memory. Default: its own accounts. */
  readonly accounts?: Accounts | undefined;
  /** As Configure names it. */
  readonly runtime: { readonly name: string; readonly version: string };
  /** Where the runtime differs from containerd 2.4. */
  readonly rules?: Partial<NriRules> | undefined;
  /** In ms. */
  readonly registrationTimeout?: number | undefined;
  /** In ms. */
  readonly requestTimeout?: number | undefined;
  /** The built-in validator; off by default. */
  readonly validator?: ValidatorConfig | undefined;
  /** Resolves the names of CDI devices, of clients and of plugins; undefined: they have no effect. */
  readonly cdi?: CdiDevices | undefined;
  /** The rules in force on requests to plugins, when there are any. */
  readonly faults?: (() => PluginFaults | undefined) | undefined;
  /** What an operator would read in the log of a runtime. */
  readonly log: NriLog;
  /** Called with each request to a plugin, and each of a plugin, once it is over. */
  readonly onCall?: ((call: NriCall) => void) | undefined;
  /** Called when a plugin is taken in, and when it is gone again. */
  readonly onPlugin?: ((step: PluginStep) => void) | undefined;
}

/** The same, with the rules of the runtime. */
export interface RuledOptions extends HostOptions {
  readonly rules: NriRules;
}

/** A plugin comes or goes. */
export interface PluginStep {
  readonly plugin: string;
  /** Tells plugins of one name apart. */
  readonly connection: number;
  readonly what: 'synchronized' | 'lost';
  /** The events that one wants that has come. */
  readonly events?: readonly string[] | undefined;
}

/** Messages about plugins. */
export interface NriLog {
  info(message: string): void;
  warn(message: string): void;
}

/** A request to a plugin, or of one. */
export interface NriCall {
  /** `10-device-injector` */
  readonly plugin: string;
  /** Tells plugins of one name apart. */
  readonly connection: number;
  /** `CreateContainer` */
  readonly method: string;
  readonly request: unknown;
  readonly response?: unknown;
  /** Why it failed. */
  readonly error?: string | undefined;
  /** The way in which it failed; `status` is the plugin's answer. */
  readonly failure?: FailureKind | undefined;
  /** In ms of the clock. */
  readonly took: number;
}
