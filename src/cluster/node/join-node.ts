import { join } from 'node:path';
import { createSimulatedDisk } from '../../../adapters/memory/disk/simulated-disk.js';
import type { Clock } from '../../base/clock/clock.js';
import { Account, type Accounts } from '../../base/input/account.js';
import type { Random } from '../../base/random/random.js';
import { KUBELET_API_VERSION } from '../../cri/kubelet-api-version.js';
import type { KubeletSettings } from '../../kubelet/hosts/settings.js';
import { createNodeFiles, type EventSink, type KubeObjects } from '../../kubelet/index.js';
import type { RuntimeProfile } from '../../runtime/profiles/profile.js';
import type { NodeTapes } from '../../tape/node-tapes.js';
import type { ClientOf } from '../api/api-client.js';
import type { EventPoster } from '../events/event-poster.js';
import type { PodHub } from '../pods/pod-hub.js';
import type { ClusterNode } from './cluster-node.js';
import { createNodeLife, type NodeLife } from './node-life.js';
import type { ApiNode } from './node-object.js';
import type { NodeSettings } from './node-settings.js';
import { type NodeParts, openNode } from './open-node.js';

export interface ClusterContext {
  readonly clientOf: ClientOf;
  readonly clock: Clock;
  /** For requests to the API server, leases and the nodes' reports: the machine's, whatever `clock` is. */
  readonly apiClock: Clock;
  readonly accounts?: Accounts | undefined;
  readonly events: EventPoster;
  readonly hub: PodHub;
  readonly services: NodeParts['services'];
  readonly objectsOf: (node: string) => KubeObjects;
  /** Called when the API server has a node's object. */
  readonly registered: (node: string) => void;
  /** Directory for logs. */
  readonly root: string;
  /**
   * Volumes are files below `root`, too, and logs are there from the start of their container. Default: volumes are in
   * memory.
   */
  readonly keepsFiles?: boolean | undefined;
  readonly kubelet: KubeletSettings;
  readonly memory?: NodeParts['memory'];
  readonly realNetwork?: NodeParts['realNetwork'];
  readonly behaviors?: NodeParts['behaviors'];
  readonly runtimeProfile?: RuntimeProfile | undefined;
  readonly tapes: NodeTapes;
  readonly log: (message: string) => void;
  /** Called with each node's activity. */
  readonly detail?: (node: string, message: string) => void;
}

export interface JoinedNode {
  readonly node: ClusterNode;
  seen(object: ApiNode): void;
  readonly admitting: NodeLife['admitting'];
}

export async function joinNode(
  context: ClusterContext,
  name: string,
  settings: NodeSettings,
  random: Random,
): Promise<JoinedNode> {
  const { clientOf, clock, events, hub, root, log, detail } = context;
  const { config } = context.kubelet;
  const { disk, files } = openFiles(context, join(root, name));
  let runtimeVersion = 'unknown://unknown';
  const life = createNodeLife({
    api: clientOf(name),
    clock: context.apiClock,
    random,
    events,
    name,
    settings,
    leaseSeconds: config.nodeLeaseDurationSeconds,
    runtimeVersion: () => runtimeVersion,
    version: context.kubelet.version,
    registered: () => context.registered(name),
    log,
  });
  const node = await openNode({
    name,
    clock,
    accounts: context.accounts,
    random,
    memory: { ...context.memory, ...(disk && { disk }) },
    realNetwork: context.realNetwork,
    behaviors: context.behaviors,
    runtimeProfile: context.runtimeProfile,
    tape: context.tapes.of(name),
    files,
    settings: context.kubelet,
    hostIp: settings.ip,
    services: context.services,
    objects: context.objectsOf(name),
    allocatable: life.admitting().allocatable,
    node: life.admitting,
    podSource: hub.source(name),
    statusSink: hub.sink,
    eventSink: podEvents(events, name),
    begin: life.begin,
    ...(detail && { log: (message: string) => detail(name, message) }),
  });
  const version = await node.cri.version({ version: KUBELET_API_VERSION });
  runtimeVersion = `${version.runtimeName}://${version.runtimeVersion}`;
  return { node, seen: life.seen, admitting: life.admitting };
}

function openFiles({ accounts, clock, keepsFiles }: ClusterContext, rootDir: string) {
  const podLogsDir = join(rootDir, 'logs');
  return keepsFiles
    ? { disk: undefined, files: createNodeFiles({ rootDir, podLogsDir, keepsFromHost: true }) }
    : createSimulatedDisk({ now: clock.now, account: accounts?.files ?? new Account(), podLogsDir });
}

function podEvents(events: EventPoster, node: string): EventSink {
  return {
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
        node,
        type,
        reason,
        message,
        time,
      }),
  };
}
