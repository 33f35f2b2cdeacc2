import { afterEach, expect, test } from 'vitest';
import { selfSigned } from '../../src/base/certificates/keyed-certificate.js';
import type { VirtualClock } from '../../src/base/clock/virtual-clock.js';
import { ApiError } from '../../src/cluster/api/api-error.js';
import { nodeSubject } from '../../src/cluster/certificates/node-identities.js';
import { clusterRig, podOf } from '../support/cluster/cluster-rig.js';
import type { FakeApi } from '../support/cluster/fake-api.js';

const { setup, close } = clusterRig();
afterEach(close);

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;

interface Csr {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly signerName: string; readonly usages: readonly string[] };
  readonly status?: object;
}

interface Control {
  /** Default: true. */
  readonly issue?: boolean;
  /** Of a certificate, in ms. */
  readonly life?: number;
}

/** What the controllers of a cluster do with requests: approve them, and issue a certificate. */
const control =
  ({ issue = true, life = YEAR }: Control = {}) =>
  (api: FakeApi, clock: VirtualClock): void =>
    api.onAdded(REQUESTS, ({ metadata, spec }) => {
      const [, node = ''] = /^mockri-(.*)-\d+$/.exec(metadata.name) ?? [];
      const now = Number(clock.now() / 1_000_000n);
      const { cert } = selfSigned(nodeSubject(node), now + life - YEAR);
      const certificate = Buffer.from(cert).toString('base64');
      const status = { conditions: [{ type: 'Approved' }], ...(issue && { certificate }) };
      api.put(REQUESTS, { metadata: { ...metadata }, spec, status });
    });

/** Requests of a user, without those that repeat. */
const asked = ({ requests, users }: FakeApi, user: string) =>
  [...new Set(requests.filter((_, index) => users[index] === user))].map((line) =>
    line.replace(/(\/mockri-.*)-\d+/, '$1'),
  );

test('each node is its own user: it sees only itself, and the account only requests certificates', async () => {
  const { clock, api } = await setup({
    nodes: ['mock-0', 'mock-1'],
    identity: 'node',
    beforeStart: control(),
  });
  api.put('/api/v1/namespaces/default/secrets', {
    metadata: { name: 'password', namespace: 'default' },
    data: { password: 'c2VjcmV0' },
  });
  const env = [{ name: 'P', valueFrom: { secretKeyRef: { name: 'password', key: 'password' } } }];
  const containers = [{ name: 'app', image: 'busybox:1', command: ['sleep', '1000'], env }];
  api.put('/api/v1/namespaces/default/pods', podOf('web', { nodeName: 'mock-1', containers }));
  const requests = api.all(REQUESTS) as unknown as Csr[];
  expect(requests.map(({ spec }) => [spec.signerName, spec.usages])).toEqual(
    Array(2).fill(['kubernetes.io/kube-apiserver-client-kubelet', ['digital signature', 'client auth']]),
  );
  await clock.advance(20_000);
  expect(asked(api, 'account')).toEqual([
    'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
    ...[`POST ${REQUESTS}`, `GET ${REQUESTS}`, `WATCH ${REQUESTS}`],
  ]);
  expect(asked(api, 'nobody')).toEqual([]);
  const second = asked(api, 'system:node:mock-1');
  expect(second).toContain('POST /api/v1/nodes');
  expect(second).toContain('WATCH /api/v1/pods?spec.nodeName=mock-1');
  expect(second).toContain('WATCH /api/v1/nodes?metadata.name=mock-1');
  expect(second).toContain('GET /api/v1/namespaces/default/secrets/password');
  expect(second).toContain('PATCH /api/v1/namespaces/default/pods/web/status');
  expect(second).toContain('POST /api/v1/namespaces/default/events');
  expect(asked(api, 'system:node:mock-0').filter((line) => /mock-1|secrets|web/.test(line))).toEqual([]);
  expect(api.get('/api/v1/namespaces/default/pods/web')?.status.phase).toBe('Running');
});

test('pods of other nodes stay when the pods of one node are listed again', async () => {
  const { clock, api, cluster } = await setup({
    nodes: ['mock-0', 'mock-1'],
    identity: 'node',
    beforeStart: control(),
  });
  api.put('/api/v1/namespaces/default/pods', podOf('a', { nodeName: 'mock-0' }));
  api.put('/api/v1/namespaces/default/pods', podOf('b', { nodeName: 'mock-1' }));
  await clock.advance(10_000);
  api.endWatches({ code: 410, message: 'too old' });
  await clock.advance(10_000);
  expect(cluster.pods).toBe(2);
  expect(cluster.nodes.get('mock-1')?.runtime.counts.containers.RUNNING).toBe(1);
});

