import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock/clock.js';
import { createRandom } from '../clock/random.js';
import { createRealClock } from '../clock/real-clock.js';
import { type CriClient, connectCri } from '../cri/client.js';
import { type Check, groups, Skip, Violation } from './check.js';
import { describeFailure, isRpcFailure } from './expect.js';
import type { Facts } from './facts.js';
import { probe } from './probes.js';
import { deviationFor, type Profile, type ProfileName, profileFor, profiles } from './profiles.js';
import { recordCalls } from './recorder.js';
import type { CheckResult, Failure, Outcome, Report } from './result.js';
import { allChecks } from './specs/index.js';
import { Trial } from './trial.js';

export interface ConformanceOptions {
  /** `unix:///path`. */
  readonly endpoint: string;
  /** Default: the one that fits the runtime's name, else strict. */
  readonly profile?: ProfileName | undefined;
  /** Runs only checks whose id, group or rule matches. */
  readonly focus?: RegExp | undefined;
  readonly skip?: RegExp | undefined;
  /** Of all random choices; default 1. */
  readonly seed?: number | undefined;
  /** How often each check runs; the first failure counts. Default 1. */
  readonly repeat?: number | undefined;
  /** How many checks run at once; default 4. */
  readonly parallel?: number | undefined;
  /** An image with a shell; default: the first that is there or can be pulled. */
  readonly image?: string | undefined;
  /** For one check, in ms; default 60,000. */
  readonly timeout?: number | undefined;
  /** Restarts the server; without it, INV-53 is skipped. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** Mockri's control URL; without it, INV-54 is skipped. */
  readonly control?: string | undefined;
  readonly checks?: readonly Check[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStart?: ((facts: Facts, profile: Profile, checks: readonly Check[]) => void) | undefined;
  readonly onResult?: ((result: CheckResult) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** How long a probe or a clean-up call may take, and what should be quick may last, in ms. */
const PATIENCE = 10_000;

/** Checks that count or remove what is shared by all, so that they run alone. */
const ALONE = new Set(['images', 'filters', 'streaming lists']);
const RUN_ALONE = /^INV-(53|54|19\.empty|50\.constant|52)/;

/**
 * Judges a CRI endpoint. Throws `Unusable` if it can't even be asked. Whatever it makes it removes again, after a
 * failure and after `signal` too, and it touches nothing else.
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const clock = options.clock ?? createRealClock();
  const startedAt = clock.elapsed();
  const signal = options.signal ?? new AbortController().signal;
  const seed = options.seed ?? 1;
  const cri = connectCri(options.endpoint);
  const directory = await mkdtemp(join(tmpdir(), 'mockri-conformance-'));
  try {
    const facts = await probe({
      cri,
      clock,
      image: options.image,
      timeout: PATIENCE,
      canRestart: options.restart !== undefined,
      hasControl: options.control !== undefined,
    });
    const profile = profiles[options.profile ?? profileFor(facts.runtimeName)];
    const checks = selectChecks(options.checks ?? allChecks, options);
    options.onStart?.(facts, profile, checks);
    const judge = (check: Check) =>
      judgeCheck(check, { options, cri, clock, facts, profile, directory, seed, signal });
    const results = await runAll(checks, options.parallel ?? 4, signal, judge, options.onResult);
    return {
      endpoint: options.endpoint,
      profile: profile.name,
      seed,
      facts,
      results,
      duration: clock.elapsed() - startedAt,
      interrupted: signal.aborted,
    };
  } finally {
    cri.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The checks that are asked for, in the order of the groups. */
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

/** Runs groups one after the other; within a group, several checks at once unless they need the endpoint alone. */
async function runAll(
  checks: readonly Check[],
  parallel: number,
  signal: AbortSignal,
  judge: (check: Check) => Promise<CheckResult>,
  onResult: ((result: CheckResult) => void) | undefined,
): Promise<CheckResult[]> {
  const results = new Map<Check, CheckResult>();
  const work = async (queue: Check[]) => {
    for (let check = queue.shift(); check !== undefined && !signal.aborted; check = queue.shift()) {
      const result = await judge(check);
      results.set(check, result);
      onResult?.(result);
    }
  };
  const isAlone = (check: Check) => ALONE.has(check.group) || RUN_ALONE.test(check.id);
  const together = checks.filter((check) => !isAlone(check));
  await work(checks.filter(isAlone));
  await Promise.all(Array.from({ length: parallel }, () => work(together)));
  return checks.flatMap((check) => results.get(check) ?? []);
}

interface JudgeContext {
  readonly options: ConformanceOptions;
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly facts: Facts;
  readonly profile: Profile;
  readonly directory: string;
  readonly seed: number;
  readonly signal: AbortSignal;
}

async function judgeCheck(check: Check, context: JudgeContext): Promise<CheckResult> {
  const { clock, facts, profile } = context;
  const startedAt = clock.elapsed();
  const need = check.needs?.find((candidate) => facts.missing.has(candidate));
  if (need !== undefined) {
    return {
      check,
      outcome: { kind: 'skipped', reason: facts.missing.get(need) ?? need },
      duration: 0,
      left: [],
    };
  }
  const left: string[] = [];
  let outcome: Outcome = { kind: 'passed' };
  for (let round = 0; round < (context.options.repeat ?? 1) && outcome.kind === 'passed'; round++) {
    outcome = await attempt(check, context, round, left);
  }
  const deviation = deviationFor(profile, check.id);
  if (deviation && outcome.kind === 'failed')
    outcome = { kind: 'deviates', failure: outcome.failure, deviation };
  else if (deviation && outcome.kind === 'passed') outcome = { kind: 'surprise', deviation };
  return { check, outcome, duration: clock.elapsed() - startedAt, left };
}

/** Runs a check once, within its time, and cleans up behind it. */
async function attempt(check: Check, context: JudgeContext, round: number, left: string[]): Promise<Outcome> {
  const { options, clock, facts, seed } = context;
  const timeout = options.timeout ?? 60_000;
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  const { cri, calls } = recordCalls(context.cri, clock, signal);
  const directory = join(context.directory, `${check.id.replaceAll('.', '-')}-${round}`);
  await mkdir(directory);
  const trial = new Trial({
    cri,
    cleaner: context.cri,
    clock,
    random: createRandom(`${seed}/${check.id}/${round}`),
    facts,
    run: `${process.pid.toString(36)}${seed}`,
    directory,
    patience: PATIENCE,
    restart: options.restart,
    control: options.control,
    signal,
  });
  const timer = clock.setTimer(timeout, () =>
    over.abort(new Violation(`the check to end within ${timeout} ms`, 'it did not')),
  );
  try {
    await Promise.race([check.run(trial), rejection(signal)]);
    return { kind: 'passed' };
  } catch (error) {
    return judgeError(error, [...calls], context.signal, over.signal);
  } finally {
    timer.cancel();
    over.abort(new Violation('the check to be over', 'a call still under way'));
    left.push(...(await trial.cleanUp()));
  }
}

function judgeError(
  error: unknown,
  calls: Failure['calls'],
  stopped: AbortSignal,
  over: AbortSignal,
): Outcome {
  if (error instanceof Skip) return { kind: 'skipped', reason: error.message };
  if (stopped.aborted) return { kind: 'skipped', reason: 'interrupted' };
  const cause = over.aborted ? over.reason : error;
  if (cause instanceof Violation) {
    return { kind: 'failed', failure: { expected: cause.expected, received: cause.received, calls } };
  }
  if (isRpcFailure(cause)) {
    return {
      kind: 'failed',
      failure: {
        expected: 'every call of the check’s preparation to be OK',
        received: describeFailure(cause),
        calls,
      },
    };
  }
  const received = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return { kind: 'failed', failure: { expected: 'the check itself to work', received, calls } };
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
