import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { createRandom } from '../../../base/random/random.js';
import { createApiClient } from '../../../cluster/api/api-client.js';
import { fixedCredentials } from '../../../cluster/api/credentials.js';
import { openCluster } from '../../../cluster/cluster.js';
import {
  type KubeletServer,
  NO_PORT,
  startKubeletServer,
  type TlsMaterial,
} from '../../../cluster/kubelet-server/server.js';
import { kubeletSettings } from '../../../kubelet/hosts/settings.js';
import { runtimeProfiles } from '../../../runtime/profiles/index.js';
import { loadSessions } from '../../../runtime/streaming/server.js';
import type { Reach } from './egress.js';
import type { Program } from './program.js';

export interface ThinNodesOptions {
  readonly clock: VirtualClock;
  /** Addresses of the API server, by the names of the nodes. */
  readonly urls: ReadonlyMap<string, string>;
  /** Of Kubernetes, such as `1.37`. */
  readonly version: string;
  readonly seed: number;
  /** For logs of containers. */
  readonly directory: string;
  /** Of their kubelet servers. */
  readonly tls: TlsMaterial;
  readonly said: (node: string, line: string) => void;
}

export interface ThinNodes {
  /** Their kubelets; a killed one leaves its containers. */
  readonly programs: ReadonlyMap<string, Program>;
  /** Their kubelet servers, for logs, exec and the like. */
  readonly reach: Reach;
  start(): Promise<void>;
  close(): Promise<void>;
}

const KUBELET_PORT = 10_250;
const CAPACITY = { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '200Gi' };
const LIMITS = { qps: 500, burst: 1000, inFlight: 8 };

const addressOf = (index: number): string => `10.1.0.${index + 1}`;

/** Nodes in this process. The API server knows them by the tokens that their proxies add. */
export async function openThinNodes(options: ThinNodesOptions): Promise<ThinNodes> {
  const { clock, urls, version, seed, directory: root, tls, said } = options;
  const clients = new Map(
    [...urls].map(([name, url]) => {
      const server = new URL(url);
      const dial = () => clock.loopback.connect(server.hostname, Number(server.port));
      const connection = { server, dial, insecure: false, credentials: fixedCredentials({}) };
      return [name, createApiClient(connection, LIMITS, clock)] as const;
    }),
  );
  const [[node, client] = []] = clients;
  if (node === undefined || client === undefined) throw new Error('there are no nodes');
  const settings = {
    ...{ labels: {}, annotations: {}, taints: [], capacity: CAPACITY, allocatable: {} },
    ...{ port: KUBELET_PORT, withoutHostname: true, kubeletVersion: `v${version}.0` },
    ...{ osImage: 'Mockri', kernelVersion: '6.12.0-mockri', architecture: 'amd64' },
  };
  const nodes = await openCluster({
    ...{ clock, apiClock: clock, random: createRandom(seed), root },
    identities: {
      kind: 'node',
      clientOf: (name) => clients.get(name) ?? client,
      ready: async () => {},
      first: Promise.resolve({ node, client }),
    },
    nodes: [...urls.keys()].map((name, index) => ({ name, settings: { ...settings, ip: addressOf(index) } })),
    kubelet: kubeletSettings({ version }),
    memory: { unknownImages: 'run' },
    runtimeProfile: runtimeProfiles['containerd-2.3'],
    log: (line) => said('nodes', line),
    detail: said,
  });
  // Loading them takes no virtual time.
  await loadSessions();
  const servers = new Map<string, KubeletServer>(
    [...nodes.nodes].map(([name, node], index) => {
      const log = (line: string) => said(name, line);
      // Only the API server reaches it.
      const server = startKubeletServer({ clock, host: '', tls, access: { kind: 'anonymous' }, log });
      server.serve(NO_PORT, node);
      return [`${addressOf(index)}:${KUBELET_PORT}`, server] as const;
    }),
  );
  return {
    reach: (address) => servers.get(address)?.accept,
    programs: new Map(
      [...nodes.nodes].map(([name, { startKubelet, stopKubelet }]) => [
        name,
        { start: () => void clock.run(startKubelet), kill: async () => stopKubelet() },
      ]),
    ),
    start: nodes.start,
    close: async () => {
      for (const each of clients.values()) each.close();
      await Promise.all([...servers.values()].map((server) => server.close()));
      await nodes.close();
    },
  };
}
