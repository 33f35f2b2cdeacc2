import type { Clock } from '../../../base/clock/clock.js';
import { openAccounts } from '../../../base/input/account.js';
import { CriError, StatusError } from '../../../cri/errors.js';
import type { Backend, BackendHost } from '../../engine/backend.js';
import { TtrpcError } from '../../ttrpc/error.js';
import { containerdRules } from '../containerd-rules.js';
import type { Container } from '../gen/nri/v1alpha1/api.js';
import { NriHost } from '../host.js';
import type { HostOptions, RuledOptions } from '../options.js';
import type { NriRules, Refusable } from '../rules.js';
import { Tracked } from '../tracked.js';
import { updateContainers } from '../update-containers.js';

export class Relay {
  readonly host: NriHost;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly tracked: Tracked;
  readonly options: RuledOptions;
  readonly rules: NriRules;
  /** Undefined until it has opened the backend. */
  engine: BackendHost | undefined;

  constructor(backend: Backend, options: HostOptions) {
    const rules = { ...containerdRules, ...options.rules };
    const tracked = new Tracked((options.accounts ?? openAccounts()).objects);
    const targets = { backend, tracked, rules, engine: () => this.engine, log: options.log };
    this.backend = backend;
    this.tracked = tracked;
    this.clock = options.clock;
    this.rules = rules;
    this.options = { ...options, rules };
    this.host = new NriHost(
      {
        pods: () => tracked.pods.values().map(({ pod }) => pod),
        containers: () => tracked.living().map((container) => this.shown(container)),
        update: (updates) => updateContainers(updates, targets),
      },
      this.options,
    );
  }

  inGate<T>(work: () => Promise<T>): Promise<T> {
    return this.rules.exclusiveSync ? this.host.gate.operation(work) : work();
  }

  shown(container: Container): Container {
    const { linux } = container;
    if (this.rules.showsSeccomp || linux === undefined) return container;
    return { ...container, linux: { ...linux, seccompPolicy: undefined } };
  }

  /** Logs a plugin's error that arrives too late to have an effect. */
  async attempt(method: string, relay: () => Promise<void>): Promise<void> {
    await relay().catch((error: unknown) => this.warn(method, error));
  }

  warn(method: string, error: unknown): void {
    this.options.log.warn(`NRI ${method} failed: ${(error as Error).message}`);
  }

  refused(what: Refusable, id: string, error: unknown): Error {
    if (error instanceof CriError) return error;
    const prefix = this.rules.refusal(what, id);
    const { message, cause } = error as Error;
    // A wrapped status keeps its code; its text is then in Go's form.
    if (cause instanceof TtrpcError)
      return new StatusError(cause.code, prefix === '' ? cause.message : `${prefix}${message}`, { cause });
    return new CriError('internal', `${prefix}${message}`, { cause: error });
  }
}
