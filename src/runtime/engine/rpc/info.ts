import { ContainerConfig, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';
import type { Engine } from '../engine.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { containerConfig, sandboxConfig } from '../state/status.js';

type Info = Record<string, string>;

/** Verbose detail under containerd's keys; each value is valid JSON, because crictl inspect requires it. */
export async function containerInfo({ backend }: Engine, record: ContainerRecord): Promise<Info> {
  return json({
    sandboxID: record.sandbox.id,
    removing: false,
    config: readableConfig(containerConfig(record)),
    ...(await backend.inspectContainer(record.id)),
  });
}

/** The API has the values of variables as bytes; JSON shows them as text. */
const readableConfig = (config: ContainerConfig): object => ({
  ...(ContainerConfig.toJSON(config) as object),
  envs: config.envs.map(({ key, value }) => ({ key, value: value.toString() })),
});

export async function sandboxInfo({ backend }: Engine, record: SandboxRecord): Promise<Info> {
  return json({
    processStatus: record.state === 'READY' ? 'running' : 'deleted',
    netNamespaceClosed: record.state !== 'READY',
    config: PodSandboxConfig.toJSON(sandboxConfig(record)),
    ...record.resources,
    ...(await backend.inspectSandbox(record.id)),
  });
}

/** Status has several special keys; in containerd too, some contain plain text. */
export function runtimeInfo(config: Record<string, unknown>): Info {
  return {
    config: stringify(config),
    cniconfig: stringify({
      PluginDirs: [],
      PluginConfDir: '',
      PluginMaxConfNum: 1,
      Prefix: 'eth',
      Networks: [],
    }),
    lastCNILoadStatus: 'OK',
    'lastCNILoadStatus.default': 'OK',
  };
}

function json(info: Record<string, unknown>): Info {
  return { info: stringify(info) };
}

/** 64-bit numbers become strings, as in protojson. */
export function stringify(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
}
