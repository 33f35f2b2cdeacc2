import { createMemoryFiles } from '../../../../adapters/memory/disk/memory-files.js';
import type { PodFacts, UnknownImages } from '../../../../adapters/memory/guess/facts.js';
import type { Clock } from '../../../base/clock/clock.js';
import { createVirtualClock, isVirtual, type VirtualClock } from '../../../base/clock/virtual-clock.js';
import { type Accounts, openAccounts } from '../../../base/input/account.js';
import { SimulatedNetwork } from '../../../base/network/network.js';
import { createRandom, idsFrom } from '../../../base/random/random.js';
import type { CriClient } from '../../../cri/client/client.js';
import type { CriService } from '../../../cri/service.js';
import type { KubeletKind } from '../../../kubelet/hosts/kubelet.js';
import { createServices } from '../../../kubelet/hosts/services.js';
import type { KubeletSettings } from '../../../kubelet/hosts/settings.js';
import { thinKubelet } from '../../../kubelet/hosts/thin.js';
import { MemoryDisk } from '../../../linux/fs/memory-disk.js';
import { HostDisk, type NodeDisk } from '../../../linux/fs/node-disk.js';
import { type Assembly, assembleNode } from '../../../runtime/assembly/assembly.js';
import { withLatency } from '../../../runtime/assembly/latency.js';
import { openRuntime } from '../../../runtime/assembly/origin.js';
import type { Backend } from '../../../runtime/engine/backend.js';
import type { Runtime } from '../../../runtime/engine/runtime.js';
import type { FaultRegistry } from '../../../runtime/faults/matching/registry.js';
import { type RuntimeProfileName, runtimeProfiles } from '../../../runtime/profiles/index.js';
import { chooseLatency, type LatencyChoice } from '../../../runtime/profiles/latency/choose-latency.js';
import { usualLatency } from '../../../runtime/profiles/latency/latency.js';
import { createTape, type Tape } from '../../../tape/tape.js';
import type { LoadedAction, LoadedScenario } from '../file/loaded-scenario.js';
import { withContainerHistory } from './container-history.js';
import { createLogTails } from './log-tails.js';
import { openProgram, type ProgramKubelet } from './program-kubelet.js';
import { createRunWriter } from './run-writer.js';
import { forwarding, openUpgradable } from './runtime-upgrade.js';
import { createScenarioObjects } from './scenario-objects.js';
import type { ScenarioPods } from './scenario-pods.js';
import { createSimulatedNode, type SimulatedNode, scenarioKubelet } from './simulated-node.js';
import { connectOverSocket, type SocketLink } from './socket-link.js';
import { perform, type TimelineContext } from './steps.js';

export interface SimulationOptions {
  readonly scenario: LoadedScenario;
  /** Receives everything. The simulation uses its clock, virtual or real. Default: a tape on virtual time. */
  readonly tape?: Tape | undefined;
  /** Overrides the scenario's seed; equal seeds give equal runs. */
  readonly seed?: number | string | undefined;
  readonly backend: (parts: BackendParts) => Backend;
  /** Overrides the scenario's runtime. */
  readonly profile?: RuntimeProfileName | undefined;
  /** Overrides the scenario's latencies. */
  readonly latency?: LatencyChoice | undefined;
  /** Default: `process`. */
  readonly over?: 'process' | 'socket' | undefined;
  /** Replaces the in-process connection between kubelet and runtime. */
  readonly connect?: (service: CriService, clock: Clock) => Promise<CriClient>;
  /** A kubelet program built for virtual time that replaces the thin kubelet. Its random numbers come from the seed. */
  readonly program?: string | undefined;
  /** The program of another version, for a timeline that upgrades the kubelet. Throws UserError if there is none. */
  readonly programOf?: ((version: string) => string) | undefined;
  /** Replaces the thin kubelet. A kubelet in real time needs a socket. */
  readonly kubelet?: ((context: KubeletContext) => KubeletKind) | undefined;
}

export interface BackendParts {
  readonly clock: Clock;
  readonly hostname: string;
  /** The kubelet's files that containers mount. */
  readonly disk: NodeDisk;
  readonly accounts: Accounts;
  readonly presentImages: readonly string[];
  readonly rootImages: readonly string[];
  readonly network: SimulatedNetwork;
  readonly unknownImages: UnknownImages;
  readonly podOf: (uid: string) => PodFacts | undefined;
}

