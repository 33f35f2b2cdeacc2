import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pullRuleSchema } from '../../adapters/memory/images/pull-rule-schema.js';
import { createMemoryBackend, type MemoryOptions } from '../../adapters/memory/memory-backend.js';
import type { Clock } from '../base/clock/clock.js';
import { createRealClock } from '../base/clock/real-clock.js';
import { createVirtualClock, isVirtual } from '../base/clock/virtual-clock.js';
import { counted } from '../base/input/counted.js';
import { once } from '../base/input/once.js';
import { makeTemporaryDirectory } from '../base/input/temporary-directory.js';
import { checkInput, InputError } from '../base/input/yaml.js';
import { createRandom } from '../base/random/random.js';
import { type CriConnection, connectCri } from '../cri/client/connect.js';
import type { ContainerEventResponse } from '../cri/gen/runtime/v1/api.js';
import { parseBehavior } from '../linux/behavior/parse-behavior.js';
import { addPod, type GivenPod, givenPodSchema } from '../runtime/assembly/add-pod.js';
import { assemble } from '../runtime/assembly/assembly.js';
import { openRuntime } from '../runtime/assembly/origin.js';
import type { PluginOptions } from '../runtime/assembly/plugins.js';
import { createTapeRecorder } from '../runtime/assembly/tape-recorder.js';
import type { Controlled } from '../runtime/control/control-routes.js';
import type { Backend } from '../runtime/engine/backend.js';
import type { Runtime } from '../runtime/engine/runtime.js';
import type { Faults } from '../runtime/faults/faults.js';
import type { FaultInput } from '../runtime/faults/language/rule-schema.js';
import { readRules } from '../runtime/faults/language/written-rule.js';
import type { RuleView } from '../runtime/faults/matching/registry.js';
import { type RuntimeProfileName, runtimeProfileName, runtimeProfiles } from '../runtime/profiles/index.js';
import { chooseLatency } from '../runtime/profiles/latency/choose-latency.js';
import type { Latency } from '../runtime/profiles/latency/latency.js';
import { operationsSchema } from '../runtime/profiles/latency/latency-schema.js';
import type { CallRecord } from '../runtime/server/call-log.js';
import { startStreamingServer } from '../runtime/streaming/server.js';
import type { Referee, RefereeFinding } from '../tape/judge/referee.js';
import { createTape } from '../tape/tape.js';
import { type ContainerControl, type ContainerQuery, controlContainer } from './container-control.js';
import { buildFault, type FaultBuilder, type MethodPattern, putIntoForce } from './fault-builder.js';
import type { FaultHandle } from './fault-handle.js';
import { watchForgottenTime } from './forgotten-time.js';
import { milliseconds } from './milliseconds.js';
import { checkOptions, type MockriOptions } from './options.js';
import { type PluginTests, pluginTests } from './plugins.js';
import { type CallQuery, callFilter, checkContainerQuery, checkEventQuery } from './queries.js';
import { type EventQuery, waitForCall, waitForEvent } from './wait.js';

export type { GivenPod } from '../runtime/assembly/add-pod.js';
export type { ContainerControl, ContainerQuery } from './container-control.js';
export type { CallQuery } from './queries.js';

/** A server for a test. `await using` closes it. */
export interface Mockri extends AsyncDisposable {
  /** Endpoint for clients: `unix:///tmp/mockri-…/cri.sock`. */
  readonly endpoint: string;
  /** `http://127.0.0.1:41234`; undefined without the option `control`. */
  readonly control: string | undefined;
  /** A connected client on the same clock. */
  readonly client: CriConnection;
  /** The runtime itself, for what no RPC shows: snapshots, counts, subjects by id. */
  readonly runtime: Runtime;
  /** The clock of everything simulated, virtual or real. */
  readonly clock: Clock;
  /** Moves a virtual clock by a duration such as `10m`, or ms. Throws on a real one. */
  advance(duration: string | number): Promise<void>;
  /** Moves a virtual clock until the work settles, at most by `limit` (default `1h`); on a real clock it just waits. */
  runUntil<T>(work: Promise<T>, limit?: string | number): Promise<T>;
  /** Starts a fault rule on RPCs by name, glob or group; the action activates it. */
  fault(method?: MethodPattern | readonly MethodPattern[]): FaultBuilder;
  /** Activates a rule of the rule language. */
  addFault(rule: FaultInput): FaultHandle;
  /** Active rules with their counts. */
  readonly faults: readonly RuleView[];
  /** Removes all rules: the runtime is healthy again. */
  reset(): void;
  /** Finished calls that match, oldest first. */
  calls(query?: CallQuery): CallRecord[];
  /** Waits for the first finished call that matches. Rejects after `limit` of real time (default `10s`, or ms). */
  waitForCall(query?: CallQuery, limit?: string | number): Promise<CallRecord>;
  /** Subscribes before it returns. Rejects after `limit` of real time (default `10s`, or ms). */
  waitForEvent(query?: EventQuery, limit?: string | number): Promise<ContainerEventResponse>;
  /** Number of open client connections. */
  readonly connections: number;
  /** Throws, naming them, if active rules have not acted as often as they should (or not at all). */
  assertNoPendingFaults(): void;
  /** Client mistakes, oldest first. */
  readonly findings: readonly RefereeFinding[];
  /** Throws with the mistake if a client made one. */
  assertClean(): void;
  /** Creates a pod, with its containers created, running or exited; returns its sandbox id. Ignores fault rules. */
  addPod(pod: GivenPod): Promise<string>;
  /** Node resource plugins; undefined without the option `nri`. */
  readonly nri: PluginTests | undefined;
  /** Controls a container by its name, or by pod and name; the newest attempt. Throws if there is none. */
  container(query: string | ContainerQuery): ContainerControl;
  /** Closes the server, its containers and its directory. Can be called again. */
  close(): Promise<void>;
}

