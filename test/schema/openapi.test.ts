import { expect, test } from 'vitest';
import { z } from 'zod';
import { startMockri } from '../../src/testing/index.js';
import { allRoutes, nodeRoutes } from '../support/control/all-routes.js';
import { openApiDocument } from '../support/openapi/document.js';
import { nodeOperations } from '../support/openapi/node-operations.js';
import { operations } from '../support/openapi/operations.js';
import { problemShape } from '../support/openapi/shapes.js';

/** For clients and other tools. After a change of a route: `npx vitest run test/schema --update`. */
test('schemas/openapi.json describes every route', async () => {
  const text = JSON.stringify(openApiDocument([...allRoutes, ...nodeRoutes]), null, 2);
  await expect(`${text}\n`).toMatchFileSnapshot('../../schemas/openapi.json');
  const described = Object.keys({ ...operations, ...nodeOperations });
  const existing = new Set([...allRoutes, ...nodeRoutes].map(({ method, path }) => `${method} ${path}`));
  expect(described.sort()).toEqual([...existing].sort());
});

test('a route without a description is an error', () => {
  expect(() => openApiDocument([{ method: 'GET', path: '/v1/new' }])).toThrow(
    'GET /v1/new has no description',
  );
});

test('replies have the described shape', async () => {
  await using mockri = await startMockri({
    control: true,
    clock: 'virtual',
    referee: 'warn',
    presentImages: ['busybox:1'],
  });
  const { client } = mockri;
  await mockri.runUntil(client.pullImage({ image: { image: 'busybox' } }));
  const metadata = { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 };
  const { podSandboxId } = await client.runPodSandbox({ config: { metadata, linux: {} } });
  const config = {
    metadata: { name: 'app', attempt: 0 },
    image: { image: 'busybox' },
    command: ['sleep', '1h'],
  };
  const { containerId } = await client.createContainer({ podSandboxId, config, sandboxConfig: { metadata } });
  await client.startContainer({ containerId });

  /** The reply to a request, checked by the description of its route. */
  const ask = async (route: string, path: string, body?: object) => {
    const response = await fetch(`${mockri.control}${path}`, {
      method: route.split(' ')[0] ?? '',
      ...(body && { body: JSON.stringify(body) }),
    });
    const reply = operations[route]?.reply;
    if (reply === undefined || !('json' in reply)) throw new Error(`${route} answers no JSON`);
    expect(z.strictObject({ value: reply.json }).safeParse({ value: await response.json() }).error).toBe(
      undefined,
    );
    return response.status;
  };
  const rule = { match: { method: 'StartContainer', pod: { name: 'nowhere' } }, then: { error: {} } };
  expect(await ask('POST /v1/faults', '/v1/faults', { name: 'one', ...rule })).toBe(201);
  expect(await ask('PUT /v1/faults/:name', '/v1/faults/two', rule)).toBe(200);
  expect(await ask('GET /v1/faults/:name', '/v1/faults/two')).toBe(200);
  expect(await ask('GET /v1/faults', '/v1/faults')).toBe(200);
  expect(await ask('DELETE /v1/faults/:name', '/v1/faults/two')).toBe(200);
  expect(await ask('POST /v1/reset', '/v1/reset')).toBe(200);
  expect(
    await ask('POST /v1/pods', '/v1/pods', { name: 'made', containers: [{ name: 'a', state: 'created' }] }),
  ).toBe(201);
  expect(await ask('GET /v1/state', '/v1/state')).toBe(200);
  expect(
    await ask('POST /v1/containers/:id/exit', `/v1/containers/${containerId}/exit`, { exitCode: 3 }),
  ).toBe(200);
  expect(await ask('GET /v1/calls', '/v1/calls')).toBe(200);
  expect(await ask('GET /v1/referee', '/v1/referee')).toBe(200);
  expect(await ask('GET /v1/tape', '/v1/tape')).toBe(200);
  expect(await ask('GET /v1/clock', '/v1/clock')).toBe(200);
  expect(await ask('POST /v1/clock', '/v1/clock', { advance: '1s' })).toBe(200);
  expect(await ask('GET /v1/openapi.json', '/v1/openapi.json')).toBe(200);
  // It describes the routes of this server, with exactly the schemas to which they refer.
  const described = await fetch(`${mockri.control}/v1/openapi.json`);
  const api = (await described.json()) as { paths: object; components: { schemas: object } };
  const paths = new Set(allRoutes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}')));
  expect(Object.keys(api.paths).filter((path) => !paths.has(path))).toEqual([]);
  const used = [...JSON.stringify(api).matchAll(/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(Object.keys(api.components.schemas).sort()).toEqual([...new Set(used)].sort());
  const refused = await fetch(`${mockri.control}/v1/calls?limit=none`);
  expect(problemShape.safeParse(await refused.json()).error).toBe(undefined);
});
