import type { Metadata, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import type { ServerLeg } from '../../base/clock/network/transit.js';
import { TRANSIT_KEY } from '../../base/clock/network/transit.js';
import { StatusError } from '../../cri/errors.js';
import { LARGEST_MESSAGE } from '../../cri/limits.js';
import type { Call, Encoded } from '../../cri/service.js';
import { type CallStatus, Code, UNREACHED_KEY } from '../../cri/status-code.js';
import { type CallSubject, keptName, namesOfSubject } from '../../cri/subject.js';
import type { MethodStats } from './call-log.js';
import { decodeRequest, encodeReply, type ServedMethod } from './codec.js';
import { wireStreamOf } from './grpc-js-internals.js';
import type { InFlight } from './in-flight.js';
import { sendLarge } from './large-reply.js';
import { type CallContext, type GrpcCall, ServerCall } from './server-call.js';
import { type ReportDefect, statusOf } from './status.js';
import type { Turns } from './turns.js';

export interface DispatchContext extends CallContext {
  readonly inFlight: InFlight;
  readonly turns: Turns;
  readonly report: ReportDefect;
  readonly describe?: ((method: string, request: object) => CallSubject) | undefined;
  /** Decodes a request on first use instead of before the call: for a service that forwards bytes. */
  readonly lazyRequests: boolean;
}

export interface Dispatched<Work> extends ServedMethod {
  readonly work: Work;
  readonly stats: MethodStats;
}

type Reply = object | Encoded;
export type UnaryWork = (request: object, call: Call) => Reply | Promise<Reply>;
export type StreamWork = (request: object, call: Call) => AsyncIterable<Reply>;

/** A grpc-js handler for a unary RPC. A synchronous reply is sent synchronously, without a promise. */
export function unaryHandler(method: Dispatched<UnaryWork>, context: DispatchContext) {
  return (grpc: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>): void => {
    const newCall = () => new ServerCall(grpc, method.stats, context);
    if (context.clock.kind === 'virtual') {
      void onVirtualTime(context, grpc, () => answer(method, context, grpc, respond, newCall()));
      return;
    }
    const call = newCall();
    context.turns.begin(call.connection, () => {
      if (call.isCancelled) call.finish(Code.CANCELLED);
      else void answer(method, context, grpc, respond, call);
    });
  };
}

function answer(
  method: Dispatched<UnaryWork>,
  context: DispatchContext,
  grpc: ServerUnaryCall<Buffer, Buffer>,
  respond: sendUnaryData<Buffer>,
  call: ServerCall,
): void | Promise<void> {
  const finish = (reply: Reply) => {
    const bytes = checkSize(encodeReply(method, reply));
    call.messages = 1;
    call.reply = reply;
    context.inFlight.hold(wireStreamOf(grpc), bytes.length);
    if (sendLarge(grpc, bytes)) respond({ code: Code.OK as number, details: 'OK', ...withTrailers(call) });
    else respond(null, bytes, call.trailers);
    call.finish(Code.OK);
  };
  const fail = (error: unknown) => {
    if (call.isCancelled) return call.finish(Code.CANCELLED);
    const status = failed(call, error, context);
    if (status.code === Code.DEADLINE_EXCEEDED && call.isExpired) return call.leaveToClient();
    respond({ ...status, ...withTrailers(call) });
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

/** A grpc-js handler for a server stream: sends messages as fast as the client reads them. */
export function streamHandler(method: Dispatched<StreamWork>, context: DispatchContext) {
  return (grpc: ServerWritableStream<Buffer, Buffer>): void => {
    const task = (leg?: ServerLeg) => stream(method, context, grpc, leg);
    if (context.clock.kind === 'virtual') void onVirtualTime(context, grpc, task);
    else context.turns.begin(context.connections.of(grpc).number, () => void task());
  };
}

async function stream(
  method: Dispatched<StreamWork>,
  context: DispatchContext,
  grpc: ServerWritableStream<Buffer, Buffer>,
  leg?: ServerLeg,
): Promise<void> {
  const call = new ServerCall(grpc, method.stats, context);
  let status: CallStatus = { code: 0, details: '' };
  try {
    for await (const reply of method.work(openRequest(method, context, call), call)) {
      if (call.isCancelled) break;
      const bytes = checkSize(encodeReply(method, reply));
      call.messages++;
      leg?.sent();
      if (!grpc.write(bytes)) await context.clock.idle(drained(grpc, call.signal));
    }
  } catch (error) {
    if (!call.isCancelled) status = failed(call, error, context);
  }
  call.finish(status.code, status.details);
  if (status.code === 0) grpc.end(call.trailers);
  else grpc.emit('error', Object.assign(new Error(status.details), status, withTrailers(call)));
}

/** Returns the status of a failed call. A trailer reports a forwarded call that never reached the runtime. */
function failed(call: ServerCall, error: unknown, { report }: DispatchContext): CallStatus {
  const { unreached, ...status } = statusOf(error, report);
  if (unreached === true) call.addTrailer(UNREACHED_KEY, 'true');
  return status;
}

function openRequest(method: Dispatched<unknown>, context: DispatchContext, call: ServerCall): object {
  const bytes = call.encodedRequest;
  call.request = context.lazyRequests
    ? lazy(() => decodeRequest(method, bytes))
    : decodeRequest(method, bytes);
  call.subject = subjectOf(method.name, call.request, context);
  if (method.name === 'PullImage') call.image = imageOf(call.request, context);
  return call.request;
}

function imageOf(request: object, { lazyRequests }: DispatchContext): string | undefined {
  try {
    const { image } = request as { readonly image?: { readonly image: string } };
    return image && keptName(image.image);
  } catch (error) {
    if (lazyRequests) return undefined;
    throw error;
  }
}

/** The subject for the history; an unread request that is forwarded may turn out to be invalid here. */
function subjectOf(method: string, request: object, { describe, lazyRequests }: DispatchContext) {
  if (describe === undefined) return undefined;
  try {
    return namesOfSubject(describe(method, request));
  } catch (error) {
    if (lazyRequests) return undefined;
    throw error;
  }
}

/** Holds a virtual clock while the request is handled, and until the client has received the reply. */
function onVirtualTime(
  { clock }: DispatchContext,
  grpc: GrpcCall,
  task: (leg?: ServerLeg) => void | Promise<void>,
): Promise<void> {
  return clock.run(async () => {
    const [id] = grpc.metadata.get(TRANSIT_KEY);
    const leg = typeof id === 'string' ? clock.transit?.arrive(id) : undefined;
    // Runs after the listeners, so that the handler's listeners are active.
    grpc.once('cancelled', () => queueMicrotask(() => leg?.cancelled()));
    try {
      await task(leg);
    } finally {
      leg?.end();
    }
  });
}

function checkSize(bytes: Encoded): Encoded {
  if (bytes.length <= LARGEST_MESSAGE) return bytes;
  throw new StatusError(
    Code.RESOURCE_EXHAUSTED,
    // The same text as in grpc-go, for alerts and clients that look for it (rpc_util.go).
    `grpc: trying to send message larger than max (${bytes.length} vs. ${LARGEST_MESSAGE})`,
  );
}

const withTrailers = (call: ServerCall): { readonly metadata?: Metadata } =>
  call.trailers === undefined ? {} : { metadata: call.trailers };

/** Resolves when the client has read enough, or has disconnected; a closed stream reads nothing more. */
function drained(grpc: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      grpc.removeListener('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    if (signal.aborted) return resolve();
    grpc.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

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
