import type { Clock } from '../clock/clock.js';
import { createRandom, type Random } from '../clock/random.js';
import { createVirtualClock } from '../clock/virtual-clock.js';
import { type CriCalls, clientOf } from '../cri/in-process-client.js';
import type { CriService } from '../cri/service.js';
import type { Backend } from '../engine/backend.js';
import { createRuntime, type Runtime } from '../engine/runtime.js';
import { parseKubeletConfig } from '../kubelet/config/kubelet-configuration.js';
import { DEFAULT_KUBELET_VERSION, versionProfile } from '../kubelet/config/profile.js';
import { createKubelet, type Kubelet } from '../kubelet/kubelet.js';
import { createControlPlane, type NodeView } from '../kubelet/node/control-plane.js';
import { noPlegMetrics } from '../kubelet/pleg/metrics.js';
import { noFiles } from '../kubelet/runtime/files.js';
import { podRow } from '../kubelet/status/row.js';
import type { KubeEvent } from '../kubelet/types.js';
import { createGate, type Gate } from './gate.js';
import { usualLatency, withLatency } from './latency.js';
import type { LoadedScenario } from './load.js';
import { createScenarioPods } from './pods.js';
import type { ScenarioAction } from './schema.js';

/** A line of `kubectl get pod -w`; `t` is seconds since the kubelet's start. */
export interface SimulatedRow {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

export interface SimulatedEvent extends Pick<KubeEvent, 'pod' | 'field' | 'type' | 'reason' | 'message'> {
  readonly t: number;
}

export interface SimulatedCall {
  readonly t: number;
  readonly rpc: string;
}

export type SimulatedNode = NodeView & { readonly t: number };

/** Everything that happened, each in the order in which it did. */
export interface Simulation {
  readonly rows: readonly SimulatedRow[];
  readonly events: readonly SimulatedEvent[];
  readonly calls: readonly SimulatedCall[];
  readonly nodes: readonly SimulatedNode[];
  readonly log: readonly string[];
}

export interface SimulationOptions {
  readonly scenario: LoadedScenario;
  readonly seed?: number | string | undefined;
  readonly backend: (clock: Clock, random: Random) => Backend;
  /** gRPC code of a service's error, as the server answers it. */
  readonly codeOf: (error: unknown) => number;
  /** Overrides the scenario's. */
  readonly kubeletVersion?: string | undefined;
  /** Told at once, besides being kept. */
  readonly onRow?: (row: SimulatedRow) => void;
  readonly onEvent?: (event: SimulatedEvent) => void;
  /** Connects the kubelet to the runtime; in process by default. */
  readonly connect?: (service: CriService, clock: Clock) => Promise<CriCalls>;
}

/** Runs a scenario on virtual time: kubelet, runtime and clock in this process. One seed, one result. */
export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const { scenario } = options;
  const random = createRandom(options.seed ?? scenario.seed);
  const clock = createVirtualClock();
  const record = createRecord(options, clock);
  const latency = { ...usualLatency, ...definedOnly(scenario.latency) };
  const runtime = await createRuntime({
    backend: withLatency(
      options.backend(clock, random.fork('backend')),
      clock,
      random.fork('latency'),
      latency,
    ),
    clock,
    newId: idsFrom(random.fork('ids')),
  });
  const gate = createGate(runtime.service, record.call);
  const { service } = gate;
  const cri = await (options.connect?.(service, clock) ??
    clientOf(service, { clock, codeOf: options.codeOf }));
  const world = createWorld(options, { clock, random, cri, record });

  for (const pod of scenario.pods) world.pods.add(pod);
  await clock.run(world.startKubelet);
  for (const { at, do: action } of scenario.timeline) {
    clock.setTimer(at, () => perform(action, world, runtime, gate));
  }
  await clock.advance(scenario.until);
  world.stop();
  await clock.settle();
  await runtime.close();
  return record.result;
}

