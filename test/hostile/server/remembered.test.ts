import { afterEach, expect, it, vi } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { countOf } from '../../support/thorough.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(() => {
  killVictims();
  vi.unstubAllEnvs();
});

/** A name that a server with 192 MiB can't keep of so many calls. */
const long = (n: number) => `${n}${'x'.repeat(15 * 1024 * 1024)}`;

const attacks: Readonly<Record<string, (victim: Victim, n: number) => Promise<unknown>>> = {
  'names of images': ({ cri }, n) => cri.pullImage({ image: { image: long(n) } }),
  'names of pods': ({ cri }, n) =>
    cri.runPodSandbox({
      config: { metadata: { name: long(n), uid: '', namespace: 'default', attempt: 0 }, hostname: '-' },
    }),
  'names in findings of the referee': ({ cri, podSandboxId, pod }, n) =>
    cri.createContainer({
      podSandboxId,
      sandboxConfig: { ...pod, metadata: { name: long(n), uid: 'u', namespace: 'default', attempt: 0 } },
      config: { metadata: { name: '', attempt: 0 } },
    }),
};

it.each(Object.entries(attacks))('keeps only the start of long %s', async (_, attack) => {
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=192');
  const victim = await startVictim(temporary(), ['--referee', 'warn']);
  for (let n = 0; n < countOf(20, 15); n++) await expect(attack(victim, n)).rejects.toThrow();
  await victim.version();
});
