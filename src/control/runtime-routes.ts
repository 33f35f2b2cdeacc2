import { z } from 'zod';
import type { Clock } from '../clock/clock.js';
import { Code, codeName, codeNames } from '../cri/status-code.js';
import type { Runtime } from '../engine/runtime.js';
import { methodProblem } from '../faults/language/methods.js';
import { durationSchema, wholeNumberSchema } from '../input/schemas.js';
import type { CallLog, CallRecord } from '../server/call-log.js';
import type { Route } from './router.js';

const exitSchema = z.strictObject({
  exitCode: z.int().min(0).max(255).default(0),
  reason: z.enum(['Completed', 'Error', 'OOMKilled']).optional(),
});

/** What `GET /v1/calls` answers at most. */
const MOST_CALLS = 10_000;

const callsSchema = z.strictObject({
  method: z
    .string()
    .superRefine((name, context) => {
      const problem = methodProblem(name);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .optional(),
  code: z.enum(codeNames).optional(),
  pod: z.string().optional(),
  container: z.string().optional(),
  since: wholeNumberSchema(0).optional(),
  faulty: z.enum(['true', 'false']).optional(),
  limit: wholeNumberSchema(1, MOST_CALLS).default(1000),
});

/** Says that the process serves. */
export function healthRoute(): Route {
  return { method: 'GET', path: '/healthz', handle: () => ({ type: 'text/plain', text: 'ok\n' }) };
}

/** The runtime's state, and control of its containers. */
export function runtimeRoutes(runtime: Runtime): Route[] {
  return [
    { method: 'GET', path: '/v1/state', handle: () => ({ json: runtime.snapshot() }) },
    {
      method: 'POST',
      path: '/v1/containers/:id/exit',
      handle: async ({ params, body }) => {
        const { exitCode, reason } = await body(exitSchema);
        await runtime.exitContainer(params.id ?? '', { exitCode, ...(reason && { reason }) });
        return { json: { container: runtime.find(params.id ?? '')?.container } };
      },
    },
  ];
}

/** The calls that are remembered; `since` is the `next` of the answer before. */
export function callRoutes(log: CallLog): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/calls',
      handle: ({ query }) => {
        const { code, faulty, ...filter } = query(callsSchema);
        const calls = log.list({
          ...filter,
          code: code && Code[code],
          faulty: faulty && faulty === 'true',
        });
        return { json: { calls: calls.map(describeCall), next: log.sequence } };
      },
    },
  ];
}

/** A call as JSON shows it. */
export function describeCall({ code, details, ...call }: CallRecord): object {
  return { ...call, code: codeName(code), ...(details && { details }) };
}

/** Reads the clock; one that can be moved from outside takes `{"advance": "10m"}`. */
export function clockRoutes(clock: Clock & { advance?(duration: number): Promise<void> }): Route[] {
  const read = () => ({ json: { kind: clock.kind, now: clock.now(), elapsed: clock.elapsed() } });
  const route: Route = { method: 'GET', path: '/v1/clock', handle: read };
  const { advance } = clock;
  if (advance === undefined) return [route];
  const move: Route = {
    method: 'POST',
    path: '/v1/clock',
    handle: async ({ body }) => {
      await advance((await body(z.strictObject({ advance: durationSchema }))).advance);
      return read();
    },
  };
  return [route, move];
}
