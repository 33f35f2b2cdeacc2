import type { RuntimeSnapshot } from '../engine/introspection.js';
import { describeRule } from '../faults/language/describe-rule.js';
import type { RuleView } from '../faults/matching/registry.js';
import { compileValueTest } from '../faults/matching/request-match.js';

/**
 * A note on each rule for pods or containers none of which exists now: it acts only on those that are created later, or
 * its pattern has a typing error.
 */
export function unmatched(rules: readonly RuleView[], { sandboxes }: RuntimeSnapshot): string[] {
  return rules.flatMap(({ name, spec }) => {
    const { pod, container } = spec.match ?? {};
    if (pod === undefined && container === undefined) return [];
    const isPod = compileValueTest(pod ?? {});
    // A snapshot has no labels of containers.
    const { labels: _labels, ...facts } = container ?? {};
    const isContainer = compileValueTest(facts);
    const pods = sandboxes.filter(isPod);
    const isMet =
      container === undefined ? pods.length > 0 : pods.some((each) => each.containers.some(isContainer));
    if (isMet) return [];
    const what = container === undefined ? 'pod' : 'container';
    return [`rule ${name} matches no ${what} that exists now: ${describeRule(spec)}`];
  });
}
