import { expect, test } from 'vitest';
import { compareTraces, kindOf } from './compare.js';
import type { Sequence } from './steps.js';
import type { EventTrace, NormalOutcome, Trace } from './trace.js';

const OK: NormalOutcome = { code: 'OK', reply: {} };
const failure = (code: string, details: string): NormalOutcome => ({ code, details });

const sequence: Sequence = [
  { calls: [{ method: 'StopContainer', form: '', container: 'c1', pod: 'p1' }] },
  { calls: [{ method: 'StartContainer', form: '', container: 'c1', pod: 'p1' }] },
];

const trace = (first: NormalOutcome, second: NormalOutcome, events: readonly EventTrace[] = []): Trace => ({
  steps: [first, second].map((outcome) => ({ outcomes: [outcome], observations: [] })),
  events: new Map([['c1', events]]),
  subscriber: undefined,
});

const aspectsOf = (left: Trace, right: Trace) =>
  compareTraces(sequence, left, right).map(({ method, aspect, step }) => `${method} ${aspect} ${step}`);

test('equal traces do not differ', () => expect(aspectsOf(trace(OK, OK), trace(OK, OK))).toEqual([]));

test('of two failures the code counts, then the text', () => {
  const left = trace(failure('UNKNOWN', 'a'), failure('UNKNOWN', 'a'));
  const right = trace(failure('NOT_FOUND', 'a'), failure('UNKNOWN', 'b'));
  expect(aspectsOf(left, right)).toEqual(['StopContainer code 0', 'StartContainer text 1']);
});

test('what follows a change on one side only does not count', () => {
  const left = trace(OK, OK, [{ type: 'STARTED', state: 'RUNNING', podState: 'READY' }]);
  const right = trace(failure('UNKNOWN', 'a'), failure('UNKNOWN', 'b'));
  expect(aspectsOf(left, right)).toEqual(['StopContainer outcome 0']);
});

test('the first event that differs counts', () => {
  const event = (type: string): EventTrace => ({ type, state: 'EXITED', podState: 'READY' });
  const [difference] = compareTraces(
    sequence,
    trace(OK, OK, [event('CREATED'), event('STOPPED')]),
    trace(OK, OK, [event('CREATED')]),
  );
  expect(difference).toMatchObject({
    aspect: 'events',
    left: 'after CREATED: STOPPED with state EXITED in pod READY',
    right: 'after CREATED: none',
  });
});

test('a field that only one side has is one kind, whatever its value', () => {
  const of = (left: string, right: string) =>
    kindOf({ method: 'M', aspect: 'reply', field: 'a', left, right, step: 0 });
  expect(of('"x"', 'none')).toBe(of('"y"', 'none'));
  expect(of('"x"', 'none')).not.toBe(of('none', '"x"'));
  expect(of('"x"', '"z"')).not.toBe(of('"y"', '"z"'));
});

test('a kind does not depend on which object it is, nor on its name', () => {
  const about = (left: string) =>
    kindOf({ method: 'M', aspect: 'text', field: '', left, right: '', step: 0 });
  expect(about('no <c1> in "p1-#_0"')).toBe(about('no <c2…> in "p2-#_1"'));
  expect(about('no <c1>')).not.toBe(about('no <p1>'));
});
