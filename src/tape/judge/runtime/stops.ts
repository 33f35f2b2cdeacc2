import { forgetOldest } from '../../../base/input/forget-oldest.js';
import {
  type CheckpointPodRequest,
  ContainerState,
  type ContainerStatus,
  type ContainerStatusResponse,
  type StopContainerRequest,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Objects } from '../../world/objects.js';
import type { AnsweredCall, OpenCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

/** A call that ended a container, or must not have. Times are ns since the tape's start. */
interface Span {
  readonly method: string;
  readonly from: number;
  readonly to: number;
  /** In ns. */
  readonly grace: number;
  readonly isOk: boolean;
  readonly lines: readonly [number, number];
  /** Later StopContainer calls by line; `to` is Infinity for one in progress. */
  readonly later: Map<number, { readonly from: number; readonly to: number }>;
}

/** Maximum deviation of the runtime's times from the tape's, in ns. */
const SLACK = 500_000_000;
/** In ns: how long a killed process may take to end, and how much later the reply may come. */
const SLOW = 5_000_000_000;
const MOST = 5000;
const KILLED = 137;
/** Exit codes after SIGKILL or SIGTERM, and of a clean exit on SIGTERM. */
const KILL_CODES = [0, KILLED, 143];

/**
 * Compares the ends of containers with the calls that stopped them or had to leave them running (INV-07, INV-27,
 * INV-28, INV-55). The end is known from the container's status.
 */
export function watchStops(objects: Objects, findings: Findings, startedAt: bigint): Watcher {
  const spans = new Map<string, Span>();
  const keep = (id: string, exchange: AnsweredCall, grace: number) => {
    const { method, call, reply, callLine, replyLine, isOk } = exchange;
    spans.delete(id);
    const lines = [callLine, replyLine] as const;
    spans.set(id, { method, from: call.t, to: reply.t, grace, isOk, lines, later: new Map() });
    forgetOldest(spans, MOST);
  };

  const learn = (exchange: AnsweredCall) => {
    const { method, call, isOk, isOpenEnded } = exchange;
    if (isOpenEnded) return;
    if (method === 'StopContainer' && isOk) {
      const { containerId, timeout } = call.message.value<StopContainerRequest>();
      const object = objects.find(containerId);
      if (object?.startTried && object.least < 2 && objects.wasAlone(object, exchange))
        keep(object.id, exchange, Number(timeout) * 1e9);
    } else if (method === 'CheckpointPod' || method === 'CheckpointContainer') {
      const { containerIds, containerId } = call.message.value<
        CheckpointPodRequest & { containerId: string }
      >();
      for (const id of containerIds ?? [containerId]) {
        const object = objects.find(id);
        if (object?.least === 1) keep(object.id, exchange, 0);
      }
      if (isOk && method === 'CheckpointPod' && call.timeout === undefined)
        findings.add('INV-55.deadline', method, 'CheckpointPod without a deadline is OK', [
          exchange.callLine,
          exchange.replyLine,
        ]);
    }
  };

  const judge = (status: ContainerStatus, line: number) => {
    const span = spans.get(status.id);
    if (span === undefined || status.finishedAt <= 0n) return;
    spans.delete(status.id);
    const breaches = span.method === 'StopContainer' ? breachesOfStop : breachesOfCheckpoint;
    for (const [rule, message] of breaches(span, status, Number(status.finishedAt - startedAt)))
      findings.add(rule, status.id, message, [...span.lines, line]);
  };

  const repeat = (call: OpenCall['call'], line: number, to: number) => {
    if (call.method !== 'StopContainer') return;
    const object = objects.find(call.message.value<StopContainerRequest>().containerId);
    const span = object && spans.get(object.id);
    if (span !== undefined && span.to < call.t) span.later.set(line, { from: call.t, to });
  };

  return {
    called: ({ call, line }) => repeat(call, line, Number.POSITIVE_INFINITY),
    answered: (exchange) => {
      if (!exchange.isOpenEnded) repeat(exchange.call, exchange.callLine, exchange.reply.t);
      learn(exchange);
      const { method, reply, replyLine, isOk } = exchange;
      if (method !== 'ContainerStatus' || !isOk || reply.message === undefined) return;
      const { status } = reply.message.value<ContainerStatusResponse>();
      if (status?.state === ContainerState.CONTAINER_EXITED) judge(status, replyLine);
    },
    restsOn: ['times', 'ends'],
    forget: () => spans.clear(),
  };
}

type Breach = readonly [rule: string, message: string];

const nameOf = ({ metadata, id }: ContainerStatus): string => metadata?.name ?? id;

const isWithin = ({ from, to }: Span, ended: number): boolean => ended >= from && ended <= to;

const wasKilled = ({ exitCode, reason }: ContainerStatus): boolean =>
  exitCode === KILLED && reason !== 'OOMKilled';

function breachesOfCheckpoint(span: Span, status: ContainerStatus, ended: number): Breach[] {
  if (!isWithin(span, ended) || !wasKilled(status)) return [];
  const subject = span.method === 'CheckpointPod' ? 'checkpoint' : 'container';
  return [
    [`INV-55.${span.isOk ? subject : 'failure'}`, `${nameOf(status)} was killed during ${span.method}`],
  ];
}

function* breachesOfStop(span: Span, status: ContainerStatus, ended: number): Generator<Breach> {
  const { from, to, grace, later } = span;
  const name = nameOf(status);
  const after = `${showSeconds(ended - from)} after StopContainer with timeout ${grace / 1e9}`;
  if (ended > to + SLACK) {
    // Stopping an ended container must not change its end (CRI-O does); seen running between the stops, it had not
    // ended.
    const isSetAgain = [...later.values()].some((each) => ended >= each.from && ended <= each.to + SLACK);
    if (isSetAgain)
      yield ['INV-07.exited-is-final', `finished_at of ${name} is ${after}, in another StopContainer`];
    else yield ['INV-28.grace', `${name} ended ${after}, which was over before`];
  }
  if (!isWithin(span, ended)) return;
  if (grace === 0 && !KILL_CODES.includes(status.exitCode))
    yield ['INV-27.killed', `${name} has exit code ${status.exitCode} ${after}`];
  if (grace === 0 && ended - from > SLOW) yield ['INV-28.at-once', `${name} ended only ${after}`];
  if (ended - from < grace - SLACK && wasKilled(status))
    yield ['INV-28.grace', `${name} was killed ${after}, before the end of the grace period`];
  if (grace > 0 && to - ended > SLOW && to - from >= grace)
    yield ['INV-28.early', `${name} ended ${after}, whose answer came at the end of the grace period`];
}

const showSeconds = (nanos: number): string => `${(nanos / 1e9).toFixed(2)} s`;
