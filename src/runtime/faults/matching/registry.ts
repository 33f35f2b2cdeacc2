import type { Clock } from '../../../base/clock/clock.js';
import { memoryOf } from '../../../base/input/account.js';
import { append } from '../../../base/input/group-by.js';
import { didYouMean } from '../../../base/input/suggest.js';
import { thereAre } from '../../../base/input/wording.js';
import { InputError } from '../../../base/input/yaml.js';
import { createRandom } from '../../../base/random/random.js';
import type { CallSubject } from '../../../cri/subject.js';
import type { Action } from '../language/actions.js';
import type { FaultInput } from '../language/rule-schema.js';
import { MOST_RULES } from '../language/schema.js';
import type { FaultSpec } from '../language/spec.js';
import type { Trigger } from '../language/trigger.js';
import { renamed, type WrittenRule } from '../language/written-rule.js';
import { nameOf } from './compile.js';
import { type Conditions, countingKey, Rule, type RuleCounts } from './rule.js';

/** Memory for all rules in force, in bytes. */
const MOST_MEMORY = 16 * 1024 * 1024;

/** Something that rules may act on. It finds its subject lazily: most rules need only the method. */
export interface FaultSite {
  /** Undefined for connections and times. */
  readonly method: string | undefined;
  readonly connection: number;
  readonly subject: () => CallSubject;
  readonly request: () => unknown;
  readonly plugin?: string | undefined;
  /** The server, for connections. */
  readonly server?: 'cri' | 'streaming' | undefined;
  /** The port of a port-forward's connection. */
  readonly port?: number | undefined;
}

export interface RuleDecision {
  /** Delays in milliseconds, one after the other. */
  readonly delays: readonly { readonly duration: number; readonly rule: Rule }[];
  readonly action: Action | undefined;
  readonly rule: Rule | undefined;
  /** Every rule that takes part, in file order. */
  readonly rules: readonly Rule[];
}

export interface RuleView extends RuleCounts {
  readonly name: string;
  readonly spec: FaultInput;
  readonly source: string;
}

/** `seed` is for rules without one. */
export interface RegistryOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly conditions: () => Conditions;
  /** Whether rules may name their nodes; default false. The caller selects them. */
  readonly hasNodes?: boolean | undefined;
  /** Returns why a rule can't be carried out here; undefined if it can. */
  readonly refuse?: ((spec: FaultSpec) => string | undefined) | undefined;
}

/** One seed for rules that are added together, or one for each; undefined for the registry's. */
export type Seeds = number | readonly (number | undefined)[];

/** Rules that users change: those of one runtime, or of all nodes of a process. */
export interface FaultRules extends Pick<FaultRegistry, 'add' | 'put' | 'remove' | 'reset' | 'list'> {
  /** See FaultRegistry; one seed for all. */
  replaceSource(rules: readonly WrittenRule[], source: string, seed?: number): void;
}

export class FaultRegistry {
  readonly #options: RegistryOptions;
  #entries: readonly Entry[] = [];
  readonly #byTrigger = new Map<Trigger, Rule[]>();
  /** Built on demand for each RPC: most rules do not concern most calls. */
  readonly #byMethod = new Map<Trigger, Map<string, readonly Rule[]>>();
  readonly #listeners = new Set<() => void>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** Whether any rule is in force; if not, callers need no further check. */
  get active(): boolean {
    return this.#entries.length > 0;
  }

  get conditions(): () => Conditions {
    return this.#options.conditions;
  }

  rulesOn(trigger: Trigger): readonly Rule[] {
    return this.#byTrigger.get(trigger) ?? [];
  }

  /** Calls `listener` after each change of the rules. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Appends all rules or none. Throws InputError, also for a name in use and beyond MOST_RULES. */
  add(rules: readonly WrittenRule[], source: string, seed = this.#options.seed): RuleView[] {
    const fresh = this.#compile(rules, source, this.#entries, seed);
    this.#set([...this.#entries, ...fresh]);
    return fresh.map(view);
  }

  /** Replaces the rule of this name, or adds it; its counters restart. */
  put(name: string, rule: WrittenRule, source: string): RuleView {
    const others = this.#entries.filter((entry) => entry.rule.name !== name);
    const [fresh] = this.#compile([renamed(rule, name)], source, others, this.#options.seed);
    if (fresh === undefined) throw new Error('a rule was lost');
    const index = this.#entries.findIndex((entry) => entry.rule.name === name);
    this.#entries[index]?.rule.release();
    this.#set(
      index < 0
        ? [...this.#entries, fresh]
        : this.#entries.map((entry, at) => (at === index ? fresh : entry)),
    );
    return view(fresh);
  }

  /** Replaces all rules from one source (a reloaded file); unchanged rules keep their counters. */
  replaceSource(rules: readonly WrittenRule[], source: string, seed: Seeds = this.#options.seed): void {
    const others = this.#entries.filter((entry) => entry.source !== source);
    const before = new Map(this.#entries.map((entry) => [entry.rule.name, entry]));
    const fresh = this.#compile(rules, source, others, seed).map((entry) => {
      const old = before.get(entry.rule.name);
      const isSame = old?.source === source && old.seed === entry.seed && sameRule(old, entry);
      return isSame ? old : entry;
    });
    for (const entry of this.#entries)
      if (entry.source === source && !fresh.includes(entry)) entry.rule.release();
    this.#set([...others, ...fresh]);
  }

