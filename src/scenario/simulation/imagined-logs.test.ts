import { expect, test } from 'vitest';
import type { Backend } from '../../engine/backend.js';
import { createImaginedLogs } from './imagined-logs.js';

test('attempts continue from the logs that are there, and restart when all are removed', async () => {
  const { files, within } = createImaginedLogs();
  const backend = within({
    createContainer: async () => {},
    startContainer: async () => {},
  } as unknown as Backend);
  const pod = { namespace: 'default', name: 'web', uid: 'uid-1' };
  const directory = files.podLogDirectory(pod);
  const path = (attempt: number) => `${directory}/app/${attempt}.log`;
  const start = async (attempt: number) => {
    const spec = { id: `c${attempt}`, logPath: path(attempt) };
    await backend.createContainer(spec as Parameters<Backend['createContainer']>[0], {} as never);
    await backend.startContainer(spec.id, {} as never);
  };
  const next = () => files.nextAttempt(directory, 'app');
  const remove = (attempt: number) => files.removeLogs(path(attempt));

  expect(await next()).toBe(0);
  await start(0);
  await start(1);
  expect(await next()).toBe(2);
  await remove(1);
  expect(await next()).toBe(1);
  await remove(0);
  expect(await next()).toBe(0);
  await start(4);
  await files.removePod(pod);
  expect(await next()).toBe(0);
});
