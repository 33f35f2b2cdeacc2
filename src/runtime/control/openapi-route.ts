import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';
import { packageVersion } from '../../base/input/package-version.js';
import type { Route } from './router.js';

const schema = z.looseObject({
  info: z.looseObject({}),
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))),
  components: z.strictObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});

/** Loaded on demand: OpenAPI 3.1 of all routes. A test makes the file from the schemas of requests and replies. */
export const loadOpenApi = () => packageData('schemas/openapi.json', schema);

/** `GET /v1/openapi.json`: the description of these routes. */
export function openApiRoute(others: readonly Route[]): Route {
  const route: Route = {
    method: 'GET',
    path: '/v1/openapi.json',
    handle: () => ({ json: describe([...others, route]) }),
  };
  return route;
}

function describe(routes: readonly Route[]): object {
  const { info, paths, components, ...head } = loadOpenApi();
  const own: Record<string, Record<string, object>> = {};
  for (const { method, path } of routes) {
    const [key, verb] = [path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase()];
    own[key] = { ...own[key], [verb]: paths[key]?.[verb] ?? {} };
  }
  const used = namesIn(own, components.schemas);
  const schemas = Object.fromEntries(Object.entries(components.schemas).filter(([name]) => used.has(name)));
  return { ...head, info: { ...info, version: packageVersion() }, paths: own, components: { schemas } };
}

/** The schemas to which a part of the description refers, directly or through others. */
function namesIn(part: object, schemas: Readonly<Record<string, object>>, found = new Set<string>()) {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name] ?? {}, schemas, found);
  }
  return found;
}
