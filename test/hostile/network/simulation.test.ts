import { type AddressInfo, createServer, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseScenario } from '../../../src/lab/scenario/file/load.js';
import { simulate } from '../../../src/lab/scenario/simulation/simulate.js';
import { simulationParts } from '../../../src/lab/scenario/simulation/simulation-parts.js';
import { inUrl } from '../../support/network/spellings.js';

/** A server of this machine that takes connections and says nothing: everyone who waits for it waits forever. */
const mute = createServer(() => connections++);
let port = 0;
let connections = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => mute.listen(0, '::', resolve));
  ({ port } = mute.address() as AddressInfo);
});
afterAll(() => void mute.close());

/** One of each kind: `machine.test.ts` has all of them. */
const hosts = [
  ...[
    'localhost',
    '127.0.0.1',
    '0x7f.1',
    '0.0.0.0',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
  ],
  ...Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)),
];

/** One pod for each host: commands, probes of each kind, and hooks. */
const podOf = (host: string, index: number) => {
  const httpGet = { host, port, path: '/' };
  const command = [
    'sh',
    '-c',
    `wget -qO- http://${inUrl(host)}:${port}; nc ${host} ${port} </dev/null; sleep 1000`,
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}` },
    spec: {
      hostNetwork: index % 2 === 0,
      ...(isIP(host) !== 0 && { hostAliases: [{ ip: host, hostnames: ['here'] }] }),
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'tcp',
          image: 'busybox:1',
          command,
          livenessProbe: { tcpSocket: { host, port }, periodSeconds: 1 },
          lifecycle: { postStart: { httpGet }, preStop: { httpGet } },
        },
        {
          name: 'http',
          image: 'busybox:1',
          command: ['sh', '-c', `nc -w 5 here ${port}; curl -s http://here:${port}; sleep 1000`],
          readinessProbe: { httpGet, periodSeconds: 1 },
          startupProbe: { grpc: { port }, periodSeconds: 1 },
        },
      ],
    },
  };
};

test('a simulation connects to nothing on this machine, and waits for nothing there', async () => {
  const pods = hosts.map((host, index) => ({ manifest: podOf(host, index) }));
  const scenario = await parseScenario(JSON.stringify({ version: 1, pods, until: '5s' }), 'scenario.yaml');
  const { rows, events } = await simulate({ ...simulationParts, scenario });
  expect(connections).toBe(0);
  expect(new Set(rows.map(({ pod }) => pod)).size).toBe(hosts.length);
  expect(events.some(({ reason }) => reason === 'FailedPostStartHook')).toBe(true);
});
