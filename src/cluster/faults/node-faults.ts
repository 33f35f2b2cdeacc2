import type { Clock } from '../../base/clock/clock.js';
import { createRandom } from '../../base/random/random.js';
import { compilePattern, type Pattern } from '../../runtime/faults/language/pattern.js';
import type { WrittenRule } from '../../runtime/faults/language/written-rule.js';
import { FaultRegistry, type FaultRules, type RuleView } from '../../runtime/faults/matching/registry.js';
import type { ClusterNode } from '../node/cluster-node.js';

const SOURCE = 'control';

/** Each node has the rules whose `match.node` matches its name, with its own counts; the API shows the sums. */
export function createNodeFaults(nodes: ReadonlyMap<string, ClusterNode>, clock: Clock): FaultRules {
  // Names, checks and lists the rules; it decides no calls.
  const all = new FaultRegistry({
    clock,
    seed: 1,
    hasNodes: true,
    conditions: () => ({ runtime: true, network: true }),
  });

  const seeds = new Map<string, number>();

  const spread = (): void => {
    // Every rule is named here, so that it is the same on each node.
    const rules = all
      .rules()
      .map((rule) => ({ rule, seed: seeds.get(rule.spec.name ?? ''), isFor: nodesOf(rule) }));
    for (const [node, { assembly }] of nodes) {
      const own = rules.filter(({ isFor }) => isFor(node));
      assembly.faults.registry.replaceSource(
        own.map(({ rule }) => rule),
        SOURCE,
        own.map(({ seed }) => (seed === undefined ? undefined : seedOf(seed, node))),
      );
    }
  };

  const seeded = (views: readonly RuleView[], seed: number | undefined): void => {
    for (const { name } of views)
      if (seed === undefined) seeds.delete(name);
      else seeds.set(name, seed);
  };

  const summed = (view: RuleView): RuleView => {
    const counts = { seen: 0, matched: 0, applied: 0, shadowed: 0 };
    let left: number | undefined;
    for (const { assembly } of nodes.values()) {
      const own = assembly.faults.registry.list().find(({ name }) => name === view.name);
      if (own === undefined) continue;
      counts.seen += own.seen;
      counts.matched += own.matched;
      counts.applied += own.applied;
      counts.shadowed += own.shadowed;
      if (own.left !== undefined) left = (left ?? 0) + own.left;
    }
    return { ...view, ...counts, left };
  };

  return {
    add: (rules, source, seed) => {
      const added = all.add(rules, source, seed);
      seeded(added, seed);
      spread();
      return added;
    },
    put: (name, rule, source) => {
      const view = all.put(name, rule, source);
      seeded([view], undefined);
      spread();
      return view;
    },
    replaceSource: (rules, source, seed) => {
      all.replaceSource(rules, source, seed);
      seeded(
        all.list().filter((view) => view.source === source),
        seed,
      );
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

/** A node's own seed: with a common one, a rule for a fraction of calls would act on all nodes at the same calls. */
const seedOf = (seed: number, node: string): number =>
  Math.floor(createRandom(seed).fork(node).next() * 2 ** 32);

const nodesOf = ({ spec }: WrittenRule): Pattern => compilePattern(spec.match.node ?? '*');
