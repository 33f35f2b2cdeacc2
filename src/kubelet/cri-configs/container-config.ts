import { HostFileError } from '../../base/host/pinned.js';
import { memoryBytes, milliCpu } from '../../base/input/quantity.js';
import { ContainerConfig, ImageSpec, type Mount, NamespaceMode } from '../../cri/gen/runtime/v1/api.js';
import { containerAnnotations, containerLabels } from '../client/labels.js';
import type { KubeletFiles, SubPath } from '../disk/files.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { Resources } from '../kubernetes/resources.js';
import { sourcesOf, type Volume } from '../kubernetes/volumes.js';
import { StartError } from '../types/ports.js';
import { expand, TextRoom } from './environment.js';
import { hasHostsFile, hostsFile } from './hosts-file.js';
import { namespaceOptions, supplementalGroups } from './sandbox-config.js';

export type ImageUser = { readonly uid: bigint } | { readonly username: string };

export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  /** Attempt in the metadata, and in the log name `<container>/<restartCount>.log`. */
  readonly restartCount: number;
  readonly hash: string;
  readonly imageRef: string;
  /** Used when neither the container nor the pod sets a user. */
  readonly user: ImageUser;
  /** From `environment`. */
  readonly env: ReadonlyMap<string, string>;
  readonly podIps: readonly string[];
  readonly imageVolumes?: ReadonlyMap<string, string>;
  readonly targetId?: string | undefined;
  readonly files: KubeletFiles;
}

/** generateContainerConfig (kuberuntime_container.go). */
export async function containerConfig(input: ContainerConfigInput): Promise<ContainerConfig> {
  const { pod, container, restartCount, hash, imageRef } = input;
  const room = new TextRoom();
  const expanded = (word: string) => expand(word, input.env, room);
  return ContainerConfig.fromPartial({
    metadata: { name: container.name, attempt: restartCount },
    image: { image: imageRef, userSpecifiedImage: container.image },
    command: container.command.map(expanded),
    args: container.args.map(expanded),
    workingDir: container.workingDir,
    envs: [...input.env].map(([key, value]) => ({ key, value: Buffer.from(value) })),
    mounts: await mounts(input, expanded),
    labels: containerLabels(pod, container),
    annotations: containerAnnotations(pod, container, hash, restartCount),
    logPath: `${container.name}/${restartCount}.log`,
    stdin: container.stdin,
    stdinOnce: container.stdinOnce,
    tty: container.tty,
    linux: { resources: linuxResources(container.resources), securityContext: securityContext(input) },
  });
}

async function mounts(input: ContainerConfigInput, expanded: (text: string) => string) {
  const { pod, container, files, podIps } = input;
  const { uid, namespace } = pod.metadata;
  const owner = { uid, namespace, fsGroup: pod.spec.securityContext.fsGroup };
  const made: Partial<Mount>[] = [];
  const volumes = new Map(pod.spec.volumes.map((each) => [each.name, each]));
  for (const [
    index,
    { name, mountPath, readOnly, subPath, subPathExpr },
  ] of container.volumeMounts.entries()) {
    const volume = volumes.get(name) ?? { name };
    const path = subPath || expanded(subPathExpr ?? '');
    if (volume.image?.reference !== undefined) {
      const { reference } = volume.image;
      const image = { image: input.imageVolumes?.get(name) ?? reference, userSpecifiedImage: reference };
      made.push({
        containerPath: mountPath,
        readonly: true,
        image: ImageSpec.fromPartial(image),
        imageSubPath: path,
      });
      continue;
    }
    const whole = await files.volume(owner, volume);
    if (whole === undefined) continue;
    const part = { uid, volume: name, container: container.name, index, hostPath: whole, path };
    const hostPath = path === '' ? whole : await files.subPath(part).catch(refuse(part));
    // Only the kubelet writes the files of such a volume (GetAttributes of their plugins).
    const isGiven = sourcesOf(volume) !== undefined;
    made.push({ containerPath: mountPath, hostPath, readonly: readOnly || isGiven || isReadOnly(volume) });
  }
  if (hasHostsFile(pod, podIps) && !made.some(({ containerPath }) => containerPath === HOSTS)) {
    const text = hostsFile({ pod, podIps, ofNode: await files.nodeHosts() });
    const hostPath = await files.writeHosts(uid, text);
    if (hostPath !== undefined) made.push({ containerPath: HOSTS, hostPath, readonly: false });
  }
  const log = await files.newTerminationLog(uid, container.name);
  if (log !== undefined && container.terminationMessagePath !== '') {
    made.push({ containerPath: container.terminationMessagePath, hostPath: log, readonly: false });
  }
  return made;
}

