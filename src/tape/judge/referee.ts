import type { Clock } from '../../base/clock/clock.js';
import { wrongState } from '../../cri/errors.js';
import {
  type Container,
  ContainerState,
  ContainerStatusResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  type PodSandbox,
  PodSandboxState,
  PodSandboxStatusResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../cri/layer.js';
import { ownCall } from '../../cri/own-call.js';
import { decoded } from '../../cri/reply.js';
import type { Call, CriService } from '../../cri/service.js';
import { shortened } from '../../cri/shortened.js';
import { Code, type CodeName } from '../../cri/status-code.js';
import {
  type AnyRequest,
  type ClientAnswer,
  type ClientBreach,
  type ClientCall,
  createClientRules,
  type KnownObject,
  type RefusedName,
  refusedName,
  usesName,
} from './client/client-rules.js';
import { type RefereeRuleId, refereeRules } from './client/rules.js';
import { containerName, sandboxName } from './conversation/tracked-object.js';

export { refereeRules } from './client/rules.js';

/** Whether to ignore, report, or also refuse a client's mistakes. */
export const refereeModes = ['off', 'warn', 'strict'] as const;
export type RefereeMode = (typeof refereeModes)[number];

export interface RefereeFinding {
  /** Starts at 1. */
  readonly sequence: number;
  readonly rule: RefereeRuleId;
  /** The mistake, its object, and what to do instead. */
  readonly message: string;
  readonly method: string;
  readonly id: string;
  readonly peer: string;
  /** Unix nanoseconds. */
  readonly at: bigint;
}

export interface Referee {
  readonly mode: RefereeMode;
  /** Checks each call before the service below receives it. */
  readonly layer: Layer;
  /** The newest 1,000, oldest first. */
  readonly findings: readonly RefereeFinding[];
  readonly counts: ReadonlyMap<string, number>;
  /** Calls the listener for each finding; returns a function that removes it. */
  onFinding(listener: (finding: RefereeFinding) => void): () => void;
}

/** Options of `createReferee`. */
export interface RefereeOptions {
  /** The runtime without fault rules, to find an object's real state. */
  readonly truth: CriService;
  readonly clock: Clock;
  /** `warn` reports mistakes, `strict` also refuses them (FAILED_PRECONDITION); `off` checks nothing. */
  readonly mode: RefereeMode;
  /** The gRPC code of a service's error that the client gets. */
  readonly codeOf: (error: unknown) => number;
}

const MOST_FINDINGS = 1000;
/** Maximum length of a finding's detail, which contains names from the client. */
const LONGEST_DETAIL = 4096;

export function createReferee(options: RefereeOptions): Referee {
  const { clock, mode } = options;
  const findings: RefereeFinding[] = [];
  const counts = new Map<string, number>();
  const listeners = new Set<(finding: RefereeFinding) => void>();
  let sequence = 0;

  const note: Note = (method, { rule, id, detail }, call) => {
    const { title, advice } = refereeRules[rule];
    const finding: RefereeFinding = {
      sequence: ++sequence,
      rule,
      message: `${method} ${title}: ${shortened(detail, LONGEST_DETAIL)}; ${advice}`,
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
    layer: (below) => (mode === 'off' ? below : { ...below, ...watch(below, options, note) }),
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

type Note = (method: string, breach: ClientBreach, call: Call) => RefereeFinding;

/** Applies the client rules to calls as they come, with the state reported by the runtime. */
function watch(
  service: CriService,
  { truth, mode, codeOf }: RefereeOptions,
  note: Note,
): Pick<CriService, Watched> {
  const rules = createClientRules();
  const runtime = createWitness(truth);

  const around = <R extends object, A>(method: string, work: (request: R, call: Call) => A | Promise<A>) => {
    return async (given: R, call: Call): Promise<A> => {
      const asked: ClientCall = { method, request: given as AnyRequest, line: 0 };
      const object = await runtime.find(asked);
      const breach = rules.called(asked, object);
      try {
        if (breach !== undefined) {
          const { rule, message } = note(method, breach, call);
          if (mode === 'strict') throw wrongState(`referee ${rule}: ${message}`);
        }
        const reply = await work(given, call);
        rules.answered(asked, { code: 'OK', details: '', line: 0 }, object);
        return reply;
      } catch (error) {
        const answer = answerOf(error);
        rules.answered(asked, answer, object);
        const refused = refusedName(asked, answer);
        const owner = refused && (await runtime.ownerOf(refused));
        if (owner !== undefined) note(method, usesName(owner, answer), call);
        throw error;
      }
    };
  };
  const answerOf = (error: unknown): ClientAnswer => ({
    code: (Code[codeOf(error)] ?? 'UNKNOWN') as CodeName,
    details: error instanceof Error ? error.message : '',
    line: 0,
  });

  return {
    runPodSandbox: around('RunPodSandbox', service.runPodSandbox),
    stopPodSandbox: around('StopPodSandbox', service.stopPodSandbox),
    removePodSandbox: around('RemovePodSandbox', service.removePodSandbox),
    createContainer: around('CreateContainer', service.createContainer),
    startContainer: around('StartContainer', service.startContainer),
    stopContainer: around('StopContainer', service.stopContainer),
    removeContainer: around('RemoveContainer', service.removeContainer),
    execSync: around('ExecSync', service.execSync),
    exec: around('Exec', service.exec),
    attach: around('Attach', service.attach),
  };
}

/** Queries the runtime. Errors of these queries are not the client's fault. */
function createWitness(truth: CriService) {
  const container = async (containerId: string): Promise<KnownObject | undefined> => {
    const reply = await ask(() => truth.containerStatus({ containerId, verbose: false }, ownCall()));
    const status = reply && decoded(reply, ContainerStatusResponse).status;
    return status && knownContainer(status);
  };
  const sandbox = async (podSandboxId: string): Promise<KnownObject | undefined> => {
    const reply = await ask(() => truth.podSandboxStatus({ podSandboxId, verbose: false }, ownCall()));
    const status = reply && decoded(reply, PodSandboxStatusResponse).status;
    return status && knownSandbox(status);
  };
  const sandboxes = async (): Promise<readonly PodSandbox[]> => {
    const reply = await ask(() => truth.listPodSandbox({ filter: undefined }, ownCall()));
    return reply ? decoded(reply, ListPodSandboxResponse).items : [];
  };
  const containers = async (podSandboxId: string): Promise<readonly Container[]> => {
    const filter = { id: '', podSandboxId, state: undefined, labelSelector: {} };
    const reply = await ask(() => truth.listContainers({ filter }, ownCall()));
    return reply ? decoded(reply, ListContainersResponse).containers : [];
  };
  return {
    /** The object of a request; undefined for the creation of a sandbox. */
    find: async ({ request: { containerId, podSandboxId } }: ClientCall) => {
      if (containerId) return container(containerId);
      return podSandboxId ? sandbox(podSandboxId) : undefined;
    },
    ownerOf: async ({ kind, name, sandboxId }: RefusedName) => {
      const all =
        kind === 'sandbox'
          ? (await sandboxes()).map(knownSandbox)
          : (await containers(sandboxId)).map(knownContainer);
      return all.find((each) => each.name === name);
    },
  };
}

const known = { isSettled: true, madeAt: 0, stateAt: 0 } as const;

const knownSandbox = ({
  id,
  metadata,
  state,
}: Pick<PodSandbox, 'id' | 'metadata' | 'state'>): KnownObject => ({
  ...known,
  id,
  kind: 'sandbox',
  name: sandboxName(metadata),
  state: state === PodSandboxState.SANDBOX_READY ? 'ready' : 'stopped',
});

const knownContainer = ({
  id,
  metadata,
  state,
}: Pick<Container, 'id' | 'metadata' | 'state'>): KnownObject => ({
  ...known,
  id,
  kind: 'container',
  name: containerName(metadata),
  state: containerStates[state],
});

const containerStates: Readonly<Partial<Record<ContainerState, KnownObject['state']>>> = {
  [ContainerState.CONTAINER_CREATED]: 'created',
  [ContainerState.CONTAINER_RUNNING]: 'running',
  [ContainerState.CONTAINER_EXITED]: 'exited',
};

async function ask<T>(question: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch {
    return undefined;
  }
}
