import { expect, test } from 'vitest';
import { apiPod } from '../../src/kubelet/hosts/virtual/pods.js';
import { parseScenario } from '../../src/lab/scenario/file/load.js';
import { readEntry } from '../../src/lab/scenario/file/pods.js';

/** What a kubelet program gets of a pod with these fields. */
async function givenOf(spec: object) {
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
  const text = JSON.stringify({ version: 1, pods: [{ manifest }], until: '1s' });
  const scenario = await parseScenario(text, 'scenario.yaml');
  const { pods, objects } = readEntry(scenario, scenario.pods[0] as (typeof scenario.pods)[0]);
  const [pod] = pods;
  if (pod === undefined) throw new Error('there is no pod');
  return apiPod(pod, JSON.parse(JSON.stringify(objects.get(pod.metadata.uid)))).spec;
}

test('a kubelet program gets the defaults of the API server, without which it refuses a pod', async () => {
  const name = { path: 'name', fieldRef: { fieldPath: 'metadata.name' } };
  const { volumes, containers } = await givenOf({
    volumes: [
      { name: 'own', downwardAPI: { items: [name] } },
      { name: 'several', projected: { sources: [{ downwardAPI: { items: [name] } }] } },
      { name: 'given', projected: { sources: [], defaultMode: 0o400 } },
    ],
    containers: [
      { name: 'app', image: 'busybox:1', env: [{ name: 'NAME', valueFrom: { fieldRef: name.fieldRef } }] },
    ],
  });
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.name' };
  const items = [{ path: 'name', fieldRef }];
  expect(volumes).toMatchObject([
    { name: 'own', downwardAPI: { defaultMode: 0o644, items } },
    { name: 'several', projected: { defaultMode: 0o644, sources: [{ downwardAPI: { items } }] } },
    { name: 'given', projected: { defaultMode: 0o400 } },
  ]);
  expect(containers[0].env).toEqual([{ name: 'NAME', value: '', valueFrom: { fieldRef } }]);
});
