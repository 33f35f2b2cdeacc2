import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/kubelet/api-server/json.js';
import { apiPod } from '../../../src/kubelet/hosts/virtual/pods.js';
import { parseScenario } from '../../../src/lab/scenario/file/load.js';
import type { LoadedScenario } from '../../../src/lab/scenario/file/loaded-scenario.js';
import { createScenarioPods } from '../../../src/lab/scenario/simulation/scenario-pods.js';
import { simulate } from '../../../src/lab/scenario/simulation/simulate.js';
import { simulationParts } from '../../../src/lab/scenario/simulation/simulation-parts.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();

/** A directory of the machine that no pod was given. */
function outside(): string {
  const directory = temporary();
  mkdirSync(join(directory, 'sub'));
  for (const name of ['secret', 'sub/secret']) {
    writeFileSync(join(directory, name), 'secret');
    chmodSync(join(directory, name), 0o600);
  }
  return directory;
}

/** What must be as before. */
const picture = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stat = statSync(join(directory, name));
      return [name, stat.mode & 0o777, stat.isFile() && readFileSync(join(directory, name), 'utf8')];
    });

/** Ends with 0 if it finds nothing of the machine, which it also tries to change. */
const SCRIPT = [
  'echo x > /files/planted; echo x > /files/secret/planted; chmod 777 /files/secret /files',
  'mkdir -p /files/new; rm -r /files/sub',
  '! grep -r secret /files',
].join('; ');

interface Case {
  readonly volume: (directory: string) => object;
  readonly mount?: object;
  readonly init?: boolean;
}

const at = (path: string, type?: string) => (directory: string) => ({
  hostPath: { path: `${directory}${path}`, ...(type && { type }) },
});

const cases: Readonly<Record<string, Case>> = {
  'a directory': { volume: at('') },
  'a directory, in an init container': { volume: at(''), init: true },
  'a file': { volume: at('/secret', 'File') },
  'a file that is made': { volume: at('/made', 'FileOrCreate') },
  'a directory that is there': { volume: at('', 'Directory') },
  'a directory that is made': { volume: at('/made', 'DirectoryOrCreate') },
  'a part, by subPath': { volume: at(''), mount: { subPath: 'sub' } },
  'a part that is made': { volume: at(''), mount: { subPath: 'made/deep' } },
  'a part, by an expression': { volume: at(''), mount: { subPathExpr: '$(WAY)' } },
  'a directory next to another kind': { volume: (given) => ({ ...at('')(given), emptyDir: {} }) },
  'a disk of drivers': {
    volume: (path) => ({ flexVolume: { driver: 'any/driver', options: { path } } }),
  },
};

function manifestOf({ volume, mount = {}, init = false }: Case, directory: string) {
  const container = (name: string, isReader: boolean) => ({
    name,
    image: 'busybox:1',
    command: ['sh', '-c', isReader ? SCRIPT : 'true'],
    env: [{ name: 'WAY', value: 'sub' }],
    volumeMounts: [{ name: 'files', mountPath: '/files', ...mount }],
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'host' },
    spec: {
      restartPolicy: 'Never',
      volumes: [{ name: 'files', ...volume(directory) }],
      initContainers: init ? [container('init', true)] : [],
      containers: [container('app', !init)],
    },
  };
}

const scenarioOf = (manifest: object, isStatic: boolean) =>
  parseScenario(
    JSON.stringify({
      version: 1,
      pods: [{ manifest, ...(isStatic && { static: true }) }],
      until: '30s',
    }),
    'scenario.yaml',
  );

const kinds = [
  ['of the API', false],
  ['of a file', true],
] as const;

test.each(
  kinds.flatMap(([kind, isStatic]) =>
    Object.entries(cases).map(([name, each]) => [kind, name, each, isStatic] as const),
  ),
)('a simulated pod %s reaches no file of the machine: %s', async (_, __, each, isStatic) => {
  const directory = outside();
  const before = picture(directory);
  const scenario = await scenarioOf(manifestOf(each, directory), isStatic);
  const { rows } = await simulate({ ...simulationParts, scenario });
  expect(picture(directory)).toEqual(before);
  expect(rows.at(-1)).toMatchObject({ status: 'Completed' });
});

test.each(kinds)('no path of the machine reaches a kubelet program from a pod %s', async (_, isStatic) => {
  for (const each of Object.values(cases)) {
    const directory = outside();
    const [given, ...more] = await givenOf(await scenarioOf(manifestOf(each, directory), isStatic));
    expect(more).toEqual([]);
    expect(given?.spec.volumes).toEqual([{ name: 'files', emptyDir: {} }]);
    expect(JSON.stringify(given)).not.toContain(directory);
  }
});

/** What a program gets of the pods: manifests, or objects of the API. */
async function givenOf(scenario: LoadedScenario): Promise<Json[]> {
  const nothing = () => {};
  const ends = {
    status: () => undefined,
    isOver: () => false,
    ended: nothing,
    deleted: nothing,
    gone: nothing,
  };
  const pods = createScenarioPods(scenario, () => 0n, ends);
  for (const pod of scenario.pods) pods.add(pod);
  const given: Json[] = [];
  pods.start((all) => {
    for (const pod of all) {
      const manifest = JSON.parse(pods.manifestOf(pod));
      given.push(pod.source === 'file' ? manifest : apiPod(pod, manifest));
    }
  });
  return given;
}
