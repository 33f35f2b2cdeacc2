import { expect, test } from 'vitest';
import { answerOf } from '../../../../test/support/profiles/pod-fixture.js';
import { usePodFixtures } from '../../../../test/support/profiles/use-pod-fixtures.js';

/** Removals of one sandbox at the same time, as containerd was seen to answer. */

const start = usePodFixtures();

test('two removals of a sandbox at the same time send two DELETED', async () => {
  const { cri, pod } = await start('containerd-2.4');
  const podSandboxId = await pod();
  const abort = new AbortController();
  const seen: (string | undefined)[] = [];
  const reading = (async () => {
    for await (const { containerEventType, podSandboxStatus } of cri.getContainerEvents(
      {},
      { signal: abort.signal },
    ))
      if (containerEventType === 3) seen.push(podSandboxStatus?.id);
  })().catch(() => {});
  await Promise.all([cri.removePodSandbox({ podSandboxId }), cri.removePodSandbox({ podSandboxId })]);
  await cri.version({});
  abort.abort();
  await reading;
  expect(seen).toEqual([podSandboxId, undefined]);
});

test('of two removals of a sandbox with a container at the same time, one fails', async () => {
  const { cri, running } = await start('containerd-2.4');
  const { podSandboxId } = await running();
  const remove = () => answerOf(cri.removePodSandbox({ podSandboxId }));
  expect((await Promise.all([remove(), remove()])).sort()).toEqual([
    'OK',
    'UNKNOWN: failed to remove container "<id>": failed to set removing state for container "<id>": container is already in removing state',
  ]);
  expect(await remove()).toBe('OK');
});
