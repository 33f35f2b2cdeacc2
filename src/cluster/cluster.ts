import type { Clock } from '../base/clock/clock.js';
import { turn } from '../base/clock/turn.js';
import { withoutRepeats } from '../base/input/without-repeats.js';
import type { Random } from '../base/random/random.js';
import { isTerminal, type KubeObjects, watchManifests } from '../kubelet/index.js';
import { createNodeTapes, type NodeTapes } from '../tape/node-tapes.js';
import type { ApiClient } from './api/api-client.js';
import { type ApiObject, type WatchOptions, watchObjects } from './api/watch-objects.js';
import type { NodeIdentities } from './certificates/node-identities.js';
import { createEventPoster } from './events/event-poster.js';
import { createNodeAnnotations } from './faults/node-annotations.js';
import type { ClusterNode } from './node/cluster-node.js';
import { type ClusterContext, type JoinedNode, joinNode } from './node/join-node.js';
import type { ApiNode } from './node/node-object.js';
import type { NodeSettings } from './node/node-settings.js';
import { assumeObjects } from './objects/assumed-objects.js';
import { createEndpointsElsewhere } from './objects/endpoints-elsewhere.js';
import { createObjectCache } from './objects/object-cache.js';
import type { ApiPod } from './objects/pod-from-api.js';
import { type ApiService, type ClusterServices, createClusterServices } from './objects/services.js';
import { createTokenCache, requestToken } from './objects/token-cache.js';
import { createPodHub, type PodHub } from './pods/pod-hub.js';
import { createStaticPods, type StaticPods } from './pods/static-pods.js';
import { createStatusSender, type StatusSender } from './pods/status-sender.js';
import { createBinder } from './stand-ins/bind-pods.js';
import { createCollector } from './stand-ins/collect.js';
import { localTokens, withRootCa } from './stand-ins/local-tokens.js';

export interface ClusterOptions
  extends Omit<
    ClusterContext,
    'clientOf' | 'events' | 'hub' | 'objectsOf' | 'registered' | 'services' | 'tapes'
  > {
  readonly identities: NodeIdentities;
  readonly random: Random;
  /** Makes tokens here, and the ConfigMap with this CA (PEM). Default: the API server and its controllers do. */
  readonly tokenCa?: string | undefined;
  /** Does what a scheduler or controllers would do, as this account. Default: nothing. */
  readonly standIns?: StandIns | undefined;
  /** Record the activity of nodes. Default: none. */
  readonly tapes?: NodeTapes | undefined;
  readonly nodes: readonly { readonly name: string; readonly settings: NodeSettings }[];
}

export interface StandIns {
  readonly account: ApiClient;
  /** Whether it binds pods without a node to these nodes. */
  readonly binds: boolean;
  /** Whether it cleans up after nodes and owners that are gone. */
  readonly collects: boolean;
}

export interface Cluster {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly pods: number;
  readonly lostEvents: number;
  /** Starts all kubelets, or each when it has a certificate. Resolves before the API server knows them. */
  start(): Promise<void>;
  /** Resolves when the API server has the first node. Rejects with UserError if it never will. */
  readonly registered: Promise<void>;
  /** Ends all nodes with their pods. The cluster will find them gone. */
  close(): Promise<void>;
}

/** The kubelets don't run yet. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { identities, clock, apiClock, random, tapes = createNodeTapes(clock) } = options;
  const { clientOf } = identities;
  const statics = openStaticPods(options);
  const hub = openHub(options, statics);
  const events = createEventPoster(clientOf, apiClock);
  const services = createClusterServices(
    hub.shown,
    createEndpointsElsewhere({
      api: identities.first.then(({ client }) => client),
      clock,
      pods: hub.pods,
      log: withoutRepeats(options.log),
    }),
  );
  let isRegistered = () => {};
  let isRefused: (reason: unknown) => void = () => {};
  const registered = new Promise<void>((resolve, reject) => {
    isRegistered = resolve;
    isRefused = reject;
  });
  registered.catch(() => {});
  const objectsOf = objectsOfNodes(options, hub, services);
  const context: ClusterContext = {
    ...options,
    clientOf,
    tapes,
    events,
    hub,
    services,
    objectsOf,
    registered: isRegistered,
  };
  const joined = new Map<string, JoinedNode>();
  for (const { name, settings } of options.nodes) {
    joined.set(name, await joinNode(context, name, settings, random.fork(name)));
    await turn();
  }
  const stopped = new AbortController();
  const nodes = new Map([...joined].map(([name, { node }]) => [name, node]));
  return {
    nodes,
    get pods() {
      return hub.size;
    },
    get lostEvents() {
      return events.lost;
    },
    start: () => startNodes(options, { hub, statics, services, joined, signal: stopped.signal }, isRefused),
    registered,
    close: async () => {
      stopped.abort();
      await Promise.all([...nodes.values()].map((node) => node.close()));
    },
  };
}

/**
 * Starts all kubelets, and the watches of the objects that they need. `refused` receives the reason why the first node
 * can't be registered.
 */
