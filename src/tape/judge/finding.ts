import { isPluginRule, pluginRules } from './plugins/rules.js';

/** Who broke a rule: the runtime, its client, such as the kubelet, or a node resource plugin. */
export type Side = 'runtime' | 'client' | 'plugin';

/** One rule that is broken on a tape. */
export interface Finding {
  /** `INV-07.exited-is-final` (docs/invariants.md), `REF-01` (docs/testing.md), `one-instance` (docs/explore.md). */
  readonly rule: string;
  readonly side: Side;
  /** The id of the sandbox, container or image; for rules of a kubelet's run the pod. */
  readonly about: string;
  /** What was expected, and what is there instead. */
  readonly message: string;
  /** The lines of the tape that show it, in order. */
  readonly lines: readonly number[];
  /** How often this rule is broken for this object. */
  readonly count: number;
}

/** Collects findings. */
export interface Findings {
  /** Adds one; a rule that is broken again for the same object counts up. */
  add(rule: string, about: string, message: string, lines: readonly number[]): void;
  readonly list: readonly Finding[];
}

/** Findings by rule and object; beyond this many, no more objects are kept. */
const MOST_FINDINGS = 10_000;

/** Makes a collection of findings; `onFinding` gets each one when it is added. */
export function createFindings(onFinding?: (finding: Finding) => void): Findings {
  const found = new Map<string, Finding>();
  return {
    add: (rule, about, message, lines) => {
      const key = `${rule} ${about}`;
      const before = found.get(key);
      if (before !== undefined) found.set(key, { ...before, count: before.count + 1 });
      else if (found.size < MOST_FINDINGS) {
        const side = sideOf(rule);
        const ordered = [...new Set(lines)].filter((line) => line > 0).sort((a, b) => a - b);
        const finding = { rule, side, about, message, lines: ordered, count: 1 };
        found.set(key, finding);
        onFinding?.(finding);
      }
    },
    get list() {
      return [...found.values()];
    },
  };
}

const sideOf = (rule: string): Side =>
  isPluginRule(rule) ? pluginRules[rule].side : rule.startsWith('INV') ? 'runtime' : 'client';
