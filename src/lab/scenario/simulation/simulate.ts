import { ListPodSandboxMetricsResponse } from '../../../cri/gen/runtime/v1/api.js';
import { ownCall } from '../../../cri/own-call.js';
import { decoded } from '../../../cri/reply.js';
import type { CriService } from '../../../cri/service.js';
import type { Runtime } from '../../../runtime/engine/runtime.js';
import { podText } from '../../../tape/pod-text.js';
import type { LoadedScenario } from '../file/loaded-scenario.js';
import type { SimulatedMetrics, SimulatedRest, Simulation } from '../run/run.js';
import { type RunReaderOptions, readRun } from '../run/run-reader.js';
import { type OpenSimulation, openSimulation, type SimulationOptions } from './open-simulation.js';

export async function simulate(options: SimulationOptions & RunReaderOptions): Promise<Simulation> {
  const simulation = await openSimulation(options);
  try {
    return await runToEnd(simulation, options);
  } finally {
    await simulation.close();
  }
}

/** Runs an open simulation to the end of its scenario, or until `isOver`. */
export async function runToEnd(
  simulation: OpenSimulation,
  options: RunReaderOptions,
  isOver?: () => boolean,
): Promise<Simulation> {
  const run = await startRun(simulation, options);
  await simulation.advance(simulation.scenario.until, isOver);
  return run.end();
}

export interface StartedRun {
  soFar(): Simulation;
  end(): Promise<Simulation>;
}

export async function startRun(
  { scenario, tape, clock, node, runtime, shown, advance }: OpenSimulation,
  options: RunReaderOptions,
): Promise<StartedRun> {
  const run = readRun(tape, options);
  const metrics: SimulatedMetrics[] = [];
  const asksRuntime = scenario.expect.metrics.some(({ of }) => of === 'runtime');
  const look = async () => {
    const values = readMetrics(await node.host.metrics());
    const series = asksRuntime ? { series: await seriesOf(shown) } : {};
    metrics.push({ t: run.seconds(), values, ...series });
  };
  await advance(0);
  for (const at of metricTimes(scenario)) clock.setTimer(at, look);
  const soFar = () => ({ ...run.result, metrics, left: restOf(runtime) });
  return {
    soFar,
    end: async () => {
      // A program answers only while the clock settles.
      await Promise.all([look(), advance(0)]);
      return soFar();
    },
  };
}

/** Prometheus samples by name and labels, in their exposed notation. */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const split = line.lastIndexOf(' ');
      return [line.slice(0, split), Number(line.slice(split + 1))] as const;
    }),
  );
}

/** Empty for a runtime without the RPC. */
async function seriesOf(runtime: CriService): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const reply = await Promise.resolve({})
    .then((request) => runtime.listPodSandboxMetrics(request, ownCall()))
    .catch(() => ListPodSandboxMetricsResponse.fromPartial({}));
  for (const { metrics, containerMetrics } of decoded(reply, ListPodSandboxMetricsResponse).podMetrics)
    for (const { name } of [...metrics, ...containerMetrics.flatMap((each) => each.metrics)])
      counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** When expectations read metrics before the end, in ms. */
const metricTimes = ({ expect }: LoadedScenario): number[] => [
  ...new Set(expect.metrics.flatMap(({ at }) => at ?? [])),
];

function restOf(runtime: Runtime): SimulatedRest[] {
  const byPod = new Map<string, { sandboxes: number; containers: number }>();
  for (const { name, namespace, containers } of runtime.snapshot().sandboxes) {
    const pod = podText({ name, namespace });
    const { sandboxes, containers: before } = byPod.get(pod) ?? { sandboxes: 0, containers: 0 };
    byPod.set(pod, { sandboxes: sandboxes + 1, containers: before + containers.length });
  }
  return [...byPod].map(([pod, rest]) => ({ pod, ...rest }));
}
