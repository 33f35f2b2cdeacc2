import type { Clock } from '../../base/clock/clock.js';
import { wrongState } from '../../cri/errors.js';
import type { Layer } from '../../cri/layer.js';
import { ownCall } from '../../cri/own-call.js';
import type { Call, CriService } from '../../cri/service.js';
import { shortened } from '../../cri/shortened.js';
import { Code, type CodeName } from '../../cri/status-code.js';
import type { AnyRequest } from '../../cri/subject.js';
import type { Reply } from '../../cri/wrap-service.js';
import { Message } from '../message.js';
import { nameOf, type Shown, shownIn, stateNames } from '../world/shown.js';
import {
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
  /** A client has sent more pings than servers in Go allow. */
  notePings(peer: string): void;
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

  const note: Note = (method, { rule, id, detail }, peer) => {
    const { title, advice } = refereeRules[rule];
    const finding: RefereeFinding = {
      sequence: ++sequence,
      rule,
      message: `${method} ${title}: ${shortened(detail, LONGEST_DETAIL)}; ${advice}`,
      method,
      id,
      peer,
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
    notePings: (peer) => {
      const detail = 'more than two strikes of the default policy of grpc-go';
      if (mode !== 'off') note('connection', { rule: 'REF-09', id: '', detail, lines: [] }, peer);
    },
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

type Note = (method: string, breach: ClientBreach, peer: string) => RefereeFinding;

const peerOf = ({ transport }: Call): string => transport?.peer ?? 'in process';

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
          const { rule, message } = note(method, breach, peerOf(call));
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
        if (owner !== undefined) note(method, usesName(owner, answer), peerOf(call));
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
  const look = async (method: string, question: () => Reply | Promise<Reply>): Promise<KnownObject[]> => {
    try {
      const message = Message.of(method, 'Response', await question());
      return shownIn(method, message).map(known);
    } catch {
      return [];
    }
  };
  const status = { verbose: false };
  return {
    /** The object of a request; undefined for the creation of a sandbox. */
    find: async ({ request: { containerId = '', podSandboxId = '' } }: ClientCall) => {
      if (containerId === '' && podSandboxId === '') return undefined;
      const [found] =
        containerId === ''
          ? await look('PodSandboxStatus', () =>
              truth.podSandboxStatus({ podSandboxId, ...status }, ownCall()),
            )
          : await look('ContainerStatus', () => truth.containerStatus({ containerId, ...status }, ownCall()));
      return found;
    },
    ownerOf: async ({ kind, name, sandboxId: podSandboxId }: RefusedName) => {
      const filter = { id: '', podSandboxId, state: undefined, labelSelector: {} };
      const all =
        kind === 'sandbox'
          ? await look('ListPodSandbox', () => truth.listPodSandbox({ filter: undefined }, ownCall()))
          : await look('ListContainers', () => truth.listContainers({ filter }, ownCall()));
      return all.find((each) => each.name === name);
    },
  };
}

const known = (shown: Shown): KnownObject => ({
  id: shown.id,
  kind: shown.kind,
  name: nameOf(shown),
  state: stateNames[shown.kind][shown.state],
  isSettled: true,
  madeAt: 0,
  stateAt: 0,
});
