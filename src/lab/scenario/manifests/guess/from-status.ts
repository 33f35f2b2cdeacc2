import type { ContainerRole } from '../../../../../adapters/memory/guess/facts.js';
import { probeParts } from '../../../../../adapters/memory/guess/probes.js';
import { timesOf } from '../../../../base/input/counted.js';
import { formatDuration } from '../../../../base/input/duration.js';
import { type FailureName, failureInGo } from '../../../../cri/status-code.js';
import type { ContainerSpec } from '../../../../kubelet/kubernetes/container.js';
import type { ContainerApiState, ContainerApiStatus } from '../../../../kubelet/kubernetes/pod-status.js';
import type { FaultInput } from '../../../../runtime/faults/language/rule-schema.js';
import type { Guess } from './guess.js';

export interface KnownContainer {
  readonly spec: ContainerSpec;
  readonly role: ContainerRole;
  readonly status: ContainerApiStatus;
  readonly pod: { readonly name: string; readonly namespace: string };
  /** Grace period of its pod, in seconds. */
  readonly gracePeriod: number;
  /** The latest known time of the status, in Unix nanoseconds. */
  readonly seenAt?: bigint | undefined;
}

type Terminated = Extract<ContainerApiState, { kind: 'terminated' }>;

/** How and when it ended, why it waits, or that it runs. Undefined if unknown, as before the first start. */
export function guessFromStatus(known: KnownContainer): Guess | undefined {
  const { status } = known;
  const { state } = status;
  if (state.kind === 'terminated') return ended(known, state, 'state.terminated');
  if (state.kind === 'waiting') return waits(known, state);
  const last = status.lastState?.kind === 'terminated' ? status.lastState : undefined;
  return last === undefined ? runs(known) : endedBefore(known, last, state.startedAt);
}

function waits(
  known: KnownContainer,
  { reason, message }: { reason: string; message: string },
): Guess | undefined {
  const { spec, status, pod } = known;
  const subject = { pod: pod.name, namespace: pod.namespace, container: spec.name, image: spec.image };
  const guess = { container: spec.name, behavior: undefined, path: ['state', 'waiting'] };
  const from = `state.waiting of its status: ${reason}`;
  if (isPullFailure(reason)) {
    const fault = pullFault(subject, message);
    return { ...guess, does: `gets no image: ${textOf(fault)}`, from, fault };
  }
  if (reason === 'InvalidImageName' || reason === 'ErrImageNeverPull')
    return { ...guess, does: 'gets no image, according to its spec', from };
  if (/^(CreateContainer(Config)?Error|RunContainerError)$/.test(reason) && !isStartFailure(message)) {
    const fault = createFault(subject, message);
    return { ...guess, does: `is not created: ${textOf(fault)}`, from, fault };
  }
  if (isStartFailure(message)) return startFails(known, message, from);
  return status.lastState?.kind === 'terminated'
    ? ended(known, status.lastState, 'lastState.terminated')
    : undefined;
}

const isStartFailure = (message: string): boolean =>
  /failed to create containerd task|OCI runtime create failed/.test(message);

const textOf = ({ then }: NonNullable<Guess['fault']>): string => `"${then.error?.message}"`;

function startFails({ spec }: KnownContainer, message: string, from: string): Guess {
  // Commas and semicolons separate the parts of a behavior.
  const text = message.replace(/[,;]\s*/g, ' ').trim() || 'cannot start';
  return {
    container: spec.name,
    behavior: `start-fails=${text}`,
    does: `fails to start: "${text}"`,
    from,
    path: ['state'],
  };
}

/** It runs after an earlier end. It ends again, unless this instance has outlived the last one. */
function endedBefore(known: KnownContainer, last: Terminated, startedAt: bigint): Guess {
  const { status, seenAt } = known;
  const guess = ended(known, last, 'lastState.terminated');
  const ran = last.finishedAt - last.startedAt;
  if (seenAt === undefined || seenAt - startedAt <= ran || status.restartCount > MOST_ATTEMPTS) return guess;
  const running = runs(known).behavior ?? 'run';
  const attempts = Array.from({ length: Math.max(1, status.restartCount) }, () => guess.behavior ?? 'run');
  const times = timesOf(attempts.length);
  return {
    ...guess,
    behavior: [...attempts, running].join(';'),
    does: `${guess.does}, ${times}; then runs, because it has run for longer than that now`,
  };
}

const MOST_ATTEMPTS = 5;

function runs({ spec, status, role }: KnownContainer): Guess {
  const ready = status.ready || spec.readinessProbe === undefined || role === 'init';
  const parts = probeParts(spec, { ready, started: status.started || spec.startupProbe === undefined });
  const hasProbes = spec.readinessProbe ?? spec.livenessProbe ?? spec.startupProbe;
  const probes =
    hasProbes === undefined ? '' : ready ? '; its probes succeed' : '; its readiness probe fails';
  return {
    container: spec.name,
    behavior: ['run', ...parts].join(','),
    does: `runs${probes}`,
    from: `state.running of its status${ready ? '' : ', ready: false'}`,
    path: ['state'],
  };
}

/** Exit codes after SIGKILL and SIGTERM, and of a clean exit on SIGTERM. */
const KILLED = 137;
const TERMINATED = 143;

