import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createApiObjects } from './objects.js';
import { answerRequest } from './requests.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

test.each([
  ['GET', '/api/v1/nodes/mock-node', 404, 'nodes "mock-node" not found'],
  ['PATCH', '/api/v1/namespaces/default/pods/web/status', 404, 'pods "web" not found'],
  ['GET', '/apis/storage.k8s.io/v1/csinodes/mock-node', 404, 'csinodes.storage.k8s.io "mock-node" not found'],
  ['POST', LEASES, 409, 'leases.coordination.k8s.io "mock-node" already exists'],
])('%s %s is refused in the words of an API server', (method, path, code, message) => {
  const objects = createApiObjects();
  objects.put(`${LEASES}/mock-node`, { metadata: { name: 'mock-node' } });
  const body = { metadata: { name: 'mock-node' } };
  const answer = () => answerRequest(objects, createVirtualClock(), { method, path, body });
  expect(answer).toThrow(expect.objectContaining({ code, message }));
});
