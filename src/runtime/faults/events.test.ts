import { describe, expect, test } from 'vitest';
import { faultyService, received } from '../../../test/support/faults/faulty-service.js';
import type { FaultInput } from './language/rule-schema.js';

describe('the event stream', () => {
  const on = 'message' as const;
  const match = { method: 'GetContainerEvents' };
  test.each<[string, FaultInput[], string[]]>([
    ['passes without rules', [], ['1@0', '2@0', '3@0', '4@0', 'end']],
    [
      'drops the second',
      [{ match, on, when: { after: 1, times: 1 }, then: { drop: {} } }],
      ['1@0', '3@0', '4@0', 'end'],
    ],
    [
      'doubles the first',
      [{ match, on, when: { times: 1 }, then: { duplicate: {} } }],
      ['1@0', '1@0', '2@0', '3@0', '4@0', 'end'],
    ],
    [
      'reorders two',
      [{ match, on, when: { times: 1 }, then: { reorder: { window: 2 } } }],
      ['2@0', '1@0', '3@0', '4@0', 'end'],
    ],
    [
      'replays after the third',
      [{ match, on, when: { after: 2, times: 1 }, then: { replay: { last: 2 } } }],
      ['1@0', '2@0', '3@0', '1@0', '2@0', '4@0', 'end'],
    ],
    ['ends at the third', [{ match, on, when: { after: 2 }, then: { end: {} } }], ['1@0', '2@0', 'end']],
    [
      'breaks at the second',
      [{ match, on, when: { after: 1 }, then: { close: { message: 'gone' } } }],
      ['1@0', 'gone'],
    ],
    [
      'is slow',
      [{ match, on, then: { throttle: { perSecond: 2 } } }],
      ['1@500', '2@1000', '3@1500', '4@2000', 'end'],
    ],
    [
      'stalls',
      [{ match, on, when: { after: 1, times: 1 }, then: { stall: { for: '10s' } } }],
      ['1@0', '2@10000', '3@10000', '4@10000', 'end'],
    ],
    [
      'has the wrong unit',
      [{ match, on, when: { times: 1 }, then: { reply: { patch: { created_at: { $multiply: 1000 } } } } }],
      ['1000@0', '2@0', '3@0', '4@0', 'end'],
    ],
    ['ends before it begins', [{ match, then: { end: {} } }], ['end']],
    ['fails before it begins', [{ match, then: { close: { message: 'no' } } }], ['no']],
  ])('%s', async (_, rules, expected) => {
    expect(await received(faultyService(rules, [1, 2, 3, 4]))).toEqual(expected);
  });
});

describe('the event stream, when the rules are removed', () => {
  const stream = (then: FaultInput['then'], at: number) => {
    const faulty = faultyService(
      [{ match: { method: 'GetContainerEvents' }, on: 'message', then }],
      [1, 2, 3],
    );
    faulty.keepOpen();
    faulty.clock.setTimer(at, () => faulty.registry.reset());
    return received(faulty);
  };
  test.each<[string, FaultInput['then'], string[]]>([
    [
      'gives back what was held for reordering',
      { reorder: { window: 9 } },
      ['3@5000', '2@5000', '1@5000', 'open'],
    ],
    ['is slow no more', { throttle: { perSecond: 0.001 } }, ['1@5000', '2@5000', '3@5000', 'open']],
    ['is delayed no more', { delay: '1h' }, ['1@5000', '2@5000', '3@5000', 'open']],
  ])('%s', async (_, then, expected) => expect(await stream(then, 5000)).toEqual(expected));
});
