import { allMethods } from '../../../src/cri/methods.js';
import { actionTable } from '../../../src/runtime/faults/language/action-table.js';
import { type ActionName, actionSchemas } from '../../../src/runtime/faults/language/actions.js';
import { methodGroups } from '../../../src/runtime/faults/language/methods.js';
import type { FaultInput } from '../../../src/runtime/faults/language/rule-schema.js';
import { faultSchema } from '../../../src/runtime/faults/language/schema.js';
import fc from '../properties.js';

const CODES = ['UNAVAILABLE', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'INTERNAL'] as const;
const duration = fc.constantFrom('0s', '1ms', '700ms', '3s', '2m');
const forAWhile = fc.oneof(fc.constant({}), fc.record({ for: duration }));

/** Options that exercise every branch of an action; the others take none. */
export const actionOptions: Partial<Record<ActionName, fc.Arbitrary<object>>> = {
  error: fc.record({
    code: fc.constantFrom(...CODES),
    effect: fc.constantFrom('before', 'after', 'late'),
    lateBy: duration,
  }),
  hang: forAWhile,
  stall: forAWhile,
  pause: forAWhile,
  reply: fc.constantFrom<object>(
    { empty: true },
    { stale: true },
    { pad: 100 },
    { patch: {} },
    { replace: {} },
  ),
  reset: fc.record({
    code: fc.constantFrom('CANCEL', 'INTERNAL_ERROR', 'REFUSED_STREAM'),
    scope: fc.constantFrom('call', 'connection'),
  }),
  close: fc.record({ code: fc.constantFrom(...CODES) }),
  duplicate: fc.record({ copies: fc.integer({ min: 1, max: 3 }) }),
  reorder: fc.record({ window: fc.integer({ min: 2, max: 4 }) }),
  replay: fc.record({ last: fc.integer({ min: 1, max: 5 }) }),
  throttle: fc.record({ perSecond: fc.constantFrom(0.5, 10) }),
  restart: fc.record({ downFor: duration, state: fc.constantFrom('keep', 'lose') }),
  condition: fc.record({ type: fc.constantFrom('RuntimeReady', 'NetworkReady'), for: duration }),
  clockSkew: fc.record({ by: fc.constantFrom('-1h', '5s', '240h') }),
  exit: fc.oneof(
    fc.record({ code: fc.integer({ min: 0, max: 255 }) }),
    fc.record({ signal: fc.constantFrom('SIGKILL', 'TERM') }),
  ),
  slowStart: fc.record({ duration }),
  slowCreate: fc.record({ duration }),
  latency: fc.record({ duration }),
};

const methods = [
  undefined,
  ...Object.keys(methodGroups),
  ...allMethods.map(({ name }) => name),
  '*Container*',
];

/** The actions of rules on RPCs: all but those for node resource plugins. */
export const rpcActions = (Object.keys(actionSchemas) as ActionName[]).filter(
  (action) => actionTable[action].methods?.length !== 0,
);

/** Any rule on RPCs that the language allows. */
export const anyRule: fc.Arbitrary<FaultInput> = fc
  .constantFrom(...rpcActions)
  .chain((action) =>
    fc.record({
      match: fc.record(
        {
          method: fc.constantFrom(...methods),
          pod: fc.constantFrom(undefined, { name: 'pod-*' }, { namespace: 'default', attempt: 0 }),
          container: fc.constantFrom(undefined, { name: 'app' }),
        },
        { requiredKeys: [] },
      ),
      on: fc.constantFrom(undefined, ...actionTable[action].on),
      when: fc.record(
        {
          after: fc.nat(3),
          times: fc.integer({ min: 1, max: 4 }),
          probability: fc.constantFrom(0.3, 0.9),
          during: fc.record({ from: duration, for: fc.constantFrom('5s', '1h') }, { requiredKeys: [] }),
          every: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom('1s', '10s')),
          per: fc.constantFrom('pod', 'container', 'connection'),
        },
        { requiredKeys: [] },
      ),
      then: fc.record({
        [action]: actionOptions[action] ?? fc.constant({}),
        delay: fc.option(duration, { nil: undefined }),
      }),
    }),
  )
  .map((given) => JSON.parse(JSON.stringify(given)) as FaultInput)
  .filter((given) => faultSchema.safeParse(given).success);
