import type { ContainerSpec } from '../../engine/backend.js';
import {
  type Container,
  IOPrioClass,
  type LinuxResources,
  LinuxSchedulerPolicy,
} from '../gen/nri/v1alpha1/api.js';

export interface SpecFacts extends Pick<ContainerSpec, 'config'> {
  /** Annotations of the spec: plugins see the client's as well. */
  readonly annotations: Readonly<Record<string, string>>;
}

export function ociSpec(container: Container, { config, annotations }: SpecFacts): Record<string, unknown> {
  const { linux } = container;
  const security = config.linux?.securityContext;
  return {
    ociVersion: '1.3.0',
    process: {
      terminal: config.tty || undefined,
      user: container.user,
      args: container.args,
      env: container.env,
      cwd: config.workingDir || '/',
      rlimits: list(
        container.rlimits.map(({ type, hard, soft }) => ({ type, hard: Number(hard), soft: Number(soft) })),
      ),
      noNewPrivileges: security?.noNewPrivs || undefined,
      oomScoreAdj: number(linux?.oomScoreAdj?.value),
      ioPriority: linux?.ioPriority && {
        class: IOPrioClass[linux.ioPriority.class],
        priority: linux.ioPriority.priority,
      },
      scheduler: linux?.scheduler && {
        ...linux.scheduler,
        policy: LinuxSchedulerPolicy[linux.scheduler.policy],
        nice: linux.scheduler.nice || undefined,
        priority: linux.scheduler.priority || undefined,
        runtime: Number(linux.scheduler.runtime) || undefined,
        deadline: Number(linux.scheduler.deadline) || undefined,
        period: Number(linux.scheduler.period) || undefined,
      },
    },
    root: { path: 'rootfs', readonly: security?.readonlyRootfs || undefined },
    mounts: container.mounts,
    hooks: hooksOf(container),
    annotations,
    linux: {
      sysctl: map(linux?.sysctl),
      resources: linux?.resources && resourcesOf(linux.resources),
      cgroupsPath: linux?.cgroupsPath,
      namespaces: linux?.namespaces.map(({ type, path }) => ({ type, path: path || undefined })),
      devices: list(
        (linux?.devices ?? []).map(({ path, type, major, minor, fileMode, uid, gid }) => ({
          path,
          type,
          major: Number(major),
          minor: Number(minor),
          fileMode: fileMode?.value,
          uid: uid?.value,
          gid: gid?.value,
        })),
      ),
      netDevices: map(linux?.netDevices),
      seccomp: linux?.seccompPolicy && {
        ...linux.seccompPolicy,
        listenerPath: linux.seccompPolicy.listenerPath || undefined,
        listenerMetadata: linux.seccompPolicy.listenerMetadata || undefined,
      },
      intelRdt: linux?.rdt && {
        closID: linux.rdt.closId?.value || undefined,
        schemata: list(linux.rdt.schemata?.value ?? []),
        enableMonitoring: linux.rdt.enableMonitoring?.value || undefined,
      },
      maskedPaths: security?.maskedPaths,
      readonlyPaths: security?.readonlyPaths,
    },
  };
}

function hooksOf({ hooks }: Container): Record<string, unknown> | undefined {
  if (hooks === undefined) return undefined;
  const given = Object.entries(hooks).filter(([, all]) => all.length > 0);
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map(([kind, all]) => [
      kind,
      all.map(({ path, args, env, timeout }: (typeof all)[number]) => ({
        path,
        args: list(args),
        env: list(env),
        timeout: number(timeout?.value),
      })),
    ]),
  );
}

function resourcesOf({ memory, cpu, hugepageLimits, unified, devices, pids }: LinuxResources) {
  return {
    devices: list(
      devices.map(({ allow, type, major, minor, access }) => ({
        allow,
        type: type || undefined,
        major: number(major?.value),
        minor: number(minor?.value),
        access,
      })),
    ),
    memory: memory && {
      limit: number(memory.limit?.value),
      reservation: number(memory.reservation?.value),
      swap: number(memory.swap?.value),
      swappiness: number(memory.swappiness?.value),
      disableOOMKiller: memory.disableOomKiller?.value,
    },
    cpu: cpu && {
      shares: number(cpu.shares?.value),
      quota: number(cpu.quota?.value),
      period: number(cpu.period?.value),
      realtimeRuntime: number(cpu.realtimeRuntime?.value),
      realtimePeriod: number(cpu.realtimePeriod?.value),
      cpus: cpu.cpus || undefined,
      mems: cpu.mems || undefined,
    },
    pids: pids && { limit: number(pids.limit) },
    hugepageLimits: list(hugepageLimits.map(({ pageSize, limit }) => ({ pageSize, limit: Number(limit) }))),
    unified: map(unified),
  };
}

const number = (value: bigint | undefined) => (value === undefined ? undefined : Number(value));
const list = <T>(items: readonly T[]) => (items.length === 0 ? undefined : items);
const map = (entries: Readonly<Record<string, unknown>> | undefined) =>
  entries === undefined || Object.keys(entries).length === 0 ? undefined : entries;
