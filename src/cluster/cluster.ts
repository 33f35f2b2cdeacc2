import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MemoryOptions } from '../../adapters/memory/memory-backend.js';
import type { Clock } from '../clock/clock.js';
import { turn } from '../clock/turn.js';
import type { KubeletConfig } from '../kubelet/config/kubelet-configuration.js';
import { noPlegMetrics } from '../kubelet/pleg/metrics.js';
import { createNodeFiles } from '../kubelet/runtime/node-files.js';
import type { VersionProfile } from '../kubelet/types.js';
import type { RuntimeProfile } from '../profiles/profile.js';
import type { Random } from '../random/random.js';
import type { ApiClient } from './api/api-client.js';
import { type ApiObject, type WatchOptions, watchObjects } from './api/watch-objects.js';
import { createEventPoster } from './events/event-poster.js';
import { createNodeAnnotations } from './faults/node-annotations.js';
import type { ClusterNode } from './node/cluster-node.js';
import { createLease } from './node/lease.js';
import type { ApiNode } from './node/node-object.js';
import { createNodeReporter, type NodeReporter } from './node/node-reporter.js';
import type { NodeSettings } from './node/node-settings.js';
import { openNode } from './node/open-node.js';
import type { ApiPod } from './objects/api-pod.js';
import { createObjectCache } from './objects/object-cache.js';
import { createPodHub } from './pods/pod-hub.js';
import { createStatusSender } from './pods/status-sender.js';

/** Nodes of one process in one cluster. */
export interface ClusterOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Names and settings of the nodes. */
  readonly nodes: readonly { readonly name: string; readonly settings: NodeSettings }[];
  /** Directory of the nodes' files: logs and volumes. */
  readonly root: string;
  readonly profile: VersionProfile;
  readonly config: KubeletConfig;
  readonly memory?: Omit<MemoryOptions, 'clock' | 'place' | 'warn'>;
  readonly runtimeProfile?: RuntimeProfile | undefined;
  /** Called with a line for people. */
  readonly log: (message: string) => void;
  /** Called with what happens on each node, if given. */
  readonly detail?: (node: string, message: string) => void;
}

/** The nodes of this process. */
export interface Cluster {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  /** Pods that are bound to the nodes. */
  readonly pods: number;
  /** Events that could not be posted. */
  readonly lostEvents: number;
  /** Ends all nodes; their pods end with them. The cluster will find them gone. */
  close(): Promise<void>;
}

/** Starts all nodes; resolves when their kubelets run, before the API server knows of them. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { api, clock, random, root, profile, config, log, detail } = options;
  const nodes = new Map<string, ClusterNode>();
  const settings = new Map(options.nodes.map((node) => [node.name, node.settings]));
  const reporters = new Map<string, NodeReporter>();
  const stopped = new AbortController();
  const surroundings = (node: string) => ({
    hostIp: settings.get(node)?.ip ?? '',
    minor: profile.minor,
  });
  const sender = createStatusSender({ api, clock, random: random.fork('statuses'), surroundings, log });
  const events = createEventPoster(api, clock);
  const objects = createObjectCache(api, clock);
  const hub = createPodHub({
    isOwn: (node) => settings.has(node),
    sender,
    refused: ({ metadata }, error) => log(`pod ${metadata.namespace}/${metadata.name}: ${String(error)}`),
  });

  const open = async (name: string, given: NodeSettings): Promise<void> => {
    const own = join(root, name);
    const chance = random.fork(name);
    const bootId = randomUUID();
    let uid: string | undefined;
    let runtimeVersion = 'unknown://unknown';
    const nodeEvent = (type: 'Normal' | 'Warning', reason: string, message: string) =>
      events.post({
        subject: { kind: 'Node', name, uid: name, namespace: '' },
        node: name,
        type,
        reason,
        message,
        time: clock.now(),
      });
    const node = await openNode({
      name,
      clock,
      random: chance,
      memory: options.memory ?? {},
      runtimeProfile: options.runtimeProfile,
      files: createNodeFiles({ rootDir: own, podLogsDir: join(own, 'logs') }),
      profile,
      config,
      metrics: noPlegMetrics,
      hostIp: given.ip,
      objects,
      allocatable: { ...given.capacity, ...given.allocatable },
      podSource: hub.source(name),
      statusSink: hub.sink,
      eventSink: {
        event: ({ uid, pod, namespace, field, type, reason, message, time }) =>
          events.post({
            subject: {
              kind: 'Pod',
              name: pod,
              namespace,
              uid,
              apiVersion: 'v1',
              ...(field !== '' && { fieldPath: field }),
            },
            node: name,
            type,
            reason,
            message,
            time,
          }),
      },
      begin: () => {
        nodeEvent('Normal', 'Starting', 'Starting kubelet.');
        const renew = createLease({
          api,
          clock,
          node: name,
          seconds: config.nodeLeaseDurationSeconds,
          uid: () => uid,
        });
        const reporter = createNodeReporter({
          api,
          clock,
          random: chance.fork('reporter'),
          name,
          settings: given,
          runtimeVersion: () => runtimeVersion,
          bootId,
          registered: (known) => {
            uid = known;
            renew();
          },
          readyChanged: ({ status }) => {
            const reason = status === 'True' ? 'NodeReady' : 'NodeNotReady';
            nodeEvent('Normal', reason, `Node ${name} status is now: ${reason}`);
          },
          log,
        });
        reporters.set(name, reporter);
        return {
          onHeartbeat: (report) => (report === undefined ? renew() : reporter.report(report)),
          end: () => reporter.stop(),
        };
      },
      ...(detail && { log: (message: string) => detail(name, message) }),
    });
    nodes.set(name, node);
    const { runtimeName, runtimeVersion: version } = await node.cri.version({ version: '0.1.0' });
    runtimeVersion = `${runtimeName}://${version}`;
    await node.startKubelet();
  };

  for (const { name, settings: given } of options.nodes) {
    await open(name, given);
    // A thousand starts in one turn would let the first nodes' requests run into their time-out.
    await turn();
  }

  const watching = { api, clock, signal: stopped.signal, log };
  const watch = <T extends ApiObject>(watched: WatchOptions<T>) =>
    void clock.run(() => watchObjects(watched));
  watch<ApiPod>({
    ...watching,
    random: random.fork('watch-pods'),
    path: '/api/v1/pods',
    query: { fieldSelector: 'spec.nodeName!=' },
    listed: hub.listed,
    changed: hub.changed,
    removed: hub.removed,
  });
  const annotations = createNodeAnnotations({ clock, log });
  const seen = (object: ApiNode) => {
    const { name, annotations: given = {} } = object.metadata;
    reporters.get(name)?.seen(object);
    const node = nodes.get(name);
    if (node !== undefined) annotations.seen(node, given);
  };
  watch<ApiNode>({
    ...watching,
    random: random.fork('watch-nodes'),
    path: '/api/v1/nodes',
    listed: (all) => all.forEach(seen),
    changed: seen,
    removed: () => {},
  });

  return {
    nodes,
    get pods() {
      return hub.size;
    },
    get lostEvents() {
      return events.lost;
    },
    close: async () => {
      stopped.abort();
      await Promise.all([...nodes.values()].map((node) => node.close()));
    },
  };
}
