import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { containerAnnotations } from './labels.js';

test('ports and preStop are written as Go encodes them', () => {
  const httpGet = { path: '/', port: 80, scheme: 'HTTP', httpHeaders: [] } as const;
  const container = aContainer({
    ports: [{ name: 'web', containerPort: 80, hostPort: 8080, protocol: 'TCP' }],
    lifecycle: { preStop: { httpGet } },
  });
  expect(containerAnnotations(aPod(), container, 'abc', 2)).toMatchObject({
    'io.kubernetes.container.ports': '[{"name":"web","hostPort":8080,"containerPort":80,"protocol":"TCP"}]',
    'io.kubernetes.container.preStopHandler': '{"httpGet":{"path":"/","port":80,"scheme":"HTTP"}}',
  });
});
