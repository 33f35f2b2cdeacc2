import { turn } from '../clock/turn.js';
import type { Random } from '../random/random.js';
import { type ApiObject, type WatchOptions, watchObjects } from './api/watch-objects.js';
import { createEventPoster } from './events/event-poster.js';
import { createNodeAnnotations } from './faults/node-annotations.js';
import type { ClusterNode } from './node/cluster-node.js';
import { type JoinedNode, joinNode, type NodeCommons } from './node/join-node.js';
import type { ApiNode } from './node/node-object.js';
import type { NodeSettings } from './node/node-settings.js';
import type { ApiPod } from './objects/api-pod.js';
import { createObjectCache } from './objects/object-cache.js';
import { type ApiService, createServices, type Services } from './objects/services.js';
import { createTokenCache } from './objects/token-cache.js';
import { createPodHub, type PodHub } from './pods/pod-hub.js';
import { createStatusSender } from './pods/status-sender.js';

/** Nodes of one process in one cluster. */
export interface ClusterOptions extends Omit<NodeCommons, 'events' | 'hub' | 'objects'> {
  readonly random: Random;
  /** Names and settings of the nodes. */
  readonly nodes: readonly { readonly name: string; readonly settings: NodeSettings }[];
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
  const { api, clock, random } = options;
  const hub = openHub(options);
  const events = createEventPoster(api, clock);
  const services = createServices();
  const objects = {
    ...createObjectCache(api, clock),
    ...createTokenCache(api, clock),
    services: services.in,
  };
  const commons: NodeCommons = { ...options, events, hub, objects };
  const joined = new Map<string, JoinedNode>();
  for (const { name, settings } of options.nodes) {
    joined.set(name, await joinNode(commons, name, settings, random.fork(name)));
    // A thousand starts in one turn would let the first nodes' requests run into their time-out.
    await turn();
  }
  const stopped = new AbortController();
  watchCluster(options, { hub, services, joined, signal: stopped.signal });
  const nodes = new Map([...joined].map(([name, { node }]) => [name, node]));
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

function openHub({ api, clock, random, nodes, profile, log }: ClusterOptions): PodHub {
  const settings = new Map(nodes.map((node) => [node.name, node.settings]));
  const surroundings = (node: string) => ({
    hostIp: settings.get(node)?.ip ?? '',
    minor: profile.minor,
  });
  return createPodHub({
    isOwn: (node) => settings.has(node),
    sender: createStatusSender({ api, clock, random: random.fork('statuses'), surroundings, log }),
    refused: ({ metadata }, error) => log(`pod ${metadata.namespace}/${metadata.name}: ${String(error)}`),
  });
}

/** Who is told of what the API server shows. */
interface Watchers {
  readonly hub: PodHub;
  readonly services: Services;
  readonly joined: ReadonlyMap<string, JoinedNode>;
  readonly signal: AbortSignal;
}

/** One watch each of services, pods and nodes, for all nodes of the process. */
function watchCluster(options: ClusterOptions, { hub, services, joined, signal }: Watchers): void {
  const { api, clock, random, log } = options;
  const watch = <T extends ApiObject>(
    name: string,
    watched: Omit<WatchOptions<T>, 'api' | 'clock' | 'random' | 'signal' | 'log'>,
  ) =>
    void clock.run(() =>
      watchObjects({ ...watched, api, clock, signal, log, random: random.fork(`watch-${name}`) }),
    );
  watch<ApiService>('services', {
    path: '/api/v1/services',
    listed: services.listed,
    changed: services.changed,
    removed: services.removed,
  });
  // No container can start before the services are known.
  void services.read.then(() =>
    watch<ApiPod>('pods', {
      path: '/api/v1/pods',
      query: { fieldSelector: 'spec.nodeName!=' },
      listed: hub.listed,
      changed: hub.changed,
      removed: hub.removed,
    }),
  );
  const annotations = createNodeAnnotations({ clock, log });
  const seen = (object: ApiNode) => {
    const { name, annotations: given = {} } = object.metadata;
    const known = joined.get(name);
    if (known === undefined) return;
    known.seen(object);
    annotations.seen(known.node, given);
  };
  watch<ApiNode>('nodes', {
    path: '/api/v1/nodes',
    listed: (all) => all.forEach(seen),
    changed: seen,
    removed: () => {},
  });
}
