import { expect, test, vi } from 'vitest';
import { podsAt } from './control.js';

const answered = (answer: Response | Error) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() =>
    answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer),
  );
  return podsAt('/v1/state');
};

test('only a server that has no state says that it is elsewhere', async () => {
  expect(await answered(Response.json({ sandboxes: [] }))).toEqual([]);
  expect(await answered(Response.json({ detail: 'there is no /v1/state' }, { status: 404 }))).toBe(
    'elsewhere',
  );
  expect(await answered(Response.json({ detail: 'busy' }, { status: 503 }))).toBeUndefined();
  expect(await answered(new TypeError('fetch failed'))).toBeUndefined();
});