  /** Removes one rule; calls that it delays continue. Throws InputError for an unknown name. */
  remove(name: string): void {
    const entry = this.#entries.find((candidate) => candidate.rule.name === name);
    if (entry === undefined) {
      const names = this.#entries.map((candidate) => candidate.rule.name);
      throw new InputError([
        `no rule is called ${JSON.stringify(name)}${didYouMean(name, names) || listed(names)}`,
      ]);
    }
    entry.rule.release();
    this.#set(this.#entries.filter((candidate) => candidate !== entry));
  }

  /** Removes every rule: the runtime is healthy again. */
  reset(): void {
    for (const entry of this.#entries) entry.rule.release();
    this.#set([]);
  }

  list(): RuleView[] {
    return this.#entries.map(view);
  }

  rules(): WrittenRule[] {
    return this.#entries.map(({ written, rule }) => renamed({ written, spec: rule.spec }, rule.name));
  }

  /** Asks every rule of a kind, in order: delays add up, the first action wins, later ones are shadowed. */
  decide(trigger: Trigger, site: FaultSite, among?: ReadonlySet<Rule>): RuleDecision | undefined {
    const delays: { duration: number; rule: Rule }[] = [];
    let winner: Rule | undefined;
    let rules: Rule[] | undefined;
    for (const rule of this.#rulesAbout(trigger, site.method)) {
      if (among?.has(rule) === false || !this.#acts(rule, site)) continue;
      const { action } = rule.spec;
      const isShadowed = winner !== undefined && action !== undefined;
      rule.conclude(!isShadowed);
      if (isShadowed) continue;
      const { delay } = rule.spec.then;
      if (delay) delays.push({ duration: rule.drawDelay(delay), rule });
      if (action) winner = rule;
      rules = [...(rules ?? []), rule];
    }
    return rules && { delays, action: winner?.spec.action, rule: winner, rules };
  }

  #rulesAbout(trigger: Trigger, method: string | undefined): readonly Rule[] {
    const all = this.rulesOn(trigger);
    if (method === undefined || all.length === 0) return all;
    const byMethod = this.#byMethod.get(trigger) ?? new Map<string, readonly Rule[]>();
    this.#byMethod.set(trigger, byMethod);
    const known = byMethod.get(method) ?? all.filter((rule) => rule.match.method(method));
    byMethod.set(method, known);
    return known;
  }

  #acts(rule: Rule, site: FaultSite): boolean {
    const { match } = rule;
    rule.see();
    if (!match.isAt(site)) return false;
    const subject = match.needsSubject ? site.subject() : {};
    const isChosenLater = match.isPerElement && site.method === 'ListContainers' && !subject.container;
    if (!isChosenLater && !match.subject(subject)) return false;
    if (match.plugin && !match.plugin(site.plugin ?? '')) return false;
    if (match.request && !match.request(site.request())) return false;
    return rule.decide(countingKey(rule, subject, site.connection), this.#options.conditions);
  }

  #compile(rules: readonly WrittenRule[], source: string, others: readonly Entry[], seeds: Seeds): Entry[] {
    const { clock, refuse } = this.#options;
    const total = others.length + rules.length;
    if (total > MOST_RULES)
      throw new InputError([
        `${source}: ${total} rules would be in force; at most ${MOST_RULES} may be: remove some first, or match more with one (globs, groups, lists of RPCs)`,
      ]);
    const size = [...others, ...rules].reduce((sum, { written }) => sum + memoryOf(written), 0);
    if (size > MOST_MEMORY)
      throw new InputError([
        `${source}: the rules in force would have more than ${MOST_MEMORY / 1024 ** 2} MiB; remove some first, or give them shorter texts`,
      ]);
    const taken = new Set(others.map((entry) => entry.rule.name));
    return rules.map(({ written, spec }, index) => {
      const name = spec.name ?? freeName(nameOf(spec, index), taken);
      if (taken.has(name)) {
        const owner = others.find((entry) => entry.rule.name === name)?.source ?? source;
        throw new InputError([
          `${source}: a rule called ${JSON.stringify(name)} already exists, from ${owner}; give it another name, or remove that one first`,
        ]);
      }
      const refusal =
        spec.match.node !== undefined && !this.#options.hasNodes
          ? 'match.node is for the nodes of mockri node, and here is one runtime: leave it out'
          : refuse?.(spec);
      if (refusal !== undefined)
        throw new InputError([`${source}: rule ${JSON.stringify(name)}: ${refusal}`]);
      taken.add(name);
      const seed = (typeof seeds === 'number' ? seeds : seeds[index]) ?? this.#options.seed;
      return { written, source, seed, rule: new Rule(name, spec, clock, createRandom(seed).fork(name)) };
    });
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#byTrigger.clear();
    this.#byMethod.clear();
    for (const { rule } of entries) append(this.#byTrigger, rule.spec.trigger, rule);
    for (const listener of this.#listeners) listener();
  }
}

interface Entry {
  readonly written: FaultInput;
  readonly source: string;
  readonly seed: number;
  readonly rule: Rule;
}

const sameRule = (a: Entry, b: Entry): boolean => JSON.stringify(a.written) === JSON.stringify(b.written);

const view = ({ rule, written, source }: Entry): RuleView => ({
  name: rule.name,
  source,
  ...rule.counts(),
  spec: written,
});

const listed = (names: readonly string[]): string => `; ${thereAre(names)}`;

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 2, name = wanted; ; number++) {
    if (!taken.has(name)) return name;
    name = `${wanted}-${number}`;
  }
}
