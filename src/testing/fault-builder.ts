import { actionSchemas } from '../runtime/faults/language/actions.js';
import type { RpcName } from '../runtime/faults/language/methods.js';
import type { FaultInput } from '../runtime/faults/language/rule-schema.js';
import { readRules } from '../runtime/faults/language/written-rule.js';
import type { FaultRegistry } from '../runtime/faults/matching/registry.js';
import type { FaultActions, PlainActions, Then } from './fault-actions.js';
import type { FaultHandle } from './fault-handle.js';

type When = NonNullable<FaultInput['when']>;
type Match = NonNullable<FaultInput['match']>;

/** An RPC's name, a group such as `@list`, or a glob such as `*Container`. */
// The last alternative is any text, written so that editors still suggest the names.
export type MethodPattern = RpcName | `@${'all' | 'list' | 'mutating' | 'stream' | 'image'}` | (string & {});

/**
 * Conditions first, then the action, which activates the rule. Each step returns a new builder, so one can start
 * several.
 */
export interface FaultBuilder extends FaultActions {
  /** Default: a name from action, method and number. */
  named(name: string): FaultBuilder;
  /** What the rule counts and acts on: calls unless the action implies otherwise. */
  on(trigger: NonNullable<FaultInput['on']>): FaultBuilder;
  /** Same as `times(1)`. */
  once(): FaultBuilder;
  /** Maximum number of actions; default unlimited. */
  times(count: number): FaultBuilder;
  /** Skips this many first. */
  after(count: number): FaultBuilder;
  /** Acts on the first and then every Nth; for time rules a period such as `10s`. */
  every(step: NonNullable<When['every']>): FaultBuilder;
  /** Acts with this probability, above 0 and at most 1, drawn from the rule's own random numbers. */
  probability(probability: number): FaultBuilder;
  /** Acts between two durations such as `10s`, counted from the rule's activation. */
  during(span: NonNullable<When['during']>): FaultBuilder;
  /** Acts only while the runtime has these conditions: `{network: 'not-ready'}`. */
  while(conditions: NonNullable<When['while']>): FaultBuilder;
  /** Counts separately for each pod, container or connection. */
  per(what: NonNullable<When['per']>): FaultBuilder;
  /** Matches pods by name, glob such as `web-*` or `/regular expression/`, or by fields. */
  pod(pod: string | NonNullable<Match['pod']>): FaultBuilder;
  /** Matches containers by name, glob or `/expression/`, or by fields. */
  container(container: string | NonNullable<Match['container']>): FaultBuilder;
  /** Matches requests by fields, named as in api.proto (snake_case); strings are patterns. */
  request(fields: NonNullable<Match['request']>): FaultBuilder;
  /** Any action of the rule language, including delay and action together. */
  do(then: Then): FaultHandle;
}

/** Starts a rule on RPCs by name, glob or group; on all RPCs without one. */
export function buildFault(registry: FaultRegistry, method?: Match['method']): FaultBuilder {
  return builder(registry, { match: method === undefined ? {} : { method }, when: {} });
}

interface Draft {
  readonly name?: string;
  readonly on?: NonNullable<FaultInput['on']>;
  readonly match: Match;
  readonly when: When;
}

function builder(registry: FaultRegistry, draft: Draft): FaultBuilder {
  const next = (change: Partial<Draft>) => builder(registry, { ...draft, ...change });
  const when = (change: When) => next({ when: { ...draft.when, ...change } });
  const match = (change: Match) => next({ match: { ...draft.match, ...change } });
  const finish = (then: Then) => putIntoForce(registry, { ...draft, then });
  const forAWhile = (name: 'hang' | 'stall' | 'pause') => (duration?: string) =>
    finish({ [name]: duration === undefined ? {} : { for: duration } });
  const plain = Object.fromEntries(
    Object.keys(actionSchemas).map((name) => [name, (options: object = {}) => finish({ [name]: options })]),
  ) as PlainActions;
  return {
    ...plain,
    error: (code, message, options) =>
      finish({ error: { ...options, ...(code && { code }), ...(message !== undefined && { message }) } }),
    close: (code, message) =>
      finish({ close: { ...(code && { code }), ...(message !== undefined && { message }) } }),
    delay: (delay) => finish({ delay }),
    hang: forAWhile('hang'),
    stall: forAWhile('stall'),
    pause: forAWhile('pause'),
    named: (name) => next({ name }),
    on: (on) => next({ on }),
    once: () => when({ times: 1 }),
    times: (times) => when({ times }),
    after: (after) => when({ after }),
    every: (every) => when({ every }),
    probability: (probability) => when({ probability }),
    during: (during) => when({ during }),
    while: (conditions) => when({ while: conditions }),
    per: (per) => when({ per }),
    pod: (pod) => match({ pod: typeof pod === 'string' ? { name: pod } : pod }),
    container: (container) =>
      match({ container: typeof container === 'string' ? { name: container } : container }),
    request: (request) => match({ request }),
    do: finish,
  };
}

/** Throws InputError for a rule that could never act. */
export function putIntoForce(registry: FaultRegistry, rule: FaultInput): FaultHandle {
  const [added] = registry.add(readRules([rule], 'test'), 'test');
  const name = added?.name ?? '';
  const find = () => registry.list().find((each) => each.name === name);
  return {
    name,
    get counts() {
      return find();
    },
    remove: () => {
      if (find()) registry.remove(name);
    },
  };
}
