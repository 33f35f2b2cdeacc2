import type { Clock } from '../../base/clock/clock.js';
import type { Layer } from '../../cri/layer.js';
import { wrapService } from '../../cri/wrap-service.js';
import type { ConnectionTreatment, PluginFaults, StreamRules } from '../fault-decisions.js';
import { CallUnderRules } from './actions/call-under-rules.js';
import { decideOnConnection } from './actions/connections.js';
import { createFaultContext, type FaultContextOptions } from './actions/context.js';
import { Effects } from './actions/effects.js';
import { decideOnSession } from './actions/sessions.js';
import { faultyStream } from './actions/stream.js';
import { runTimedRules } from './actions/timed.js';
import { faultyUnary } from './actions/unary.js';
import type { FaultApplication, FaultListener } from './application.js';
import type { Holds } from './holds.js';
import type { FaultHost } from './host.js';
import { problemsOfReply } from './language/check.js';
import type { FieldsType } from './language/fields.js';
import { isNriRule } from './language/nri.js';
import type { FaultSpec } from './language/spec.js';
import { FaultRegistry } from './matching/registry.js';
import { createPluginFaults } from './plugin-faults.js';
import { withPodFaults } from './pod-faults.js';

export interface FaultsOptions {
  readonly host: FaultHost;
  readonly clock: Clock;
  /** Seed of all rules' random numbers. Default 1: each run draws the same ones. */
  readonly seed?: number | undefined;
  /** Whether rules may name nodes; see RegistryOptions. */
  readonly hasNodes?: boolean | undefined;
  /** The reply of plugins to a request such as `CreateContainer`. Undefined without plugins. */
  readonly pluginReply?: PluginReply | undefined;
  /** Where somebody decides on held calls; without it, rules with `hold` are refused. */
  readonly holds?: Holds | undefined;
  readonly onFault?: FaultListener | undefined;
}

export interface AppliedCount {
  readonly rule: string;
  /** The RPC; empty for connections and times. */
  readonly method: string;
  readonly action: string;
  count: number;
}

export interface Faults {
  readonly layer: Layer;
  readonly registry: FaultRegistry;
  /** The held calls; undefined where no one could release them. */
  readonly holds: Holds | undefined;
  readonly plugins: PluginFaults;
  readonly streams: StreamRules;
  /** Asks the rules how to treat a new connection; undefined: normally. */
  treatConnection(connection: number, gone: AbortSignal): Promise<ConnectionTreatment> | undefined;
  /** Since the start, including removed rules. */
  readonly applied: Iterable<AppliedCount>;
  close(): void;
}

/** Series that are counted separately; further ones are counted under the rule name "other". */
const MOST_COUNTS = 10_000;

/** Starts with no rules. Times in a rule count from the moment when the rule is added. */
export function createFaults(options: FaultsOptions): Faults {
  const { host, clock, seed = 1, hasNodes, pluginReply, holds, onFault: applied } = options;
  const registry = new FaultRegistry({
    clock,
    seed,
    hasNodes,
    conditions: () => host.conditions(),
    refuse: (spec) =>
      (isNriRule(spec) ? refusePlugins(spec, pluginReply) : undefined) ??
      (spec.action?.name === 'hold' && holds === undefined ? UNDECIDED : undefined) ??
      host.lacks?.(spec.action, spec.trigger, spec.then.delay !== undefined),
  });
  /** Connections of the streaming server: their numbers are negative. */
  let streams = 0;
  const counts = new Map<string, AppliedCount>();
  const onFault: FaultListener = (application) => {
    count(counts, application);
    applied?.(application);
  };
  const effects = new Effects(host, clock);
  const underRules = faultLayer({ registry, host, clock, effects, holds, onFault });
  const stopTimers = runTimedRules(registry, effects, clock, onFault);
  return {
    layer: (below) => withPodFaults(underRules(below), registry, host),
    registry,
    holds,
    plugins: createPluginFaults({ registry, clock, effects, onFault }),
    streams: {
      treatConnection: (gone) => decideOnConnection(registry, clock, -++streams, gone, onFault, 'streaming'),
      treatSession: (site, gone) => decideOnSession({ registry, host, clock, onFault }, site, gone),
    },
    treatConnection: (connection, gone) => decideOnConnection(registry, clock, connection, gone, onFault),
    get applied() {
      return counts.values();
    },
    close: () => {
      registry.reset();
      stopTimers();
    },
  };
}

/** Applies the rules to each call. While no rule is in force, a call costs one check of a flag. */
export function faultLayer(options: FaultContextOptions): Layer {
  const { registry } = options;
  const context = createFaultContext(options);
  return (below) =>
    wrapService(below, {
      unary: (method, work) => (request, call) =>
        registry.active
          ? faultyUnary(new CallUnderRules(context, method, request, call), work)
          : work(request, call),
      stream: (method, work) => (request, call) =>
        faultyStream(new CallUnderRules(context, method, request, call), work),
    });
}

const UNDECIDED =
  'then.hold: nothing could release the call: it needs the control API of npx mockri serve or startMockri';

type PluginReply = (method: string) => FieldsType;

function refusePlugins(spec: FaultSpec, replyOf: PluginReply | undefined): string | undefined {
  if (replyOf === undefined)
    return 'there are no node resource plugins: start with --nri-socket or --nri-plugin';
  const [problem] = problemsOfReply(spec, replyOf);
  return problem && `${problem.path.join('.')}: ${problem.message}`;
}

export const actionName = ({ rule }: Pick<FaultApplication, 'rule'>): string =>
  rule.spec.action?.name ?? 'delay';

function count(counts: Map<string, AppliedCount>, application: FaultApplication): void {
  const { method = '' } = application;
  const { name } = application.rule;
  const action = actionName(application);
  const known = counts.get(`${name} ${method} ${action}`);
  if (known !== undefined) {
    known.count++;
    return;
  }
  const rule = counts.size < MOST_COUNTS ? name : 'other';
  const key = `${rule} ${method} ${action}`;
  const entry = counts.get(key) ?? { rule, method, action, count: 0 };
  entry.count++;
  counts.set(key, entry);
}
