import { expect, test } from 'vitest';
import { parseScenario } from '../file/load.js';
import { parseVaried } from './field.js';
import { placesOf } from './places.js';
import { ownValues, toValue, variedScenarios } from './vary.js';

test.each([
  ['runtime latency', ['latency'], undefined],
  ['latency.pull=1s,1m', ['latency', 'pull'], ['1s', '1m']],
  ['behaviors.app=exit=1,after=2s|run', ['behaviors', 'app'], ['exit=1,after=2s', 'run']],
])('%s', (text, path, values) => {
  expect(parseVaried(text)).toMatchObject({ path, values });
});

test.each(['', '=1', 'seed=', 'seed=1,,2'])('%j is refused', (text) => {
  expect(() => parseVaried(text)).toThrow('expected');
});

const written = () => ({
  pods: ['web', 'db'].map((name) => ({
    manifest: {
      metadata: { name },
      spec: {
        containers: [
          { name: 'app', readinessProbe: { periodSeconds: 5 } },
          { name: 'side', livenessProbe: { timeoutSeconds: 2 } },
        ],
      },
    },
  })),
});
const count = (path: string) => placesOf(written(), path.split('.')).length;

test('a path names a field wherever it is; pods and containers go by their names', () => {
  expect(count('periodSeconds')).toBe(2);
  expect(count('web.app.readinessProbe.periodSeconds')).toBe(1);
  expect(count('db.periodSeconds')).toBe(1);
  expect(count('side.timeoutSeconds')).toBe(2);
});

test('a field that is not written has its place where the word before it stands', () => {
  expect(count('livenessProbe.periodSeconds')).toBe(2);
  expect(count('terminationGracePeriodSeconds')).toBe(2);
  expect(count('imagePullPolicy')).toBe(4);
  expect(count('noSuchField')).toBe(0);
  expect(count('web.spec.terminationGracePeriodSeconds')).toBe(1);
  const scenario = {};
  expect(placesOf(scenario, ['kubelet', 'config', 'syncFrequency'])).toHaveLength(1);
  expect(placesOf({ latency: 'none' }, ['latency', 'pull'])).toEqual([]);
});

test.each(['kubelet.__proto__.maxPods', 'kubelet.__proto__', 'app.__proto__', 'toString'])(
  'what all objects have is no field: %s',
  (path) => {
    expect(count(path)).toBe(0);
    expect(Object.hasOwn(Object.prototype, 'maxPods')).toBe(false);
  },
);

test('too many combinations are refused before any of them is made', async () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
  const spec = { containers: [{ name: 'app', image: 'nginx:1' }] };
  const written = { version: 1, pods: [{ manifest: { ...pod, spec } }], until: '1m' };
  const scenario = await parseScenario(JSON.stringify(written), 'web.yaml');
  const noTimes = Array.from({ length: 50 }, (_, index) => index + 1).join();
  const fields = [parseVaried(`until=${noTimes}`), parseVaried('seed=1,2,3')];
  await expect(variedScenarios(scenario, fields)).rejects.toThrow(
    '--vary: 150 combinations of values; at most 100 are supported',
  );
});

test('without values, there are the choices, or half and twice', () => {
  expect(ownValues(['latency'], undefined)).toEqual(['none', 'profile']);
  expect(ownValues(['readinessProbe', 'periodSeconds'], 10)).toEqual(['5', '10', '20']);
  expect(ownValues(['readinessProbe', 'periodSeconds'], 1)).toEqual(['1', '2']);
  expect(ownValues(['latency', 'pull'], '10s')).toEqual(['5s', '10s', '20s']);
  expect(ownValues(['image'], 'nginx:1')).toBeUndefined();
});

test('a version stays text', () => {
  expect(toValue(['kubelet', 'version'], undefined, '1.30')).toBe('1.30');
  expect(toValue(['periodSeconds'], 10, '5')).toBe(5);
});
