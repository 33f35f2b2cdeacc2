import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startMockri } from '../../../src/testing/index.js';

const strict = 'failed to connect to port 81 inside the pod: connection refused';
const REFUSED = 'connect: connection refused';

/** `answer` is what a client gets that chooses only what Kubernetes specifies and no runtime's server has. */
const runtimes = [
  { profile: 'strict', answer: 101, text: () => strict },
  {
    profile: 'containerd-2.4',
    answer: 403,
    text: (id: string) =>
      `localhost:81 inside namespace "${id}", IPv4: dial tcp4 127.0.0.1:81: ${REFUSED} IPv6 dial tcp6 [::1]:81: ${REFUSED}`,
  },
  {
    profile: 'cri-o-1.36',
    answer: 403,
    text: (id: string) =>
      `failed to connect to localhost:81 inside namespace ${id}: dial tcp [::1]:81: ${REFUSED}`,
  },
  { profile: 'cri-dockerd-0.4', answer: 403, text: () => 'AF=2 127.0.0.1:81, 16): Connection refused' },
] as const;

/** cri-dockerd's URLs have no scheme. */
const address = ({ url }: { readonly url: string }): string => url.replace(/^(http:)?/, 'http:');

/** The status of an upgrade to WebSocket with one subprotocol, and the text of a refusal: real runtimes send none. */
const statusOf = (url: string, protocol: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      'Sec-WebSocket-Protocol': protocol,
    };
    const call = request(url, { headers });
    call.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(`${statusCode}`);
    });
    call.once('response', async (response) => resolve(`${response.statusCode}${await text(response)}`));
    call.once('error', reject).end();
  });

/** What stands on the error channel of a port that is forwarded over WebSocket. */
const errorOf = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'v4.channel.k8s.io');
    let text = '';
    // Each channel begins with the port, in two bytes.
    let isFirst = true;
    socket.on('message', (message: Buffer) => {
      if (message[0] !== 1) return;
      if (!isFirst) text += message.subarray(1);
      isFirst = false;
    });
    socket.once('close', () => resolve(text));
    socket.once('error', reject);
  });

test.each(runtimes)(
  '$profile: subprotocols of WebSocket, and a port at which nothing listens',
  async (runtime) => {
    const { profile, answer, text: refused } = runtime;
    await using mockri = await startMockri({ profile, latency: 'none', referee: 'off' });
    const { client } = mockri;
    await client.pullImage({ image: { image: 'busybox' } });
    const metadata = { name: 'web', namespace: 'default', uid: 'u', attempt: 0 };
    const sandboxConfig = { metadata, linux: {} };
    const { podSandboxId } = await client.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await client.createContainer({
      podSandboxId,
      sandboxConfig,
      config: {
        metadata: { name: 'c', attempt: 0 },
        image: { image: 'busybox' },
        command: ['sleep', '1000'],
      },
    });
    await client.startContainer({ containerId });
    const command = { containerId, cmd: ['true'], stdout: true };
    expect(await statusOf(address(await client.exec(command)), 'v4.channel.k8s.io')).toBe('101');
    expect(await statusOf(address(await client.exec(command)), 'v5.channel.k8s.io')).toBe(`${answer}`);
    const forward = { podSandboxId, port: [81] };
    const tunnel = 'SPDY/3.1+portforward.k8s.io';
    expect(await statusOf(address(await client.portForward(forward)), tunnel)).toBe(`${answer}`);
    expect((await client.exec(command)).url.includes('/cri/exec/')).toBe(profile === 'cri-dockerd-0.4');
    const message = await errorOf(address(await client.portForward(forward)));
    expect(message).toContain(`error forwarding port 81 to pod ${podSandboxId}, uid : `);
    expect(message).toContain(refused(podSandboxId));
  },
);
