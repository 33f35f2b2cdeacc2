import { type ContainerConfig, NamespaceMode } from '../../../cri/gen/runtime/v1/api.js';
import type { ImageConfig, PluginView } from '../../../nri/rules.js';
import { annotationsOf } from './annotations.js';
import { mountsOf } from './mounts.js';
import { cgroupsPathOf } from './paths.js';

/** A container that is about to be made, as plugins of CRI-O see it (server/nri-api.go, criContainer): its OCI spec. */
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
    mounts: mountsOf(config, sandboxId).map((mount) => ({ ...mount, options: [...mount.options] })),
    linux: linuxOf(spec, pod),
    user: userOf(config),
  };
};

function argsOf({ command, args }: ContainerConfig, { Entrypoint, Cmd }: ImageConfig): string[] {
  if (command.length > 0) return [...command, ...args];
  return [...(Entrypoint ?? []), ...(args.length > 0 ? args : (Cmd ?? []))];
}

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** One that is there is changed in its place; the image's come last, unless the client has them. */
function envOf({ config, sandboxConfig, sandboxId }: Spec, { Env = [] }: ImageConfig): string[] {
  const hostname = sandboxConfig.hostname || sandboxId.slice(0, 12);
  const given = config.envs.map(({ key, value }) => `${key}=${value.toString()}`);
  const own = new Set(config.envs.map(({ key }) => key));
  const ofImage = Env.filter((variable) => !own.has(nameIn(variable)));
  const all = [PATH, 'TERM=xterm', `HOSTNAME=${hostname}`, ...given, ...ofImage];
  return [...new Map(all.map((variable) => [nameIn(variable), variable])).values()];
}

const nameIn = (variable: string): string => variable.split('=', 1)[0] ?? '';

function userOf({ linux }: ContainerConfig) {
  const { runAsUser, runAsGroup, supplementalGroups = [] } = linux?.securityContext ?? {};
  const gid = Number(runAsGroup?.value ?? 0);
  return {
    uid: Number(runAsUser?.value ?? 0),
    gid,
    additionalGids: [...new Set([gid, ...supplementalGroups.map(Number)])],
  };
}

type Spec = Parameters<PluginView['container']>[0];
type Pod = Parameters<PluginView['container']>[1];

/** The cgroup of containers whose pod has none. */
const DEFAULT_PARENT = '/crio';

function linuxOf({ id, config, sandboxConfig }: Spec, pod: Pod) {
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
        cpu: {
          shares: { value: resources.cpuShares },
          quota: { value: resources.cpuQuota },
          period: { value: resources.cpuPeriod },
          cpus: resources.cpusetCpus,
          mems: resources.cpusetMems,
        },
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
