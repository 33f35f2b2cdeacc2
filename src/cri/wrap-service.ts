import { allMethods, type CriMethod } from './methods.js';
import type { Call, CriService, Encoded } from './service.js';

/** A message, or its wire form. */
export type Reply = object | Encoded;

// Declared as methods, whose parameters TypeScript compares both ways: so each RPC's function is one of these.
interface Work {
  unary(request: object, call: Call): Reply | Promise<Reply>;
  stream(request: object, call: Call): AsyncIterable<Reply>;
}

/** The function of an RPC with one reply, without its message types. The reply may be there at once. */
export type UnaryWork = Work['unary'];
/** The function of an RPC that answers with a stream, without its message types. */
export type StreamWork = Work['stream'];

/** Makes the function of each RPC. */
export interface ServiceFunctions {
  unary(method: CriMethod): UnaryWork;
  stream(method: CriMethod): StreamWork;
}

/** Makes the function of each RPC around the one that is wrapped. */
export interface ServiceWrapper {
  unary(method: CriMethod, work: UnaryWork): UnaryWork;
  stream(method: CriMethod, work: StreamWork): StreamWork;
}

/** A service whose functions are all made alike. */
export function createService(functions: ServiceFunctions): CriService {
  const entries = allMethods.map((method) => [
    method.key,
    method.stream ? functions.stream(method) : functions.unary(method),
  ]);
  return Object.fromEntries(entries) as CriService;
}

/** A service in front of another one, all of whose functions are wrapped alike. */
export function wrapService(service: CriService, wrapper: ServiceWrapper): CriService {
  return createService({
    unary: (method) => wrapper.unary(method, unaryWork(service, method)),
    stream: (method) => wrapper.stream(method, streamWork(service, method)),
  });
}

/** A service's function for an RPC with one reply. */
export const unaryWork = (service: CriService, { key }: CriMethod): UnaryWork =>
  (service[key] as UnaryWork).bind(service);

/** A service's function for an RPC that answers with a stream. */
export const streamWork = (service: CriService, { key }: CriMethod): StreamWork =>
  (service[key] as StreamWork).bind(service);
