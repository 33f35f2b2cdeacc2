import { z } from 'zod';
import { givenPodSchema } from '../../../src/runtime/assembly/add-pod.js';
import { eventsSchema } from '../../../src/runtime/control/events.js';
import { shorthandSchema } from '../../../src/runtime/control/faults.js';
import { decisionSchema, holdsSchema } from '../../../src/runtime/control/holds.js';
import { liveTapeSchema } from '../../../src/runtime/control/live/live-tape.js';
import { pageSchema } from '../../../src/runtime/control/page.js';
import { pluginsSchema } from '../../../src/runtime/control/plugins.js';
import { callsSchema, clockSchema, exitSchema } from '../../../src/runtime/control/runtime-routes.js';
import { tapeBodySchema } from '../../../src/runtime/control/tape.js';
import { faultFileSchema } from '../../../src/runtime/faults/language/file.js';
import { faultSchema } from '../../../src/runtime/faults/language/schema.js';
import {
  addedPodShape,
  addedShape,
  callShape,
  callsShape,
  clockShape,
  decidedShape,
  exitedShape,
  faultEventShape,
  holdsShape,
  pluginsShape,
  refereeShape,
  ruleShape,
  rulesShape,
  stateShape,
  tapeShape,
} from './shapes.js';

export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly reply: Reply;
  /** Status codes of its errors, in addition to 403 and 500. */
  readonly errors?: readonly number[];
}

/** A reply: JSON, text of a media type, or server-sent events with the data of each. */
export type Reply =
  | { readonly json: z.ZodType; readonly status?: number }
  | { readonly type: string }
  | { readonly events: Readonly<Record<string, z.ZodType>> };

/** In events of `mockri node`. */
const node = { node: z.string().optional().describe('with mockri node: its name') };
const anyObject = z.looseObject({});
const ruleBody = z.union([faultSchema, shorthandSchema]);

export const operations: Readonly<Record<string, Operation>> = {
  'GET /': {
    id: 'getTimeline',
    summary: 'The timeline of this server, or of one node of `mockri node`, live, in a browser.',
    query: pageSchema,
    reply: { type: 'text/html' },
    errors: [400, 404],
  },
  'GET /healthz': {
    id: 'getHealth',
    summary: 'Whether the server serves.',
    reply: { type: 'text/plain' },
  },
  'GET /metrics': {
    id: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus.',
    reply: { type: 'text/plain' },
  },
  'GET /v1/openapi.json': {
    id: 'getOpenApi',
    summary: 'This description.',
    reply: { json: anyObject },
  },
  'GET /v1/state': {
    id: 'getState',
    summary: 'Sandboxes and containers as the runtime knows them. Missing with backend remote.',
    reply: { json: stateShape },
  },
  'GET /v1/plugins': {
    id: 'getPlugins',
    summary:
      'Node resource plugins (NRI) that are connected, and the containers that they have changed. Missing without --nri-socket and --nri-plugin.',
    query: pluginsSchema,
    reply: { json: pluginsShape },
    errors: [400],
  },
  'POST /v1/pods': {
    id: 'addPod',
    summary:
      'Makes a pod with containers in given states, as a client of the CRI would. Fault rules do not act on it. Missing with backend remote.',
    body: givenPodSchema,
    reply: { status: 201, json: addedPodShape },
    errors: [400, 409, 413, 415],
  },
  'POST /v1/containers/:id/exit': {
    id: 'exitContainer',
    summary:
      'Ends a container as if it ended by itself. The id may be the beginning of one. Missing with backend remote.',
    body: exitSchema,
    reply: { json: exitedShape },
    errors: [400, 404, 409, 413, 415],
  },
  'GET /v1/calls': {
    id: 'listCalls',
    summary:
      'The finished calls in the history, oldest first. With `wait`, a request that no call fits is answered when the first one has ended, or when the time is over.',
    query: callsSchema,
    reply: { json: callsShape },
    errors: [400],
  },
  'GET /v1/events': {
    id: 'streamEvents',
    summary:
      'Calls, container events and applications of rules as they happen. With Last-Event-ID, the missed calls come first.',
    query: eventsSchema,
    reply: {
      events: {
        call: callShape,
        event: anyObject.describe('a ContainerEventResponse of the CRI'),
        fault: faultEventShape.extend(node),
        lost: z.strictObject({ count: z.int() }),
        end: z.strictObject({ detail: z.string() }),
        error: z.strictObject({ detail: z.string() }),
      },
    },
    errors: [400, 404, 503],
  },
  'GET /v1/faults': {
    id: 'listFaults',
    summary: 'The rules in force, in order, and what they have done.',
    reply: { json: rulesShape },
  },
  'POST /v1/faults': {
    id: 'addFaults',
    summary: 'Adds a rule, a file of rules or a shorthand: all rules or none.',
    body: z.union([faultSchema, faultFileSchema, shorthandSchema]),
    reply: { status: 201, json: addedShape },
    errors: [400, 409, 413, 415],
  },
  'GET /v1/faults/:name': {
    id: 'getFault',
    summary: 'One rule.',
    reply: { json: ruleShape },
    errors: [404],
  },
  'PUT /v1/faults/:name': {
    id: 'putFault',
    summary: 'Replaces the rule with this name, or adds it. Its counts start at 0.',
    body: ruleBody,
    reply: { json: ruleShape },
    errors: [400, 409, 413, 415],
  },
  'DELETE /v1/faults/:name': {
    id: 'removeFault',
    summary: 'Removes a rule. The calls that it delays continue.',
    reply: { json: rulesShape },
    errors: [404],
  },
  'GET /v1/holds': {
    id: 'listHolds',
    summary:
      'Calls, replies and messages that rules hold, oldest first. With `wait`, a request is answered when the first one is held, or when the time is over.',
    query: holdsSchema,
    reply: { json: holdsShape },
    errors: [400],
  },
  'POST /v1/holds/:id': {
    id: 'decideHold',
    summary: 'Lets what is held continue, or does to it what a rule could do.',
    body: decisionSchema,
    reply: { json: decidedShape },
    errors: [400, 404, 413, 415],
  },
  'POST /v1/reset': {
    id: 'removeFaults',
    summary: 'Removes all rules.',
    reply: { json: rulesShape },
  },
  'GET /v1/referee': {
    id: 'getReferee',
    summary: 'What the client did wrong.',
    reply: { json: refereeShape },
  },
  'GET /v1/tape': {
    id: 'getTape',
    summary: 'Whether a tape is being recorded, into which file, and how many entries it has.',
    reply: { json: tapeShape },
  },
  'POST /v1/tape': {
    id: 'recordTape',
    summary: 'Starts a recording, or ends it.',
    body: tapeBodySchema,
    reply: { status: 201, json: tapeShape },
    errors: [400, 404, 409, 413, 415],
  },
  'GET /v1/tape/live': {
    id: 'streamTape',
    summary:
      'The tape of the last minutes and from now on: a header, the time on it now, then lists of lines as in a file.',
    query: liveTapeSchema,
    reply: {
      events: {
        header: anyObject,
        now: z.strictObject({ t: z.number().describe('nanoseconds since the start of this tape') }),
        lines: z.array(anyObject),
      },
    },
    errors: [400, 404, 503],
  },
  'GET /v1/clock': {
    id: 'getClock',
    summary: "The runtime's clock.",
    reply: { json: clockShape },
  },
  'POST /v1/clock': {
    id: 'advanceClock',
    summary: 'Moves a virtual clock: that of the test kit, or of nodes with `--clock fast:N`.',
    body: clockSchema,
    reply: { json: clockShape },
    errors: [400, 413, 415],
  },
};
