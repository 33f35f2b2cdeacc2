import type { Clock, Timer } from '../../../base/clock/clock.js';
import { readRules } from '../../../runtime/faults/language/written-rule.js';
import type { Entry } from '../../../tape/entries.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { Simulation } from '../../scenario/run/run.js';
import type { OpenSimulation } from '../../scenario/simulation/open-simulation.js';
import type { Perturbation, Schedule } from '../catalog/perturbation.js';
import { createStateReader } from '../points/state.js';
import { perturbed, ruleNames } from '../run/schedule.js';
import { fromNow, type RunPosition } from './run-position.js';

interface Waiting {
  readonly place: RunPosition;
  readonly act: () => void;
}

/** Applies perturbations to a run in real time: at the start, or when their positions are reached. */
export interface Placed {
  /** With the perturbations that are active from the start. */
  readonly scenario: LoadedScenario;
  /** Call it when the kubelet starts. */
  begin(simulation: OpenSimulation): void;
  readonly read: (entry: Entry) => void;
  /** When a perturbation acted, in ms since the kubelet's start; undefined if it did not. */
  actedAt(run: Simulation, index: number): number | undefined;
}

/** A perturbation without a position is active from the start. */
export function createPlaced(
  base: LoadedScenario,
  schedule: Schedule,
  places: readonly (RunPosition | undefined)[],
  clock: Clock,
): Placed {
  const atStart = schedule.filter((_, index) => places[index] === undefined);
  const startNames = ruleNames(base, atStart);
  const begunAt = new Map<number, number>();
  let simulation: OpenSimulation | undefined;
  let begun = clock.elapsed();

  const act = (index: number, { request }: RunPosition) => {
    const { rules, steps, at } = schedule[index] as Perturbation;
    const running = simulation;
    if (running === undefined) return;
    begunAt.set(index, clock.elapsed() - begun);
    const named = rules.map((rule, number) => ({ name: nameOf(index, number), ...fromNow(rule, request) }));
    running.faults.add(readRules(named, 'schedule'), 'schedule');
    for (const step of steps) clock.setTimer(step.at - at, () => running.perform({ kubelet: step.kubelet }));
  };
  const placer = createPlacer(
    places.flatMap((place, index) => (place === undefined ? [] : [{ place, act: () => act(index, place) }])),
    clock,
  );
  const namesOf = (index: number): readonly string[] => {
    const perturbation = schedule[index] as Perturbation;
    if (places[index] === undefined) return startNames[atStart.indexOf(perturbation)] ?? [];
    return perturbation.rules.map((_, number) => nameOf(index, number));
  };

  return {
    scenario: perturbed(base, atStart),
    begin: (opened) => {
      simulation = opened;
      begun = clock.elapsed();
      placer.begin();
    },
    read: placer.read,
    actedAt: (run, index) => {
      const at = begunAt.get(index);
      if (schedule[index]?.rules.length === 0) return at;
      const names = namesOf(index);
      const acted = run.faults.find(({ rule }) => names.includes(rule));
      return acted && (at ?? acted.t * 1000);
    },
  };
}

export function createPlacer(waiting: readonly Waiting[], clock: Clock) {
  const left = [...waiting];
  const state = createStateReader('runtime');
  let timer: Timer | undefined;

  const look = () => {
    timer?.cancel();
    timer = undefined;
    const [next] = left;
    if (next === undefined || next.place.state !== state.text) return;
    if (next.place.after === 0) act();
    else timer = clock.setTimer(next.place.after, act);
  };
  const act = () => {
    left.shift()?.act();
    look();
  };
  let hasBegun = false;
  return {
    /** Call it before the kubelet starts: performs what precedes its first call. */
    begin: () => {
      while (left[0]?.place.state === '' && left[0].place.after === 0) left.shift()?.act();
    },
    read: (entry: Entry) => {
      const isFirst = !hasBegun && entry.kind === 'call';
      hasBegun ||= isFirst;
      if (state.read(entry) || isFirst) look();
    },
  };
}

const nameOf = (index: number, number: number): string => `placed-${index + 1}-${number + 1}`;
