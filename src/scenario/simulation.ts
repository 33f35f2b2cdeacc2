import { type Assembly, assemble } from '../assembly/assembly.js';
import { createBreakableService } from '../assembly/breakable-service.js';
import { withLatency } from '../assembly/latency.js';
import { openRuntime } from '../assembly/origin.js';
import type { Clock } from '../clock/clock.js';
import { createRealClock } from '../clock/real-clock.js';
import { createVirtualClock } from '../clock/virtual-clock.js';
import type { CriClient } from '../cri/client/client.js';
import type { CriService } from '../cri/service.js';
import type { Backend } from '../engine/backend.js';
import type { Runtime } from '../engine/runtime.js';
import type { KubeletKind } from '../node/kubelet.js';
import type { KubeletSettings } from '../node/settings.js';
import { thinKubelet } from '../node/thin.js';
import { type RuntimeProfileName, runtimeProfiles } from '../profiles/index.js';
import type { LatencyChoice } from '../profiles/latency/choose-latency.js';
import { createRandom, type Random } from '../random/random.js';
import { podText } from '../tape/pod-text.js';
import { createTape, type Tape } from '../tape/tape.js';
import { withContainerHistory } from './container-history.js';
import { createImaginedLogs } from './imagined-logs.js';
import { inProcess, type KubeletLinkOptions, overSocket } from './kubelet-link.js';
import { simulatedLatency } from './latency.js';
import type { LoadedScenario } from './loaded-scenario.js';
import { readMetrics } from './metrics.js';
import type { ScenarioPods } from './pods.js';
import type { SimulatedMetrics, SimulatedRest, Simulation } from './run.js';
import { type RunReaderOptions, readRun } from './run-reader.js';
import { createRunWriter, type RunWriter } from './run-writer.js';
import { createSimulatedNode, scenarioKubelet } from './simulated-node.js';
import { perform, type TimelineContext } from './steps.js';

/** What is simulated, over what, and who gets the events. */
export interface SimulationOptions extends RunReaderOptions {
  readonly scenario: LoadedScenario;
  /** Overrides the scenario's; equal seeds give equal runs. */
  readonly seed?: number | string | undefined;
  readonly backend: (clock: Clock, random: Random) => Backend;
  /** Overrides the scenario's runtime. */
  readonly profile?: RuntimeProfileName | undefined;
  /** Overrides the scenario's times of the runtime. */
  readonly latency?: LatencyChoice | undefined;
  /** Default: in virtual time. */
  readonly time?: 'virtual' | 'real' | undefined;
  /** Default: in process. */
  readonly over?: 'process' | 'socket' | undefined;
  /** Called with the run's tape before anything happens, so that it can be recorded or read. */
  readonly onTape?: ((tape: Tape) => void | Promise<void>) | undefined;
  /** Called when the scenario's time is over, before kubelet and runtime are stopped. */
  readonly onOver?: (() => void) | undefined;
  /** Connects the kubelet to the runtime in process, in another way. */
  readonly connect?: (service: CriService, clock: Clock) => Promise<CriClient>;
  /** Runs another kubelet than the thin one: in real time, over a socket. */
  readonly kubelet?: ((context: KubeletContext) => KubeletKind) | undefined;
  /** Called before the kubelet is started, with what a timeline acts on. */
  readonly onBuilt?: ((context: TimelineContext) => void) | undefined;
  /** Ends a run in virtual time before its time is over: looked at after each timer. */
  readonly isOver?: (() => boolean) | undefined;
  /** Ends a run in real time before its time is over. */
  readonly signal?: AbortSignal | undefined;
}

/** What another kubelet is made of. */
export interface KubeletContext {
  readonly scenario: LoadedScenario;
  readonly settings: KubeletSettings;
  readonly clock: Clock;
  readonly pods: Pick<ScenarioPods, 'start' | 'manifestOf'>;
  readonly runtime: Runtime;
  /** Where the runtime listens. */
  readonly endpoint: string;
}