async function startNodes(
  options: ClusterOptions,
  watchers: Watchers,
  refused: (reason: unknown) => void,
): Promise<void> {
  const { identities, clock, apiClock, nodes } = options;
  const { hub, joined, signal } = watchers;
  // Many nodes read the same files.
  const log = withoutRepeats(options.log);
  for (const { name, settings } of nodes) {
    if (settings.staticPodPath === undefined) continue;
    const source = await followManifests({ ...options, log }, hub, name, settings.staticPodPath);
    signal.addEventListener('abort', () => source.close(), { once: true });
  }
  const watch = watchCluster(options, watchers);
  const start = async (node: ClusterNode): Promise<void> => {
    try {
      await apiClock.idle(identities.ready(node.name));
    } catch (error) {
      if (!signal.aborted) refused(error);
      return;
    }
    if (signal.aborted) return;
    await clock.run(node.startKubelet);
    if (identities.kind === 'node') watch.pods(node.name);
  };
  for (const { node } of joined.values()) {
    if (identities.kind === 'account') await start(node);
    else void apiClock.run(() => start(node));
    // Starting a thousand in one turn would let the first nodes' requests time out.
    await turn();
  }
  watch.services();
  if (identities.kind === 'account') watch.pods();
  watch.unbound();
}

/** Objects for the pods of each node: nodes that are their own users must not see another's. */
function objectsOfNodes(
  { identities, clock, apiClock, memory, tokenCa, log }: ClusterOptions,
  hub: PodHub,
  services: ClusterServices,
): ClusterContext['objectsOf'] {
  const byClient = new Map<ApiClient, KubeObjects>();
  const parts = { clock: apiClock, hub, log: withoutRepeats(log) };
  const patient = patience(clock, apiClock);
  return (node) => {
    const api = identities.clientOf(node);
    const read = createObjectCache(api, apiClock).data;
    const data = tokenCa === undefined ? read : withRootCa(read, tokenCa);
    const { token } = createTokenCache(
      tokenCa === undefined ? requestToken(api) : localTokens(apiClock),
      apiClock,
    );
    const objects = byClient.get(api) ?? {
      data: patient(memory?.unknownImages === 'run' ? assumeObjects(data, { ...parts, api }) : data),
      token: patient(token),
      services: services.in,
    };
    byClient.set(api, objects);
    return objects;
  };
}

/** In real ms: how long the nodes' time stands still for an answer of the API server. */
const PATIENCE = 2000;

/** If the nodes' time is not the API server's, it stands still until the server answers, for at most PATIENCE. */
const patience =
  (clock: Clock, apiClock: Clock) =>
  <A extends unknown[], T>(ask: (...given: A) => Promise<T>): ((...given: A) => Promise<T>) => {
    if (clock === apiClock) return ask;
    return async (...given) => {
      const answer = ask(...given);
      const late = new AbortController();
      await Promise.race([answer.catch(() => {}), apiClock.sleep(PATIENCE, late.signal).catch(() => {})]);
      late.abort();
      return clock.idle(answer);
    };
  };

function openSender(
  { identities, apiClock: clock, random, nodes, kubelet, log }: ClusterOptions,
  fork: string,
): StatusSender {
  const { clientOf } = identities;
  const settings = new Map(nodes.map((node) => [node.name, node.settings]));
  const viewOf = (node: string) => ({
    hostIp: settings.get(node)?.ip ?? '',
    minor: kubelet.version.minor,
  });
  return createStatusSender({ clientOf, clock, random: random.fork(fork), viewOf, log });
}

function openHub(options: ClusterOptions, statics: StaticPods): PodHub {
  return createPodHub({
    nodes: new Set(options.nodes.map(({ name }) => name)),
    sender: openSender(options, 'statuses'),
    statics,
    refused: ({ metadata }, error) =>
      options.log(`pod ${metadata.namespace}/${metadata.name}: ${String(error)}`),
  });
}

