import {
  type Container,
  ContainerState,
  type ContainerStatus,
  type ContainerStatusRequest,
  type ContainerStatusResponse,
  type ListContainersRequest,
  type ListPodSandboxRequest,
  type PodSandbox,
  type PodSandboxStatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import { isJson } from '../../read.js';
import type { Configs, Known, Source } from '../../world/configs.js';
import type { Objects } from '../../world/objects.js';
import { isEmptyFilter, type Shown } from '../../world/shown.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import { createMemory, observationsIn, RECENT } from './states.js';

/** Compares fields with the request, between list and status, and with the state (INV-18, 19, 22 to 27, 36, 42). */
export function watchFields(objects: Objects, configs: Configs, findings: Findings): Watcher {
  const compare = (shown: Shown, exchange: AnsweredCall) => {
    const { id, kind, seen } = shown;
    const line = exchange.replyLine;
    const before = configs.get(id) ?? configs.learn(id, seen, line);
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
    judgeCreatedAt(shown, exchange, before);
    if (exchange.method !== 'ContainerStatus') return;
    judgeExit(seen as ContainerStatus, before, line, findings);
    judgeConfig(seen as ContainerStatus, before, line, findings);
    judgeImage(seen as ContainerStatus, line, findings);
  };

  /** List and status may take it from different places (CRI-O), so a difference is not a change. */
  const judgeCreatedAt = ({ id, kind, seen: { createdAt } }: Shown, exchange: AnsweredCall, known: Known) => {
    const line = exchange.replyLine;
    const source = exchange.method.startsWith('List') ? 'list' : 'status';
    const before = known.createdAt[source];
    if (before?.at === createdAt) return;
    if (before !== undefined) {
      findings.add('INV-26.constant', id, `created_at was ${before.at} and is ${createdAt}`, [
        before.line,
        line,
      ]);
      return;
    }
    known.createdAt[source] = { at: createdAt, line };
    judgeAge(known, source, line);
    const { list, status } = known.createdAt;
    if (list !== undefined && status !== undefined && list.at !== status.at)
      findings.add(
        `INV-18.${kind === 'sandbox' ? 'sandboxes' : 'containers'}`,
        id,
        `created_at of ${objects.byId.get(id)?.name ?? id} is ${list.at} in the list and ${status.at} in the status`,
        [list.line, status.line],
      );
    if (createdAt < RECENT)
      findings.add(
        kind === 'sandbox' ? 'INV-25.sandbox' : 'INV-25.order',
        id,
        `created_at is ${createdAt}, which is not a time in nanoseconds`,
        [line],
      );
  };

  /** Newest containers and sandboxes that were created on the tape and have a time in a list or status. */
  const aged: Record<Source, Known[]> = { list: [], status: [] };
  const judgeAge = (made: Known, source: Source, line: number) => {
    const { at = 0n } = made.createdAt[source] ?? {};
    if (!made.isRequest || at < RECENT) return;
    for (const other of aged[source]) {
      const { at: otherAt } = other.createdAt[source] ?? {};
      if (other.kind !== made.kind || otherAt === undefined) continue;
      const isWrong =
        (other.madeLine < made.line && otherAt > at) || (made.madeLine < other.line && at > otherAt);
      if (!isWrong) continue;
      const text = `created_at of two objects is ${otherAt} and ${at}, in another order than their calls`;
      findings.add('INV-26.constant', made.kind, text, [other.line, made.line, line]);
    }
    aged[source].push(made);
    if (aged[source].length > MOST_AGED) aged[source].shift();
  };

  const isSeen = createMemory(objects);
  return {
    answered: (exchange) => {
      if (isSeen(exchange)) return;
      const observations = observationsIn(exchange);
      for (const shown of observations) compare(shown, exchange);
      judgeFilter(exchange, observations, findings);
      judgeVerbose(exchange, findings);
    },
    restsOn: ['times'],
    forget: () => {
      for (const known of Object.values(aged)) known.length = 0;
    },
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

function judgeFilter(
  { method, call, replyLine, callLine }: AnsweredCall,
  observations: readonly Shown[],
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

/** INV-23: the status shows the requested config. */
function judgeConfig(
  status: ContainerStatus,
  { logPath, mounts, limits, line: asked }: Known,
  line: number,
  findings: Findings,
) {
  const { id, metadata } = status;
  const name = metadata?.name ?? id;
  if (logPath !== undefined && status.logPath !== logPath)
    findings.add('INV-23.log-path', id, `log_path of ${name} is "${status.logPath}", not "${logPath}"`, [
      asked,
      line,
    ]);
  for (const field of LIMITS) {
    const wanted = limits?.linux[field] ?? 0n;
    const shown = status.resources?.linux?.[field] ?? 0n;
    if (limits !== undefined && wanted !== 0n && shown !== wanted)
      findings.add('INV-23.update', id, `${field} of ${name} is ${shown}, not ${wanted}`, [
        limits.line,
        line,
      ]);
  }
  for (const { containerPath, readonly } of mounts) {
    const shown = status.mounts.find((mount) => mount.containerPath === containerPath);
    if (shown === undefined)
      findings.add('INV-23.mounts', id, `the status of ${name} lacks the mount ${containerPath}`, [
        asked,
        line,
      ]);
    else if (shown.readonly !== readonly)
      findings.add(
        'INV-23.mounts',
        id,
        `the mount ${containerPath} of ${name} has readonly ${shown.readonly}`,
        [asked, line],
      );
  }
}

/** The status shows these resources as set by UpdateContainerResources. */
const LIMITS = ['cpuPeriod', 'cpuQuota', 'memoryLimitInBytes'] as const;

/** A container's image never changes (INV-36, INV-42). */
function judgeImage(status: ContainerStatus, line: number, findings: Findings): void {
  const { id, imageId, imageRef, metadata } = status;
  const name = metadata?.name ?? id;
  if (imageId === '') findings.add('INV-36.one-id', id, `${name} has no image_id`, [line]);
  if (imageRef === '') findings.add('INV-42.in-use', id, `${name} has no image_ref`, [line]);
}

function judgeVerbose({ method, call, reply, replyLine, isOk }: AnsweredCall, findings: Findings): void {
  if (!isOk || reply.message === undefined) return;
  if (method !== 'ContainerStatus' && method !== 'PodSandboxStatus') return;
  const { verbose } = call.message.value<ContainerStatusRequest>();
  const { info, status } = reply.message.value<ContainerStatusResponse | PodSandboxStatusResponse>();
  if (status === undefined)
    findings.add('INV-10.empty-id', method, `${method} is OK without a status`, [replyLine]);
  if (!verbose && Object.keys(info).length > 0)
    findings.add('INV-24.verbose', method, `${method} answers info without verbose`, [replyLine]);
  for (const [key, text] of Object.entries(info))
    if (/^[[{]/.test(text) && !isJson(text))
      findings.add(
        'INV-24.verbose',
        `${method} ${key}`,
        `info "${key}" of ${method} is not JSON: ${short(text)}`,
        [replyLine],
      );
}

const MOST_AGED = 50;

/** Whether two flat objects have the same properties, in any order. */
export function isSame(a: object, b: object): boolean {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}

function sorted(value: object | undefined): string {
  return JSON.stringify(Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
