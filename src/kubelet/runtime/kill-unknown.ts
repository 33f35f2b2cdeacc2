import type { ContainerStatus } from '../../cri/gen/runtime/v1/api.js';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID, readNotes } from '../client/labels.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import { tolerant } from '../kubernetes/fields.js';
import type { Handler } from '../kubernetes/handler.js';
import { lifecycleSchema } from '../kubernetes/handler.js';
import type { Pod } from '../kubernetes/pod.js';
import type { RuntimeContext } from './context.js';
import { killContainer, MINIMUM_GRACE } from './kill.js';
import { skeletonOf } from './skeleton-pod.js';

/**
 * Kills a container in unknown state, using its labels and annotations (restoreSpecsFromContainerLabels) for the
 * preStop hook and the grace period. Records no events: for the recorder it belongs to no pod (container/ref.go).
 */
export async function killUnknownContainer(context: RuntimeContext, id: string): Promise<void> {
  const silent = { ...context, recorder: { event: () => {} } };
  await killContainer(silent, { id, ...restore(await context.client.containerStatus(id)) });
}

function restore({ labels, annotations }: ContainerStatus): { pod: Pod; container: ContainerSpec } {
  const notes = readNotes(annotations);
  const name = labels[CONTAINER_NAME] ?? '';
  const pod = skeletonOf({
    uid: labels[POD_UID] ?? '',
    name: labels[POD_NAME] ?? '',
    namespace: labels[POD_NAMESPACE] ?? '',
    containers: [{ name }],
  });
  const [skeleton] = pod.spec.containers;
  if (skeleton === undefined) throw new Error(`no container in the pod of ${name}`);
  const preStop = handlerOf(notes.preStop);
  const container = { ...skeleton, ...(preStop && { lifecycle: { preStop } }) };
  const grace = notes.deletionGrace ?? notes.terminationGrace ?? MINIMUM_GRACE;
  return { pod: { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: grace } }, container };
}

/** Undefined if the JSON is not a handler. */
function handlerOf(json: string): Handler | undefined {
  try {
    return lifecycleSchema(tolerant).parse({ preStop: JSON.parse(json) }).preStop;
  } catch {
    return undefined;
  }
}
