import { createMemoryBackend, type MemoryOptions } from '../../../adapters/memory/memory-backend.js';
import { assemble } from '../../assembly/assembly.js';
import { createBreakableService } from '../../assembly/breakable-service.js';
import { openRuntime } from '../../assembly/origin.js';
import type { Clock } from '../../clock/clock.js';
import { clientOf } from '../../cri/client/in-process.js';
import { createKubelet, type Kubelet } from '../../kubelet/kubelet.js';
import type { KubeletOptions } from '../../kubelet/kubelet-options.js';
import type { NodeReady } from '../../kubelet/node/node-status.js';
import { createResizeCheckpoints } from '../../kubelet/resources/resource-record.js';
import type { RuntimeProfile } from '../../profiles/profile.js';
import type { Random } from '../../random/random.js';
import { statusOf } from '../../server/status.js';
import { createTape, type Tape } from '../../tape/tape.js';
import { toLocalAddress } from '../objects/pod-address.js';
import type { ClusterNode } from './cluster-node.js';
import { createNodeStreams } from './node-streams.js';
import { createNodeTape } from './node-tape.js';

/** What a node is made of. */
export interface NodeParts
  extends Omit<KubeletOptions, 'cri' | 'clock' | 'random' | 'log' | 'onHeartbeat' | 'onNode'> {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Settings of the simulated runtime. */
  readonly memory?: Omit<MemoryOptions, 'clock' | 'place' | 'warn'>;
  /** The runtime that it behaves as. Default: strict. */
  readonly runtimeProfile?: RuntimeProfile | undefined;
  /** Default: one of its own. */
  readonly tape?: Tape | undefined;
  /** Called for each life of the kubelet: what it tells its control plane. */
  readonly begin?: () => KubeletLife;
  /** Called with a line for people. */
  readonly log?: (message: string) => void;
}

/** What one life of a kubelet tells its control plane. */
export interface KubeletLife extends Pick<KubeletOptions, 'onHeartbeat'> {
  /** The kubelet was killed. */
  end(): void;
}

const codeOf = (error: unknown): number => statusOf(error, String).code;

/** A node whose kubelet has not been started. Its runtime has no pods. */
export async function openNode(parts: NodeParts): Promise<ClusterNode> {
  let kubelet: Kubelet | undefined;
  const { name, clock, random, memory, runtimeProfile, log: tell = () => {} } = parts;
  const { tape = createTape(clock) } = parts;
  const told = createNodeTape({ tape, clock, pods: () => kubelet?.pods() ?? [] });
  const log = (message: string) => {
    tell(message);
    told.log(message);
  };
  const warn = (message: string, error: unknown) => log(`${message}: ${String(error)}`);
  const { serve, streams } = createNodeStreams(clock);
  const origin = await openRuntime({
    backend: createMemoryBackend({ ...memory, clock, place: name, localAddress: toLocalAddress, warn }),
    clock,
    warn,
    streaming: serve,
    profile: runtimeProfile,
  });
  const breakable = createBreakableService();
  const seed = Math.floor(random.fork('faults').next() * 2 ** 32);
  const assembly = assemble(origin, { clock, warn, tape, seed, hasNodes: true, above: [breakable.layer] });
  assembly.host.useServer(breakable);
  const cri = clientOf(assembly.service, { clock, codeOf });
  const checkpoints = createResizeCheckpoints();
  let life: KubeletLife | undefined;
  let lives = 0;
  let ready: NodeReady['status'] | undefined;
  const stopKubelet = () => {
    kubelet?.stop();
    life?.end();
    kubelet = undefined;
    life = undefined;
  };
  return {
    name,
    cri,
    streams: streams(),
    files: parts.files,
    assembly,
    runtime: origin.runtime,
    service: origin.service,
    tape,
    pods: () => kubelet?.pods() ?? [],
    get up() {
      return kubelet !== undefined;
    },
    get ready() {
      return ready;
    },
    startKubelet: async () => {
      if (kubelet !== undefined) return;
      life = parts.begin?.();
      const sinks = told.sinks(parts);
      const started = createKubelet({
        ...parts,
        ...sinks,
        ...life,
        onNode: (reported) => {
          ready = reported.status;
          sinks.onNode?.(reported);
        },
        checkpoints,
        cri,
        random: random.fork(`kubelet-${lives++}`),
        log,
      });
      kubelet = started;
      try {
        await started.start();
      } catch (error) {
        if (kubelet === started) stopKubelet();
        throw error;
      }
    },
    stopKubelet,
    close: async () => {
      stopKubelet();
      await assembly.close(0);
    },
  };
}