test('a certificate is replaced before it expires, and the node asks for the next one itself', async () => {
  const { clock, api } = await setup({ identity: 'node', beforeStart: control({ life: 10 * MINUTE }) });
  const asks = () => api.users.filter((_, index) => api.requests[index] === `POST ${REQUESTS}`);
  await clock.advance(6 * MINUTE);
  expect(asks()).toEqual(['account']);
  await clock.advance(4 * MINUTE);
  expect(asks()).toEqual(['account', 'system:node:mock-0']);
});

test('a request that is approved but not issued is reported after 30 s, with the option that avoids it', async () => {
  const { clock, log } = await setup({
    nodes: ['mock-0', 'mock-1'],
    identity: 'node',
    beforeStart: control({ issue: false }),
  });
  await clock.advance(20_000);
  expect(log).toEqual([]);
  await clock.advance(10_000);
  expect(log).toEqual([
    expect.stringMatching(
      /^2 CertificateSigningRequests, such as mockri-mock-0-\d+, are approved but not issued: .*\? --identity account does without$/,
    ),
  ]);
});

test('the account approves a pending request', async () => {
  const { api } = await setup({ identity: 'node' });
  const [request] = api.all(REQUESTS);
  expect(request?.status.conditions).toEqual([expect.objectContaining({ type: 'Approved', status: 'True' })]);
});

test('a request that is denied is reported, and sent again after a pause', async () => {
  const { clock, api, log } = await setup({
    identity: 'node',
    beforeStart: (fake) =>
      fake.onAdded(REQUESTS, ({ metadata, spec }) => {
        const status = { conditions: [{ type: 'Denied', message: 'not you' }] };
        fake.put(REQUESTS, { metadata: { ...metadata }, spec, status });
      }),
  });
  expect(log[0]).toMatch(
    /^certificate of node mock-0: CertificateSigningRequest mockri-mock-0-\d+ is Denied: not you$/,
  );
  await clock.advance(10 * MINUTE);
  const asks = api.requests.filter((line) => line === `POST ${REQUESTS}`).length;
  expect(asks).toBeGreaterThan(3);
  expect(asks).toBeLessThan(12);
});

test('an account that may not request certificates makes the start fail', async () => {
  const { clock, cluster } = await setup({
    identity: 'node',
    beforeStart: (api) => api.fail(new ApiError(403, 'Forbidden', 'User "x" cannot create resource')),
  });
  await clock.advance(1000);
  await expect(cluster.registered).rejects.toThrow(
    /User "x" cannot create resource; bind the account to the ClusterRole system:node-bootstrapper, or use --identity account/,
  );
});

test('an account that may not ask for the rights of nodes leaves the question to the node', async () => {
  const { clock, api, cluster } = await setup({
    nodes: ['mock-0'],
    identity: 'node',
    beforeStart: (fake, time) => {
      fake.forbid('/subjectaccessreviews');
      fake.refuseNodes();
      control()(fake, time);
    },
  });
  const ended = cluster.registered.catch((error: unknown) => String(error));
  await clock.advance(2000);
  expect(await ended).toMatch(/system:node:mock-0 may not create nodes: .*--identity account/);
  expect(api.requests.filter((line) => line.endsWith('/selfsubjectaccessreviews'))).toHaveLength(2);
});

test.each([
  ['as in envtest, which issues no certificates', () => {}],
  ['with a controller manager', control()],
])(
  'without the Node authorizer, %s, the start ends within a second, and says what helps',
  async (_, controlled) => {
    const { clock, api, cluster, log } = await setup({
      nodes: ['mock-0', 'mock-1'],
      identity: 'node',
      beforeStart: (fake, time) => {
        fake.refuseNodes();
        controlled(fake, time);
      },
    });
    const ended = cluster.registered.catch((error: unknown) => String(error));
    await clock.advance(1000);
    expect(await ended).toMatch(/system:node:mock-0 may not create nodes: .*--identity account/);
    expect(api.requests.filter((line) => line.endsWith('/subjectaccessreviews'))).toHaveLength(2);
    expect(log).toEqual([]);
  },
);
