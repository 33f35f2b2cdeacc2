import type { Clock } from '../../base/clock/clock.js';
import { jitter, type Random } from '../../base/random/random.js';
import { type NodeProblem, type Problem, problemsText } from '../types/reports.js';

/** ReadyCondition in nodestatus/setters.go. */
export interface NodeReady {
  readonly status: 'True' | 'False';
  readonly reason: 'KubeletReady' | 'KubeletNotReady';
  readonly message: string;
  readonly problems: readonly NodeProblem[];
}

export interface NodeStatusOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The kubelet's version: 36 for 1.36. */
  readonly minor: number;
  /** In ms. */
  readonly updateFrequency: number;
  /** Interval in ms at which an unchanged status is sent. */
  readonly reportFrequency: number;
  /** Seconds, not ms. */
  readonly leaseDurationSeconds: number;
  readonly errors: () => readonly Problem[];
  readonly report: (ready: NodeReady) => void;
  readonly renew: () => void;
  readonly changed: (ready: NodeReady) => void;
}

const UPDATE_JITTER = 0.04;
/** fastStatusUpdateOnce: checks at this interval until the node is ready for the first time (ms). */
const FAST_PERIOD = 100;
const FAST_LIMIT = 120_000;
/** The kubelet renews the lease every quarter of its duration, plus jitter (component-helpers lease/controller.go). */
const RENEW_FRACTION = 0.25;
const RENEW_JITTER = 0.04;
/**
 * From 1.34 on a report after a change shifts the next regular one by up to half the frequency in either direction.
 */
const REPORT_SPREAD = 0.5;

/** Computes the Ready condition, reports it and renews the lease (kubelet_node_status.go). */
export function createNodeStatus(options: NodeStatusOptions) {
  const { clock, random, minor, updateFrequency, reportFrequency, errors, report, renew } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  let last: NodeReady | undefined;
  let nextReport = 0;

  const update = (): void => {
    const ready = readyCondition(errors());
    const changed = last?.status !== ready.status || last.message !== ready.message;
    if (last?.status !== ready.status) options.changed(ready);
    last = ready;
    if (!changed && clock.elapsed() < nextReport) return;
    const spread = changed && minor >= 34 ? (random.next() * 2 - 1) * REPORT_SPREAD * reportFrequency : 0;
    nextReport = clock.elapsed() + reportFrequency + spread;
    report(ready);
  };

  /** Returns immediately when the kubelet stops. */
  const pause = (time: number) => clock.sleep(time, signal).catch(() => {});

  const fast = async (): Promise<void> => {
    const end = clock.elapsed() + FAST_LIMIT;
    while (!signal.aborted && clock.elapsed() < end) {
      if (errors().length === 0) return update();
      await pause(FAST_PERIOD);
    }
  };

  const regular = async (): Promise<void> => {
    while (!signal.aborted) {
      update();
      await pause(jitter(random, updateFrequency, UPDATE_JITTER));
    }
  };

  const lease = async (): Promise<void> => {
    const chance = random.fork('lease');
    const interval = options.leaseDurationSeconds * 1000 * RENEW_FRACTION;
    while (!signal.aborted) {
      renew();
      await pause(jitter(chance, interval, RENEW_JITTER));
    }
  };

  return {
    start: () => {
      for (const task of [fast, regular, lease]) void clock.run(task);
    },
    stop: () => stopped.abort(),
  };
}

/** ReadyCondition (nodestatus/setters.go): ready without errors, otherwise with the text of Go's error aggregate. */
export function readyCondition(errors: readonly Problem[]): NodeReady {
  if (errors.length === 0) {
    return {
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
      problems: [],
    };
  }
  const problems = errors.map(({ what }) => what);
  return { status: 'False', reason: 'KubeletNotReady', message: problemsText(errors), problems };
}