const isReadOnly = ({ persistentVolumeClaim }: Volume): boolean => persistentVolumeClaim?.readOnly ?? false;

const HOSTS = '/etc/hosts';

/** Error of makeMounts (kubelet_pods.go). The cause contains no path of the host. */
const refuse =
  ({ volume, container, path }: SubPath) =>
  (error: NodeJS.ErrnoException): never => {
    const why = error instanceof HostFileError ? error.message : (error.code ?? error.message);
    throw new StartError(
      'CreateContainerConfigError',
      `failed to prepare subPath for volumeMount "${volume}" of container "${container}": "${path}": ${why}`,
    );
  };

/** CPU shares, quota and memory limit (cm/helpers_linux.go: period 100 ms, at least 2 shares). */
export function linuxResources({ limits, requests }: Resources) {
  const limit = milliCpu(limits.cpu);
  const request = milliCpu(requests.cpu) ?? limit ?? 0;
  const memory = memoryBytes(limits.memory) ?? 0n;
  const shares = request === 0 ? 2 : Math.max(2, Math.floor((request * 1024) / 1000));
  return {
    cpuPeriod: 100_000n,
    cpuQuota: !limit ? 0n : BigInt(Math.max(1000, limit * 100)),
    cpuShares: BigInt(shares),
    memoryLimitInBytes: memory,
    oomScoreAdj: memory > 0n ? 999n : 1000n,
  };
}

/** determineEffectiveSecurityContext (security_context.go): the user is always set. */
function securityContext({ pod, container, user: imageUser, targetId }: ContainerConfigInput) {
  const own = container.securityContext;
  const user = own.runAsUser ?? pod.spec.securityContext.runAsUser;
  const group = own.runAsGroup ?? pod.spec.securityContext.runAsGroup;
  return {
    namespaceOptions: namespacesOf(pod, targetId),
    privileged: own.privileged ?? false,
    readonlyRootfs: own.readOnlyRootFilesystem ?? false,
    supplementalGroups: supplementalGroups(pod),
    noNewPrivs: own.allowPrivilegeEscalation === false,
    ...(user === undefined ? ofImage(imageUser) : { runAsUser: { value: BigInt(user) } }),
    ...(group === undefined ? {} : { runAsGroup: { value: BigInt(group) } }),
    ...(own.capabilities === undefined
      ? {}
      : {
          capabilities: {
            addCapabilities: [...own.capabilities.add],
            dropCapabilities: [...own.capabilities.drop],
            addAmbientCapabilities: [],
          },
        }),
    maskedPaths: MASKED_PATHS,
    readonlyPaths: READONLY_PATHS,
  };
}

/** generateLinuxContainerConfig: the target applies when the container would have its own PID namespace. */
function namespacesOf(pod: Pod, targetId: string | undefined) {
  const options = namespaceOptions(pod);
  if (targetId === undefined || options.pid !== NamespaceMode.CONTAINER) return options;
  return { ...options, pid: NamespaceMode.TARGET, targetId };
}

const ofImage = (user: ImageUser) =>
  'username' in user ? { runAsUsername: user.username } : { runAsUser: { value: user.uid } };

/** Masked and read-only paths with the default procMount (securitycontext/util.go). */
const MASKED_PATHS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];
