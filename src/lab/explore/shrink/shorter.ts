import { formatDuration, parseDuration } from '../../../base/input/duration.js';
import type { Perturbation, UnnamedRule } from '../catalog/perturbation.js';

/** Halves the times of a perturbation: one variant for each time of a second or more. */
export const shorter = (perturbation: Perturbation): Perturbation[] =>
  resized(perturbation, (time) => time / 2, 2 * LEAST);

/** Changes the times of a perturbation (ms): one variant for each time of at least `from` ms. */
export function resized(
  perturbation: Perturbation,
  change: (time: number) => number,
  from: number,
): Perturbation[] {
  const fromRules = perturbation.rules.flatMap((rule, index) =>
    resizedRules(rule, change, from).map(({ rule: made, less, was, is }) => ({
      ...perturbation,
      text: perturbation.text.replace(lasting(was), is),
      until: Math.max(perturbation.at, perturbation.until - less),
      rules: perturbation.rules.map((each, at) => (at === index ? made : each)),
    })),
  );
  const [first, second] = perturbation.steps;
  if (first === undefined || second === undefined || second.at - first.at < from) return fromRules;
  const was = second.at - first.at;
  const is = Math.round(change(was));
  const at = first.at + is;
  const text = perturbation.text.replace(lasting(formatDuration(was)), formatDuration(is));
  return [...fromRules, { ...perturbation, text, until: at, steps: [first, { ...second, at }] }];
}

const lasting = (time: string): RegExp =>
  new RegExp(`(?<!\\b(?:at|from) )(?<![\\d.])${time.replaceAll('.', '\\.')}(?!\\w)`);

/** Times below this (ms) need no shortening. */
const LEAST = 500;

const PLACES: readonly (readonly string[])[] = [
  ['when', 'during', 'for'],
  ['then', 'delay'],
  ['then', 'hang', 'for'],
  ['then', 'slowCreate', 'duration'],
  ['then', 'restart', 'downFor'],
  ['then', 'condition', 'for'],
  ['then', 'clockSkew', 'for'],
];

function resizedRules(
  rule: UnnamedRule,
  change: (time: number) => number,
  from: number,
): { rule: UnnamedRule; less: number; was: string; is: string }[] {
  return PLACES.flatMap((path) => {
    const text = path.reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | undefined)?.[name],
      rule,
    );
    const milliseconds = typeof text === 'string' ? parseDuration(text) : undefined;
    if (milliseconds === undefined || milliseconds < from) return [];
    const made = roundly(change(milliseconds));
    const is = formatDuration(made);
    const changed = replaced(rule, path, is) as UnnamedRule;
    return [{ rule: changed, less: milliseconds - made, was: text as string, is }];
  });
}

/** Rounds to whole seconds, from one second up. */
const roundly = (milliseconds: number): number =>
  milliseconds > 2000 ? Math.round(milliseconds / 1000) * 1000 : Math.round(milliseconds);

function replaced(value: unknown, [name, ...rest]: readonly string[], leaf: string): unknown {
  if (name === undefined) return leaf;
  const fields = (value ?? {}) as Record<string, unknown>;
  return { ...fields, [name]: replaced(fields[name], rest, leaf) };
}
