import type { Server } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { Code } from '../../cri/status-code.js';
import { addHealth } from './health.js';

interface Answer {
  readonly code?: number;
  readonly details?: string;
}
type Check = (
  call: { request: { service: string } },
  respond: (error: Answer | null, status?: number) => void,
) => void;

/** What a check of a service is answered with. */
function check(service: string): Answer | number | undefined {
  const handlers = new Map<string, Check>();
  addHealth({ register: (path: string, handler: Check) => handlers.set(path, handler) } as unknown as Server);
  let answer: Answer | number | undefined;
  handlers.get('/grpc.health.v1.Health/Check')?.({ request: { service } }, (error, status) => {
    answer = error ?? status;
  });
  return answer;
}

test('a service that is there is served', () => {
  expect(['', 'runtime.v1.RuntimeService'].map(check)).toEqual([1, 1]);
});

test.each([
  'no',
  'x'.repeat(2 ** 20),
  '漢'.repeat(2 ** 20),
  '\u0000'.repeat(2 ** 20),
  '\ud800'.repeat(2 ** 20),
])('the answer about one that is not there fits into a header', (service) => {
  const { code, details = '' } = check(service) as Answer;
  expect(code).toBe(Code.NOT_FOUND);
  expect(details).toContain('; there are runtime.v1.RuntimeService, runtime.v1.ImageService, and "" for all');
  expect(encodeURIComponent(details).length).toBeLessThan(4096);
});
