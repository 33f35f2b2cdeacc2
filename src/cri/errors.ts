/** `src/runtime/server/status.ts` maps each kind to a gRPC code, which a runtime profile can replace. */
export type ErrorKind =
  | 'not-found'
  | 'wrong-state'
  | 'conflict'
  | 'invalid'
  | 'unsupported'
  | 'unavailable'
  | 'timeout'
  | 'cancelled'
  | 'exhausted'
  | 'denied'
  | 'internal';

/** Why a pull fails. */
export const pullFailures = [
  'absent',
  'denied',
  'unauthorized',
  'wrong-credentials',
  'malformed-credentials',
  'unreachable',
  'unavailable',
  'too-many-requests',
  'timeout',
  'bad-manifest',
  'wrong-platform',
  'signature',
  'disk-full',
] as const;
export type PullFailure = (typeof pullFailures)[number];

export type ObjectKind = 'sandbox' | 'container';

/** Problems for which runtimes differ in code and text; a runtime profile has its own for each. */
export type Problem =
  | {
      readonly name: 'unknown-id' | 'empty-id' | 'ambiguous-id';
      readonly object: ObjectKind;
      readonly id: string;
    }
  /** `state` and `request` as in `CONTAINER_RUNNING` and `StartContainer`. */
  | { readonly name: 'wrong-state'; readonly object: ObjectKind; readonly id: string; readonly state: string }
  /** Another call is already starting or removing the container. */
  | { readonly name: 'busy'; readonly id: string; readonly state: 'starting' | 'removing' }
  /** `holder` is the id that has the name. */
  | { readonly name: 'name-taken'; readonly object: ObjectKind; readonly holder: string }
  | { readonly name: 'no-config' | 'no-metadata'; readonly object: ObjectKind }
  /** An empty part of the metadata. */
  | { readonly name: 'no-name'; readonly object: ObjectKind; readonly field: 'name' | 'namespace' | 'uid' }
  | { readonly name: 'relative-log-directory'; readonly directory: string }
  | { readonly name: 'unknown-handler'; readonly handler: string }
  | { readonly name: 'group-without-user'; readonly group: string }
  | { readonly name: 'no-command' | 'no-image' }
  | { readonly name: 'malformed-image'; readonly image: string }
  /** `image` is normalized; `reason` says what is wrong with the credentials. */
  | {
      readonly name: 'failed-pull';
      readonly failure: PullFailure;
      readonly image: string;
      readonly reason?: string;
    }
  /** A recursive read-only mount that is not read-only. */
  | { readonly name: 'writable-mount'; readonly hostPath: string }
  /** The image of a container's config, or of a mount. */
  | { readonly name: 'absent-image'; readonly image: string; readonly mounted?: boolean }
  | { readonly name: 'start-failed'; readonly text: string }
  /** A port-forward to a port of the sandbox at which nothing listens. */
  | { readonly name: 'port-refused'; readonly port: number }
  /** A privileged container in a sandbox that is not. */
  | { readonly name: 'unprivileged-sandbox' }
  /** The user of a container's process, given by name. */
  | { readonly name: 'unknown-user' }
  /** A problem with a user namespace. */
  | { readonly name: 'id-mappings'; readonly kind: 'uid' | 'gid'; readonly count: number }
  | { readonly name: 'malformed-cidr'; readonly cidr: string }
  | { readonly name: 'seccomp-profile'; readonly path: string }
  /** Usage of sandboxes without a cgroup parent. */
  | { readonly name: 'no-cgroup'; readonly ids: readonly string[] };

export interface CriErrorOptions extends ErrorOptions {
  readonly problem?: Problem | undefined;
}

/**
 * An error whose kind and text clients may see. The message names the given value, the allowed ones and, where it
 * helps, a fix. Any other error that reaches the server is a defect and becomes INTERNAL.
 */
export class CriError extends Error {
  override readonly name = 'CriError';
  readonly kind: ErrorKind;
  /** Undefined if all known runtimes return the same error. */
  readonly problem: Problem | undefined;

  constructor(kind: ErrorKind, message: string, options?: CriErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.problem = options?.problem;
  }
}

/** NOT_FOUND: there is no such sandbox, container or image. */
export const notFound = (message: string, problem?: Problem) =>
  new CriError('not-found', message, { problem });
/** FAILED_PRECONDITION: the message names the present state and the allowed ones. */
export const wrongState = (message: string, problem?: Problem) =>
  new CriError('wrong-state', message, { problem });
/** ALREADY_EXISTS: the name is taken. */
export const conflict = (message: string, problem?: Problem) =>
  new CriError('conflict', message, { problem });
/** INVALID_ARGUMENT: the message names the given value and the allowed ones. */
export const invalid = (message: string, problem?: Problem) => new CriError('invalid', message, { problem });
/** UNIMPLEMENTED. */
export const unsupported = (message: string) => new CriError('unsupported', message);

/** A gRPC status that is sent unchanged: an injected one, or one from another runtime. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  /** 1 to 16. */
  readonly code: number;
  /** The client could not connect to the runtime. */
  readonly unreached: true | undefined;

  constructor(
    code: number,
    message: string,
    options?: ErrorOptions & { readonly unreached?: true | undefined },
  ) {
    super(message, options);
    this.code = code;
    this.unreached = options?.unreached;
  }
}

export class NotExecutedError extends StatusError {
  /** runc's error. */
  readonly refusal: string;

  constructor(code: number, before: string, refusal: string) {
    super(code, `${before}: ${refusal}`);
    this.refusal = refusal;
  }
}
