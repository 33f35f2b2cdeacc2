import { formatDuration } from '../../../base/input/duration.js';
import { UserError } from '../../../base/input/user-error.js';
import type { RestartableServer } from '../../../cri/restartable-server.js';
import type { Runtime } from '../../../runtime/engine/runtime.js';
import type { RestartOptions } from '../../../runtime/faults/host.js';
import type { FaultRegistry } from '../../../runtime/faults/matching/registry.js';
import type { RuntimeProfileName } from '../../../runtime/profiles/index.js';
import { podText } from '../../../tape/pod-text.js';
import type { LoadedAction } from '../file/loaded-scenario.js';
import type { RunWriter } from './run-writer.js';
import type { SimulatedNode } from './simulated-node.js';

export interface TimelineContext {
  readonly node: SimulatedNode;
  readonly runtime: Runtime;
  readonly server: RestartableServer;
  readonly registry: FaultRegistry;
  readonly restart: (options: RestartOptions) => Promise<void>;
  /** The next start of the kubelet is that of another version. */
  readonly upgrade: (version: string) => void;
  /** Another runtime takes over after `downFor` ms. */
  readonly upgradeRuntime: (profile: RuntimeProfileName, downFor: number) => Promise<void>;
  readonly record: RunWriter;
}

/** Executes a step of the timeline. Throws if it is not possible at that moment. */
export async function perform(action: LoadedAction, context: TimelineContext): Promise<void> {
  const { node, server, registry, record } = context;
  record.step(describeStep(action));
  if (action.addPod !== undefined) node.pods.add(action.addPod);
  // An eviction may have been faster.
  if (action.removePod !== undefined && !node.pods.remove(action.removePod))
    record.step(`pod ${action.removePod} no longer exists`);
  if (action.addFault !== undefined) registry.add(action.addFault, 'timeline');
  if (action.removeFault !== undefined) registry.remove(action.removeFault);
  if (action.runtime === 'down') await server.suspend();
  if (action.runtime === 'up') await server.resume();
  if (typeof action.runtime === 'object')
    await context.upgradeRuntime(action.runtime.profile, action.runtime.downFor);
  if (action.restartRuntime !== undefined) await context.restart(action.restartRuntime);
  if (action.kubelet === 'kill') node.host.kill();
  if (typeof action.kubelet === 'object') context.upgrade(action.kubelet.version);
  if (action.kubelet !== undefined && action.kubelet !== 'kill') await node.host.restart();
  if (action.exitContainer !== undefined) await exitContainer(context.runtime, action.exitContainer);
}

async function exitContainer(
  runtime: Runtime,
  { pod, container, code, reason }: NonNullable<LoadedAction['exitContainer']>,
): Promise<void> {
  const { sandboxes } = runtime.snapshot();
  const named = sandboxes.filter((each) => podText(each) === pod);
  const found = (named.length > 0 ? named : sandboxes.filter(({ name }) => name === pod))
    .flatMap(({ containers }) => containers)
    .find((each) => each.name === container && each.state === 'RUNNING');
  if (found === undefined)
    throw new UserError(`exitContainer: container "${container}" of pod "${pod}" does not run`);
  await runtime.exitContainer(found.id, { exitCode: code, ...(reason !== undefined && { reason }) });
}

function describeStep(action: LoadedAction): string {
  if (action.addPod !== undefined) {
    const { metadata } = (action.addPod.manifest ?? {}) as { metadata?: { name?: string } };
    return `add pod ${metadata?.name ?? action.addPod.file}`;
  }
  if (action.removePod !== undefined) return `delete pod ${action.removePod}`;
  if (action.addFault !== undefined)
    return `add fault ${action.addFault.map(({ spec, written }) => spec.name ?? Object.keys(written.then)[0]).join(', ')}`;
  if (action.removeFault !== undefined) return `remove fault ${action.removeFault}`;
  if (typeof action.runtime === 'object') return `runtime replaced by ${action.runtime.profile}`;
  if (action.runtime !== undefined) return `runtime ${action.runtime}`;
  if (action.restartRuntime !== undefined) {
    const { downFor, state } = action.restartRuntime;
    return `restart runtime, down for ${formatDuration(downFor)}, state ${state === 'keep' ? 'kept' : 'lost'}`;
  }
  if (typeof action.kubelet === 'object') return `kubelet replaced by version ${action.kubelet.version}`;
  if (action.kubelet !== undefined) return `kubelet ${action.kubelet}`;
  const { pod, container, code, reason } = action.exitContainer ?? {};
  return `end container ${container} of pod ${pod} with ${reason ?? `exit code ${code}`}`;
}
