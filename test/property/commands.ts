import { expect } from 'vitest';
import fc from '../support/properties.js';
import { checkEvents } from './event-invariants.js';
import { agrees, checkState, type History, look, newHistory } from './invariants.js';
import { emptyModel, type Model, type Operation, type Outcome, settled, step } from './model.js';
import { type Intent, intents, perform, resolve } from './operations.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

/** Maximum number of parallel requests: the model tries every order of them. */
const AT_ONCE = 4;

/** fast-check's model object. The model inside is replaced, never changed. */
interface Situation {
  model: Model;
  /** Ids of removed objects; they must never be reused (INV-14). */
  readonly gone: string[];
  readonly history: History;
  /** Number of operations over all runs. */
  readonly counter: { operations: number };
}

function newSituation(counter: Situation['counter']): Situation {
  return { model: emptyModel, gone: [], history: newHistory(), counter };
}

interface Issued {
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly cancelled: boolean;
}

/**
 * Sends several requests in parallel. Some order of the requests must explain the replies and the lists afterwards
 * (INV-16); then every invariant must hold.
 */
class Issue implements fc.AsyncCommand<Situation, RuntimeUnderTest, true> {
  readonly #batch: readonly Intent[];

  constructor(batch: readonly Intent[]) {
    this.#batch = batch;
  }

  async check(): Promise<boolean> {
    return true;
  }

  async run(situation: Situation, runtime: RuntimeUnderTest): Promise<void> {
    const issued = await this.#issue(situation, runtime);
    situation.counter.operations += issued.length;
    const view = await look(runtime);
    const explained = explanations(situation.model, issued).find((model) => agrees(model, view));
    if (explained === undefined)
      throw new Error(`no order of the requests explains ${JSON.stringify({ issued, view: brief(view) })}`);
    for (const { outcome } of issued)
      if ('ok' in outcome) expect(situation.gone, 'INV-14: an id was used again').not.toContain(outcome.ok);
    this.#bury(situation, issued, explained);
    await checkState(runtime, explained, view, situation.history);
  }

  async #issue({ model, gone }: Situation, runtime: RuntimeUnderTest): Promise<Issued[]> {
    const requests = this.#batch
      .filter(({ type }) => type !== 'exit' || runtime.exit !== undefined)
      .map(async (intent): Promise<Issued> => {
        const operation = resolve(intent, model, gone);
        const cancelling = new AbortController();
        if (intent.cancel === 'at once') cancelling.abort();
        if (intent.cancel === 'later') queueMicrotask(() => cancelling.abort());
        const outcome = await perform(runtime, operation, cancelling.signal);
        return { operation, outcome, cancelled: intent.cancel !== 'never' };
      });
    const answered = Promise.all(requests);
    await runtime.settle(answered);
    return answered;
  }

  #bury(situation: Situation, issued: readonly Issued[], model: Model): void {
    const known = [...situation.model.pods.keys(), ...situation.model.containers.keys()];
    for (const { outcome } of issued) if ('ok' in outcome && outcome.ok !== '') known.push(outcome.ok);
    for (const id of known) if (!model.pods.has(id) && !model.containers.has(id)) situation.gone.push(id);
    situation.model = model;
  }

  toString(): string {
    return this.#batch.map((intent) => JSON.stringify(intent)).join(' ∥ ');
  }
}

/**
 * Runs at least `atLeast` random requests, each run with a new runtime, and checks everything. `maxCommands`: number of
 * request groups per run.
 */
export async function checkAgainstModel(
  create: () => Promise<RuntimeUnderTest>,
  options: {
    readonly runs: number;
    readonly atLeast: number;
    readonly maxCommands?: number;
    /** For a runtime in real time: a fixed seed by default, and no shrinking, which takes hours. */
    readonly seed?: number | undefined;
    readonly endOnFailure?: boolean;
  },
): Promise<void> {
  const commands = fc.commands<Situation, RuntimeUnderTest, true>(
    [fc.array(intents, { minLength: 1, maxLength: AT_ONCE }).map((batch) => new Issue(batch))],
    { maxCommands: options.maxCommands ?? 100, size: 'max' },
  );
  const counter = { operations: 0 };
  const property = fc.asyncProperty(commands, async (issues) => {
    const runtime = await create();
    const situation = newSituation(counter);
    try {
      await fc.asyncModelRun(() => ({ model: situation, real: runtime }), issues);
      const { pods, containers } = situation.model;
      checkEvents(runtime.events[0], runtime.events[1], new Set([...pods.keys(), ...containers.keys()]));
    } finally {
      await runtime.close();
    }
  });
  const { runs: numRuns, seed, endOnFailure = false } = options;
  await fc.assert(property, { numRuns, endOnFailure, ...(seed !== undefined && { seed }) });
  expect(counter.operations).toBeGreaterThanOrEqual(options.atLeast);
}

/** The models that some order of the requests produces with these outcomes. */
function explanations(model: Model, issued: readonly Issued[]): Model[] {
  if (issued.length === 0) return [settled(model)];
  return issued.flatMap((one, index) => {
    const rest = issued.filter((_other, position) => position !== index);
    const rival = one.cancelled || rest.some((other) => sameName(one.operation, other.operation));
    const leaving = new Set(rest.flatMap(({ operation }) => (isRemoval(operation) ? [operation.id] : [])));
    const next = step(model, one.operation, one.outcome, { rival, cancelled: one.cancelled, leaving });
    return next === undefined ? [] : explanations(next, rest);
  });
}

function isRemoval(operation: Operation): operation is Extract<Operation, { id: string }> {
  return operation.type === 'remove' || operation.type === 'removePod';
}

function sameName(one: Operation, other: Operation): boolean {
  if (one.type === 'run') return other.type === 'run' && one.pod === other.pod;
  if (one.type === 'create')
    return other.type === 'create' && one.podId === other.podId && one.name === other.name;
  return false;
}

function brief({ pods, containers }: Awaited<ReturnType<typeof look>>) {
  return {
    pods: pods.map(({ id, state }) => `${id.slice(0, 8)} ${state}`),
    containers: containers.map(({ id, state }) => `${id.slice(0, 8)} ${state}`),
  };
}