function createRecord({ onRow, onEvent }: SimulationOptions, clock: Clock) {
  const rows: SimulatedRow[] = [];
  const events: SimulatedEvent[] = [];
  const calls: SimulatedCall[] = [];
  const nodes: SimulatedNode[] = [];
  const log: string[] = [];
  const last = new Map<string, string>();
  const seconds = () => Math.round(clock.elapsed()) / 1000;
  return {
    result: { rows, events, calls, nodes, log } satisfies Simulation,
    row: (row: Omit<SimulatedRow, 't'>) => {
      const text = `${row.ready} ${row.status} ${row.restarts}`;
      if (last.get(row.pod) === text) return;
      last.set(row.pod, text);
      const made = { t: seconds(), ...row };
      rows.push(made);
      onRow?.(made);
    },
    event: ({ pod, field, type, reason, message }: KubeEvent) => {
      const made = { t: seconds(), pod, field, type, reason, message };
      events.push(made);
      onEvent?.(made);
    },
    call: (rpc: string) => calls.push({ t: seconds(), rpc }),
    node: (view: NodeView) => nodes.push({ t: seconds(), ...view }),
    log: (message: string) => log.push(`${seconds().toFixed(3)} ${message}`),
  };
}

type Record = ReturnType<typeof createRecord>;

interface WorldParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly cri: CriCalls;
  readonly record: Record;
}

function createWorld({ scenario, kubeletVersion }: SimulationOptions, parts: WorldParts) {
  const { clock, random, cri, record } = parts;
  const { kubelet: given } = scenario;
  const profile = versionProfile(kubeletVersion ?? given.version ?? DEFAULT_KUBELET_VERSION, {
    gates: given.featureGates,
    ...(given.evented === undefined ? {} : { evented: given.evented }),
  });
  const header = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const { config } = parseKubeletConfig(JSON.stringify({ ...header, ...given.config }), scenario.file);
  const pods = createScenarioPods(scenario, clock.now);
  const controlPlane = createControlPlane({
    clock,
    gracePeriod: profile.nodeMonitorGracePeriod * 1000,
    changed: record.node,
  });
  let kubelet: Kubelet | undefined;
  let lives = 0;

  const startKubelet = async (): Promise<void> => {
    kubelet = createKubelet({
      cri,
      clock,
      random: random.fork(`kubelet-${lives++}`),
      profile,
      config,
      podSource: pods,
      files: noFiles,
      metrics: noPlegMetrics,
      onEvent: record.event,
      onStatus: (pod, status) => {
        const { name, ready, status: text, restarts } = podRow(pod, status, clock.now());
        record.row({ pod: name, ready, status: text, restarts });
      },
      onFinished: (pod) => pods.finished(pod.metadata.uid),
      onHeartbeat: (report) => (report === undefined ? controlPlane.renew() : controlPlane.report(report)),
      log: record.log,
    });
    await kubelet.start();
  };
  const kill = () => kubelet?.stop();
  return {
    pods,
    startKubelet,
    kill,
    stop: () => {
      kill();
      controlPlane.stop();
    },
  };
}

type World = ReturnType<typeof createWorld>;

async function perform(action: ScenarioAction, world: World, runtime: Runtime, gate: Gate): Promise<void> {
  if (action.addPod !== undefined) world.pods.add(action.addPod);
  if (action.removePod !== undefined) world.pods.remove(action.removePod);
  if (action.runtime === 'down') gate.cut();
  if (action.runtime === 'up') gate.mend();
  if (action.kubelet === 'kill' || action.kubelet === 'restart') world.kill();
  if (action.kubelet === 'start' || action.kubelet === 'restart') await world.startKubelet();
  const exit = action.exitContainer;
  if (exit === undefined) return;
  const { pod, container, code, reason } = exit;
  const found = runtime
    .snapshot()
    .sandboxes.filter(({ name }) => name === pod)
    .flatMap(({ containers }) => containers)
    .find((each) => each.name === container && each.state === 'RUNNING');
  if (found === undefined)
    throw new Error(`exitContainer: container "${container}" of pod "${pod}" does not run`);
  await runtime.exitContainer(
    found.id,
    reason === undefined ? { exitCode: code } : { exitCode: code, reason },
  );
}

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

function definedOnly<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
