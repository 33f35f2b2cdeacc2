import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { podText } from '../../tape/pod-text.js';
import { loadSubject } from '../explore/subject/subject.js';
import type { LoadedScenario } from '../scenario/file/loaded-scenario.js';
import { readPods } from '../scenario/file/pods.js';
import { readLines } from './read/read-lines.js';
import { whosePods } from './whose-pods.js';

const directory = useTemporaryDirectory();
const spec = { containers: [{ name: 'app', image: 'registry.example/app:1' }] };
const apps: Readonly<Record<string, string>> = { Job: 'batch/v1', Pod: 'v1' };

/** The scenario of one object that makes pods. */
function scenarioOf(kind: string, name: string, replicas?: number): Promise<LoadedScenario> {
  const selector = { matchLabels: { app: name } };
  const template = {
    metadata: { labels: { app: name } },
    spec: { ...spec, ...(kind === 'Job' && { restartPolicy: 'Never' }) },
  };
  const own =
    kind === 'Pod'
      ? spec
      : kind === 'Job'
        ? { template }
        : { selector, template, ...(kind === 'StatefulSet' && { serviceName: name, replicas: 3 }) };
  const object = { apiVersion: apps[kind] ?? 'apps/v1', kind, metadata: { name }, spec: own };
  const file = join(directory, `${kind}.json`);
  writeFileSync(file, JSON.stringify(object));
  return loadSubject([file], { replicas });
}

const table = (...names: string[]) =>
  readLines(
    ['NAME READY STATUS RESTARTS AGE', ...names.map((name) => `${name} 1/1 Running 0 9s`)].join('\n'),
    'rows.txt',
  );

const podsIn = (scenario: LoadedScenario) =>
  scenario.pods.flatMap((pod) => readPods(scenario, pod).map(({ metadata }) => podText(metadata)));

test.each([
  [
    'Deployment',
    ['app-5d4f8c7b9d-x2lmn', 'app-5d4f8c7b9d-kq7zp'],
    ['redis-6c9b48d5f7-7xq2v', 'app-cache-6c9b48d5f7-7xq2v'],
  ],
  ['ReplicaSet', ['app-x2lmn'], ['app-5d4f8c7b9d-x2lmn']],
  ['StatefulSet', ['app-0', 'app-2'], ['app-x2lmn', 'app-backup-0']],
  ['DaemonSet', ['app-x2lmn'], ['app-1']],
  ['Job', ['app-x2lmn'], ['app-aeiou']],
  ['Pod', ['app'], ['app-5d4f8c7b9d-x2lmn', 'web']],
])('of a %s, %j are its pods, and %j are not', async (kind, own, others) => {
  const found = whosePods(await scenarioOf(kind, 'app'), [table(...others, ...own)]);
  expect(podsIn(found.scenario).sort()).toEqual([...own].sort());
  expect(found.others).toEqual(others);
  expect(found.saw.flat().map((each) => 'pod' in each && each.pod)).toEqual(own);
});

test('--pod says which replica is meant, also by a name that no controller makes', async () => {
  const seen = [table('db-0', 'db-1', 'mongo-a')];
  expect(podsIn(whosePods(await scenarioOf('StatefulSet', 'db'), seen, ['db-1']).scenario)).toEqual(['db-1']);
  expect(podsIn(whosePods(await scenarioOf('StatefulSet', 'db'), seen, ['mongo-a']).scenario)).toEqual([
    'mongo-a',
  ]);
});

test('with --replicas the pods that nobody saw are there, too', async () => {
  const { scenario } = whosePods(await scenarioOf('StatefulSet', 'db', 3), [table('db-1')]);
  expect(podsIn(scenario)).toEqual(['db-1', 'db-0', 'db-2']);
});

test('a table of other pods alone is refused with their names, and so is a --pod that nobody saw', async () => {
  const scenario = await scenarioOf('Deployment', 'web');
  expect(() => whosePods(scenario, [table('redis-0', 'mysql-0')])).toThrow(/redis-0, mysql-0.*--pod NAME/s);
  expect(() => whosePods(scenario, [table('redis-0')], ['web-1'])).toThrow(
    /--pod: nothing was seen of web-1/,
  );
});

test('a description with a namespace and a table without one are about the same pod', async () => {
  const text =
    'Name: web\nNamespace: apps\nContainers:\n  app:\n    State: Running\n    Ready: True\n    Restart Count: 0\n';
  const found = whosePods(await scenarioOf('Pod', 'web'), [table('web'), readLines(text, 'describe.txt')]);
  expect(found.others).toEqual([]);
});
