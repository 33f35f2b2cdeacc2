import type { Clock } from '../../clock/clock.js';
import { compilePattern } from '../../faults/language/pattern.js';
import type { FaultInput } from '../../faults/language/rule-schema.js';
import { readRules } from '../../faults/language/written-rule.js';
import { FaultRegistry, type FaultRules, type RuleView } from '../../faults/matching/registry.js';
import type { ClusterNode } from '../node/cluster-node.js';

/** What the rules of one node are called in its registry. */
const SOURCE = 'control';

/**
 * The fault rules of all nodes of a process: each node has those whose `match.node` fits its name, and counts for itself;
 * the counts that are shown are the sums.
 */
export function createNodeFaults(nodes: ReadonlyMap<string, ClusterNode>, clock: Clock): FaultRules {
  // Names, checks and lists the rules; it never judges a call.
  const all = new FaultRegistry({
    clock,
    seed: 1,
    hasNodes: true,
    conditions: () => ({ runtime: true, network: true }),
  });

  const spread = (): void => {
    // Every rule has its name from here on, so that it is the same on each node.
    const rules = all.list().map(({ name, spec }) => ({ ...spec, name }));
    for (const [name, { assembly }] of nodes)
      assembly.faults.registry.replaceSource(
        readRules(
          rules.filter((rule) => isFor(rule, name)),
          SOURCE,
        ),
        SOURCE,
      );
  };

  const summed = (view: RuleView): RuleView => {
    const counts = { seen: 0, matched: 0, applied: 0, shadowed: 0 };
    for (const { assembly } of nodes.values()) {
      const own = assembly.faults.registry.list().find(({ name }) => name === view.name);
      if (own === undefined) continue;
      counts.seen += own.seen;
      counts.matched += own.matched;
      counts.applied += own.applied;
      counts.shadowed += own.shadowed;
    }
    return { ...view, ...counts };
  };

  return {
    add: (rules, source, seed) => {
      const added = all.add(rules, source, seed);
      spread();
      return added;
    },
    put: (name, rule, source) => {
      const view = all.put(name, rule, source);
      spread();
      return view;
    },
    replaceSource: (rules, source, seed) => {
      all.replaceSource(rules, source, seed);
      spread();
    },
    remove: (name) => {
      all.remove(name);
      spread();
    },
    reset: () => {
      all.reset();
      spread();
    },
    list: () => all.list().map(summed),
  };
}

const isFor = ({ match }: FaultInput, node: string): boolean =>
  match?.node === undefined || compilePattern(match.node)(node);
