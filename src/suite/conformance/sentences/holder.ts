/** Why a sentence cannot be tested from outside, or is not tested. */
export interface NotTestable {
  readonly reason: string;
}

/** What holds a sentence of api.proto: ids of checks, or of invariants for all of their checks. */
export type Holder = readonly string[] | NotTestable;

/** Sentences of api.proto: by what they are about (`StopContainer`, `StopContainerRequest.timeout`), then by their text. */
export type Sentences = Readonly<Record<string, Readonly<Record<string, Holder>>>>;

/** It only names or describes something. */
export const NAMES: NotTestable = { reason: 'it names something and promises nothing' };

/** It binds clients. */
export const CLIENTS: NotTestable = { reason: 'it is about clients, not about the runtime' };

/** It is about Windows. */
export const WINDOWS: NotTestable = { reason: 'the suite tests runtimes on Linux' };

/** The host must have or allow something. */
export const HOST: NotTestable = {
  reason: 'it needs devices, a registry, kernel features or rights of the host that the suite does not take',
};

/** The sandbox’s process is not visible. */
export const SANDBOX_PROCESS: NotTestable = {
  reason: 'it is about a process that no RPC shows',
};

/** The API leaves it to the runtime. */
export const RUNTIMES: NotTestable = { reason: 'the API leaves it to the runtime, and runtimes differ' };

/** The kernel counts it. */
export const KERNEL: NotTestable = { reason: 'only the kernel knows the right value' };

/** Nothing brings a runtime there. */
export const UNREACHABLE: NotTestable = { reason: 'no RPC brings a runtime to it, or no runtime has it yet' };