function ended(known: KnownContainer, end: Terminated, where: string): Guess {
  const { spec, status } = known;
  const { exitCode, reason, message } = end;
  const ran = Number((end.finishedAt - end.startedAt) / 1_000_000n);
  const restarts = status.restartCount === 0 ? '' : `; restartCount ${status.restartCount}`;
  const from = `${where} of its status: ${reason || 'no reason'}, exit code ${exitCode}${restarts}`;
  const path = where.split('.');
  const guess = { container: spec.name, from, path };
  if (/^(StartError|ContainerCannotRun)$/.test(reason)) return { ...startFails(known, message, from), path };
  if (reason === 'ContainerStatusUnknown')
    return { ...runs(known), from: `${from}: how it ended is unknown`, path };
  const after = ran > 0 ? `,after=${formatDuration(ran)}` : '';
  const when = ran > 0 ? `after ${formatDuration(ran)}` : 'at once';
  const answers = probeParts(spec, { ready: true, started: true }).map((part) => `,${part}`);
  if (reason === 'OOMKilled')
    return {
      ...guess,
      behavior: `oom${after}${answers.join('')}`,
      does: `is killed for lack of memory (137, OOMKilled) ${when}`,
    };
  const probe = killingProbe(known, exitCode, ran);
  if (probe !== undefined) return { ...guess, ...probe };
  return {
    ...guess,
    behavior: `exit=${exitCode}${after}${answers.join('')}`,
    does: `ends with exit code ${exitCode} ${when}`,
  };
}

/**
 * Behavior of a container that the kubelet stopped for a failed probe: it was killed or ended on SIGTERM, and ran long
 * enough for the probe to reach its threshold.
 */
function killingProbe(
  { spec, gracePeriod }: KnownContainer,
  exitCode: number,
  ran: number,
): Pick<Guess, 'behavior' | 'does'> | undefined {
  const { livenessProbe, startupProbe } = spec;
  const probe = livenessProbe ?? startupProbe;
  if (probe === undefined || (exitCode !== KILLED && exitCode !== TERMINATED)) return undefined;
  const { initialDelaySeconds, periodSeconds, failureThreshold } = probe;
  const grace = exitCode === KILLED ? (probe.terminationGracePeriodSeconds ?? gracePeriod) : 0;
  // The first failure comes at the next period, and the kill with the last one.
  const failing = (failureThreshold - 1) * periodSeconds + grace;
  if (ran / 1000 + 1 < initialDelaySeconds + failing) return undefined;
  const failsFrom = Math.max(0, Math.floor(ran / 1000 - failing - periodSeconds / 2)) * 1000;
  const name = livenessProbe === undefined ? 'startup' : 'liveness';
  const parts = probeParts(spec, {
    ready: true,
    started: name === 'liveness',
    ...(name === 'liveness' && { failsFrom }),
  });
  const onTerm = exitCode === KILLED ? ['ignore=TERM'] : [];
  const end = exitCode === KILLED ? 'and it does not end on TERM' : 'and it ends on TERM';
  return {
    behavior: ['run', ...parts, ...onTerm].join(','),
    does: `is stopped by the kubelet (exit code ${exitCode}): its ${name} probe fails from ${formatDuration(failsFrom)} on, ${end}`,
  };
}

interface ContainerOfPod {
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly image: string;
}

const PULL_REASONS = ['ImagePullBackOff', 'ErrImagePull', 'RegistryUnavailable', 'SignatureValidationFailed'];

const isPullFailure = (reason: string): boolean => PULL_REASONS.includes(reason);

function pullFault({ pod, namespace, container, image }: ContainerOfPod, text: string): FaultInput {
  const cause = text.replace(/^Back-off pulling image "[^"]*"(: )?/, '').replace(/^ErrImagePull: /, '');
  const name = image.includes('@') || /:[^/:]+$/.test(image) ? image : `${image}:latest`;
  return {
    name: ruleName('pull', pod, namespace, container),
    match: { method: 'PullImage', pod: { name: pod, namespace }, request: { image: { image: name } } },
    then: { error: cause === '' ? { code: 'NOT_FOUND', message: unknownImage(name) } : statusOf(cause) },
  };
}

const createFault = ({ pod, namespace, container }: ContainerOfPod, text: string): FaultInput => ({
  name: ruleName('create', pod, namespace, container),
  match: { method: 'CreateContainer', pod: { name: pod, namespace }, container: { name: container } },
  then: { error: statusOf(text) },
});

/** containerd's message; kubelets before 1.32 do not show the error between two pulls. */
const unknownImage = (image: string): string =>
  `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;

const NAME_LENGTH = 100;

const ruleName = (what: string, pod: string, namespace: string, container: string): string =>
  [what, ...(namespace === 'default' ? [] : [namespace]), pod, container].join('-').slice(0, NAME_LENGTH);

/** Parses `rpc error: code = NotFound desc = …`; other texts have no specific code. */
function statusOf(text: string): { readonly code: FailureName; readonly message: string } {
  const [, goName = 'Unknown', message = text] = /^rpc error: code = (\w+) desc = (.*)$/s.exec(text) ?? [];
  return { code: failureInGo(goName), message };
}