/**
 * Starts a runtime with simulated containers behind a real gRPC server, on a socket in a temporary directory. Rejects
 * with InputError for an invalid rule or behavior, and when the address is taken.
 *
 * @example
 * await using mockri = await startMockri({ clock: 'virtual' });
 * mockri.fault('StartContainer').once().error('UNAVAILABLE');
 */
export async function startMockri(options: MockriOptions = {}): Promise<Mockri> {
  checkOptions(options);
  const cleanups: (() => unknown)[] = [];
  const close = once(async () => {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  });
  try {
    return await start(options, close, (cleanUp) => cleanups.push(cleanUp));
  } catch (error) {
    // The test cannot close what was already started.
    await close();
    throw error;
  }
}

/** Starts everything; passes cleanup, to run last first, to `atEnd`. */
async function start(
  options: MockriOptions,
  close: () => Promise<void>,
  atEnd: (cleanUp: () => unknown) => void,
): Promise<Mockri> {
  const directory = makeTemporaryDirectory('mockri-');
  atEnd(() => rm(directory, { recursive: true, force: true }));
  const clock = options.clock === 'virtual' ? createVirtualClock() : createRealClock();
  const warn = options.warn ?? (() => {});
  const profile = runtimeProfileName(options.profile ?? 'strict');
  const nriSocket = options.nri ? join(directory, 'nri.sock') : undefined;
  const origin = await openRuntime({
    backend: options.backend?.(clock) ?? memoryBackend(options, { clock, warn, place: directory }),
    clock,
    warn,
    profile: runtimeProfiles[profile],
    latency: latencyOf(options, profile),
    random: createRandom(options.seed ?? 1).fork('latency'),
    streaming: (handler) => startStreamingServer({ handler, clock }),
    plugins: nriSocket === undefined ? undefined : pluginOptions(nriSocket, options),
  });
  const { seed, referee: mode = 'warn' } = options;
  const tape = createTape(clock);
  const {
    faults,
    referee,
    serve,
    close: closeAssembly,
  } = assemble(origin, { clock, warn, seed, referee: mode, tape, canHold: true });
  const recorder = createTapeRecorder({
    tape,
    runtimes: [{ tape, origin }],
    about: { recorder: 'mockri/testing' },
    onFailure: (message) => warn(message, undefined),
  });
  atEnd(() => recorder.stop());
  atEnd(() => closeAssembly());
  const { record } = options;
  if (record !== undefined) {
    const { file, keep } = typeof record === 'string' ? { file: record } : record;
    await recorder.start(file, { keep });
  }
  faults.registry.add(readRules(options.faults ?? [], 'test'), 'test');
  const started = await serve({
    listen: options.listen ?? `unix://${join(directory, 'cri.sock')}`,
    apiLevel: options.apiLevel,
    onDefect: (id, error) => options.warn?.(`${id}: a call failed in a way it should not`, error),
  });
  const { runtime, plugins } = origin;
  const watch = isVirtual(clock)
    ? watchForgottenTime(clock, started.log, createRealClock(), (message) => process.emitWarning(message))
    : undefined;
  atEnd(() => watch?.stop());
  const moving = <T>(work: Promise<T>) => watch?.moving(work) ?? work;
  const control = options.control
    ? await serveControl({ server: started, runtime, plugins, faults, referee, clock, recorder })
    : undefined;
  if (control) atEnd(control.close);
  const client = connectCri(started.endpoint, { clock });
  atEnd(() => client.close());
  return {
    endpoint: started.endpoint,
    control: control?.url,
    client,
    runtime,
    clock,
    advance: (duration) => moving(advance(clock, duration)),
    runUntil: (work, limit = '1h') => moving(runUntil(clock, work, limit)),
    fault: (method) => buildFault(faults.registry, method as string | string[] | undefined),
    addFault: (rule) => putIntoForce(faults.registry, rule),
    get faults() {
      return faults.registry.list();
    },
    reset: () => faults.registry.reset(),
    calls: (query) => started.log.list(callFilter(query)),
    waitForCall: async (query, limit) => waitForCall(started.log, callFilter(query), query, limit),
    waitForEvent: async (query, limit) => waitForEvent(runtime.service, checkEventQuery(query), limit),
    get connections() {
      return started.connections.size;
    },
    assertNoPendingFaults: () => assertNoPendingFaults(faults),
    findings: referee.findings,
    assertClean: () => assertClean(referee),
    addPod: async (pod) =>
      addPod(checkInput(pod, givenPodSchema, 'addPod'), { service: origin.service, runtime }),
    nri: plugins && nriSocket !== undefined ? pluginTests(plugins, nriSocket) : undefined,
    container: (query) => controlContainer(runtime, checkContainerQuery(query)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function pluginOptions(socket: string, { nri, clock, warn = () => {} }: MockriOptions): PluginOptions {
  if (clock === 'virtual')
    throw new InputError(['startMockri: nri: plugins need real time, and the clock is virtual']);
  const { requestTimeout, cdiSpecDirs } = typeof nri === 'object' ? nri : {};
  return {
    socket,
    requestTimeout: requestTimeout === undefined ? undefined : milliseconds(requestTimeout),
    cdiDirectories: cdiSpecDirs,
    log: { info: () => {}, warn: (message) => warn(message, undefined) },
  };
}

/** Loaded on demand: most tests do without. */
async function serveControl(parts: Omit<Controlled, 'service'> & { readonly runtime: Runtime }) {
  const [{ startControl }, { controlRoutes }] = await Promise.all([
    import('../runtime/control/server.js'),
    import('../runtime/control/control-routes.js'),
  ]);
  const routes = controlRoutes({ ...parts, service: parts.runtime.service });
  return startControl({ listen: '127.0.0.1:0', routes });
}

/** A custom backend takes its own time. */
function latencyOf({ latency, backend }: MockriOptions, profile: RuntimeProfileName): Latency | undefined {
  if (latency === undefined && backend !== undefined) return undefined;
  const given = typeof latency === 'object' ? checkInput(latency, operationsSchema, 'latency') : latency;
  return chooseLatency(given, profile, 'latency');
}

function memoryBackend(
  { behaviors = [], images = [], presentImages = [] }: MockriOptions,
  context: Pick<MemoryOptions, 'clock' | 'warn' | 'place'>,
): Backend {
  return createMemoryBackend({
    ...context,
    // The test's own programs connect to them.
    machinePorts: 'all',
    pulls: checkInput(images, z.array(pullRuleSchema), 'images'),
    presentImages,
    behaviors: behaviors.map(({ match, behavior }) => ({
      match,
      behaviors: parseBehavior(behavior, 'behavior'),
    })),
  });
}

async function advance(clock: Clock, duration: string | number): Promise<void> {
  if (!isVirtual(clock))
    throw new Error(
      "this clock is real and can't be advanced: start with {clock: 'virtual'} to control time",
    );
  await clock.advance(milliseconds(duration));
}

async function runUntil<T>(clock: Clock, work: Promise<T>, limit: string | number): Promise<T> {
  if (!isVirtual(clock)) return work;
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  if (!(await clock.runUntil(() => isSettled, milliseconds(limit))))
    throw new Error(`the work has not ended within ${limit} of virtual time`);
  return work;
}

function assertNoPendingFaults({ registry }: Faults): void {
  const pending = registry
    .list()
    .filter(({ applied, left }) => (left === undefined ? applied === 0 : left > 0));
  if (pending.length === 0) return;
  const lines = pending.map(
    ({ name, seen, matched, applied, left }) =>
      `  ${name}: seen ${seen}, matched ${matched}, applied ${applied}${left === undefined ? '' : `, left ${left}`}`,
  );
  const what = pending.length === 1 ? 'fault rule is' : 'fault rules are';
  throw new Error(`${pending.length} ${what} pending:\n${lines.join('\n')}`);
}

function assertClean({ findings }: Referee): void {
  if (findings.length === 0) return;
  const lines = findings.map(({ rule, message }) => `  ${rule}: ${message}`);
  throw new Error(`the client did ${counted(findings.length, 'thing')} wrong:\n${lines.join('\n')}`);
}
