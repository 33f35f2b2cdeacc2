import type { Clock } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { CriClient } from '../../cri/client/client.js';
import { clientOf } from '../../cri/client/in-process.js';
import { type Layer, stack } from '../../cri/layer.js';
import type { RestartableServer } from '../../cri/restartable-server.js';
import type { CriService } from '../../cri/service.js';
import { subjectOfRequest } from '../../cri/subject.js';
import { createReferee, type Referee, type RefereeMode } from '../../tape/judge/referee.js';
import { recordService } from '../../tape/recorder.js';
import { subjectOf } from '../../tape/subjects.js';
import type { Tape } from '../../tape/tape.js';
import type { FaultListener } from '../faults/application.js';
import { createFaultHost, type ServerFaultHost } from '../faults/fault-host.js';
import { actionName, createFaults, type Faults } from '../faults/faults.js';
import { Holds } from '../faults/holds.js';
import type { OnConnection } from '../server/connections.js';
import { type CriServer, type ServerOptions, startServer } from '../server/server.js';
import { codeOf } from '../server/status.js';
import { createBreakableService } from './breakable-service.js';
import { busyRuntime } from './busy-runtime.js';
import type { Origin } from './origin.js';
import { pluginCallsOnto, pluginStepsOnto } from './plugin-tape.js';
import { restartedTogether } from './plugins.js';

export interface AssemblyOptions {
  readonly clock: Clock;
  /** Called with errors that no client waits for. */
  readonly warn: (message: string, error: unknown) => void;
  /** Seed of the fault rules' random numbers. Default 1. */
  readonly seed?: number | undefined;
  /** Whether fault rules may name nodes. Default false. */
  readonly hasNodes?: boolean | undefined;
  /** Default `off`. */
  readonly referee?: RefereeMode | undefined;
  /** Receives every call, connection and applied fault, while somebody listens to it. */
  readonly tape?: Tape | undefined;
  /** Whether rules may hold calls until the control API decides on them. Default false. */
  readonly canHold?: boolean | undefined;
  /** Layers above the referee, the innermost first. */
  readonly above?: readonly Layer[] | undefined;
}

type Given =
  | 'service'
  | 'clock'
  | 'treatConnection'
  | 'onConnection'
  | 'onTooManyPings'
  | 'describe'
  | 'lazyRequests';

export interface Assembly {
  readonly service: CriService;
  readonly faults: Faults;
  readonly host: ServerFaultHost;
  readonly referee: Referee;
  /** Starts a server, which fault rules can restart. Rejects when the address is in use. */
  serve(options: Omit<ServerOptions, Given>): Promise<CriServer>;
  /** Removes all fault rules, then closes origin and server; calls get `grace` ms to end (default 4,000). */
  close(grace?: number): Promise<void>;
}

/**
 * Puts the layers between a runtime and its clients. A call passes them in this order:
 *
 * client → server → tape → above → referee → fault rules → limit (virtual time) → origin (engine and backend, or a
 * runtime in another process)
 */
export function assemble(origin: Origin, options: AssemblyOptions): Assembly {
  const { clock, warn, seed, hasNodes, canHold, referee: mode = 'off', tape, above = [] } = options;
  const host = createFaultHost(origin.target, { clock, warn });
  const { plugins, runtime: { streaming } = {} } = origin;
  const faults = createFaults({
    host,
    clock,
    seed,
    hasNodes,
    holds: canHold ? new Holds() : undefined,
    pluginReply: plugins?.replyOf,
    onFault: tape && faultsOnto(tape),
  });
  streaming?.useRules(faults.streams);
  const referee = createReferee({ truth: origin.service, clock, mode, codeOf });
  const service = stack(origin.service, [
    ...(origin.layer ? [origin.layer] : []),
    ...(clock.kind === 'virtual' ? [busyRuntime(clock)] : []),
    faults.layer,
    referee.layer,
    ...above,
    ...(tape ? [recordingLayer(tape)] : []),
  ]);

  let server: CriServer | undefined;
  return {
    service,
    faults,
    host,
    referee,
    serve: async (settings) => {
      await plugins?.start({
        faults: faults.plugins,
        ...(tape && { onCall: pluginCallsOnto(tape), onPlugin: pluginStepsOnto(tape) }),
      });
      server = await startServer({
        ...settings,
        service,
        clock,
        treatConnection: faults.treatConnection,
        onConnection: tape && connectionsOnto(tape),
        describe: (method, request) => subjectOfRequest(method, request, host),
        lazyRequests: origin.forwards,
        onTooManyPings: (peer) => {
          referee.notePings(peer);
          return origin.refusesPings ? 'close' : 'keep';
        },
      });
      host.useServer(restartedTogether(server, plugins ? [plugins] : [], streaming));
      return server;
    },
    close: async (grace) => {
      faults.close();
      // Closed together: streams end with the runtime, and the server would wait for their clients.
      await Promise.all([origin.close(), server?.close(grace)]);
    },
  };
}

export interface NodeAssembly extends Assembly {
  /** A client in this process. */
  readonly cri: CriClient;
  /** Breaks that client's connection. */
  readonly connection: RestartableServer;
}

/** Assembles a runtime for a client in this process. `random` is the node's. */
export function assembleNode(
  origin: Origin,
  { random, ...options }: Omit<AssemblyOptions, 'seed' | 'above'> & { readonly random: Random },
): NodeAssembly {
  const breakable = createBreakableService();
  const seed = Math.floor(random.fork('faults').next() * 2 ** 32);
  const assembly = assemble(origin, { ...options, seed, above: [breakable.layer] });
  assembly.host.useServer(restartedTogether(breakable, [], origin.runtime?.streaming));
  const cri = clientOf(assembly.service, { clock: options.clock, codeOf });
  return { ...assembly, cri, connection: breakable };
}

const recordingLayer =
  (tape: Tape): Layer =>
  (below) =>
    recordService(below, { tape, codeOf });

const faultsOnto =
  (tape: Tape): FaultListener =>
  (application) => {
    if (!tape.wants('fault')) return;
    const { rule, trigger, method, subject } = application;
    const action = actionName(application);
    tape.write({
      kind: 'fault',
      rule: rule.name,
      action,
      on: trigger,
      ...(method && { method }),
      ...subjectOf(subject),
    });
  };

const connectionsOnto =
  (tape: Tape): OnConnection =>
  ({ number, peer }, what) => {
    if (tape.wants('connection')) tape.write({ kind: 'connection', connection: number, peer, what });
  };
