import { expect, test } from 'vitest';
import { createServices } from '../../../kubelet/hosts/services.js';
import { parseScenario } from '../file/load.js';
import { apiObjectsOf } from './scenario-objects.js';

const SCENARIO = `
version: 1
until: 10s
objects:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {color: blue}, binaryData: {bytes: //8=}}
  - {apiVersion: v1, kind: Secret, metadata: {name: login, namespace: shop}, stringData: {user: ann}}
  - {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
pods:
  - manifest:
      apiVersion: v1
      kind: Pod
      metadata: {name: app}
      spec:
        containers:
          - name: app
            image: busybox
            env: [{name: KEY, valueFrom: {secretKeyRef: {name: missing, key: token}}}]
            envFrom: [{configMapRef: {name: settings}}]
`;

test('an API server has the objects of a scenario, addresses of Services, and placeholders for what is missing', async () => {
  const scenario = await parseScenario(SCENARIO, 'scenario.yaml');
  const services = createServices(
    () => scenario.objects.filter((object) => object.kind === 'Service'),
    () => [],
  );
  const objects = Object.fromEntries(apiObjectsOf(scenario, services));
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  expect(objects).toMatchObject({
    '/api/v1/namespaces/default/configmaps/settings': {
      data: { color: 'blue' },
      binaryData: { bytes: '//8=' },
    },
    '/api/v1/namespaces/shop/secrets/login': { kind: 'Secret', data: { user: base64('ann') } },
    '/api/v1/namespaces/default/secrets/missing': { data: { token: base64('placeholder') } },
    '/api/v1/namespaces/default/services/web': { spec: { clusterIP: '10.96.1.0' } },
  });
});
