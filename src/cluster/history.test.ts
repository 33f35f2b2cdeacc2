import { expect, test } from 'vitest';
import { createVirtualClock } from '../base/clock/virtual-clock.js';
import { checkInput } from '../base/input/yaml.js';
import type { ControlRequest } from '../runtime/control/router.js';
import { createTape } from '../tape/tape.js';
import { historyRoute } from './history.js';

test('keeps 16 MiB of long events, the newest, and says which they are', async () => {
  const tape = createTape(createVirtualClock());
  const node = { name: 'one', tape, runtime: { watchLifecycle: () => {} } };
  const route = historyRoute(new Map([['one', node as never]]));
  const event = {
    kind: 'event',
    pod: { name: 'web', namespace: 'default' },
    field: '',
    type: 'Warning',
  } as const;
  for (let index = 0; index < 40; index++)
    tape.write({ ...event, reason: 'InspectFailed', text: `${index}`.padEnd(1_000_000) });
  const request = { query: (schema) => checkInput({}, schema, 'query') } as Partial<ControlRequest>;
  const { json } = (await route.handle(request as ControlRequest)) as { readonly json: object };
  const { entries, next } = json as { entries: { message: string; sequence: number }[]; next: number };
  expect(entries.map(({ message }) => Number(message))).toEqual(
    Array.from({ length: 16 }, (_, at) => at + 24),
  );
  expect(entries.at(-1)?.sequence).toBe(next);
});
