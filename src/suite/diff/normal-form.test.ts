import { expect, test } from 'vitest';
import { ListContainerStatsResponse } from '../../cri/gen/runtime/v1/api.js';
import { Aliases, normalReply } from './normal-form.js';

const ID = 'ab'.repeat(32);

test('ids get their names, in texts and by their beginning too', () => {
  const aliases = new Aliases();
  aliases.set(ID, '<p1>');
  aliases.set(ID.slice(0, 13), '<p1…>');
  expect(aliases.show(`sandbox "${ID}" or "${ID.slice(0, 13)}" or ${'cd'.repeat(32)}`)).toBe(
    'sandbox "<p1>" or "<p1…>" or <id>',
  );
});

test('times, addresses, digests and URLs are placeholders', () => {
  expect(
    new Aliases().show(
      `at 2026-08-20T10:11:12.5Z from 10.88.0.7: sha256:${'0'.repeat(64)} http://127.0.0.1:41/exec/a_B-1`,
    ),
  ).toBe('at <time> from <ip>: <digest> <url>/exec/<token>');
});

test('a time is either there or not', () => {
  const status = { id: ID, createdAt: 5n, startedAt: 0n, finishedAt: 0n };
  expect(normalReply('ContainerStatus', { status }, new Aliases())).toMatchObject({
    status: { id: '<id>', createdAt: '<time>' },
  });
});

test('lists have one order, and measurements no numbers', () => {
  const statsOf = (id: string) => ({
    attributes: { id },
    cpu: { timestamp: 7n, usageCoreNanoSeconds: { value: 5n } },
  });
  const [a, b] = [statsOf('a'), statsOf('b')];
  const show = (stats: object[]) =>
    normalReply('ListContainerStats', ListContainerStatsResponse.fromPartial({ stats }), new Aliases());
  expect(show([a, b])).toEqual(show([b, a]));
  expect(JSON.stringify(show([a]))).toContain('"usageCoreNanoSeconds":"<n>"');
});

test('of verbose information only the keys count', () => {
  const info = { info: '{"pid": 3, "config": {}}', note: 'text' };
  expect(normalReply('Status', { info }, new Aliases())).toMatchObject({
    info: { info: '{config, pid}', note: '<text>' },
  });
});
