import { rm } from 'node:fs/promises';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { counted } from '../../base/input/counted.js';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { type CriConnection, connectCri } from '../../cri/client/connect.js';
import { deviationsOf, type ProfileName, profileFor } from '../deviations/index.js';
import type { Check } from './check.js';
import type { CheckRecorder } from './check-recorder.js';
import { cleanUp, removeImage } from './cleanup.js';
import type { Facts } from './facts.js';
import { chooseImage } from './image.js';
import { greet, probe } from './probes.js';
import type { CheckResult, Report } from './result.js';
import { type Group, groups } from './rules.js';
import { type RunContext, runCheck, skipped } from './run-check.js';
import { allChecks } from './specs/index.js';
import { whyGone } from './why-gone.js';

/** Options of `runConformance`; only the endpoint is required. */
export interface ConformanceOptions {
  /** `unix:///path`. */
  readonly endpoint: string;
  /** Default: the profile for the runtime's name, else strict. */
  readonly profile?: ProfileName | undefined;
  /** Runs only checks whose id, group or rule matches. */
  readonly focus?: RegExp | undefined;
  /** Skips checks whose id, group or rule matches. */
  readonly skip?: RegExp | undefined;
  /** Seed of all random choices; default 1. */
  readonly seed?: number | undefined;
  /** How often each check runs; the first failure counts. Default 1. */
  readonly repeat?: number | undefined;
  /** Number of parallel checks; default 4. */
  readonly parallel?: number | undefined;
  /** An image with a shell; default: the first known image that is present or can be pulled. */
  readonly image?: string | undefined;
  /** Per check, in ms; default 60,000. */
  readonly timeout?: number | undefined;
  /** Limit for a single call that should be quick, in ms; default 10,000. */
  readonly patience?: number | undefined;
  /** Restarts the server; without it, INV-53 is skipped. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** Mockri's control URL; without it, INV-54 is skipped. */
  readonly control?: string | undefined;
  /** Records the calls of checks; default: nothing does. */
  readonly recorder?: CheckRecorder | undefined;
  /** Default: all of them. */
  readonly checks?: readonly Check[] | undefined;
  /** Ends the run early, after removing everything that running checks created. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the first check, with the results of the probes and the checks to run. */
  readonly onStart?: ((facts: Facts, profile: ProfileName, checks: readonly Check[]) => void) | undefined;
  readonly onBegin?: ((check: Check) => void) | undefined;
  readonly onResult?: ((result: CheckResult) => void) | undefined;
  /** For durations and waits; default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** Groups whose checks count or remove shared objects. */
const ALONE: ReadonlySet<Group> = new Set<Group>(['images', 'filters', 'streaming lists']);

/** Tests a CRI endpoint, and always removes its own objects. Throws `Unusable` if it cannot be tested at all. */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const clock = options.clock ?? createRealClock();
  const cri = connectCri(options.endpoint);
  const directory = makeTemporaryDirectory('mockri-conformance-');
  try {
    return await runAndReport(options, cri, clock, directory);
  } finally {
    cri.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function runAndReport(
  options: ConformanceOptions,
  cri: CriConnection,
  clock: Clock,
  directory: string,
): Promise<Report> {
  const { endpoint, seed = 1, repeat = 1, timeout = 60_000, patience = 10_000, restart, control } = options;
  const signal = options.signal ?? new AbortController().signal;
  const startedAt = clock.elapsed();
  const begunAt = clock.now();
  const run = `${process.pid.toString(36)}-${begunAt.toString(36)}`;
  let left: readonly string[] = [];
  const greeting = await greet(cri, { timeout: patience, signal });
  const image = await chooseImage(cri, options.image, { timeout: patience, signal });
  try {
    const given = { canRestart: restart !== undefined, hasControl: control !== undefined };
    const probing = { cri, clock, greeting, image: image.reference, timeout: patience, run, signal };
    const facts = await probe({ ...probing, ...given });
    const profile = options.profile ?? profileFor(facts.runtimeName);
    const checks = selectChecks(options.checks ?? allChecks, options);
    options.onStart?.(facts, profile, checks);
    const context: RunContext = {
      ...{
        endpoint,
        cri,
        clock,
        facts,
        directory,
        seed,
        run,
        repeat,
        timeout,
        patience,
        restart,
        control,
        signal,
      },
      recorder: options.recorder,
      profile: deviationsOf(profile),
    };
    const runOne = (check: Check) => runCheck(check, context);
    const { results, incomplete } = await runAll(checks, options, facts, signal, runOne, () =>
      whyGone(cri, patience),
    );
    left = await cleanUp(cri, clock, run, { timeout: patience, interrupted: signal.aborted });
    const interrupted = signal.aborted;
    return {
      endpoint,
      profile,
      seed,
      begunAt,
      facts,
      results,
      left,
      duration: clock.elapsed() - startedAt,
      interrupted,
      incomplete,
    };
  } catch (error) {
    await cleanUp(cri, clock, run, { timeout: patience, interrupted: true });
    throw error;
  } finally {
    // A check reports an image that cannot be removed, not the cleanup.
    if (image.wasPulled) await removeImage(cri, image.reference, patience).catch(() => {});
  }
}

export function selectChecks(
  checks: readonly Check[],
  { focus, skip }: Pick<ConformanceOptions, 'focus' | 'skip'>,
): Check[] {
  const text = (check: Check) => `${check.id} ${check.group} ${check.rule}`;
  const wanted = checks.filter(
    (check) => (focus?.test(text(check)) ?? true) && !(skip?.test(text(check)) ?? false),
  );
  return groups.flatMap((group) => wanted.filter((check) => check.group === group));
}

/**
 * Runs first the checks that need the endpoint alone, then the rest in parallel. If a failure shows that the runtime no
 * longer responds, skips the remaining checks without waiting for their timeouts, and those that the runtime's end
 * interrupted: their results say nothing about the runtime.
 */
async function runAll(
  checks: readonly Check[],
  { parallel = 4, onBegin, onResult }: ConformanceOptions,
  { sharesEvents }: Facts,
  signal: AbortSignal,
  runOne: (check: Check) => Promise<CheckResult>,
  whyGone: () => Promise<string | undefined>,
): Promise<Pick<Report, 'results' | 'incomplete'>> {
  const results = new Map<Check, CheckResult>();
  let gone: string | undefined;
  let unjudged = 0;
  const work = async (queue: Check[]) => {
    for (let check = queue.shift(); check !== undefined && !signal.aborted; check = queue.shift()) {
      if (gone === undefined) onBegin?.(check);
      let result = gone === undefined ? await runOne(check) : undefined;
      if (result?.outcome.kind === 'failed' || result?.wasCutOff) {
        // Another check may find the reason meanwhile.
        const why = await whyGone();
        gone ??= why;
      }
      if (gone !== undefined && (result === undefined || result.wasCutOff)) {
        result = { ...skipped(check, gone), duration: result?.duration ?? 0, left: result?.left ?? [] };
        unjudged++;
      }
      if (result === undefined) continue;
      results.set(check, result);
      onResult?.(result);
    }
  };
  // Some runtimes send each event to only one subscriber.
  const isAlone = ({ group }: Check) => ALONE.has(group) || (group === 'events' && !sharesEvents);
  const isolationOf = (check: Check) => check.isolation ?? (isAlone(check) ? 'alone' : 'none');
  const isolated = (isolation: string) => checks.filter((check) => isolationOf(check) === isolation);
  const together = isolated('none');
  await work(isolated('alone'));
  await Promise.all(Array.from({ length: parallel }, () => work(together)));
  await work(isolated('last'));
  return {
    results: checks.flatMap((check) => results.get(check) ?? []),
    incomplete:
      unjudged > 0 ? `${counted(unjudged, 'check was', 'checks were')} not judged: ${gone}` : undefined,
  };
}
