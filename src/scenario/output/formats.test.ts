import { expect, test } from 'vitest';
import { createLineWriter } from './formats.js';

test('long reasons and statuses leave the columns behind them in their place', () => {
  const table = createLineWriter('table');
  const row = { t: 1, pod: 'web', ready: '0/1', status: 'CreateContainerConfigError', restarts: 0 };
  expect(table.row(row)?.indexOf('0', 50)).toBe(table.header[0]?.indexOf('RESTARTS'));
  const events = createLineWriter('events');
  const event = {
    t: 1,
    type: 'Warning',
    reason: 'FailedCreatePodSandBox',
    pod: 'web',
    field: '',
    message: 'm',
  };
  expect(events.event(event as Parameters<typeof events.event>[0])?.indexOf('web')).toBe(
    events.header[0]?.indexOf('POD'),
  );
});
