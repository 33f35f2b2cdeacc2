import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startMockri } from '../../src/testing/index.js';
import { containerConfig, podConfig, readAll } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

test('the test kit records calls, connections, faults and container events', async () => {
  const file = join(directory(), 'run.tape');
  await using mockri = await startMockri({ clock: 'virtual', record: { file, keep: ['env'] } });
  mockri.fault('StartContainer').once().error('UNAVAILABLE');
  const { client } = mockri;
  const call = <T>(work: Promise<T>) => mockri.runUntil(work);
  const sandboxConfig = podConfig('web');
  await call(client.pullImage({ image: { image: 'busybox:1.36' } }));
  const { podSandboxId } = await call(client.runPodSandbox({ config: sandboxConfig }));
  const config = containerConfig('app');
  const { containerId } = await call(client.createContainer({ podSandboxId, config, sandboxConfig }));
  await expect(call(client.startContainer({ containerId }))).rejects.toThrow();
  await call(client.startContainer({ containerId }));
  await call(client.removeContainer({ containerId }));
  await mockri.close();

  const { header, entries } = await readAll(file);
  expect(header.runtime).toMatchObject({ name: 'mockri', apiVersion: 'v1' });
  expect(header.redacted).not.toContain('env');
  const start = { pod: { name: 'web' }, container: { name: 'app', attempt: 0 } };
  expect(entries[0]).toMatchObject({ kind: 'connection', connection: 1, what: 'opened' });
  expect(entries.find(({ kind }) => kind === 'fault')).toMatchObject({
    action: 'error',
    on: 'call',
    method: 'StartContainer',
    ...start,
  });
  const failed = entries.find((entry) => entry.kind === 'reply' && entry.code !== 'OK');
  expect(failed).toMatchObject({
    method: 'StartContainer',
    code: 'UNAVAILABLE',
    trailers: { 'x-mockri-fault': ['error-StartContainer-1'] },
  });
  const happenings = entries.flatMap((entry) =>
    entry.kind === 'container' ? [`${entry.container?.name} ${entry.what}`] : [],
  );
  expect(happenings).toEqual(['app created', 'app started', 'app ended', 'app removed']);
  expect(entries.some(({ kind }) => kind === 'sandbox')).toBe(true);
});

test('a recording is started and stopped over the control API', async () => {
  const file = join(directory(), 'part.tape.gz');
  await using mockri = await startMockri({ control: true });
  const url = `${mockri.control}/v1/tape`;
  const post = async (body: object) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, ...((await response.json()) as object) };
  };
  await mockri.client.version({ version: 'before' });
  expect(await post({ file })).toEqual({ status: 201, recording: true, file, entries: expect.any(Number) });
  expect(await post({ file })).toMatchObject({
    status: 409,
    detail: `a recording is in progress into ${file}; stop it first`,
  });
  await mockri.client.version({ version: 'within' });
  expect(await post({ stop: true })).toMatchObject({ status: 200, recording: false, file });
  expect(await post({ stop: true })).toMatchObject({ status: 409, detail: 'nothing is being recorded' });
  expect(await post({ file, keep: ['envs'] })).toMatchObject({ status: 400 });
  expect(await post({ file: '/nowhere/x.tape' })).toMatchObject({
    status: 409,
    detail: "/nowhere/x.tape: it can't be written: there is no such directory",
  });
  await mockri.client.version({ version: 'after' });
  const { entries } = await readAll(file);
  const calls = entries.flatMap((entry) => (entry.kind === 'call' ? [entry.message.json()] : []));
  expect(calls).toEqual([{ version: 'within' }]);
});