function openStaticPods(options: ClusterOptions): StaticPods {
  const { identities, apiClock: clock, random, log } = options;
  const { clientOf } = identities;
  const sender = openSender(options, 'mirror-statuses');
  return createStaticPods({ clientOf, clock, random: random.fork('mirrors'), sender, log });
}

/** Follows a node's static pods. Resolves when their files have been read once. */
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
    mayReferToApi: !kubelet.version.gates.PreventStaticPodAPIReferences,
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

interface Watchers {
  readonly hub: PodHub;
  readonly statics: StaticPods;
  readonly services: ClusterServices;
  readonly joined: ReadonlyMap<string, JoinedNode>;
  readonly signal: AbortSignal;
}

/** What stands in for a scheduler and for controllers; undefined where it is not wanted. */
function openStandIns(
  { standIns, apiClock: clock, log }: ClusterOptions,
  { hub, joined, signal }: Pick<Watchers, 'hub' | 'joined' | 'signal'>,
) {
  if (standIns === undefined) return {};
  const { account: api, binds, collects } = standIns;
  const parts = { api, clock, signal, log };
  const candidates = () =>
    [...joined.values()].flatMap(({ node, admitting }) => {
      const pods = node.pods().flatMap(({ pod, status }) => (isTerminal(status?.phase) ? [] : [pod]));
      const view = admitting();
      // Every API server adds it to a new node, and a controller removes it.
      const taints = view.taints.filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
      return node.up && node.ready === 'True' ? [{ node: { ...view, taints }, pods }] : [];
    });
  const nodes = () => [...joined.values()].map(({ node }) => node);
  return {
    binder: binds ? createBinder({ ...parts, candidates }) : undefined,
    collector: collects ? createCollector({ ...parts, nodes, pods: hub.pods }) : undefined,
  };
}

interface ClusterWatches {
  /** One watch, by the first node that may. */
  services(): void;
  pods(node?: string): void;
  /** Pods without a node, if somebody here binds them. */
  unbound(): void;
}

/** Watches the nodes' objects as their users may: the Node authorizer shows a node only its own. */
function watchCluster(
  options: ClusterOptions,
  { hub, statics, services, joined, signal }: Watchers,
): ClusterWatches {
  const { identities, clock, apiClock, random, standIns, log } = options;
  const watch = <T extends ApiObject>(
    name: string,
    api: ApiClient,
    watched: Omit<WatchOptions<T>, 'api' | 'clock' | 'random' | 'signal' | 'log'>,
  ) =>
    void apiClock.run(() =>
      watchObjects({ ...watched, api, clock: apiClock, signal, log, random: random.fork(`watch-${name}`) }),
    );
  const annotations = createNodeAnnotations({ clock, log });
  const { binder, collector } = openStandIns(options, { hub, joined, signal });
  const seen = (object: ApiNode) => {
    collector?.nodeSeen(object);
    const { name, annotations: given = {} } = object.metadata;
    const known = joined.get(name);
    if (known === undefined) return;
    known.seen(object);
    statics.registered(name, object.metadata.uid);
    annotations.seen(known.node, given);
  };
  return {
    services: () =>
      void identities.first.then(({ client }) =>
        watch<ApiService>('services', client, {
          path: '/api/v1/services',
          listed: services.listed,
          changed: services.changed,
          removed: services.removed,
        }),
      ),
    pods: (node) => {
      const api = identities.clientOf(node ?? '');
      const suffix = node === undefined ? '' : `-${node}`;
      // No container can start before the Services are known.
      void services.read.then(() =>
        watch<ApiPod>(`pods${suffix}`, api, {
          path: '/api/v1/pods',
          query: { fieldSelector: node === undefined ? 'spec.nodeName!=' : `spec.nodeName=${node}` },
          listed: (all) => hub.listed(all, node),
          changed: hub.changed,
          removed: hub.removed,
        }),
      );
      watch<ApiNode>(`nodes${suffix}`, api, {
        path: '/api/v1/nodes',
        ...(node !== undefined && { query: { fieldSelector: `metadata.name=${node}` } }),
        listed: (all) => all.forEach(seen),
        changed: seen,
        removed: ({ metadata }) => {
          statics.registered(metadata.name, undefined);
          collector?.nodeGone(metadata.name);
        },
      });
    },
    unbound: () => {
      if (standIns === undefined || binder === undefined) return;
      watch<ApiPod>('unbound', standIns.account, {
        path: '/api/v1/pods',
        query: { fieldSelector: 'spec.nodeName=' },
        ...binder,
      });
    },
  };
}
