import { unsupported } from './errors.js';
import { allMethods, type CriMethod } from './methods.js';
import type { Call, CriService, Encoded } from './service.js';

export type Reply = object | Encoded;

// Methods, whose parameters TypeScript compares bivariantly: so each RPC's function is one of these.
interface Work {
  unary(request: object, call: Call): Reply | Promise<Reply>;
  stream(request: object, call: Call): AsyncIterable<Reply>;
}

/** Without its message types. The reply may be synchronous. */
export type UnaryWork = Work['unary'];
export type StreamWork = Work['stream'];

export interface ServiceFunctions {
  unary(method: CriMethod): UnaryWork;
  stream(method: CriMethod): StreamWork;
}

export interface ServiceWrapper {
  unary(method: CriMethod, work: UnaryWork): UnaryWork;
  stream(method: CriMethod, work: StreamWork): StreamWork;
}

export function createService(functions: ServiceFunctions): CriService {
  const entries = allMethods.map((method) => [
    method.key,
    method.stream ? functions.stream(method) : functions.unary(method),
  ]);
  return Object.fromEntries(entries) as CriService;
}

export function wrapService(service: CriService, wrapper: ServiceWrapper): CriService {
  return createService({
    unary: (method) => wrapper.unary(method, unaryWork(service, method)),
    stream: (method) => wrapper.stream(method, streamWork(service, method)),
  });
}

export const unaryWork = (service: CriService, { key, path }: CriMethod): UnaryWork =>
  ((service[key] as UnaryWork | undefined) ?? unknownRpc(path)).bind(service);

export const streamWork = (service: CriService, { key, path }: CriMethod): StreamWork =>
  ((service[key] as StreamWork | undefined) ?? unknownRpc(path)).bind(service);

/** Replies like a runtime without the RPC (grpc-go server.go). */
export function unknownRpc(path: string): () => never {
  const [, service, method] = path.split('/');
  return () => {
    throw unsupported(`unknown method ${method} for service ${service}`);
  };
}
