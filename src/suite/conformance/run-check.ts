import { setMaxListeners } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { aborted } from '../../base/clock/aborted.js';
import { stackOf } from '../../base/input/error-text.js';
import { UserError } from '../../base/input/user-error.js';
import { createRandom } from '../../base/random/random.js';
import { type DeviationProfile, deviationFor } from '../deviations/deviation.js';
import { type AnyCall, recordCalls } from './call-recorder.js';
import type { Check } from './check.js';
import type { CheckContextOptions } from './check-context.js';
import { CheckContext } from './check-context.js';
import type { CheckRecorder } from './check-recorder.js';
import { describeFailure, isRpcFailure } from './expect.js';
import { crictlScript } from './report/crictl.js';
import type { CheckResult, Failure, Outcome } from './result.js';
import { Skip, Violation } from './violation.js';

export interface RunContext
  extends Omit<CheckContextOptions, 'cleaner' | 'random' | 'directory' | 'restart' | 'control'> {
  readonly endpoint: string;
  readonly profile: DeviationProfile;
  /** For logs and other files, on the host where the runtime writes its logs. */
  readonly directory: string;
  readonly seed: number;
  readonly repeat: number;
  /** Per check, in ms. */
  readonly timeout: number;
  readonly restart: (() => Promise<void>) | undefined;
  readonly control: string | undefined;
  readonly recorder: CheckRecorder | undefined;
}

/** Runs a check as often as requested; the first failure counts. */
export async function runCheck(check: Check, context: RunContext): Promise<CheckResult> {
  const { clock, facts, profile } = context;
  const startedAt = clock.elapsed();
  const need = check.needs?.find((candidate) => facts.missing.has(candidate));
  if (need !== undefined) return skipped(check, facts.missing.get(need) ?? need);
  const deviation = deviationFor(profile, check.id, facts.runtimeVersion);
  if (deviation?.fatal)
    return skipped(check, `it would end this runtime: ${deviation.why} (${deviation.link})`);
  const after: Aftermath = { left: [], wasCutOff: false };
  let outcome: Outcome = { kind: 'passed' };
  for (let round = 0; round < context.repeat && outcome.kind === 'passed'; round++) {
    outcome = await recorded(check, context, round, after);
  }
  if (deviation && outcome.kind === 'failed')
    outcome = { kind: 'deviates', failure: outcome.failure, deviation };
  else if (deviation && !deviation.sometimes && outcome.kind === 'passed')
    outcome = { kind: 'surprise', deviation };
  return { check, outcome, duration: clock.elapsed() - startedAt, ...after };
}

/** The combined result of a check's attempts in addition to their outcome. */
interface Aftermath extends Pick<CheckResult, 'left'> {
  readonly left: string[];
  wasCutOff: boolean;
}

export const skipped = (check: Check, reason: string): CheckResult => ({
  check,
  outcome: { kind: 'skipped', reason },
  duration: 0,
  left: [],
});

async function recorded(
  check: Check,
  context: RunContext,
  round: number,
  after: Aftermath,
): Promise<Outcome> {
  const recording = await context.recorder?.begin(check, context.cri, context.facts);
  if (recording === undefined) return attempt(check, context, round, after);
  const outcome = await attempt(check, { ...context, cri: recording.cri }, round, after, recording.over);
  if (outcome.kind !== 'failed') {
    await recording.end(undefined);
    return outcome;
  }
  const { failure } = outcome;
  const files = await recording.end(failure);
  return { kind: 'failed', failure: { ...failure, files } };
}

async function attempt(
  check: Check,
  context: RunContext,
  round: number,
  after: Aftermath,
  onOver = () => {},
): Promise<Outcome> {
  const { clock, facts, seed, run, timeout, patience, restart, control } = context;
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  // Every call in progress adds a listener, and checks make many calls in parallel.
  setMaxListeners(0, signal);
  const { cri, calls, messages, wasCutOff } = recordCalls(context.cri, clock, signal);
  const directory = join(context.directory, `${check.id.replaceAll('.', '-')}-${round}`);
  await mkdir(directory);
  const checkContext = new CheckContext({
    cri,
    cleaner: context.cri,
    clock,
    random: createRandom(`${seed}/${check.id}/${round}`),
    facts,
    run,
    directory,
    patience,
    restart,
    control,
    signal,
  });
  const timer = clock.setTimer(timeout, () =>
    over.abort(new Violation(`the check to end within ${timeout} ms`, 'it did not')),
  );
  try {
    await Promise.race([check.run(checkContext), rejection(signal)]);
    return { kind: 'passed' };
  } catch (error) {
    const outcome = outcomeOfError(error, calls(), context.signal, over.signal);
    if (outcome.kind !== 'failed') return outcome;
    return { kind: 'failed', failure: { ...outcome.failure, ...asCrictl(context.endpoint, messages()) } };
  } finally {
    onOver();
    timer.cancel();
    over.abort(new Violation('the check to be over', 'a call still in progress'));
    after.wasCutOff ||= wasCutOff();
    after.left.push(...(await checkContext.cleanUp()));
  }
}

function asCrictl(endpoint: string, calls: readonly AnyCall[]): Pick<Failure, 'crictl'> {
  const crictl = crictlScript(endpoint, calls);
  return crictl === '' ? {} : { crictl };
}

function outcomeOfError(
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
        expected: 'every setup call of the check to be OK',
        received: describeFailure(cause),
        calls,
      },
    };
  }
  // The user's input does not work, such as the command that restarts the runtime.
  if (cause instanceof UserError)
    return {
      kind: 'failed',
      failure: { expected: 'the requirements of the check', received: cause.message, calls },
    };
  return {
    kind: 'failed',
    failure: { expected: 'no defect in the check itself', received: stackOf(cause), calls },
  };
}

function rejection(signal: AbortSignal): Promise<never> {
  const promise = aborted(signal);
  promise.catch(() => {});
  return promise;
}
