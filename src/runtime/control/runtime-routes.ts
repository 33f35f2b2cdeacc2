import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { durationSchema, wholeNumberSchema } from '../../base/input/schemas.js';
import { Code, codeName, codeNames } from '../../cri/status-code.js';
import type { Runtime } from '../engine/runtime.js';
import { methodProblem } from '../faults/language/methods.js';
import type { CallLog, CallRecord } from '../server/call-log.js';
import { nextCalls } from '../server/next-call.js';
import type { Route } from './router.js';
import { waitSchema } from './wait.js';

export const exitSchema = z.strictObject({
  exitCode: z.int().min(0).max(255).default(0),
  reason: z.enum(['Completed', 'Error', 'OOMKilled']).optional(),
});

/** Calls in one reply of `GET /v1/calls`. */
const MOST_CALLS = 10_000;

export const callsSchema = z.strictObject({
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
  wait: waitSchema,
});

export const clockSchema = z.strictObject({ advance: durationSchema });

export function healthRoute(): Route {
  return { method: 'GET', path: '/healthz', handle: () => ({ type: 'text/plain', text: 'ok\n' }) };
}

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

/** Lists calls after `since`; with `wait` (real time), a request without matches waits for the first one. */
export function callRoutes(log: CallLog): Route[] {
  const clock = createRealClock();
  return [
    {
      method: 'GET',
      path: '/v1/calls',
      handle: async ({ query, signal }) => {
        const { code, faulty, wait, ...filter } = query(callsSchema);
        const wanted = { ...filter, code: code && Code[code], faulty: faulty && faulty === 'true' };
        const calls = await nextCalls(log, wanted, { clock, limit: wait, signal });
        return { json: { calls: calls.map(describeCall), next: log.sequence } };
      },
    },
  ];
}

export function describeCall({ code, details, ...call }: CallRecord): object {
  return { ...call, code: codeName(code), ...(details && { details }) };
}

/** Reads the clock; a clock that can be moved from outside takes `{"advance": "10m"}`. */
export function clockRoutes(clock: Clock & { advance?(duration: number): Promise<void> }): Route[] {
  const read = () => ({ json: { kind: clock.kind, now: clock.now(), elapsed: clock.elapsed() } });
  const route: Route = { method: 'GET', path: '/v1/clock', handle: read };
  const { advance } = clock;
  if (advance === undefined) return [route];
  const move: Route = {
    method: 'POST',
    path: '/v1/clock',
    handle: async ({ body }) => {
      await advance((await body(clockSchema)).advance);
      return read();
    },
  };
  return [route, move];
}
