import type { Clock } from '../clock/clock.js';
import { CriError, wrongState } from '../cri/errors.js';
import {
  ContainerState,
  ContainerStatusResponse,
  PodSandboxState,
  PodSandboxStatusResponse,
} from '../cri/gen/runtime/v1/api.js';
import type { Layer } from '../cri/layer.js';
import { ownCall } from '../cri/own-call.js';
import { decoded } from '../cri/reply.js';
import type { Call, CriRequest, CriService } from '../cri/service.js';
import { type RefereeRuleId, refereeRules } from './client/rules.js';

export { refereeRules } from './client/rules.js';

/** Whether what a client does wrong is ignored, told, or refused too. */
export const refereeModes = ['off', 'warn', 'strict'] as const;
/** One of `refereeModes`. */
export type RefereeMode = (typeof refereeModes)[number];

/** One thing that a client did wrong. */
export interface Finding {
  /** From 1. */
  readonly sequence: number;
  readonly rule: RefereeRuleId;
  /** What was done wrong, to what, and what to do instead. */
  readonly message: string;
  readonly method: string;
  /** The sandbox or container. */
  readonly id: string;
  readonly peer: string;
  /** Unix nanoseconds. */
  readonly at: bigint;
}

/** Checks what clients do. */
export interface Referee {
  readonly mode: RefereeMode;
  /** Checks each call before the service below gets it. */
  readonly layer: Layer;
  /** The newest 1,000, oldest first. */
  readonly findings: readonly Finding[];
  /** All that there were, by rule. */
  readonly counts: ReadonlyMap<string, number>;
  /** Calls back for each finding; returns how to stop that. */
  onFinding(listener: (finding: Finding) => void): () => void;
}

/** What is watched, and what is done about it. */
export interface RefereeOptions {
  /** The runtime without fault rules: it says what state an object is really in. */
  readonly truth: CriService;
  readonly clock: Clock;
  /** `warn` notes what is wrong, `strict` refuses it too (FAILED_PRECONDITION); `off` looks at nothing. */
  readonly mode: RefereeMode;
}

/** Findings that are kept. */
const MOST_FINDINGS = 1000;
/** Failed calls that are remembered until they are repeated. */
const MOST_FAILURES = 10_000;

interface Breach {
  readonly rule: RefereeRuleId;
  readonly id: string;
  readonly detail: string;
}

