import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Route } from '../../../src/runtime/control/router.js';
import { nodeOperations } from './node-operations.js';
import { type Operation, operations, type Reply } from './operations.js';
import { callShape, faultEventShape, problemShape, ruleShape, stateShape } from './shapes.js';

type Direction = 'input' | 'output';

interface Names {
  /** Returns a reference to a schema, which gets this name unless it has one. */
  refer(schema: z.ZodType, direction: Direction, name: string): object;
  components(): Record<string, object>;
}

const uri = (id: string): string => `#/components/schemas/${id}`;

/** Errors of every route: a request from a foreign page, and a defect in Mockri. */
const COMMON_ERRORS = [403, 500];

/** Describes routes in OpenAPI 3.1. Throws for an undescribed route. */
export function openApiDocument(routes: readonly Pick<Route, 'method' | 'path'>[]): object {
  const names = createNames({
    Call: callShape,
    FaultEvent: faultEventShape,
    Problem: problemShape,
    Rule: ruleShape,
    State: stateShape,
  });
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path } of routes) {
    const operation = { ...operations, ...nodeOperations }[`${method} ${path}`];
    if (operation === undefined) throw new Error(`${method} ${path} has no description`);
    const key = path.replace(/:(\w+)/g, '{$1}');
    paths[key] = { ...paths[key], [method.toLowerCase()]: describe(path, operation, names) };
  }
  const head = {
    openapi: '3.1.1',
    info: {
      title: 'Mockri control API',
      version: '1',
      description: 'Fault rules, state, history and events of a mock container runtime.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:10350' }],
    paths,
  };
  return { ...head, components: { schemas: names.components() } };
}

function createNames(known: Readonly<Record<string, z.ZodType>>): Names {
  const registries = { input: z.registry<{ id: string }>(), output: z.registry<{ id: string }>() };
  for (const [id, schema] of Object.entries(known)) registries.output.add(schema, { id });
  return {
    refer: (schema, direction, name) => {
      const registry = registries[direction];
      if (!registry.has(schema)) registry.add(schema, { id: name });
      return { $ref: uri(registry.get(schema)?.id ?? name) };
    },
    components: () =>
      Object.fromEntries(
        [...schemasOf(registries.input, 'input'), ...schemasOf(registries.output, 'output')].sort(),
      ),
  };
}

function schemasOf(registry: z.core.$ZodRegistry<{ id: string }>, io: Direction): [string, object][] {
  const { schemas } = z.toJSONSchema(registry, { io, uri, target: 'draft-2020-12', unrepresentable: 'any' });
  return Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]);
}

function describe(path: string, operation: Operation, names: Names): object {
  const { id, summary, query, body, reply, errors = [] } = operation;
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(query === undefined ? [] : queryParameters(query)),
  ];
  const failures = [...COMMON_ERRORS, ...errors].sort((a, b) => a - b);
  const name = `${id[0]?.toUpperCase()}${id.slice(1)}`;
  return {
    operationId: id,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: json(names.refer(body, 'input', `${name}Request`)) }),
    responses: {
      [('status' in reply && reply.status) || 200]: {
        description: 'OK',
        ...describeReply(reply, name, names),
      },
      ...Object.fromEntries(
        failures.map((status) => [
          status,
          {
            description: STATUS_CODES[status],
            content: {
              'application/problem+json': { schema: names.refer(problemShape, 'output', 'Problem') },
            },
          },
        ]),
      ),
    },
  };
}

const json = (schema: object): object => ({ content: { 'application/json': { schema } } });

function queryParameters(query: z.ZodType): object[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}

function describeReply(reply: Reply, name: string, names: Names): object {
  if ('json' in reply) return json(names.refer(reply.json, 'output', `${name}Reply`));
  if ('type' in reply) return { content: { [reply.type]: { schema: { type: 'string' } } } };
  const events = Object.entries(reply.events).map(([event, data]) => ({
    type: 'object',
    properties: {
      event: { const: event },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: names.refer(data, 'output', `${name}${event[0]?.toUpperCase()}${event.slice(1)}`),
      },
    },
    required: ['event', 'data'],
  }));
  return { content: { 'text/event-stream': { schema: { oneOf: events } } } };
}
