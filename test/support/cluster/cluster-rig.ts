import type { z } from 'zod';
import type { Clock } from '../../../src/base/clock/clock.js';
import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { openYaml } from '../../../src/base/input/yaml.js';
import { createRandom } from '../../../src/base/random/random.js';
import { createBehaviorRules } from '../../../src/cluster/behaviors/rules.js';
import { accountForAll, createNodeIdentities } from '../../../src/cluster/certificates/node-identities.js';
import { createSigner } from '../../../src/cluster/certificates/signer.js';
import { type Cluster, openCluster } from '../../../src/cluster/cluster.js';
import { type NodesControlled, nodeControlRoutes } from '../../../src/cluster/control-routes.js';
import { createNodeFaults } from '../../../src/cluster/faults/node-faults.js';
import type { NodeSettings } from '../../../src/cluster/node/node-settings.js';
import { recordNodes } from '../../../src/cluster/record-nodes.js';
import { kubeletSettings } from '../../../src/kubelet/hosts/settings.js';
import { type ControlRequest, findRoute } from '../../../src/runtime/control/router.js';
import { createNodeTapes, type NodeTapes } from '../../../src/tape/node-tapes.js';
import { useTemporaryDirectories } from '../temporary.js';
import { createFakeApi, type FakeApi } from './fake-api.js';

/** Path of the pods of the tests. */
export const PODS = '/api/v1/namespaces/default/pods';

const settings: NodeSettings = {
  labels: { zone: 'a' },
  annotations: {},
  taints: [],
  capacity: { cpu: '4', memory: '8Gi', pods: '110' },
  allocatable: { cpu: '3' },
  ip: '10.1.2.3',
  port: 10_250,
  kubeletVersion: 'v1.36.0',
  osImage: 'Mockri',
  kernelVersion: '6.12',
  architecture: 'amd64',
};

interface RigOptions {
  readonly nodes?: readonly string[];
  readonly staticPodPath?: string;
  /** The directory of the nodes. Default: a new one. */
  readonly root?: string;
  /** Default: the account is all nodes. */
  readonly identity?: 'node';
  /** What stands in for a scheduler and for controllers. Default: nothing. */
  readonly standIns?: { readonly binds: boolean; readonly collects: boolean };
  readonly tokenCa?: string;
  /** Of the API server. Default: that of the nodes. */
  readonly apiClock?: Clock;
  readonly memory?: NonNullable<Parameters<typeof openCluster>[0]['memory']>;
  /** Called before the first request. */
  readonly beforeStart?: (api: FakeApi, clock: VirtualClock) => void;
  /** Awaited before the kubelets run. */
  readonly before?: (cluster: Cluster, tapes: NodeTapes) => Promise<unknown>;
}

/** For tests: nodes on virtual time and an API server in memory. `close` ends those of one test. */
export function clusterRig() {
  const temporary = useTemporaryDirectories();
  const ends: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of ends.splice(0)) await end();
  };
  const setup = async (options: RigOptions = {}) => {
    const { nodes = ['mock-0'], staticPodPath, identity, memory = {}, before = async () => {} } = options;
    const clock = createVirtualClock();
    const { apiClock = clock } = options;
    const api = createFakeApi(apiClock);
    options.beforeStart?.(api, clock);
    const { root = temporary() } = options;
    const log: string[] = [];
    const tapes = createNodeTapes(clock);
    const behaviors = createBehaviorRules();
    const ended = new AbortController();
    const identities = () => {
      if (identity === undefined) return accountForAll(api.client, nodes[0] ?? '');
      const parts = {
        account: api.client,
        clock,
        signal: ended.signal,
        log: (message: string) => log.push(message),
      };
      const signer = createSigner({ ...parts, random: createRandom(2) });
      return createNodeIdentities({ ...parts, signer, random: createRandom(3) });
    };
    const start = async () => {
      const starting = clock.run(async () => {
        const opened = await openCluster({
          identities: identities(),
          tapes,
          apiClock,
          behaviors,
          ...(options.standIns && { standIns: { account: api.client, ...options.standIns } }),
          tokenCa: options.tokenCa,
          clock,
          random: createRandom(1),
          nodes: nodes.map((name) => ({ name, settings: { ...settings, staticPodPath } })),
          root,
          kubelet: kubeletSettings(),
          memory,
          log: (message) => log.push(message),
        });
        await before(opened, tapes);
        await opened.start();
        return opened;
      });
      await clock.advance(5000);
      return starting;
    };
    const cluster = await start();
    ends.push(async () => {
      ended.abort(new Error('the test has ended'));
      await Promise.all([cluster.close(), clock.advance(60_000)]);
    });
    const put = (name: string, more?: object, command?: string) => api.put(PODS, podOf(name, more, command));
    return { clock, api, cluster, tapes, behaviors, log, put };
  };
  return { setup, close };
}

interface Controllable extends Pick<NodesControlled, 'behaviors' | 'clock'> {
  readonly cluster: Cluster;
  readonly tapes: NodeTapes;
}

/** The control API of a rig's nodes: returns the reply, or rejects with the problem. `given` is the query and the body. */
export function controlOf({ clock, cluster: { nodes }, tapes, behaviors }: Controllable) {
  const faults = createNodeFaults(nodes, clock);
  const recording = recordNodes({ tapes, nodes, about: { recorder: 'test' }, onFailure: () => {} });
  const routes = nodeControlRoutes({ nodes, faults, behaviors, clock, ...recording, log: () => {} });
  const ask = async (
    method: string,
    path: string,
    given: object = {},
    signal: AbortSignal = new AbortController().signal,
  ) => {
    const found = findRoute(routes, method, path);
    if (!('route' in found)) throw new Error(`no route ${method} ${path}`);
    const parse = <S extends z.ZodType>(schema: S) => schema.parse(given);
    const request: ControlRequest = {
      query: parse,
      body: async (schema) => parse(schema),
      yaml: async () => openYaml(JSON.stringify(given), 'body'),
      params: found.params,
      lastEventId: undefined,
      signal,
    };
    return found.route.handle(request);
  };
  return { faults, ask };
}

/** A pod on mock-0, as the scheduler leaves it. */
export const podOf = (name: string, more: object = {}, command = 'sleep 100000') => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}`, generation: 1 },
  spec: {
    nodeName: 'mock-0',
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 5,
    containers: [{ name: 'app', image: 'busybox:1', command: ['sh', '-c', command] }],
    ...more,
  },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '1999-01-01T00:00:00Z' }],
  },
});
