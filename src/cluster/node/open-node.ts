import { createMemoryBackend, type MemoryOptions } from '../../../adapters/memory/memory-backend.js';
import type { Clock } from '../../base/clock/clock.js';
import type { Accounts } from '../../base/input/account.js';
import { SimulatedNetwork } from '../../base/network/network.js';
import type { RealNetwork } from '../../base/network/real-network.js';
import type { Random } from '../../base/random/random.js';
import { createNodeHost, type NodeHostOptions } from '../../kubelet/hosts/host.js';
import type { NodePod } from '../../kubelet/hosts/kubelet.js';
import { createNodeRecord } from '../../kubelet/hosts/record.js';
import type { PodServices } from '../../kubelet/hosts/services.js';
import { type ThinParts, thinKubelet } from '../../kubelet/hosts/thin.js';
import type { NodeReady } from '../../kubelet/index.js';
import { assembleNode } from '../../runtime/assembly/assembly.js';
import { openRuntime } from '../../runtime/assembly/origin.js';
import type { RuntimeProfile } from '../../runtime/profiles/profile.js';
import { createTape, type Tape } from '../../tape/tape.js';
import type { BehaviorRules } from '../behaviors/rules.js';
import { toLocalAddress } from '../objects/pod-address.js';
import type { ClusterNode } from './cluster-node.js';
import { createNodeStreams } from './node-streams.js';

export interface NodeParts
  extends Omit<ThinParts, 'cri' | 'network'>,
    Pick<NodeHostOptions, 'statusSink' | 'eventSink' | 'begin' | 'log'> {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Memory budget, shared with the other nodes of the process. */
  readonly accounts?: Accounts | undefined;
  readonly memory?: Omit<
    MemoryOptions,
    'clock' | 'hostname' | 'live' | 'machinePorts' | 'network' | 'place' | 'warn' | 'podOf' | 'isLoaded'
  >;
  /** What pods and probes reach beyond the pods of this process. Default: nothing. */
  readonly realNetwork?: RealNetwork | undefined;
  /** Names and addresses that lead to pods of this process. Default: none. */
  readonly services?: PodServices | undefined;
  /** Default: none. */
  readonly behaviors?: BehaviorRules | undefined;
  /** Runtime profile. Default: strict. */
  readonly runtimeProfile?: RuntimeProfile | undefined;
  /** Default: a new one. */
  readonly tape?: Tape | undefined;
}

/** Whether a pod expects an image that was loaded onto its node (`kind load`), as with imagePullPolicy Never. */
const isNeverPulled = (pods: readonly NodePod[], name: string): boolean =>
  pods.some(({ pod: { spec } }) =>
    [...spec.initContainers, ...spec.containers].some(
      ({ image, imagePullPolicy }) => image === name && imagePullPolicy === 'Never',
    ),
  );

export async function openNode(parts: NodeParts): Promise<ClusterNode> {
  const { name, clock, accounts, random, memory, runtimeProfile, log } = parts;
  const { tape = createTape(clock) } = parts;
  const record = createNodeRecord({ clock, tape });
  const warn = (message: string, error: unknown) => {
    const text = `${message}: ${String(error)}`;
    log?.(text);
    record.log(text);
  };
  const network = new SimulatedNetwork({
    clock,
    real: parts.realNetwork,
    nodeAddresses: parts.hostIp === undefined ? [] : [parts.hostIp],
    localAddress: toLocalAddress,
    services: parts.services,
  });
  const { serve, streams } = createNodeStreams(clock, accounts?.streams);
  const podOf = (uid: string) => host.pods().find(({ pod }) => pod.metadata.uid === uid)?.pod;
  const rules = parts.behaviors?.of(name, podOf);
  const origin = await openRuntime({
    backend: createMemoryBackend({
      ...memory,
      accounts,
      clock,
      // Test suites that run at the same time use the same node names.
      place: `${process.pid}/${name}`,
      hostname: name,
      network,
      machinePorts: 'pods',
      warn,
      isLoaded: (image) => memory?.unknownImages === 'run' && isNeverPulled(host.pods(), image),
      live: rules?.live,
      podOf: (uid) => {
        const pod = podOf(uid);
        return pod && { ...pod, ledTo: parts.services?.portsOf(pod) };
      },
    }),
    clock,
    accounts,
    warn,
    streaming: serve,
    profile: runtimeProfile,
    latency: runtimeProfile?.latency(),
    random: random.fork('latency'),
  });
  const assembly = assembleNode(origin, { clock, warn, tape, random, hasNodes: true });
  const { cri } = assembly;
  let ready: NodeReady['status'] | undefined;
  const { statusSink, eventSink, begin } = parts;
  const host = createNodeHost({
    clock,
    record,
    kubelet: thinKubelet({ ...parts, network, cri, verdict: rules?.verdict }),
    ...(statusSink && { statusSink }),
    ...(eventSink && { eventSink }),
    ...(log && { log }),
    begin,
    onNode: ({ status }) => {
      ready = status;
    },
  });
  rules?.live.onChange(() => void clock.run(async () => host.kubelet?.syncNow()));
  return {
    name,
    cri,
    streams: streams(),
    files: parts.files,
    assembly,
    runtime: origin.runtime,
    service: origin.service,
    tape,
    pods: host.pods,
    get up() {
      return host.kubelet !== undefined;
    },
    get ready() {
      return ready;
    },
    startKubelet: host.start,
    stopKubelet: host.kill,
    close: async () => {
      host.kill();
      await assembly.close(0);
    },
  };
}
