import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { StatusError } from '../../../src/cri/errors.js';
import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { Call, CriRequest, CriResponse } from '../../../src/cri/service.js';
import type { Upstream } from '../../../src/suite/conformance/rules.js';
import type { Decoded, UnaryName } from '../decoded.js';

export { ContainerEventType, ContainerState };

const clock = createRealClock();
export const { sleep, now, elapsed } = clock;

/** A runtime that breaks one rule. */
export interface Mutant {
  readonly name: string;
  /** The checks that must fail. */
  readonly breaks: readonly string[];
  /** The pull request before which a runtime behaved like this. */
  readonly upstream?: Upstream;
  mutate(real: Decoded, context: MutantContext): Partial<Decoded>;
}

export interface MutantContext {
  isRestarted(): boolean;
  /** Registers a cleanup for the end of the mutant. */
  atEnd(cleanUp: () => unknown): void;
}

export const mutant = (
  name: string,
  breaks: string | readonly string[],
  mutate: Mutant['mutate'],
): Mutant => ({
  name,
  breaks: typeof breaks === 'string' ? [breaks] : breaks,
  mutate,
});

type Handler<M extends UnaryName> = (request: CriRequest<M>, call: Call) => Promise<CriResponse<M>>;

/** Changes the RPC's reply in place, or replaces it with the returned value. */
export const after =
  <M extends UnaryName>(
    method: M,
    by: (
      reply: CriResponse<M>,
      request: CriRequest<M>,
      real: Decoded,
    ) => CriResponse<M> | void | Promise<void>,
  ) =>
  (real: Decoded): Partial<Decoded> => {
    const serve = real[method] as unknown as Handler<M>;
    const changed: Handler<M> = async (request, call) => {
      const reply = await serve(request, call);
      return (await by(reply, request, real)) ?? reply;
    };
    return { [method]: changed } as Partial<Decoded>;
  };

/** Changes the RPC's request before the call: a copy, because a recorder keeps what the client sent. */
export const before =
  <M extends UnaryName>(method: M, by: (request: CriRequest<M>, real: Decoded) => void | Promise<void>) =>
  (real: Decoded): Partial<Decoded> => {
    const serve = real[method] as unknown as Handler<M>;
    const changed: Handler<M> = async (request, call) => {
      const changing = structuredClone(request);
      await by(changing, real);
      return serve(changing, call);
    };
    return { [method]: changed } as Partial<Decoded>;
  };

/** Replaces the failures of the RPC. */
export const onFailure =
  <M extends UnaryName>(
    method: M,
    by: (
      error: Error,
      request: CriRequest<M>,
      real: Decoded,
      call: Call,
    ) => CriResponse<M> | Promise<CriResponse<M>>,
  ) =>
  (real: Decoded): Partial<Decoded> => {
    const serve = real[method] as unknown as Handler<M>;
    const changed: Handler<M> = (request, call) =>
      serve(request, call).catch((error: Error) => by(error, request, real, call));
    return { [method]: changed } as Partial<Decoded>;
  };

/** Changes the container's status in ContainerStatus only. */
export const inStatus = (
  by: (status: NonNullable<CriResponse<'containerStatus'>['status']>) => void | Promise<void>,
) => after('containerStatus', async ({ status }) => status && (await by(status)));

export type Events = AsyncIterable<ContainerEventResponse>;

/** Filters the event stream; `subscriber` starts at 0. */
export const onEvents =
  (through: (events: Events, subscriber: number) => Events) =>
  (real: Decoded): Partial<Decoded> => {
    let subscribers = 0;
    return {
      getContainerEvents: (request, call) => through(real.getContainerEvents(request, call), subscribers++),
    };
  };

/** Changes each event in place; false drops it. */
export const eachEvent = (by: (event: ContainerEventResponse) => unknown) =>
  onEvents(async function* (events) {
    for await (const event of events) if (by(event) !== false) yield event;
  });

export const isSandboxEvent = (event: ContainerEventResponse): boolean =>
  event.containerId === event.podSandboxStatus?.id;

/** Throws a gRPC failure. */
export function refuse(code: number, text = 'on purpose'): never {
  throw new StatusError(code, text);
}

export async function stateOf(real: Decoded, containerId: string): Promise<ContainerState | undefined> {
  const call = { signal: new AbortController().signal, deadline: undefined };
  const reply = await real.containerStatus({ containerId, verbose: false }, call).catch(() => undefined);
  return reply?.status?.state;
}

export const asUnknown = (error: Error): never => refuse(2, error.message);