/** Watches what clients do, and says what is wrong with it. */
export function createReferee({ truth, clock, mode }: RefereeOptions): Referee {
  const findings: Finding[] = [];
  const counts = new Map<string, number>();
  const listeners = new Set<(finding: Finding) => void>();
  let sequence = 0;

  const note = (method: string, { rule, id, detail }: Breach, call: Call): Finding => {
    const { title, advice } = refereeRules[rule];
    const finding: Finding = {
      sequence: ++sequence,
      rule,
      message: `${method} ${title}: ${detail}; ${advice}`,
      method,
      id,
      peer: call.transport?.peer ?? 'in process',
      at: clock.now(),
    };
    findings.push(finding);
    if (findings.length > MOST_FINDINGS) findings.shift();
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
    for (const listener of listeners) listener(finding);
    return finding;
  };

  return {
    mode,
    layer: (below) => (mode === 'off' ? below : { ...below, ...watch(below, truth, mode, note) }),
    findings,
    counts,
    onFinding: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

type Watched =
  | 'runPodSandbox'
  | 'stopPodSandbox'
  | 'removePodSandbox'
  | 'createContainer'
  | 'startContainer'
  | 'stopContainer'
  | 'removeContainer'
  | 'execSync'
  | 'exec'
  | 'attach';

function watch(
  service: CriService,
  truth: CriService,
  mode: RefereeMode,
  note: (method: string, breach: Breach, call: Call) => Finding,
): Pick<CriService, Watched> {
  const failures = new Failures();

  /** Looks before the call, lets it happen, and looks at how it ended. */
  const around = <R, A>(
    method: string,
    before: (request: R) => Promise<Breach | undefined>,
    work: (request: R, call: Call) => A | Promise<A>,
    after: (request: R, error: unknown) => Breach | undefined = () => undefined,
  ) => {
    return async (request: R, call: Call): Promise<A> => {
      const breach = await before(request);
      if (breach !== undefined) {
        const { rule, message } = note(method, breach, call);
        if (mode === 'strict') throw wrongState(`referee ${rule}: ${message}`);
      }
      try {
        const reply = await work(request, call);
        after(request, undefined);
        return reply;
      } catch (error) {
        const late = after(request, error);
        if (late !== undefined) note(method, late, call);
        throw error;
      }
    };
  };

  const containerOf = async (containerId: string) => {
    const reply = await ask(() => truth.containerStatus({ containerId, verbose: false }, ownCall()));
    return reply && decoded(reply, ContainerStatusResponse).status;
  };
  const sandboxOf = async (podSandboxId: string) => {
    const reply = await ask(() => truth.podSandboxStatus({ podSandboxId, verbose: false }, ownCall()));
    return reply && decoded(reply, PodSandboxStatusResponse).status;
  };
  const remember =
    (method: string) => (request: { containerId?: string; podSandboxId?: string }, error: unknown) =>
      failures.set(method, request.containerId ?? request.podSandboxId ?? '', error !== undefined);
  const nothing = async () => undefined;

  const running = (containerId: string): Promise<Breach | undefined> =>
    Promise.resolve(failures.breach('StartContainer', containerId));

  return {
    runPodSandbox: around('RunPodSandbox', nothing, service.runPodSandbox, ({ config }, error) =>
      isTaken(error) ? { rule: 'REF-03', id: '', detail: nameOf(config?.metadata) } : undefined,
    ),
    stopPodSandbox: around('StopPodSandbox', nothing, service.stopPodSandbox, remember('StopPodSandbox')),
    removePodSandbox: around(
      'RemovePodSandbox',
      async ({ podSandboxId }) => {
        const ignored = failures.breach('StopPodSandbox', podSandboxId);
        if (ignored) return ignored;
        const sandbox = await sandboxOf(podSandboxId);
        if (sandbox?.state !== PodSandboxState.SANDBOX_READY) return undefined;
        return { rule: 'REF-06', id: sandbox.id, detail: nameOf(sandbox.metadata) };
      },
      service.removePodSandbox,
    ),
    createContainer: around(
      'CreateContainer',
      ({ podSandboxId, sandboxConfig }) =>
        sandboxOf(podSandboxId).then((sandbox) => {
          if (sandbox === undefined) return undefined;
          const { id, metadata, state } = sandbox;
          if (state !== PodSandboxState.SANDBOX_READY)
            return { rule: 'REF-02' as const, id, detail: nameOf(metadata) };
          const given = sandboxConfig?.metadata;
          if (given === undefined || nameOf(given) === nameOf(metadata)) return undefined;
          return {
            rule: 'REF-08' as const,
            id,
            detail: `the sandbox is ${nameOf(metadata)}, sandbox_config says ${nameOf(given)}`,
          };
        }),
      service.createContainer,
      ({ podSandboxId, config }, error) =>
        isTaken(error)
          ? {
              rule: 'REF-04',
              id: podSandboxId,
              detail: `${config?.metadata?.name} attempt ${config?.metadata?.attempt}`,
            }
          : undefined,
    ),
    startContainer: around(
      'StartContainer',
      async ({ containerId }) => {
        const container = await containerOf(containerId);
        if (container === undefined || container.state === ContainerState.CONTAINER_CREATED) return undefined;
        const state = ContainerState[container.state];
        return { rule: 'REF-01', id: container.id, detail: `${container.metadata?.name} is ${state}` };
      },
      service.startContainer,
      remember('StartContainer'),
    ),
    stopContainer: around('StopContainer', nothing, service.stopContainer, remember('StopContainer')),
    removeContainer: around(
      'RemoveContainer',
      async ({ containerId }) => {
        const ignored = failures.breach('StopContainer', containerId);
        const container = await containerOf(containerId);
        if (container?.state !== ContainerState.CONTAINER_RUNNING) return undefined;
        return ignored ?? { rule: 'REF-05', id: container.id, detail: `${container.metadata?.name} runs` };
      },
      service.removeContainer,
    ),
    execSync: around('ExecSync', ({ containerId }) => running(containerId), service.execSync),
    exec: around('Exec', ({ containerId }) => running(containerId), service.exec),
    attach: around('Attach', ({ containerId }) => running(containerId), service.attach),
  };
}

/** Calls that failed and were not repeated with success since. */
class Failures {
  readonly #open = new Set<string>();

  set(method: string, id: string, failed: boolean): undefined {
    const key = `${method} ${id}`;
    this.#open.delete(key);
    if (failed) this.#open.add(key);
    const [oldest] = this.#open;
    if (this.#open.size > MOST_FAILURES && oldest !== undefined) this.#open.delete(oldest);
    return undefined;
  }

  breach(method: string, id: string): Breach | undefined {
    if (!this.#open.has(`${method} ${id}`)) return undefined;
    return { rule: 'REF-07', id, detail: `${method} of ${id} failed and was not repeated` };
  }
}

/** The referee's own call, whose failure says nothing about the client. */
async function ask<T>(question: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch {
    return undefined;
  }
}

/** containerd and CRI-O say that a name "is reserved" too, with other codes. */
const isTaken = (error: unknown): boolean =>
  (error instanceof CriError && error.kind === 'conflict') ||
  (error instanceof Error && /is reserved for|already reserved/.test(error.message));

type SandboxName = NonNullable<NonNullable<CriRequest<'runPodSandbox'>['config']>['metadata']>;

const nameOf = (metadata: SandboxName | undefined): string =>
  metadata === undefined
    ? 'without a name'
    : `${metadata.namespace}/${metadata.name} (uid ${metadata.uid}) attempt ${metadata.attempt}`;
