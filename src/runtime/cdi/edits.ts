export interface DeviceNode {
  readonly path: string;
  /** Default: the same path. */
  readonly hostPath?: string | undefined;
  readonly type?: 'b' | 'c' | 'u' | 'p' | '' | undefined;
  readonly major?: number | undefined;
  readonly minor?: number | undefined;
  readonly fileMode?: number | undefined;
  /** Some of `rwm`. */
  readonly permissions?: string | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

export interface CdiMount {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly options?: readonly string[] | undefined;
  readonly type?: string | undefined;
}

/** The stages of hooks in the OCI runtime spec. */
export const hookNames = [
  'prestart',
  'createRuntime',
  'createContainer',
  'startContainer',
  'poststart',
  'poststop',
] as const;

export interface CdiHook {
  readonly hookName: (typeof hookNames)[number];
  readonly path: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: readonly string[] | undefined;
  /** In seconds. */
  readonly timeout?: number | undefined;
}

/** What a device changes in a container (CDI's SPEC.md, containerEdits). */
export interface CdiEdits {
  /** `NAME=VALUE` */
  readonly env?: readonly string[] | undefined;
  readonly deviceNodes?: readonly DeviceNode[] | undefined;
  readonly netDevices?: readonly { readonly hostInterfaceName: string; readonly name: string }[] | undefined;
  readonly mounts?: readonly CdiMount[] | undefined;
  readonly hooks?: readonly CdiHook[] | undefined;
  readonly additionalGids?: readonly number[] | undefined;
  readonly intelRdt?: CdiRdt | undefined;
}

/** Cache and memory bandwidth of a container (Intel RDT). */
export interface CdiRdt {
  readonly closID?: string | undefined;
  readonly l3CacheSchema?: string | undefined;
  readonly memBwSchema?: string | undefined;
  readonly schemata?: readonly string[] | undefined;
  readonly enableMonitoring?: boolean | undefined;
}

export function joinEdits(all: readonly CdiEdits[]): Required<Omit<CdiEdits, 'intelRdt'>> & CdiEdits {
  return {
    env: all.flatMap(({ env = [] }) => env),
    deviceNodes: all.flatMap(({ deviceNodes = [] }) => deviceNodes),
    netDevices: all.flatMap(({ netDevices = [] }) => netDevices),
    mounts: all.flatMap(({ mounts = [] }) => mounts),
    hooks: all.flatMap(({ hooks = [] }) => hooks),
    additionalGids: all.flatMap(({ additionalGids = [] }) => additionalGids),
    intelRdt: all.findLast(({ intelRdt }) => intelRdt !== undefined)?.intelRdt,
  };
}
