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

test('the column of names is as wide as the names, as far as the terminal is wide enough', () => {
  const name = 'prod/payments-5d4f8c7b9d-x2lmn-with-a-longer-name';
  const row = { t: 1, pod: name, ready: '1/1', status: 'Running', restarts: 0 };
  const other = { ...row, pod: 'web' };
  const columnOf = (width?: number) => {
    const table = createLineWriter('table', { names: [name, 'web'], width });
    const lines = [table.header[0], table.row(other), table.row(row)];
    return lines.map((line) => line?.search(/READY|1\/1/));
  };
  expect(columnOf()).toEqual([11 + name.length + 1, 11 + name.length + 1, 11 + name.length + 1]);
  expect(columnOf(80)[0]).toBe(40);
  expect(columnOf(100)[0]).toBeLessThan(11 + name.length);
});
