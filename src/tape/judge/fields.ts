import {
  type Container,
  ContainerState,
  type ContainerStatus,
  type ContainerStatusRequest,
  type ContainerStatusResponse,
  type CreateContainerRequest,
  type ListContainersRequest,
  type ListPodSandboxRequest,
  type PodSandbox,
  type PodSandboxStatusResponse,
  type RunPodSandboxRequest,
} from '../../cri/gen/runtime/v1/api.js';
import type { Exchange, Watcher } from './exchange.js';
import type { Findings } from './finding.js';
import type { Objects } from './objects.js';
import { createMemory, isEmptyFilter, type Observation, observationsIn } from './states.js';

/** What an object was made with, or shown with first. */
interface Known {
  readonly line: number;
  readonly isRequest: boolean;
  readonly metadata: object;
  readonly labels: object;
  readonly annotations: object;
  createdAt: bigint | undefined;
  createdAtLine: number;
  /** Exit code, reason and times of a container that has ended. */
  exit: string | undefined;
  exitLine: number;
}

interface Shown {
  readonly metadata?: object | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Objects whose fields are remembered. */
const MOST = 20_000;

/** Compares fields with the request, between list and status, and with the state (INV-18, 19, 22 to 27). */
export function watchFields(objects: Objects, findings: Findings): Watcher {
  const known = new Map<string, Known>();
  const keep = (id: string, { metadata, labels, annotations }: Shown, line: number, isRequest: boolean) => {
    const made: Known = {
      line,
      isRequest,
      metadata: metadata ?? {},
      labels,
      annotations,
      createdAt: undefined,
      createdAtLine: 0,
      exit: undefined,
      exitLine: 0,
    };
    known.set(id, made);
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    return made;
  };

  const learnRequest = ({ method, call, reply, isOk, callLine }: Exchange) => {
    if (!isOk || reply.message === undefined) return;
    const answer = reply.message.value<{ podSandboxId?: string; containerId?: string }>();
    const id = method === 'RunPodSandbox' ? answer.podSandboxId : answer.containerId;
    if (method !== 'RunPodSandbox' && method !== 'CreateContainer') return;
    const { config } = call.message.value<RunPodSandboxRequest | CreateContainerRequest>();
    if (id && config) keep(id, config, callLine, true);
  };

  const compare = (observation: Observation) => {
    const { id, kind, seen, exchange } = observation;
    const line = exchange.replyLine;
    const before = known.get(id) ?? keep(id, seen, line, false);
    const group = kind === 'sandbox' ? 'sandbox' : 'container';
    const differ = (rule: string, what: string, was: string, is: string) =>
      findings.add(rule, id, `${what} of ${objects.byId.get(id)?.name ?? id}: ${was} became ${is}`, [
        before.line,
        line,
      ]);
    const metadata = seen.metadata ?? {};
    if (!isSame(metadata, before.metadata)) {
      const rule = before.isRequest ? 'INV-23.metadata' : `INV-18.${group}s`;
      differ(rule, 'metadata', sorted(before.metadata), sorted(metadata));
    }
    for (const field of ['labels', 'annotations'] as const) {
      if (isSame(seen[field], before[field])) continue;
      const rule = before.isRequest ? `INV-22.${group}` : `INV-18.${group}s`;
      differ(rule, field, short(sorted(before[field])), short(sorted(seen[field])));
    }
    if (before.createdAt === undefined) {
      before.createdAt = seen.createdAt;
      before.createdAtLine = line;
      if (seen.createdAt < 10n ** 18n)
        findings.add(
          kind === 'sandbox' ? 'INV-25.sandbox' : 'INV-25.order',
          id,
          `created_at is ${seen.createdAt}, no time in nanoseconds`,
          [line],
        );
    } else if (before.createdAt !== seen.createdAt)
      findings.add('INV-26.constant', id, `created_at was ${before.createdAt} and is ${seen.createdAt}`, [
        before.createdAtLine,
        line,
      ]);
    if (exchange.method === 'ContainerStatus') judgeExit(seen as ContainerStatus, before, line, findings);
  };

  const isSeen = createMemory(objects);
  return {
    answered: (exchange) => {
      learnRequest(exchange);
      if (isSeen(exchange)) return;
      const observations = observationsIn(exchange);
      for (const observation of observations) compare(observation);
      judgeFilter(exchange, observations, findings);
      judgeVerbose(exchange, findings);
    },
    forget: () => known.clear(),
  };
}

function judgeExit(status: ContainerStatus, known: Known, line: number, findings: Findings): void {
  const { id, state, exitCode, reason, createdAt, startedAt, finishedAt } = status;
  const name = status.metadata?.name ?? id;
  const times = `created_at ${createdAt}, started_at ${startedAt}, finished_at ${finishedAt}`;
  if (state === ContainerState.CONTAINER_EXITED) {
    const exit = `exit code ${exitCode} ${reason}, ${times}`;
    if (known.exit !== undefined && known.exit !== exit)
      findings.add('INV-07.exited-is-final', id, `${name} had ${known.exit}, and has ${exit}`, [
        known.exitLine,
        line,
      ]);
    known.exit = exit;
    known.exitLine = line;
    if ((exitCode === 0) !== (reason === 'Completed'))
      findings.add('INV-27.code', id, `${name} has exit code ${exitCode} with reason "${reason}"`, [line]);
    if (finishedAt < startedAt || (startedAt > 0n && startedAt < createdAt) || finishedAt <= 0n)
      findings.add('INV-25.order', id, `${name} has ${times}`, [line]);
    return;
  }
  if (reason !== '' || exitCode !== 0)
    findings.add(
      'INV-27.not-exited',
      id,
      `${name} is ${ContainerState[state]} with exit code ${exitCode} and reason "${reason}"`,
      [line],
    );
  if (finishedAt !== 0n || (state === ContainerState.CONTAINER_CREATED && startedAt !== 0n))
    findings.add('INV-25.order', id, `${name} is ${ContainerState[state]} with ${times}`, [line]);
  if (state === ContainerState.CONTAINER_RUNNING && startedAt < createdAt)
    findings.add('INV-25.order', id, `${name} runs with ${times}`, [line]);
}

/** Each object of a filtered list has to fit every field of the filter. */
function judgeFilter(
  { method, call, replyLine, callLine }: Exchange,
  observations: readonly Observation[],
  findings: Findings,
): void {
  if (method !== 'ListContainers' && method !== 'ListPodSandbox') return;
  const { filter } = call.message.value<ListContainersRequest | ListPodSandboxRequest>();
  if (filter === undefined || isEmptyFilter(filter)) return;
  const podSandboxId = 'podSandboxId' in filter ? filter.podSandboxId : '';
  for (const { id, seen } of observations) {
    const item = seen as Container | PodSandbox;
    const fits =
      id.startsWith(filter.id) &&
      (filter.state === undefined || filter.state.state === item.state) &&
      (!('podSandboxId' in item) || item.podSandboxId.startsWith(podSandboxId)) &&
      Object.entries(filter.labelSelector).every(([key, value]) => item.labels[key] === value);
    if (!fits)
      findings.add(
        method === 'ListContainers' ? 'INV-19.containers' : 'INV-19.sandboxes',
        id,
        `${method} lists ${item.metadata?.name}, which does not fit the filter`,
        [callLine, replyLine],
      );
  }
}

function judgeVerbose({ method, call, reply, replyLine, isOk }: Exchange, findings: Findings): void {
  if (!isOk || reply.message === undefined) return;
  if (method !== 'ContainerStatus' && method !== 'PodSandboxStatus') return;
  const { verbose } = call.message.value<ContainerStatusRequest>();
  const { info, status } = reply.message.value<ContainerStatusResponse | PodSandboxStatusResponse>();
  if (status === undefined)
    findings.add('INV-10.empty-id', method, `${method} is OK without a status`, [replyLine]);
  if (!verbose && Object.keys(info).length > 0)
    findings.add('INV-24.verbose', method, `${method} answers info without verbose`, [replyLine]);
}

/** Whether two flat objects have the same values under the same names, in any order. */
function isSame(a: object, b: object): boolean {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}

function sorted(value: object | undefined): string {
  return JSON.stringify(Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
