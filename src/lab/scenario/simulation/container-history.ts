import { chooseBehavior } from '../../../../adapters/memory/containers/choose-behavior.js';
import { contentOf } from '../../../../adapters/memory/images/catalog.js';
import { parseImageReference } from '../../../cri/image-reference.js';
import type { Backend, BackendHost, ContainerSpec } from '../../../runtime/engine/backend.js';
import type { LogTails } from './log-tails.js';
import type { ContainerEventFacts, RunWriter } from './run-writer.js';

export function withContainerHistory(
  backend: Backend,
  { containerEvent: report, printed }: Pick<RunWriter, 'containerEvent' | 'printed'>,
  tails: LogTails,
): Backend {
  const specs = new Map<string, ContainerSpec>();
  const stopped = new Set<string>();
  const reportEvent = (id: string, event: Omit<ContainerEventFacts, 'pod' | 'container'>) => {
    const config = specs.get(id)?.config;
    if (config === undefined) return;
    const { name = '', attempt = 0 } = config.metadata ?? {};
    report({ pod: podOf(config.labels), container: { name, attempt }, ...event });
  };
  const reportOutput = (id: string) => {
    const { config, logPath = '' } = specs.get(id) ?? {};
    if (config === undefined) return;
    const { name = '', attempt = 0 } = config.metadata ?? {};
    const subject = { pod: podOf(config.labels), container: { name, attempt } };
    for (const line of tails.of(logPath)) printed({ ...subject, ...line });
  };
  const listening = (host: BackendHost): BackendHost => ({
    ...host,
    containerExited: (exit) => {
      const { containerId, exitCode, reason } = exit;
      if (exitCode !== 0 && !stopped.has(containerId)) reportOutput(containerId);
      const imageCommand = imageCommandOf(specs.get(containerId));
      reportEvent(containerId, {
        what: 'ended',
        exitCode,
        ...(reason !== undefined && { reason }),
        ...(imageCommand !== undefined && { imageCommand }),
      });
      host.containerExited(exit);
    },
  });
  return {
    ...backend,
    open: (host) => backend.open(listening(host)),
    createContainer: async (spec, call) => {
      const made = await backend.createContainer(spec, call);
      specs.set(spec.id, spec);
      return made;
    },
    startContainer: async (id, call) => {
      await backend.startContainer(id, call);
      reportEvent(id, { what: 'started' });
    },
    stopContainer: (id, stop, call) => {
      stopped.add(id);
      return backend.stopContainer(id, stop, call);
    },
    removeContainer: async (id, call) => {
      await backend.removeContainer(id, call);
      tails.forget(specs.get(id)?.logPath ?? '');
      specs.delete(id);
      stopped.delete(id);
    },
  };
}

/** Undefined if the container has a behavior or a command. */
function imageCommandOf(spec: ContainerSpec | undefined): string | undefined {
  if (spec === undefined) return undefined;
  const { command, args, image } = spec.config;
  if (command.length + args.length > 0 || chooseBehavior(spec, []) !== undefined) return undefined;
  const reference = parseImageReference(image?.userSpecifiedImage || image?.image || '');
  const own = reference && contentOf(reference).command.join(' ');
  // Other programs of an image run until they are stopped.
  return own === 'sh' ? own : undefined;
}

const podOf = (labels: Readonly<Record<string, string>>) => ({
  name: labels['io.kubernetes.pod.name'] ?? '',
  namespace: labels['io.kubernetes.pod.namespace'] ?? 'default',
  uid: labels['io.kubernetes.pod.uid'] ?? '',
});
