import { isPluginRule, pluginRules } from './plugins/rules.js';

/** The party that broke a rule: the runtime, its client (such as the kubelet), or a node resource plugin. */
export type Side = 'runtime' | 'client' | 'plugin';

export interface Finding {
  /**
   * `INV-07.exited-is-final` (docs/results/invariants.md), `REF-01` (docs/testing.md), `one-instance`
   * (docs/explore.md).
   */
  readonly rule: string;
  readonly side: Side;
  /** Id of the sandbox, container or image; for rules of a kubelet's run the pod. */
  readonly about: string;
  /** The expectation, and what happened instead. */
  readonly message: string;
  readonly lines: readonly number[];
  readonly count: number;
}

export interface Findings {
  add(rule: string, about: string, message: string, lines: readonly number[]): void;
  readonly list: readonly Finding[];
}

const MOST_FINDINGS = 10_000;

/** `onFinding` receives each finding when it is added. */
export function createFindings(onFinding?: (finding: Finding) => void): Findings {
  /** By rule and object: a runtime may break a rule in each reply, for each object. */
  const found = new Map<string, Map<string, Counted>>();
  const all: Counted[] = [];
  return {
    add: (rule, about, message, lines) => {
      const ofRule = found.get(rule) ?? new Map<string, Counted>();
      const before = ofRule.get(about);
      if (before !== undefined) before.count++;
      else if (all.length < MOST_FINDINGS) {
        const side = sideOf(rule);
        const ordered = [...new Set(lines)].filter((line) => line > 0).sort((a, b) => a - b);
        const finding = { rule, side, about, message, lines: ordered, count: 1 };
        const counted = { finding, count: 1 };
        all.push(counted);
        found.set(rule, ofRule.set(about, counted));
        onFinding?.(finding);
      }
    },
    get list() {
      return all.map(({ finding, count }) => ({ ...finding, count }));
    },
  };
}

interface Counted {
  readonly finding: Finding;
  count: number;
}

const sideOf = (rule: string): Side =>
  isPluginRule(rule) ? pluginRules[rule].side : rule.startsWith('INV') ? 'runtime' : 'client';
