import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { DEFAULT_KUBELET_VERSION } from '../../../src/kubelet/config/versions.js';
import { observeRun } from '../../../src/lab/explore/run/observe.js';
import { perturbed } from '../../../src/lab/explore/run/schedule.js';
import { withVersion } from '../../../src/lab/explore/subject/subject.js';
import type { Cause } from '../../../src/lab/reproduce/cause.js';
import { readLines } from '../../../src/lab/reproduce/read/read-lines.js';
import { type Reproduction, reproduce } from '../../../src/lab/reproduce/reproduce.js';
import { untoldVersions } from '../../../src/lab/reproduce/search/nodes.js';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';
import type { Case } from './cases.js';
import {
  type Doing,
  doingsOf,
  doingsOfSchedule,
  doTheSame,
  goTheSameWay,
  showTheSame,
} from './same-cause.js';
import { textsOf, type Viewing } from './texts.js';

/** The quality of an answer. */
export interface Answered {
  /** The place of the true cause, from 1; 0 if it is missing. */
  readonly place: number;
  /** Whether the pod shows the same without any fault: then "no fault" is the true cause. */
  readonly isHidden: boolean;
  readonly result: Reproduction;
  /** Processor time of the search, in seconds. */
  readonly seconds: number;
}

/** Passes a case's observations to the search, and judges the answer. */
export async function ask(given: Case, viewing: Viewing, schedules: number): Promise<Answered> {
  const truth = await runOf(given.truth);
  const saw = textsOf(truth, given.truth.until / 1000, viewing).map((text) => readLines(text, viewing));
  const before = process.cpuUsage();
  const result = await reproduce({
    scenario: given.pod,
    saw,
    budget: { schedules },
    seed: '1',
    depth: 2,
    workers: 0,
    clock: createRealClock(),
  });
  const { user, system } = process.cpuUsage(before);
  const isHidden = doingsOf(given.truth).length > 0 && (await isShownWithoutFault(given, truth));
  const needed = isHidden ? [] : await neededDoings(given, truth);
  const place = result.causes.findIndex((cause) => isTrue(cause, needed, truth)) + 1;
  return { place, isHidden, result, seconds: (user + system) / 1e6 };
}

/** Whether some version of the kubelet shows the same without a fault: the observations don't name the version. */
async function isShownWithoutFault({ truth, pod }: Case, run: Simulation): Promise<boolean> {
  const plain = { ...truth, faults: [], timeline: pod.timeline };
  const versions = new Set([truth.kubelet.version ?? DEFAULT_KUBELET_VERSION, ...untoldVersions(pod)]);
  for (const version of versions) if (showTheSame(run, await runOf(withVersion(plain, version)))) return true;
  return false;
}

async function runOf(scenario: Case['truth']): Promise<Simulation> {
  const { run, failure } = await observeRun(scenario);
  if (run === undefined) throw failure;
  return run;
}

/** The faults' effects that are needed for the observations; the pod's own behavior isn't one. */
async function neededDoings({ truth, pod }: Case, run: Simulation): Promise<Doing[]> {
  const own = new Set(perturbed(pod, []).faults.map(({ written }) => JSON.stringify(written)));
  const faults = truth.faults.filter(({ written }) => !own.has(JSON.stringify(written)));
  const all = doingsOf({ ...truth, faults });
  if (all.length === 1) return all;
  const needed: Doing[] = [];
  for (const fault of faults) {
    const without = { ...truth, faults: truth.faults.filter((each) => each !== fault) };
    if (!showTheSame(run, await runOf(without)))
      needed.push(...doingsOf({ ...without, faults: [fault], timeline: [] }));
  }
  for (const step of truth.timeline) {
    const without = { ...truth, timeline: truth.timeline.filter((each) => each !== step) };
    const doings = doingsOf({ ...without, faults: [], timeline: [step] });
    if (doings.length > 0 && (step.do.removeFault !== undefined || !showTheSame(run, await runOf(without))))
      needed.push(...doings);
  }
  return needed.length > 0 ? needed : all;
}

/** The same kinds of perturbation at the same calls, or a run without any difference on the node. */
const isTrue = ({ schedule, also, run }: Cause, needed: readonly Doing[], truth: Simulation): boolean =>
  [schedule, ...also].some((each) => doTheSame(doingsOfSchedule(each), needed)) || goTheSameWay(run, truth);
