import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { createRandom } from '../../../base/random/random.js';
import { createApiClient } from '../../../cluster/api/api-client.js';
import { fixedCredentials } from '../../../cluster/api/credentials.js';
import { openCluster } from '../../../cluster/cluster.js';
import { kubeletSettings } from '../../../kubelet/hosts/settings.js';
import { runtimeProfiles } from '../../../runtime/profiles/index.js';
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
  readonly said: (node: string, line: string) => void;
}

export interface ThinNodes {
  /** Their kubelets; a killed one leaves its containers. */
  readonly programs: ReadonlyMap<string, Program>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const CAPACITY = { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '200Gi' };
const LIMITS = { qps: 500, burst: 1000, inFlight: 8 };

/** Nodes in this process. The API server knows them by the tokens that their proxies add. */
export async function openThinNodes(options: ThinNodesOptions): Promise<ThinNodes> {
  const { clock, urls, version, seed, directory: root, said } = options;
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
    ...{ ip: '10.1.0.1', port: 0, kubeletVersion: `v${version}.0` },
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
    nodes: [...urls.keys()].map((name) => ({ name, settings })),
    kubelet: kubeletSettings({ version }),
    memory: { unknownImages: 'run' },
    runtimeProfile: runtimeProfiles['containerd-2.3'],
    log: (line) => said('nodes', line),
    detail: said,
  });
  return {
    programs: new Map(
      [...nodes.nodes].map(([name, { startKubelet, stopKubelet }]) => [
        name,
        { start: () => void clock.run(startKubelet), kill: async () => stopKubelet() },
      ]),
    ),
    start: nodes.start,
    close: async () => {
      for (const each of clients.values()) each.close();
      await nodes.close();
    },
  };
}
