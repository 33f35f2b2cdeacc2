import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

/** A client's directory that a container writes, and one that no container was given. */
async function setup() {
  const [home, given, outside] = [temporary(), temporary(), temporary()];
  writeFileSync(join(outside, 'secret'), 'secret');
  const victim = await startVictim(home);
  const run = async (containerId: string, script: string) => {
    const { stdout } = await victim.cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 5n });
    return Buffer.from(stdout).toString();
  };
  const mounting = (hostPath: string, more: object = {}) =>
    victim.container('sleep 100000', { mounts: [{ hostPath, containerPath: '/m', ...more }] });
  return { victim, given, outside, run, mounting };
}

const stopped = async (victim: Victim) => expect(await victim.stop()).toBe(0);

it('a link that a container created widens no mount of another', async () => {
  const { victim, given, outside, run, mounting } = await setup();
  const writer = await mounting(given);
  await run(writer, `mkdir /m/d; ln -s ${outside} /m/away; ln -s d /m/here; ln -s ../.. /m/d/up`);
  for (const path of ['away', 'away/secret', 'away/new', 'd/up', 'here/up/new'])
    await expect(mounting(join(given, path))).rejects.toThrow('it leads through a link that leaves');
  await victim.cri.removeContainer({ containerId: writer });
  await expect(mounting(join(given, 'away'))).rejects.toThrow('it leads through a link that leaves');
  const inside = await mounting(join(given, 'here'));
  await run(inside, 'echo x > /m/file');
  expect(readFileSync(join(given, 'd', 'file'), 'utf8')).toBe('x\n');
  expect(readdirSync(outside)).toEqual(['secret']);
  await stopped(victim);
});

it("a client's own links count, also next to what containers write", async () => {
  const { victim, given, outside, run, mounting } = await setup();
  await mounting(join(given, 'written'));
  symlinkSync(outside, join(given, 'own'));
  expect(await run(await mounting(join(given, 'own')), 'cat /m/secret')).toBe('secret');
  await mounting(outside, { readonly: true });
  symlinkSync(join(outside, 'secret'), join(outside, 'link'));
  expect(await run(await mounting(join(outside, 'link')), 'cat /m')).toBe('secret');
  await stopped(victim);
});

it('a container mounts the files that existed at its creation', async () => {
  const { victim, given, outside, run } = await setup();
  mkdirSync(join(given, 'd'));
  writeFileSync(join(given, 'd', 'secret'), 'inside');
  const { containerId } = await victim.cri.createContainer({
    podSandboxId: victim.podSandboxId,
    sandboxConfig: victim.pod,
    config: {
      metadata: { name: 'late', attempt: 0 },
      image: { image: 'busybox:1' },
      command: ['sleep', '100000'],
      mounts: [{ hostPath: join(given, 'd'), containerPath: '/m' }],
    },
  });
  renameSync(join(given, 'd'), join(given, 'old'));
  symlinkSync(outside, join(given, 'd'));
  await victim.cri.startContainer({ containerId }).catch(() => {});
  const read = await run(containerId, 'cat /m/secret; echo x > /m/planted').catch(() => '');
  expect(read).not.toContain('secret');
  expect(readdirSync(outside)).toEqual(['secret']);
  await stopped(victim);
});

it.each([
  ['the log', (outside: string) => `ln -s ${outside}/secret /m/app/0.log`],
  ['its directory', (outside: string) => `rmdir /m/app; ln -s ${outside} /m/app`],
])('a link instead of %s is not written through', async (_, plant) => {
  const { victim, given, outside, run, mounting } = await setup();
  const writer = await mounting(given);
  await run(writer, `mkdir /m/app; ${plant(outside)}`);
  const sandboxConfig = { ...victim.pod, logDirectory: given };
  const { containerId } = await victim.cri.createContainer({
    podSandboxId: victim.podSandboxId,
    sandboxConfig,
    config: {
      metadata: { name: 'logging', attempt: 0 },
      image: { image: 'busybox:1' },
      command: ['sh', '-c', 'echo planted; sleep 100000'],
      logPath: 'app/0.log',
    },
  });
  await victim.cri.startContainer({ containerId });
  await run(containerId, 'true');
  expect(readdirSync(outside)).toEqual(['secret']);
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  await expect(victim.cri.reopenContainerLog({ containerId })).rejects.toThrow("can't be opened");
});
