import { turn } from '../clock/turn.js';
import { type ManifestSource, watchManifests } from '../kubelet/pods/manifest-source.js';
import type { Random } from '../random/random.js';
import { createNodeTapes, type NodeTapes } from '../tape/node-tapes.js';
import { type ApiObject, type WatchOptions, watchObjects } from './api/watch-objects.js';
import { createEventPoster } from './events/event-poster.js';
import { createNodeAnnotations } from './faults/node-annotations.js';
import type { ClusterNode } from './node/cluster-node.js';
import { type JoinedNode, joinNode, type NodeCommons } from './node/join-node.js';
import type { ApiNode } from './node/node-object.js';
import type { NodeSettings } from './node/node-settings.js';
import { createObjectCache } from './objects/object-cache.js';
import type { ApiPod } from './objects/pod-from-api.js';
import { type ApiService, createServices, type Services } from './objects/services.js';
import { createTokenCache } from './objects/token-cache.js';
import { createPodHub, type PodHub } from './pods/pod-hub.js';
import { createStaticPods, type StaticPods } from './pods/static-pods.js';
import { createStatusSender, type StatusSender } from './pods/status-sender.js';

/** Nodes of one process in one cluster. */
export interface ClusterOptions extends Omit<NodeCommons, 'events' | 'hub' | 'objects' | 'tapes'> {
  readonly random: Random;
  /** Get what happens on the nodes. Default: they keep it to themselves. */
  readonly tapes?: NodeTapes | undefined;
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
  /** Starts all kubelets; resolves when they run, before the API server knows of them. */
  start(): Promise<void>;
  /** Ends all nodes; their pods end with them. The cluster will find them gone. */
  close(): Promise<void>;
}

/** Opens all nodes. Their kubelets don't run yet. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { api, clock, random, tapes = createNodeTapes(clock) } = options;
  const statics = openStaticPods(options);
  const hub = openHub(options, statics);
  const events = createEventPoster(api, clock);
  const services = createServices();
  const objects = {
    ...createObjectCache(api, clock),
    ...createTokenCache(api, clock),
    services: services.in,
  };
  const commons: NodeCommons = { ...options, tapes, events, hub, objects };
  const joined = new Map<string, JoinedNode>();
  for (const { name, settings } of options.nodes) {
    joined.set(name, await joinNode(commons, name, settings, random.fork(name)));
    await turn();
  }
  const stopped = new AbortController();
  const manifests: ManifestSource[] = [];
  const problem = withoutRepeats(options.log);
  const nodes = new Map([...joined].map(([name, { node }]) => [name, node]));
  return {
    nodes,
    get pods() {
      return hub.size;
    },
    get lostEvents() {
      return events.lost;
    },
    start: async () => {
      for (const { name, settings } of options.nodes)
        if (settings.staticPodPath !== undefined)
          manifests.push(
            await followManifests({ ...options, log: problem }, hub, name, settings.staticPodPath),
          );
      for (const node of nodes.values()) {
        await node.startKubelet();
        // A thousand starts in one turn would let the first nodes' requests run into their time-out.
        await turn();
      }
      watchCluster(options, { hub, statics, services, joined, signal: stopped.signal });
    },
    close: async () => {
      stopped.abort();
      for (const source of manifests) source.close();
      await Promise.all([...nodes.values()].map((node) => node.close()));
    },
  };
}

function openSender({ api, clock, random, nodes, kubelet, log }: ClusterOptions, fork: string): StatusSender {
  const settings = new Map(nodes.map((node) => [node.name, node.settings]));
  const surroundings = (node: string) => ({
    hostIp: settings.get(node)?.ip ?? '',
    minor: kubelet.profile.minor,
  });
  return createStatusSender({ api, clock, random: random.fork(fork), surroundings, log });
}

function openHub(options: ClusterOptions, statics: StaticPods): PodHub {
  const own = new Set(options.nodes.map(({ name }) => name));
  return createPodHub({
    isOwn: (node) => own.has(node),
    sender: openSender(options, 'statuses'),
    statics,
    refused: ({ metadata }, error) =>
      options.log(`pod ${metadata.namespace}/${metadata.name}: ${String(error)}`),
  });
}

function openStaticPods(options: ClusterOptions): StaticPods {
  const { api, clock, random, log } = options;
  const sender = openSender(options, 'mirror-statuses');
  return createStaticPods({ api, clock, random: random.fork('mirrors'), sender, log });
}

/** Passes on what it has not passed on before: many nodes read the same files. */
function withoutRepeats(log: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (!told.has(message)) log(message);
    told.add(message);
  };
}

/** The static pods of a node, from their files. Resolves when these have been read once. */
const followManifests = (
  { clock, kubelet, log }: ClusterOptions,
  hub: PodHub,
  nodeName: string,
  path: string,
) =>
  watchManifests({
    path,
    nodeName,
    clock,
    mayReferToApi: !kubelet.profile.gates.PreventStaticPodAPIReferences,
    isAdmitted: true,
    period: kubelet.config.fileCheckFrequency,
    onPods: (pods, objects) =>
      hub.setStatic(
        nodeName,
        pods.flatMap((pod) => {
          const object = objects.get(pod.metadata.uid);
          return object === undefined ? [] : [{ pod, object }];
        }),
      ),
    onProblem: log,
  });

/** Who is told of what the API server shows. */
interface Watchers {
  readonly hub: PodHub;
  readonly statics: StaticPods;
  readonly services: Services;
  readonly joined: ReadonlyMap<string, JoinedNode>;
  readonly signal: AbortSignal;
}

/** One watch each of services, pods and nodes, for all nodes of the process. */
function watchCluster(options: ClusterOptions, { hub, statics, services, joined, signal }: Watchers): void {
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
    statics.registered(name, object.metadata.uid);
    annotations.seen(known.node, given);
  };
  watch<ApiNode>('nodes', {
    path: '/api/v1/nodes',
    listed: (all) => all.forEach(seen),
    changed: seen,
    removed: ({ metadata }) => statics.registered(metadata.name, undefined),
  });
}
