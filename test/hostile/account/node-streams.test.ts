import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { selfSigned } from '../../../src/base/certificates/keyed-certificate.js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { openAccounts } from '../../../src/base/input/account.js';
import { createRandom } from '../../../src/base/random/random.js';
import { nodeSubject } from '../../../src/cluster/certificates/node-identities.js';
import { startKubeletServer } from '../../../src/cluster/kubelet-server/server.js';
import { openNode } from '../../../src/cluster/node/open-node.js';
import { createNodeFiles } from '../../../src/kubelet/disk/node-files.js';
import { kubeletSettings } from '../../../src/kubelet/hosts/settings.js';
import { parseManifest } from '../../../src/kubelet/pods/manifest.js';
import { eventually } from '../../support/eventually.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();

const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: {name: web, uid: u1}
spec: {containers: [{name: app, image: "busybox:1", command: [sleep, "3600"]}]}
`;

it('unread bytes of sessions with a mock node’s kubelet count as memory of the node', async () => {
  const clock = createRealClock();
  const accounts = openAccounts(4 * 1024 * 1024);
  const root = temporary();
  const { pods } = parseManifest(MANIFEST, 'pod.yaml', { nodeName: 'mock-1', now: clock.now() });
  const node = await openNode({
    ...{ name: 'mock-1', clock, accounts, random: createRandom(1), settings: kubeletSettings() },
    files: createNodeFiles({ rootDir: root, podLogsDir: join(root, 'logs') }),
    podSource: {
      start: (deliver) => {
        deliver(pods);
        return () => {};
      },
    },
  });
  const server = startKubeletServer({
    ...{ clock, host: '127.0.0.1', log: () => {}, access: { kind: 'anonymous' } },
    tls: selfSigned(nodeSubject('mock-1', ['127.0.0.1']), Number(clock.now() / 1_000_000n)),
  });
  onTestFinished(async () => {
    await Promise.all([server.close(), node.close()]);
  });
  const port = await server.listen(0);
  server.serve(port, node);
  await node.startKubelet();
  await eventually(() => node.pods()[0]?.status?.phase).toBe('Running');
  const open = async () => {
    const path = 'exec/default/web-mock-1/app?command=cat&input=1&output=1';
    const socket = new WebSocket(`wss://127.0.0.1:${port}/${path}`, 'v4.channel.k8s.io', {
      rejectUnauthorized: false,
    });
    socket.on('error', () => {});
    await once(socket, 'open');
    return socket;
  };
  const [first, second] = [await open(), await open()];
  const half = Buffer.alloc(700_000);
  first.send(half, { fin: false });
  await eventually(() => accounts.streams.used).toBeGreaterThanOrEqual(half.length);
  second.send(half, { fin: false });
  await once(second, 'close');
  expect(first.readyState).toBe(WebSocket.OPEN);
  first.terminate();
  await eventually(() => accounts.streams.used).toBe(0);
});
