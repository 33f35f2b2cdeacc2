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
    const [oldest] = spans.keys();
    if (spans.size > MOST && oldest !== undefined) spans.delete(oldest);
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
          ...exchangeLines(exchange),
        ]);
    }
  };

  const judge = (status: ContainerStatus, line: number) => {
    const span = spans.get(status.id);
    if (span === undefined || status.finishedAt <= 0n) return;
    spans.delete(status.id);
    const ended = Number(status.finishedAt - startedAt);
    const { exitCode, id } = status;
    const name = status.metadata?.name ?? id;
    const lines = [...span.lines, line];
    const within = ended >= span.from && ended <= span.to;
    const code = `exit code ${exitCode}`;
    if (span.method !== 'StopContainer') {
      const rule = span.isOk
        ? `INV-55.${span.method === 'CheckpointPod' ? 'checkpoint' : 'container'}`
        : 'INV-55.failure';
      if (within && exitCode === KILLED && status.reason !== 'OOMKilled')
        findings.add(rule, id, `${name} was killed during ${span.method}`, lines);
      return;
    }
    const after = `${showSeconds(ended - span.from)} after StopContainer with timeout ${span.grace / 1e9}`;
    if (ended > span.to + SLACK) {
      // Stopping an ended container must not change its end (CRI-O does); seen running between the stops, it had not
      // ended.
      const isSetAgain = [...span.later.values()].some(
        ({ from, to }) => ended >= from && ended <= to + SLACK,
      );
      if (isSetAgain) {
        const text = `finished_at of ${name} is ${after}, in another StopContainer`;
        findings.add('INV-07.exited-is-final', id, text, lines);
      } else findings.add('INV-28.grace', id, `${name} ended ${after}, which was over before`, lines);
    }
    if (!within) return;
    if (span.grace === 0 && !KILL_CODES.includes(exitCode))
      findings.add('INV-27.killed', id, `${name} has ${code} ${after}`, lines);
    if (span.grace === 0 && ended - span.from > SLOW)
      findings.add('INV-28.at-once', id, `${name} ended only ${after}`, lines);
    const isEarly = ended - span.from < span.grace - SLACK;
    if (isEarly && exitCode === KILLED && status.reason !== 'OOMKilled')
      findings.add(
        'INV-28.grace',
        id,
        `${name} was killed ${after}, before the end of the grace period`,
        lines,
      );
    if (span.grace > 0 && span.to - ended > SLOW && span.to - span.from >= span.grace)
      findings.add(
        'INV-28.early',
        id,
        `${name} ended ${after}, whose answer came at the end of the grace period`,
        lines,
      );
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

const exchangeLines = ({ callLine, replyLine }: AnsweredCall) => [callLine, replyLine];

const showSeconds = (nanos: number): string => `${(nanos / 1e9).toFixed(2)} s`;
