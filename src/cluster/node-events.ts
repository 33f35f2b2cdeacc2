import type { Clock } from '../base/clock/clock.js';
import { newFieldsOfCall, ownProto } from '../cri/own-proto/own-proto.js';
import { Code, type CodeName } from '../cri/status-code.js';
import { namesOfSubject, type SubjectNames, subjectOfRequest } from '../cri/subject.js';
import {
  describeFault,
  type EventSource,
  type PutEvent,
  relayEvents,
} from '../runtime/control/event-feed.js';
import type { Route } from '../runtime/control/router.js';
import { callRoutes } from '../runtime/control/runtime-routes.js';
import { CallLog, type CallRecord } from '../runtime/server/call-log.js';
import { createCallJoiner, durationOf, type FinishedCall, faultsOf } from '../tape/calls.js';
import type { Entry } from '../tape/entries.js';
import { listenTo } from '../tape/tape.js';
import type { ClusterNode } from './node/cluster-node.js';

interface NodeCall extends Omit<CallRecord, 'node' | 'subject' | 'code' | 'details'> {
  readonly node: string;
  readonly subject?: SubjectNames | undefined;
  readonly code: CodeName;
  readonly details?: string | undefined;
}

/** Calls, container events and faults of some nodes, each with the name of its node. */
export const nodeEvents = (nodes: readonly ClusterNode[]): EventSource => ({
  start: (put, signal) => {
    let sequence = 0;
    for (const node of nodes) {
      const putFrom: PutEvent = (event, data) => put(event, { node: node.name, ...(data as object) });
      const { tape, service } = node;
      const stops = [
        followCalls(node, (call) => put('call', { ...call, sequence: ++sequence })),
        listenTo(tape, 'fault', (fault) => putFrom('fault', describeFault(fault, tape.startedAt))),
      ];
      signal.addEventListener('abort', () => {
        for (const stop of stops) stop();
      });
      void relayEvents(service, signal, putFrom);
    }
  },
});

/**
 * Keeps the history of the nodes' calls from the first request for it on, because recording calls costs as much as a
 * tape.
 */
export function nodeCallRoutes(nodes: ReadonlyMap<string, ClusterNode>, clock: Clock): Route[] {
  const log = new CallLog(clock);
  let isFollowed = false;
  return callRoutes(log).map((route) => ({
    ...route,
    handle: (request) => {
      if (!isFollowed)
        for (const node of nodes.values())
          followCalls(node, ({ code, details = '', ...call }) =>
            log.add({ ...call, code: Code[code], details, subject: call.subject }),
          );
      isFollowed = true;
      return route.handle(request);
    },
  }));
}

/** Calls back at the end of each call that begins from now on; returns a function that stops it. */
function followCalls(
  { name: node, tape, assembly }: ClusterNode,
  ended: (call: Omit<NodeCall, 'sequence'>) => void,
): () => void {
  const joiner = createCallJoiner();
  const subjects = new Map<number, SubjectNames>();
  const take = (entry: Entry): void => {
    const joined = joiner.take({ line: 0, entry });
    if (joined === undefined || joined.kind === 'other') return;
    const { call, method, message } = joined.call;
    if (joined.kind === 'begun') {
      const names = namesOfSubject(subjectOfRequest(method, message.value(), assembly.host));
      if (names !== undefined) subjects.set(call, names);
      return;
    }
    ended({ node, ...describe(joined, tape.startedAt), subject: subjects.get(call) });
    subjects.delete(call);
  };
  return tape.listen({ only: ['call', 'reply', 'message', 'end'], entry: take });
}

function describe(
  finished: FinishedCall,
  startedAt: bigint,
): Omit<NodeCall, 'node' | 'sequence' | 'subject'> {
  const { call, end, messages } = finished;
  const image =
    call.method === 'PullImage'
      ? call.message.value<{ readonly image?: { readonly image: string } }>().image?.image
      : undefined;
  const reply = end?.kind === 'reply' ? end.message : undefined;
  return {
    method: call.method,
    peer: 'kubelet',
    connection: call.connection,
    image,
    code: end?.code ?? 'UNKNOWN',
    ...(end?.details && { details: end.details }),
    startedAt: startedAt + BigInt(call.t),
    duration: (durationOf(finished) ?? 0) / 1e6,
    messages: end?.kind === 'reply' && end.code === 'OK' ? 1 : messages,
    faults: faultsOf(finished),
    newFields: ownProto && newFieldsOfCall(call.method, call.message.value(), reply?.value()),
  };
}
