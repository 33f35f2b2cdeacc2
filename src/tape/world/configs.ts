import { posix } from 'node:path';
import { forgetOldest } from '../../base/input/forget-oldest.js';
import type {
  ContainerConfig,
  CreateContainerRequest,
  LinuxContainerResources,
  PodSandboxConfig,
  RunPodSandboxRequest,
  UpdateContainerResourcesRequest,
} from '../../cri/gen/runtime/v1/api.js';
import type { Watcher } from './watcher.js';

export type Source = 'list' | 'status';

/** Config of an object, or its first observation. */
export interface Known {
  readonly kind: 'sandbox' | 'container';
  readonly line: number;
  readonly madeLine: number;
  readonly isRequest: boolean;
  readonly metadata: object;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Log directory of a sandbox; empty without one. */
  readonly logDirectory: string;
  /** Path of a container's log, if both parts are on the tape. */
  readonly logPath: string | undefined;
  readonly mounts: ContainerConfig['mounts'];
  /** First value of each kind of reply, with its line. */
  readonly createdAt: Partial<Record<Source, { readonly at: bigint; readonly line: number }>>;
  exit: string | undefined;
  exitLine: number;
  limits: { readonly linux: LinuxContainerResources; readonly line: number } | undefined;
}

interface Shown {
  readonly metadata?: object | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Configs {
  get(id: string): Known | undefined;
  /** Treats the first observation of an object from before the tape as its config. */
  learn(id: string, shown: Shown, line: number): Known;
  /** Learns from requests; precedes the watchers that compare. */
  readonly watcher: Watcher;
}

const MOST = 5000;

export function createConfigs(): Configs {
  const known = new Map<string, Known>();
  const keep = (id: string, made: Known): Known => {
    known.set(id, made);
    forgetOldest(known, MOST);
    return made;
  };

  const ofSandbox = (config: PodSandboxConfig, line: number, madeLine: number): Known => ({
    ...blank(config, line),
    kind: 'sandbox',
    madeLine,
    isRequest: true,
    logDirectory: config.logDirectory,
  });
  const ofContainer = (config: ContainerConfig, sandboxId: string, line: number, madeLine: number): Known => {
    const { logDirectory = '' } = known.get(sandboxId) ?? {};
    const { logPath, mounts } = config;
    return {
      ...blank(config, line),
      kind: 'container',
      madeLine,
      isRequest: true,
      logPath: logDirectory && logPath ? posix.join(logDirectory, logPath) : undefined,
      mounts,
    };
  };

  return {
    get: (id) => known.get(id),
    learn: (id, shown, line) => keep(id, blank(shown, line)),
    watcher: {
      answered: ({ method, call, reply, isOk, callLine, replyLine }) => {
        if (!isOk || reply.message === undefined) return;
        if (method === 'RunPodSandbox') {
          const { config } = call.message.value<RunPodSandboxRequest>();
          const id = reply.message.value<{ podSandboxId: string }>().podSandboxId;
          if (config && id) keep(id, ofSandbox(config, callLine, replyLine));
        } else if (method === 'CreateContainer') {
          const { config, podSandboxId } = call.message.value<CreateContainerRequest>();
          const id = reply.message.value<{ containerId: string }>().containerId;
          if (config && id) keep(id, ofContainer(config, podSandboxId, callLine, replyLine));
        } else if (method === 'UpdateContainerResources') {
          const { containerId, linux } = call.message.value<UpdateContainerResourcesRequest>();
          const made = known.get(containerId);
          if (made && linux) made.limits = { linux, line: replyLine };
        }
      },
      forget: () => known.clear(),
    },
  };
}

const blank = ({ metadata, labels, annotations }: Shown, line: number): Known => ({
  kind: 'container',
  line,
  madeLine: line,
  isRequest: false,
  metadata: metadata ?? {},
  labels,
  annotations,
  logDirectory: '',
  logPath: undefined,
  mounts: [],
  createdAt: {},
  exit: undefined,
  exitLine: 0,
  limits: undefined,
});
