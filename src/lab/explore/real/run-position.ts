import type { Entry } from '../../../tape/entries.js';
import type { JsonObject } from '../../../tape/message.js';
import type { Perturbation, UnnamedRule } from '../catalog/perturbation.js';
import { createStateReader } from '../points/state.js';

/** Position of a perturbation that applies to another kubelet: given by the runtime's state, because times differ. */
export interface RunPosition {
  readonly state: string;
  /** Time since the runtime reached this state, in ms. */
  readonly after: number;
  /** For a list: its request, as a rule matches it. Several parts of a kubelet list, in varying order. */
  readonly request?: JsonObject;
}

/** In ms: shorter times count as zero, because what follows immediately in one kubelet does so in another. */
const AT_ONCE = 100;

/**
 * Position of a perturbation in a run of the thin kubelet with the earlier ones. Undefined if its rules count calls or
 * messages instead: they are active from the start.
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
    // Other calls in the same instant may precede the right one.
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

/** Converts a rule to a time since its addition; a rule for a single call matches the request at its position. */
export function fromNow({ when, ...given }: UnnamedRule, request?: JsonObject): UnnamedRule {
  const { during, ...rest } = when ?? {};
  const isOne = request !== undefined && rest.times === 1;
  const rule = isOne ? { ...given, match: { ...given.match, request } } : given;
  const lasting = during?.for === undefined ? undefined : { for: during.for };
  const kept = { ...rest, ...(lasting && { during: lasting }) };
  return Object.keys(kept).length === 0 ? rule : { ...rule, when: kept };
}
