import { parseShorthand } from './language/shorthand.js';
import { readRules, type WrittenRule } from './language/written-rule.js';

/** `fault.mockri.dev/StartContainer: 1*error(UNAVAILABLE)`; `.message` or `.reply` after the RPC acts on those. */
export const FAULT_ANNOTATION = 'fault.mockri.dev/';

interface AnnotatedPod {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
}

/** Reads one annotation of a pod as rules for this pod alone. Throws InputError for an invalid rule. */
export function annotationRules(key: string, value: string, pod: AnnotatedPod): WrittenRule[] {
  const target = key.slice(FAULT_ANNOTATION.length).replace('.', ':');
  const rules = parseShorthand(`${target}=${value}`);
  const own = rules.map((rule) => ({ ...rule, match: { ...rule.match, pod } }));
  return readRules(own, JSON.stringify(value));
}