/** Runs a scenario: kubelet, runtime and clock in this process. In virtual time, one seed has one result. */
export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const { scenario } = options;
  const random = createRandom(options.seed ?? scenario.seed);
  const virtual = options.time === 'real' ? undefined : createVirtualClock();
  const clock = virtual ?? createRealClock();
  const tape = createTape(clock);
  await options.onTape?.(tape);
  const run = readRun(tape, options);
  const record = createRunWriter(tape, clock);
  const context = await build(options, clock, random, record, tape);
  options.onBuilt?.(context);
  const { node, link, assembly } = context;
  let failure: unknown;

  for (const pod of scenario.pods) node.pods.add(pod);
  // Rules on time that act from the beginning do so before the kubelet asks anything.
  await (virtual?.advance(0) ?? clock.sleep(1));
  run.begin();
  // A fault can delay the kubelet's first calls, so a start that takes time is not awaited. Timers of the timeline are set
  // right after a start that takes none: their order among the kubelet's timers of one instant depends on it.
  const started = clock.run(node.host.start);
  const settled = virtual?.settle();
  if (settled !== undefined) await Promise.race([started, settled]);
  for (const { at, do: action } of scenario.timeline) {
    clock.setTimer(at, () =>
      perform(action, context).catch((error) => {
        failure ??= error;
      }),
    );
  }
  await settled;
  const metrics: SimulatedMetrics[] = [];
  const look = async () => {
    const values = readMetrics(await node.host.metrics());
    metrics.push({ t: run.seconds(), values });
  };
  for (const at of metricTimes(scenario)) clock.setTimer(at, look);
  const isOver = options.isOver ?? (() => false);
  await (virtual?.runUntil(isOver, scenario.until) ??
    clock.sleep(scenario.until, options.signal).catch(() => {}));
  await look();
  options.onOver?.();
  run.over();
  const left = restOf(context);
  node.stop();
  assembly.faults.close();
  await virtual?.settle();
  await assembly.close(0);
  link.close();
  if (failure !== undefined) throw failure;
  return { ...run.result, metrics, left };
}

async function build(
  options: SimulationOptions,
  clock: Clock,
  random: Random,
  record: RunWriter,
  tape: Tape,
): Promise<TimelineContext & { readonly assembly: Assembly }> {
  const { scenario, profile = scenario.runtime } = options;
  const logs = createImaginedLogs();
  const backend = logs.within(options.backend(clock, random.fork('backend')));
  const latency = simulatedLatency(options.latency ?? scenario.latency, profile);
  const warn = (message: string) => record.step(message);
  const origin = await openRuntime({
    backend: withContainerHistory(withLatency(backend, clock, random.fork('latency'), latency), record.life),
    profile: runtimeProfiles[profile],
    clock,
    newId: idsFrom(random.fork('ids')),
    warn,
  });
  const seed = Math.floor(random.fork('faults').next() * 2 ** 32);
  const breakable = createBreakableService();
  const assembly = assemble(origin, { clock, warn, seed, tape, above: [breakable.layer] });
  const { faults, host } = assembly;
  const linking: KubeletLinkOptions = { ...options, clock, assembly, breakable };
  const link = await (options.over === 'socket' ? overSocket(linking) : inProcess(linking));
  faults.registry.add(scenario.faults, scenario.file);
  const { cri, endpoint = '' } = link;
  const { runtime } = origin;
  const settings = scenarioKubelet(scenario);
  const { files } = logs;
  const node = createSimulatedNode({
    scenario,
    settings,
    clock,
    record,
    kubelet: (pods) =>
      options.kubelet?.({ scenario, settings, clock, pods, runtime, endpoint }) ??
      thinKubelet({ cri, clock, random, settings, podSource: pods, files, keepsMetrics: true }),
  });
  return { node, runtime, link, assembly, registry: faults.registry, restart: host.restart, record };
}

/** What the runtime has of each pod. */
function restOf({ runtime }: TimelineContext): SimulatedRest[] {
  const byPod = new Map<string, { sandboxes: number; containers: number }>();
  for (const { name, namespace, containers } of runtime.snapshot().sandboxes) {
    const pod = podText({ name, namespace });
    const { sandboxes, containers: before } = byPod.get(pod) ?? { sandboxes: 0, containers: 0 };
    byPod.set(pod, { sandboxes: sandboxes + 1, containers: before + containers.length });
  }
  return [...byPod].map(([pod, rest]) => ({ pod, ...rest }));
}

/** When the expectations look at metrics before the end, in ms. */
const metricTimes = ({ expect }: LoadedScenario): number[] => [
  ...new Set(expect.metrics.flatMap(({ at }) => at ?? [])),
];

/** 64 hex digits from the seed. */
function idsFrom(random: Random): () => string {
  return () => {
    let id = '';
    while (id.length < 64)
      id += Math.floor(random.next() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return id;
  };
}
