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
export const MOST_PLUGINS = 256;

export interface HostOptions {
  readonly clock: Clock;
  /** Memory limits of the node. Default: its own accounts. */
  readonly accounts?: Accounts | undefined;
  readonly runtime: { readonly name: string; readonly version: string };
  /** Where the runtime differs from containerd 2.4. */
  readonly rules?: Partial<NriRules> | undefined;
  /** In ms. */
  readonly registrationTimeout?: number | undefined;
  /** In ms. */
  readonly requestTimeout?: number | undefined;
  /** The built-in validator; off by default. */
  readonly validator?: ValidatorConfig | undefined;
  /** Resolves the clients' and plugins' names of CDI devices; undefined: they have no effect. */
  readonly cdi?: CdiDevices | undefined;
  readonly faults?: (() => PluginFaults | undefined) | undefined;
  readonly log: NriLog;
  /** Called after each request to a plugin or from one. */
  readonly onCall?: ((call: NriCall) => void) | undefined;
  readonly onPlugin?: ((step: PluginStep) => void) | undefined;
}

export interface RuledOptions extends HostOptions {
  readonly rules: NriRules;
}

export interface PluginStep {
  readonly plugin: string;
  /** Distinguishes plugins of one name. */
  readonly connection: number;
  readonly what: 'synchronized' | 'lost';
  readonly events?: readonly string[] | undefined;
}

export interface NriLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface NriCall {
  /** `10-device-injector` */
  readonly plugin: string;
  /** Distinguishes plugins of one name. */
  readonly connection: number;
  /** `CreateContainer` */
  readonly method: string;
  readonly request: unknown;
  readonly response?: unknown;
  readonly error?: string | undefined;
  /** How it failed; `status`: the plugin returned an error. */
  readonly failure?: FailureKind | undefined;
  /** In ms of the clock. */
  readonly took: number;
}