export interface KubeletContext {
  readonly scenario: LoadedScenario;
  readonly settings: KubeletSettings;
  readonly clock: Clock;
  readonly pods: Pick<ScenarioPods, 'start' | 'manifestOf'>;
  readonly runtime: Runtime;
  readonly endpoint: string;
}

/** A simulation in progress: kubelet, runtime and clock in this process. */
export interface OpenSimulation {
  readonly scenario: LoadedScenario;
  readonly clock: Clock;
  readonly tape: Tape;
  readonly node: SimulatedNode;
  readonly runtime: Runtime;
  /** What the runtime answers, without faults, and without a trace on the tape. */
  readonly shown: CriService;
  readonly faults: FaultRegistry;
  /** Executes a step of a timeline now. Rejects if it is not possible at this moment. */
  perform(action: LoadedAction): Promise<void>;
  /**
   * Advances to this time in ms since the kubelet's start; the first call starts the kubelet and the scenario's
   * timeline. Stops earlier if `isOver` returns true, which is checked after each timer of a virtual clock. Rejects
   * with the error of a timeline step.
   */
  advance(until: number, isOver?: () => boolean): Promise<void>;
  /** Ends the tape first, because shutting kubelet and runtime down is not part of the simulation. */
  close(): Promise<void>;
}

/** Opens a simulation without starting its kubelet. In virtual time, a seed determines the whole run. */
export async function openSimulation(options: SimulationOptions): Promise<OpenSimulation> {
  const { scenario, tape = createTape(createVirtualClock()) } = options;
  const { clock } = tape;
  const virtual = isVirtual(clock) ? clock : undefined;
  const context = await build(options, tape);
  const { node, runtime, shown, registry, link, assembly, program } = context;
  const broken = new AbortController();
  let begun: number | undefined;
  let isStuck = false;

  const start = async (): Promise<number> => {
    for (const pod of scenario.pods) node.pods.add(pod);
    // Rules that act at a time from the beginning on must act before the kubelet's first call.
    await (virtual?.advance(0) ?? clock.sleep(1));
    const now = clock.elapsed();
    // A fault can delay the kubelet's first calls, so a slow start is not awaited. After an immediate start, the
    // timeline's timers are set right away: their order among the kubelet's timers of one instant depends on it.
    const started = clock.run(node.host.start);
    const settled = virtual?.settle();
    if (settled !== undefined) await Promise.race([started, settled]);
    for (const { at, do: action } of scenario.timeline)
      clock.setTimer(at, () => perform(action, context).catch((error) => broken.abort(error)));
    await settled;
    return now;
  };
  const move = async (until: number, isOver: () => boolean): Promise<void> => {
    begun ??= await start();
    const left = begun + until - clock.elapsed();
    if (virtual !== undefined) await virtual.runUntil(() => broken.signal.aborted || isOver(), left);
    else await clock.sleep(left, broken.signal).catch(() => {});
  };
  return {
    scenario,
    clock,
    tape,
    node,
    runtime,
    shown,
    faults: registry,
    perform: (action) => perform(action, context),
    advance: async (until, isOver = () => false) => {
      try {
        await move(until, isOver);
      } catch (error) {
        isStuck = true;
        throw error;
      }
      broken.signal.throwIfAborted();
    },
    close: async () => {
      tape.end();
      node.stop();
      assembly.faults.close();
      // A clock that stands still never settles.
      if (!isStuck) await virtual?.settle();
      await assembly.close(0);
      link?.close();
      program?.close();
    },
  };
}

interface SimulationParts extends TimelineContext {
  readonly shown: CriService;
  readonly assembly: Assembly;
  readonly link: SocketLink | undefined;
  readonly program: ProgramKubelet | undefined;
}

