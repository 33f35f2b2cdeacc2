import type { Tape } from '../../tape/tape.js';
import type {
  Container,
  ContainerAdjustment,
  ContainerUpdate,
  PodSandbox,
} from '../nri/gen/nri/v1alpha1/api.js';
import type { NriCall, PluginStep } from '../nri/options.js';

interface AnyRequest {
  readonly pod?: PodSandbox;
  readonly container?: Container;
  readonly containers?: readonly Container[];
  readonly update?: readonly ContainerUpdate[];
}

interface AnyResponse {
  readonly adjust?: ContainerAdjustment;
  readonly update?: readonly ContainerUpdate[];
}

/** Records requests to and from plugins without their content, which may be secret. */
export const pluginCallsOnto =
  (tape: Tape) =>
  (call: NriCall): void => {
    if (!tape.wants('nri')) return;
    const { plugin, connection, method, error, failure, took } = call;
    const { pod, container, containers, update: asked } = call.request as AnyRequest;
    const { adjust, update: answered } = (call.response ?? {}) as AnyResponse;
    const updates = [...(asked ?? []), ...(answered ?? [])].map(({ containerId }) => containerId);
    const adjusts = adjust === undefined ? [] : namesOf(adjust);
    tape.write({
      kind: 'nri',
      plugin,
      connection,
      method,
      took: Math.round(took * 1e6),
      ...(pod && { pod: { id: pod.id, name: pod.name, namespace: pod.namespace, uid: pod.uid } }),
      ...(container && { container: { id: container.id, name: container.name } }),
      ...(error !== undefined && { details: error }),
      ...(failure !== undefined && { failure }),
      ...(containers && { shows: containers.map(({ id }) => id) }),
      ...(updates.length > 0 && { updates }),
      ...(adjusts.length > 0 && { adjusts }),
    });
  };

export const pluginStepsOnto =
  (tape: Tape) =>
  (step: PluginStep): void => {
    if (!tape.wants('plugin')) return;
    const { plugin, connection, what, events } = step;
    tape.write({ kind: 'plugin', plugin, connection, what, ...(events && { events: [...events] }) });
  };

function namesOf({ linux, ...adjust }: ContainerAdjustment): string[] {
  const { resources, ...others } = linux ?? {};
  return [...setIn('', adjust), ...setIn('linux.', others), ...setIn('linux.resources.', { ...resources })];
}

const setIn = (prefix: string, message: object): string[] =>
  Object.entries(message).flatMap(([name, value]) => (isSet(value) ? `${prefix}${name}` : []));

function isSet(value: unknown): boolean {
  if (value === undefined || value === '' || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || value === null || Object.values(value).some(isSet);
}
