import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBuilt } from '../../../src/kubelet/hosts/virtual/build/cache.js';
import { manifest } from '../../support/scenario/simulate.js';
import type { Section } from '../context.js';
import type { Figure } from '../support/result.js';
import { taken } from '../support/taken.js';

/** The newest minor version that has been built. */
const VERSION = '1.37';

const pods = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const base = manifest(name) as { metadata: object };
    return { manifest: { ...base, metadata: { ...base.metadata, name: `${name}-${index}` } } };
  });

const containers = ['app', 'side'].map((name) => ({ name, image: 'nginx:1' }));
const two = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };

/** Needs a kubelet that `mockri kubelet-build` has built, and root or user namespaces. */
export const virtual: Section = {
  name: 'virtual',
  title: `Real kubelet ${VERSION} on virtual time: whole commands, with the start of both programs`,
  run: async () => {
    if (findBuilt('kubelet', VERSION) === undefined) return [];
    const directory = await mkdtemp(join(tmpdir(), 'mockri-bench-'));
    try {
      return [
        ...(await simulated(
          directory,
          'a run of two seconds, with its first RunPodSandbox',
          pods('steady', 1),
          '2s',
          1.5,
        )),
        ...(await simulated(directory, 'a crash loop, 30 minutes', pods('crash-exit1', 1), '30m', 3)),
        ...(await simulated(directory, '110 pods, 10 minutes', pods('steady', 110), '10m', 90)),
        ...(await explored(directory)),
      ];
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function simulated(
  directory: string,
  name: string,
  given: readonly object[],
  until: string,
  aim: number,
): Promise<Figure[]> {
  const file = join(directory, 'scenario.yaml');
  await writeFile(file, JSON.stringify({ version: 1, title: 'bench', pods: given, until }));
  const { seconds, cpu } = await taken(['simulate', file, '--kubelet', VERSION]);
  return [
    { name, value: seconds, unit: 's', aim: { below: aim } },
    { name: '  processor time', value: cpu, unit: 's' },
  ];
}

/** One pod with two containers, four minutes. */
async function explored(directory: string): Promise<Figure[]> {
  const file = join(directory, 'explored.yaml');
  await writeFile(
    file,
    JSON.stringify({ version: 1, title: 'bench', pods: [{ manifest: two }], until: '4m' }),
  );
  const explore = async (budget: number): Promise<number> => {
    const options = ['--kubelet', VERSION, '--budget', String(budget), '--workers', '0'];
    return (await taken(['explore', file, ...options, '--out', join(directory, 'findings')])).seconds;
  };
  const [few, many] = [5, 30];
  const short = await explore(few);
  const each = ((await explore(many)) - short) / (many - few);
  return [
    { name: 'a schedule of explore on one core', value: each, unit: 's', aim: { below: 1.2 } },
    { name: '  before the first one: two long runs without faults', value: short - few * each, unit: 's' },
  ];
}
