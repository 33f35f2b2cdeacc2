import { forgetOldest } from '../../../base/input/forget-oldest.js';
import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  PodSandboxState,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Objects } from '../../world/objects.js';
import { eventNames } from '../../world/shown.js';
import type { AnsweredCall, StreamedEvent, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

/** In ns: minimum age of a missing event's reply at a later event, because they travel on different streams. */
const LATE = 1_000_000_000n;
const MOST_AWAITED = 1000;

interface Stream {
  /** The line of its call; events of earlier changes are not expected. */
  readonly openedAt: number;
  lastCreatedAt: bigint;
  readonly lastOfPod: Map<string, bigint>;
  readonly last: Map<string, { readonly rank: number; readonly line: number }>;
}

interface AwaitedEvent {
  readonly id: string;
  readonly rank: number;
  readonly exchange: AnsweredCall;
}

/** Checks container events against INV-29 to INV-34. */
export function watchEvents(objects: Objects, findings: Findings, startedAt: bigint): Watcher {
  const streams = new Map<number, Stream>();
  let awaited: AwaitedEvent[] = [];

  const open = (call: number, line: number): Stream => {
    const made: Stream = {
      openedAt: line,
      lastCreatedAt: 0n,
      lastOfPod: new Map(),
      last: new Map(),
    };
    streams.set(call, made);
    return made;
  };
  /**
   * A later event overtook a missing one. Only this proves that the missing one will not come: a subscriber that does
   * not read receives nothing for any length of time.
   */
  const settle = (stream: Stream, made: bigint) => {
    awaited = awaited.filter(({ id, rank: expected, exchange }) => {
      if (stream.openedAt > exchange.callLine) return true;
      if ((stream.last.get(id)?.rank ?? -1) >= expected) return false;
      if (made < startedAt + BigInt(exchange.reply.t) + LATE) return true;
      const name = eventNames[expected];
      const text = `${name} of ${objects.byId.get(id)?.name ?? id} does not come with the reply to ${exchange.method}`;
      const rule = exchange.method === 'RemovePodSandbox' ? 'INV-29.sandbox' : 'INV-33.effect-first';
      findings.add(rule, `${id} ${name}`, text, [exchange.callLine, exchange.replyLine]);
      return false;
    });
    if (awaited.length > MOST_AWAITED) awaited = awaited.slice(-MOST_AWAITED);
  };

  return {
    called: ({ call, line }) => {
      if (call.method === 'GetContainerEvents') open(call.call, line);
    },
    ended: ({ call }) => {
      streams.delete(call);
    },
    answered: (exchange) => {
      if (streams.size === 0) return;
      const expected = expectedEvent(exchange, objects);
      if (expected !== undefined) awaited.push({ ...expected, exchange });
    },
    streamed: (event) => {
      const stream = streams.get(event.entry.call) ?? open(event.entry.call, event.line);
      judgeOrder(event, stream, findings);
      judgeTime(event, stream, findings);
      judgeContents(event, findings);
      settle(stream, event.entry.message.value<ContainerEventResponse>().createdAt);
    },
    restsOn: ['events', 'times'],
    forget: () => {
      awaited = [];
      streams.clear();
    },
  };
}

function expectedEvent({ method, call, reply, isOk }: AnsweredCall, objects: Objects) {
  if (!isOk) return undefined;
  const request = call.message.value<{ containerId?: string; podSandboxId?: string }>();
  const answer = reply.message?.value<{ containerId?: string }>();
  if (method === 'CreateContainer' && answer?.containerId) return { id: answer.containerId, rank: 0 };
  const object = objects.byId.get(request.containerId ?? request.podSandboxId ?? '');
  if (object === undefined || object.madeAt === 0 || object.presence !== 'present') return undefined;
  if (method === 'StartContainer') return { id: object.id, rank: 1 };
  if (method === 'RemoveContainer' || method === 'RemovePodSandbox') return { id: object.id, rank: 3 };
  return undefined;
}

function judgeOrder({ entry, line }: StreamedEvent, stream: Stream, findings: Findings): void {
  const {
    containerId: id,
    containerEventType,
    podSandboxStatus,
  } = entry.message.value<ContainerEventResponse>();
  const now = containerEventType;
  if (eventNames[now] === undefined) return;
  const before = stream.last.get(id);
  const isSandbox = podSandboxStatus?.id === id;
  if (before !== undefined && now <= before.rank) {
    const rule = isSandbox ? 'INV-29.sandbox' : shortLived(before.rank, now);
    const text =
      now === before.rank
        ? `${eventNames[now]} of ${id.slice(0, 13)} comes twice`
        : `${eventNames[now]} of ${id.slice(0, 13)} comes after its ${eventNames[before.rank]}`;
    findings.add(rule, id, text, [before.line, line]);
  }
  if (before === undefined || now > before.rank) stream.last.set(id, { rank: now, line });
  forgetOldest(stream.last);
}

const shortLived = (before: number, now: number): string =>
  before === 2 && now === 1 ? 'INV-29.short-lived' : 'INV-29.container';

function judgeTime({ entry, line }: StreamedEvent, stream: Stream, findings: Findings): void {
  const { createdAt, podSandboxStatus } = entry.message.value<ContainerEventResponse>();
  const pod = podSandboxStatus?.id ?? '';
  const ofPod = stream.lastOfPod.get(pod) ?? 0n;
  if (createdAt <= 0n) findings.add('INV-31.time', pod, `created_at is ${createdAt}`, [line]);
  else if (createdAt < stream.lastCreatedAt)
    findings.add('INV-31.time', pod, `created_at goes back from ${stream.lastCreatedAt} to ${createdAt}`, [
      line,
    ]);
  else if (createdAt <= ofPod)
    findings.add('INV-31.time', pod, `created_at is ${createdAt} again, for another event of the pod`, [
      line,
    ]);
  if (createdAt > stream.lastCreatedAt) stream.lastCreatedAt = createdAt;
  if (createdAt > ofPod) stream.lastOfPod.set(pod, createdAt);
  forgetOldest(stream.lastOfPod);
}

function judgeContents({ entry, line }: StreamedEvent, findings: Findings): void {
  const event = entry.message.value<ContainerEventResponse>();
  const { containerId: id, containerEventType: type, podSandboxStatus: sandbox, containersStatuses } = event;
  const broken = (text: string) => findings.add('INV-32.contents', id, text, [line]);
  if (!id) broken('an event has no container_id');
  if (!sandbox?.metadata?.uid) {
    broken('an event has no pod_sandbox_status with a uid, so that the kubelet ignores it');
    return;
  }
  if (sandbox.id === id) {
    if (
      type === ContainerEventType.CONTAINER_STOPPED_EVENT &&
      sandbox.state === PodSandboxState.SANDBOX_READY
    )
      broken("the sandbox's STOPPED shows it READY");
    return;
  }
  const state = containersStatuses.find((status) => status.id === id)?.state;
  if (
    type === ContainerEventType.CONTAINER_STOPPED_EVENT &&
    state !== undefined &&
    state !== ContainerState.CONTAINER_EXITED
  )
    broken(`STOPPED shows its container in ${ContainerState[state]}`);
  if (type === ContainerEventType.CONTAINER_STARTED_EVENT && state === ContainerState.CONTAINER_CREATED)
    broken('STARTED shows its container in CONTAINER_CREATED');
  if (type === ContainerEventType.CONTAINER_DELETED_EVENT && state !== undefined)
    broken('DELETED still has a status of its container');
}
