import { requestedDevices } from '../../cdi/devices.js';
import type { CdiEdits } from '../../cdi/edits.js';
import type { ContainerSpec } from '../../engine/backend.js';
import type { Container, PodSandbox } from '../gen/nri/v1alpha1/api.js';
import { describeOwners } from '../merge/owners.js';
import { adjustConfig } from '../objects/adjust-config.js';
import { adjustContainer } from '../objects/adjust-container.js';
import { editConfig, editContainer } from '../objects/cdi-edits.js';
import { asShown } from '../objects/shown.js';
import type { Relay } from './relay.js';

export async function adjust(relay: Relay, spec: ContainerSpec, pod: PodSandbox, before: Container) {
  const { rules, host } = relay;
  const devices = devicesOf(relay, 'clientDevices', spec.id, () => requestedDevices(spec.config));
  const inSpec = devices === undefined ? before : editContainer(before, devices);
  const given = asShown(inSpec, spec, rules);
  const { adjustment, owners } = await host.createContainer(pod, given).catch((error: unknown) => {
    throw relay.refused('createContainer', spec.id, error);
  });
  const names = () => adjustment.CDIDevices.map(({ name }) => name);
  const more = devicesOf(relay, 'pluginDevices', spec.id, names);
  const requested = devices === undefined ? spec.config : editConfig(spec.config, devices);
  const adjusted = adjustConfig(requested, adjustment);
  const config = more === undefined ? adjusted : editConfig(adjusted, more);
  const byPlugins = describeOwners(owners.toMessage(), spec.id);
  const isAdjusted = devices !== undefined || Object.keys(byPlugins).length > 0;
  const container = adjustContainer(inSpec, adjustment, rules, more);
  return {
    container: asShown(container, spec, rules),
    annotations: container.annotations,
    config: isAdjusted ? config : undefined,
    owners: byPlugins,
  };
}

/** The edits of CDI devices; undefined without any, or if they have no effect. */
function devicesOf(
  relay: Relay,
  what: 'clientDevices' | 'pluginDevices',
  id: string,
  names: () => readonly string[],
): CdiEdits | undefined {
  const { cdi } = relay.options;
  if (cdi === undefined) return undefined;
  try {
    const all = names();
    return all.length === 0 ? undefined : cdi.resolve(all);
  } catch (error) {
    throw relay.refused(what, id, error);
  }
}
