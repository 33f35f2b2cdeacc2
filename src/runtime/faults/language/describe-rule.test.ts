import { expect, test } from 'vitest';
import { describeRule } from './describe-rule.js';
import type { FaultInput } from './rule-schema.js';
import { parseShorthand } from './shorthand.js';

test.each([
  'StartContainer=error(UNAVAILABLE:oops)',
  'StartContainer=error(UNAVAILABLE)',
  'StartContainer=2*error',
  '@list=1*off->3*delay(5s)',
  'GetContainerEvents:message=10%drop',
  '*=0.1%hang(5m)',
  'connection=latency(50ms)',
  'time=restart(400ms)',
  'StopContainer=exit(TERM)',
])('%s is shown as it was entered', (text) => {
  expect(parseShorthand(text).map(describeRule)).toEqual([text]);
});

test.each<[FaultInput, string]>([
  [
    {
      match: { method: ['StartContainer', 'StopContainer'], pod: { namespace: 'a', name: 'web-*' } },
      when: { every: 4, per: 'pod', during: { from: '10s' } },
      then: { delay: '1s' },
    },
    'StartContainer,StopContainer=delay(1s) pod=a/web-* every=4 during={"from":"10s"} per=pod',
  ],
  [
    {
      match: { method: 'PullImage', container: { attempt: 0 }, request: { image: { image: 'x' } } },
      when: { times: 2, probability: 0.5, while: { network: 'ready' } },
      then: { error: { code: 'UNKNOWN', effect: 'after' } },
    },
    'PullImage=2*error {"code":"UNKNOWN","effect":"after"} container={"attempt":0} request={"image":{"image":"x"}} probability=0.5 while={"network":"ready"}',
  ],
  [{ match: { method: 'Status', node: 'mock-1*' }, then: { delay: '1s' } }, 'Status=delay(1s) node=mock-1*'],
  [{ then: { delay: '1s', drop: {} } }, '*=delay 1s + drop {}'],
  [{ match: { method: 'Status' }, then: { error: { message: 'a->b' } } }, 'Status=error {"message":"a->b"}'],
])('%j shows what the shorthand cannot say', (rule, text) => {
  expect(describeRule(rule)).toBe(text);
});
