import type { ServerLeg } from '../clock/transit.js';
import { TRANSIT_KEY } from '../clock/transit.js';
import { StatusError } from '../cri/errors.js';
import type { Call, Encoded } from '../cri/service.js';
import type { CallSubject, MethodStats } from './call-log.js';
import { decodeRequest, encodeReply, type ServedMethod } from './codec.js';
import { type CallContext, ServerCall } from './server-call.js';
import { type CallStatus, codeOf, type ReportDefect, type StatusProfile, statusOf } from './status.js';
import type { IncomingCall } from './wire/incoming-call.js';

/** Messages of more bytes are refused both ways, as kubelet and containerd do (16 MiB). */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;

export interface DispatchContext extends CallContext {
  readonly profile: StatusProfile;
  readonly report: ReportDefect;
  /** Finds out what a call is about, for the history. */
  readonly describe?: ((method: string, request: object) => CallSubject | undefined) | undefined;
  /** Decodes a request at the first look at it instead of before the call: for a service that forwards bytes. */
  readonly lazyRequests: boolean;
}

/** One RPC with everything that its calls need, looked up once. */
export interface Dispatched<Work> extends ServedMethod {
  readonly work: Work;
  readonly stats: MethodStats;
}

type Reply = object | Encoded;
export type UnaryWork = (request: object, call: Call) => Reply | Promise<Reply>;
export type StreamWork = (request: object, call: Call) => AsyncIterable<Reply>;

/** Serves a unary RPC. A reply that is there at once is sent at once, without a promise. */
export function unaryHandler(method: Dispatched<UnaryWork>, context: DispatchContext) {
  return (incoming: IncomingCall): void => {
    if (context.clock.kind === 'virtual') {
      void onVirtualTime(context, incoming, () => answer(method, context, incoming));
    } else void answer(method, context, incoming);
  };
}

function answer(
  method: Dispatched<UnaryWork>,
  context: DispatchContext,
  incoming: IncomingCall,
): void | Promise<void> {
  const call = new ServerCall(incoming, method.stats, context);
  const finish = (reply: Reply) => {
    const bytes = checkSize(method, encodeReply(method, reply));
    call.messages = 1;
    incoming.reply(bytes, call.trailers);
    call.finish(0);
  };
  const fail = (error: unknown) => {
    if (call.isCancelled) return call.finish(codeOf('CANCELLED'));
    const status = statusOf(error, context.profile, context.report);
    incoming.end(status, call.trailers);
    call.finish(status.code, status.details);
  };
  try {
    const reply = method.work(openRequest(method, context, call), call);
    if (!(reply instanceof Promise)) return finish(reply);
    return reply.then(finish).catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** Serves a server stream: message after message, as fast as the client takes them. */
export function streamHandler(method: Dispatched<StreamWork>, context: DispatchContext) {
  return (incoming: IncomingCall): void => {
    const task = (leg?: ServerLeg) => stream(method, context, incoming, leg);
    void (context.clock.kind === 'virtual' ? onVirtualTime(context, incoming, task) : task());
  };
}

async function stream(
  method: Dispatched<StreamWork>,
  context: DispatchContext,
  incoming: IncomingCall,
  leg?: ServerLeg,
): Promise<void> {
  const call = new ServerCall(incoming, method.stats, context);
  let status: CallStatus = { code: 0, details: '' };
  try {
    for await (const reply of method.work(openRequest(method, context, call), call)) {
      if (call.isCancelled) break;
      const bytes = checkSize(method, encodeReply(method, reply));
      call.messages++;
      leg?.sent();
      if (!incoming.write(bytes)) await context.clock.idle(drained(incoming));
    }
  } catch (error) {
    if (!call.isCancelled) status = statusOf(error, context.profile, context.report);
  }
  call.finish(status.code, status.details);
  incoming.end(status, call.trailers);
}

/** Decodes its request and notes what it is about. */
function openRequest(method: Dispatched<unknown>, context: DispatchContext, call: ServerCall): object {
  const bytes = call.encodedRequest;
  call.request = context.lazyRequests
    ? lazy(() => decodeRequest(method, bytes))
    : decodeRequest(method, bytes);
  call.subject = subjectOf(method.name, call.request, context);
  return call.request;
}

/** What the history keeps of it; a request that is forwarded unread may turn out to be unreadable here. */
function subjectOf(method: string, request: object, { describe, lazyRequests }: DispatchContext) {
  if (describe === undefined) return undefined;
  try {
    return shorten(describe(method, request));
  } catch (error) {
    if (lazyRequests) return undefined;
    throw error;
  }
}

function shorten(subject: CallSubject | undefined): CallSubject | undefined {
  const { pod, container } = subject ?? {};
  if (pod === undefined && container === undefined) return undefined;
  return {
    pod: pod && { id: pod.id, name: pod.name, namespace: pod.namespace },
    container: container && { id: container.id, name: container.name, attempt: container.attempt },
  };
}

/** Keeps a virtual clock still while the request is handled, and until the client has got what was sent. */
function onVirtualTime(
  { clock }: DispatchContext,
  incoming: IncomingCall,
  task: (leg?: ServerLeg) => void | Promise<void>,
): Promise<void> {
  return clock.run(async () => {
    const id = incoming.field(TRANSIT_KEY);
    const leg = id === undefined ? undefined : clock.transit?.arrive(id);
    try {
      await task(leg);
    } finally {
      leg?.end();
    }
  });
}

function checkSize(method: ServedMethod, bytes: Encoded): Encoded {
  if (bytes.length <= LARGEST_MESSAGE) return bytes;
  throw new StatusError(
    codeOf('RESOURCE_EXHAUSTED'),
    `the reply of ${method.name} has ${bytes.length} bytes; a message may have ${LARGEST_MESSAGE}`,
  );
}

/** Resolves when the client has taken all that was sent, or has gone. */
const drained = (incoming: IncomingCall): Promise<void> =>
  new Promise((resolve) => incoming.onDrained(resolve));

/** An object that is made when it is first looked at. */
function lazy(make: () => object): object {
  let made: object | undefined;
  const object = () => {
    made ??= make();
    return made;
  };
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(object(), key),
      has: (_, key) => Reflect.has(object(), key),
      ownKeys: () => Reflect.ownKeys(object()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(object(), key),
    },
  );
}
