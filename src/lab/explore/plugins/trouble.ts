import type { WaitLimits } from '../../../base/clock/first-found.js';
import { formatDuration } from '../../../base/input/duration.js';
import { waitForPlugins } from '../../../runtime/assembly/wait-for-plugin.js';
import type { FaultInput } from '../../../runtime/faults/language/rule-schema.js';
import type { Operation } from './life.js';
import type { PerturbationKind, PluginPerturbation } from './perturbation.js';
import type { PluginProgram } from './program.js';
import type { PluginRuntime } from './runtime.js';

/** Duration of a slow Synchronize: a quarter of a plugin's timeout. */
const SLOW = '500ms';

export class Trouble {
  readonly #program: PluginProgram;
  readonly #runtime: PluginRuntime;
  readonly #schedule: readonly PluginPerturbation[];
  readonly #wait: WaitLimits;
  #away: { readonly until: number; back(): Promise<void> } | undefined;
  #missing: string | undefined;
  isQuiet = false;

  constructor(
    program: PluginProgram,
    runtime: PluginRuntime,
    schedule: readonly PluginPerturbation[],
    wait: WaitLimits,
  ) {
    this.#program = program;
    this.#runtime = runtime;
    this.#schedule = schedule;
    this.#wait = wait;
  }

  /** When the plugin should have been connected but was not; undefined if it always was. */
  get missing(): string | undefined {
    return this.#missing;
  }

  async begin(): Promise<void> {
    const late = this.#schedule.find(({ kind }) => kind === 'late');
    const back = async () => this.#program.start();
    if (late !== undefined) this.#away = { until: late.at, back };
    else {
      await back();
      await this.#connected('the beginning');
    }
  }

  async before(index: number, { name, method }: Operation): Promise<void> {
    await this.#return(index, name);
    for (const { kind, at, for: count } of this.#schedule)
      if (at === index) await this.#perturb(kind, { until: index + count, name, method });
    // Without operations in between, it returns immediately.
    await this.#return(index, name);
  }

  async after({ name }: Operation): Promise<void> {
    if (this.#away === undefined && !this.isQuiet) await this.#connected(name);
  }

  async end(): Promise<void> {
    await this.#away?.back();
    this.#away = undefined;
    await this.#connected('the end');
  }

  async #return(index: number, name: string): Promise<void> {
    if (this.#away?.until !== index) return;
    await this.#away.back();
    this.#away = undefined;
    await this.#connected(name);
  }

  async #perturb(
    kind: PerturbationKind,
    about: { until: number; name: string; method: string },
  ): Promise<void> {
    const { plugins } = this.#runtime;
    const [program, method] = [this.#program, `nri:${about.method}`];
    if (kind === 'twice') this.#addFault({ match: { method }, then: { duplicate: {} } });
    if (kind === 'late' || kind === 'twice') return;
    this.isQuiet = false;
    if (kind === 'lost-reply') {
      this.#addFault({ match: { method }, on: 'reply', then: { close: {} } });
    } else if (kind === 'restart') {
      await plugins.suspend();
      this.#away = { until: about.until, back: () => plugins.resume() };
    } else {
      await program.kill();
      await this.#forgotten();
      const back = async () => program.start();
      if (kind === 'gone') this.#away = { until: about.until, back };
      else if (kind === 'cut') {
        this.#addFault({ match: { method: 'nri:Synchronize' }, on: 'reply', then: { close: {} } });
        this.#away = { until: about.until, back };
      } else {
        this.#addFault({ match: { method: 'nri:Synchronize' }, then: { delay: SLOW } });
        const held = this.#runtime.next(({ kind: what }) => what === 'fault', this.#wait.limit);
        program.start();
        await held;
      }
    }
  }

  #addFault(rule: FaultInput): void {
    this.#runtime.addFault({ when: { times: 1 }, ...rule });
  }

  /** The host may notice later than we do that the plugin is gone. */
  async #forgotten(): Promise<void> {
    await waitForPlugins(
      this.#runtime.plugins,
      ({ length }) => (length === 0 ? true : undefined),
      this.#wait,
    );
  }

  /** Does not wait again for a plugin that failed to connect in time. */
  async #connected(where: string): Promise<void> {
    if (this.#missing !== undefined) return;
    const found = await waitForPlugins(this.#runtime.plugins, ([first]) => first, this.#wait);
    if (found === undefined)
      this.#missing ??= `the plugin is not connected within ${formatDuration(this.#wait.limit)} at ${where}`;
    this.isQuiet = found !== undefined;
  }
}
