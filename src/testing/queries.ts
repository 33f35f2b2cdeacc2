import { z } from 'zod';
import { checkInput } from '../base/input/yaml.js';
import { Code, type CodeName, codeNames } from '../cri/status-code.js';
import { methodProblem, type RpcName } from '../runtime/faults/language/methods.js';
import type { CallFilter } from '../runtime/server/call-log.js';
import type { ContainerQuery } from './container-control.js';
import type { EventQuery } from './wait.js';

/** Matches calls; without fields all that are stored (the newest 10,000). */
export interface CallQuery extends Omit<CallFilter, 'code' | 'method'> {
  /** An RPC's name, such as `StartContainer`. */
  readonly method?: RpcName;
  /** Only calls that ended with this code. */
  readonly code?: CodeName;
}

// A misspelled field would match everything, and JavaScript has no compiler.
const callSchema = z.strictObject({
  method: z.string().optional(),
  code: z.enum(codeNames).optional(),
  pod: z.string().optional(),
  container: z.string().optional(),
  since: z.number().optional(),
  faulty: z.boolean().optional(),
  limit: z.number().optional(),
});

const eventSchema = z.strictObject({
  type: z.enum(['CREATED', 'STARTED', 'STOPPED', 'DELETED']).optional(),
  container: z.string().optional(),
});

const containerSchema = z.strictObject({
  name: z.string(),
  pod: z.string().optional(),
  namespace: z.string().optional(),
});

/** Throws InputError for an unknown field, code or value; Error for an unknown RPC. */
export function callFilter(query: CallQuery = {}): CallFilter {
  const { code, method, ...filter } = checkInput(query, callSchema, 'calls');
  const problem = method === undefined ? undefined : methodProblem(method);
  if (problem !== undefined) throw new Error(`calls: method ${JSON.stringify(method)}: ${problem}`);
  return { ...filter, method, code: code && Code[code] };
}

/** Returns the query. Throws InputError for an unknown field or value. */
export function checkEventQuery(query: EventQuery = {}): EventQuery {
  checkInput(query, eventSchema, 'waitForEvent');
  return query;
}

/** Returns the query; a text is a name. Throws InputError for an unknown field or value. */
export function checkContainerQuery(query: string | ContainerQuery): ContainerQuery {
  if (typeof query === 'string') return { name: query };
  checkInput(query, containerSchema, 'container');
  return query;
}
