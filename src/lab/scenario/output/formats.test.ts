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

const rowOf = (pod: string, status = 'Running') => ({ t: 1, pod, ready: '1/1', status, restarts: 0 });

test('the column of names is as wide as the names, and they lose their middle where the terminal is too narrow', () => {
  const name = 'prod/payments-5d4f8c7b9d-x2lmn-with-a-longer-name';
  const columnOf = (width?: number) => {
    const table = createLineWriter('table', { names: [name, 'web'], width });
    const lines = [table.header[0], table.row(rowOf('web')), table.row(rowOf(name))];
    return lines.map((line) => line?.search(/READY|1\/1/));
  };
  expect(columnOf()).toEqual([11 + name.length + 1, 11 + name.length + 1, 11 + name.length + 1]);
  expect(columnOf(80)).toEqual([46, 46, 46]);
  expect(createLineWriter('table', { names: [name], width: 80 }).row(rowOf(name))).toContain(
    'prod/payments-5d4…th-a-longer-name',
  );
});

test.each(['web', 'prod/payments-5d4f8c7b9d-x2lmn'])(
  'a row of pod %s fits 80 columns, in line with its header',
  (name) => {
    const table = createLineWriter('table', { names: [name], width: 80 });
    const row = table.row(rowOf(name, 'CrashLoopBackOff')) ?? '';
    expect(table.header[0]?.length).toBeLessThanOrEqual(80);
    expect(row).toContain(name);
    expect(row.indexOf('1/1')).toBe(table.header[0]?.indexOf('READY'));
  },
);
