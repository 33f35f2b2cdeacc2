import type { Entry } from '../../../tape/entries.js';
import type { JsonObject } from '../../../tape/message.js';
import type { Perturbation, UnnamedRule } from '../catalog/perturbation.js';
import { createStateReader } from '../points/state.js';

/** The position of a perturbation in a run of another kubelet: known by the state of the runtime, because its times differ. */
export interface RunPosition {
  readonly state: string;
  /** How long after the runtime came into this state, in ms. */
  readonly after: number;
  /** Of a list: what it asks for, as a rule matches it. Several parts of a kubelet list, and not in the same order. */
  readonly request?: JsonObject;
}

/** Times below this one are no time: what follows at once in one kubelet does so in another, in ms. */
const AT_ONCE = 100;

/**
 * The position of a perturbation in a run of the thin kubelet with the perturbations before it. Undefined for one whose
 * rules count calls or messages instead: they are in force from the start.
 */
export function positionOf(
  entries: readonly Entry[],
  { rules, steps, at }: Perturbation,
): RunPosition | undefined {
  if (steps.length === 0 && rules.every(({ when, on }) => on !== 'time' && when?.during?.from === undefined))
    return undefined;
  const [method] = [rules[0]?.match?.method].flat();
  const state = createStateReader('runtime');
  let since: number | undefined;
  let request: JsonObject | undefined;
  for (const entry of entries) {
    const t = entry.t / 1e6;
    // Other calls of the same instant may come before the one that is meant.
    const isIt = method === undefined || method.startsWith('@') ? true : isCallOf(entry, method);
    if (t >= at && isIt) {
      if (entry.kind === 'call' && entry.method.startsWith('List')) request = patternOf(entry.message.json());
      break;
    }
    if (entry.kind === 'call') since ??= t;
    if (state.read(entry)) since = t;
  }
  const after = at - (since ?? at);
  return { state: state.text, after: after < AT_ONCE ? 0 : after, ...(request && { request }) };
}

/** Ids differ from run to run. */
const patternOf = (json: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(json).replace(/"[0-9a-f-]{32,64}"/g, '"*"')) as JsonObject;

const isCallOf = (entry: Entry, method: string): boolean => entry.kind === 'call' && entry.method === method;

/** The rule for a time that begins when it is added; one for a single call is about the question of its place. */
export function fromNow({ when, ...given }: UnnamedRule, request?: JsonObject): UnnamedRule {
  const { during, ...rest } = when ?? {};
  const isOne = request !== undefined && rest.times === 1;
  const rule = isOne ? { ...given, match: { ...given.match, request } } : given;
  const lasting = during?.for === undefined ? undefined : { for: during.for };
  const kept = { ...rest, ...(lasting && { during: lasting }) };
  return Object.keys(kept).length === 0 ? rule : { ...rule, when: kept };
}