async function build(options: SimulationOptions, tape: Tape): Promise<SimulationParts> {
  const { scenario, seed = scenario.seed, profile = scenario.runtime } = options;
  const { clock } = tape;
  // What may be refused comes before anything is open.
  let settings = scenarioKubelet(scenario);
  const random = createRandom(seed);
  const record = createRunWriter(tape, clock);
  const program = await openProgramOf(options, clock);
  const accounts = openAccounts();
  const memory = MemoryDisk.ofNode(clock.now, accounts.files);
  const tails = createLogTails();
  const disk = tails.within(diskOf(options, memory));
  const ofScenario = scenario.objects.filter((object) => object.kind === 'Service');
  const services = createServices(
    () => ofScenario,
    () => node.shown(),
  );
  const network = new SimulatedNetwork({ clock, services });
  const { node: hostname, presentImages, rootImages } = scenario;
  const given = options.backend({
    ...{ clock, hostname, disk, accounts, presentImages, rootImages, network },
    unknownImages: scenario.unknownImages ?? 'run',
    podOf: (uid) => {
      const pod = node.podOf(uid);
      return pod && { ...pod, ledTo: services.portsOf(pod) };
    },
  });
  const backend = program?.within(given) ?? given;
  const choice = options.latency ?? scenario.latency;
  // Nothing races without latency, so a profile without any gets the usual ones.
  const latencyOf = (name: RuntimeProfileName) =>
    chooseLatency(choice, name, '--latency', usualLatency) ?? {};
  let latency = latencyOf(profile);
  const latencies = forwarding(() => latency);
  const warn = (message: string) => record.step(message);
  const timed = withLatency(backend, clock, random.fork('latency'), latencies);
  const newId = idsFrom(random.fork('ids'));
  const { origin, useProfile } = await openUpgradable({
    backend: withContainerHistory(timed, record, tails),
    clock,
    profile,
    open: (shared, name) =>
      openRuntime({ backend: shared, profile: runtimeProfiles[name], clock, newId, warn }),
  });
  const assembly = assembleNode(origin, { clock, warn, random, tape });
  const { faults, host, service } = assembly;
  const link = options.over === 'socket' ? await connectOverSocket(assembly, clock) : undefined;
  const cri = link?.cri ?? (await options.connect?.(service, clock)) ?? assembly.cri;
  if (program !== undefined) await assembly.serve({ listen: program.listen });
  faults.registry.add(scenario.faults, scenario.file);
  const { runtime, service: shown } = origin;
  const upgrade = (version: string): void => {
    if (program !== undefined) program.use(options.programOf?.(version) ?? '');
    settings = scenarioKubelet({ ...scenario, kubelet: { ...scenario.kubelet, version } });
  };
  const files = createMemoryFiles(memory);
  const objects = createScenarioObjects(scenario, services);
  const node: SimulatedNode = createSimulatedNode({
    scenario,
    settings,
    clock,
    record,
    kubelet: (pods) =>
      program?.kind({ scenario, settings, clock: clock as VirtualClock, pods, services }) ??
      options.kubelet?.({ scenario, settings, clock, pods, runtime, endpoint: link?.endpoint ?? '' }) ??
      thinKubelet({
        cri,
        clock,
        network,
        random,
        settings: () => settings,
        podSource: pods,
        files,
        objects,
        keepsMetrics: true,
      }),
  });
  const { registry } = faults;
  const server = link?.server ?? assembly.connection;
  const upgradeRuntime = async (next: RuntimeProfileName, downFor: number) => {
    const restarted = host.restart({ downFor, state: 'keep' });
    latency = latencyOf(next);
    await useProfile(next);
    await restarted;
  };
  const steps = { restart: host.restart, upgrade, upgradeRuntime };
  return { node, runtime, shown, link, server, assembly, program, registry, record, ...steps };
}

/** Where the runtime finds the kubelet's files: a kubelet program has them on this machine, except logs. */
function diskOf({ program, kubelet }: SimulationOptions, memory: MemoryDisk): NodeDisk {
  if (program === undefined && kubelet === undefined) return memory;
  const host = new HostDisk();
  if (program !== undefined) return host;
  return {
    find: (path, isWritable) => host.find(path, isWritable),
    makeLog: (path) => memory.makeLog(path),
    openLog: (path) => memory.openLog(path),
    logPace: memory.logPace,
  };
}

async function openProgramOf(
  { program, scenario, seed = scenario.seed }: SimulationOptions,
  clock: Clock,
): Promise<ProgramKubelet | undefined> {
  if (program === undefined) return undefined;
  if (!isVirtual(clock)) throw new Error('a program that was built for virtual time cannot run in real time');
  return openProgram(program, Math.floor(createRandom(seed).fork('program').next() * 2 ** 31));
}
