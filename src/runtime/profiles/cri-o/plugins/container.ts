import {
  argsOf,
  DEFAULT_PATH,
  type ImageConfig,
  nameOfVariable,
  userOf,
} from '../../../../cri/container-process.js';
import { NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import type { ContainerSpec } from '../../../engine/backend.js';
import type { PluginView } from '../../../nri/rules.js';
import { annotationsOf, type Pod } from './annotations.js';
import { cpuOf } from './limits.js';
import { mountsOf } from './mounts.js';
import { cgroupsPathOf } from './paths.js';

/** A container before its creation, as plugins of CRI-O see it (server/nri-api.go, criContainer): its OCI spec. */
export const containerOf: PluginView['container'] = (spec, pod, image) => {
  const { id, sandboxId, config } = spec;
  return {
    id,
    podSandboxId: sandboxId,
    // 1.36 knows no other name.
    name: config.labels['io.kubernetes.container.name'] ?? '',
    labels: config.labels,
    annotations: annotationsOf(spec, pod),
    args: argsOf(config, image),
    env: envOf(spec, image),
    mounts: mountsOf(id, config, sandboxId).map((mount) => ({ ...mount, options: [...mount.options] })),
    linux: linuxOf(spec, pod),
    user: userOf(config),
  };
};

/** Existing variables keep their places; the image's come last, unless the client sets them. */
function envOf({ config, sandboxConfig, sandboxId }: ContainerSpec, { Env = [] }: ImageConfig): string[] {
  const hostname = sandboxConfig.hostname || sandboxId.slice(0, 12);
  const given = config.envs.map(({ key, value }) => `${key}=${value.toString()}`);
  const own = new Set(config.envs.map(({ key }) => key));
  const ofImage = Env.filter((variable) => !own.has(nameOfVariable(variable)));
  const all = [DEFAULT_PATH, 'TERM=xterm', `HOSTNAME=${hostname}`, ...given, ...ofImage];
  return [...new Map(all.map((variable) => [nameOfVariable(variable), variable])).values()];
}

/** The cgroup of containers whose pod has none. */
const DEFAULT_PARENT = '/crio';

function linuxOf({ id, config, sandboxConfig }: ContainerSpec, pod: Pod) {
  const { resources, securityContext } = config.linux ?? {};
  const options = securityContext?.namespaceOptions;
  const shared = pod.linux?.namespaces ?? [];
  return {
    namespaces: [
      ...(options?.pid === NamespaceMode.NODE ? [] : [{ type: 'pid' }]),
      ...shared.filter(
        ({ type, path }) => path !== '' && (type !== 'network' || options?.network !== NamespaceMode.NODE),
      ),
      { type: 'mount' },
    ],
    resources: {
      ...(resources && {
        cpu: cpuOf(resources),
        ...(resources.memoryLimitInBytes !== 0n && {
          memory: {
            limit: { value: resources.memoryLimitInBytes },
            swap: { value: resources.memorySwapLimitInBytes || resources.memoryLimitInBytes },
          },
        }),
        hugepageLimits: resources.hugepageLimits,
        unified: resources.unified,
      }),
      devices: [{ allow: false, access: 'rwm' }],
      pids: { limit: -1n },
    },
    oomScoreAdj: resources && { value: resources.oomScoreAdj },
    cgroupsPath: cgroupsPathOf(sandboxConfig.linux?.cgroupParent || DEFAULT_PARENT, id),
  };
}
