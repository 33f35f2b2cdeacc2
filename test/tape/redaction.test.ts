import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ContainerConfig, type CreateContainerRequest } from '../../src/cri/gen/runtime/v1/api.js';
import { redactions } from '../../src/tape/keep.js';
import { containerConfig, podConfig, readAll, recordRun } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

test('a planted secret is nowhere on disk, and equal secrets stay equal', async () => {
  const secret = 'hunter2-s3cret';
  const auth = {
    username: secret,
    password: secret,
    auth: secret,
    serverAddress: secret,
    identityToken: secret,
    registryToken: secret,
  };
  const place = directory();
  const run = (keep?: readonly (typeof redactions)[number][]) =>
    recordRun({ directory: place, ...(keep && { keep }) }, async (cri) => {
      const sandboxConfig = podConfig('web', { annotations: { 'example.com/token': secret } });
      const image = {
        image: 'busybox:1.36',
        annotations: { x: secret },
        userSpecifiedImage: '',
        runtimeHandler: '',
        imageRef: '',
      };
      await cri.pullImage({ image, auth, sandboxConfig });
      const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' });
      const config = containerConfig('app', {
        ...ContainerConfig.fromPartial({}),
        metadata: { name: 'app', attempt: 0 },
        image,
        command: ['sh', '-c', `test ${secret} && sleep 1000`],
        envs: ['A', 'B'].map((key) => ({ key, value: Buffer.from(secret) })),
        annotations: { 'example.com/token': secret },
      });
      const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
      await cri.startContainer({ containerId });
      await cri.execSync({
        containerId,
        cmd: ['sh', '-c', `echo ${secret}; echo ${secret} >&2`],
        timeout: 0n,
      });
      await cri.containerStatus({ containerId, verbose: true });
      await cri.podSandboxStatus({ podSandboxId, verbose: true });
      await cri.execSync({ containerId, cmd: [secret], timeout: 0n }).catch(() => {});
      await cri.listPodSandbox({ filter: undefined });
    });
  const open = readFileSync(await run(redactions), 'utf8');
  expect(open).toContain(secret);
  const text = readFileSync(await run(), 'utf8');
  expect(leaks(text, secret)).toEqual([]);
  const { entries } = await readAll(join(place, 'run.tape'));
  const created = entries.find((entry) => entry.kind === 'call' && entry.method === 'CreateContainer');
  const envs = created?.kind === 'call' ? created.message.value<CreateContainerRequest>().config?.envs : [];
  expect(envs?.[0]?.value.toString()).toMatch(/^redacted:[0-9a-f]{16}$/);
  expect(envs?.[0]?.value).toEqual(envs?.[1]?.value);
});

/** The lines in which the secret stands, as it is or in base64 at any offset. */
function leaks(text: string, secret: string): string[] {
  const forms = [0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${secret}`)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return text.split('\n').filter((line) => [secret, ...forms].some((form) => line.includes(form)));
}
