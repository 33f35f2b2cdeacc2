import { packageVersion } from '../../base/input/package-version.js';
import type { Operation } from './openapi/operations.js';
import type { Route } from './router.js';

/** Loaded on demand: only the description needs the schemas of replies. */
export const loadOpenApi = () => import('./openapi/document.js');

/** `GET /v1/openapi.json`: OpenAPI 3.1 of these routes. `more` loads those that not every server has. */
export function openApiRoute(
  others: readonly Route[],
  more: () => Promise<Readonly<Record<string, Operation>>> = async () => ({}),
): Route {
  const version = packageVersion();
  const route: Route = {
    method: 'GET',
    path: '/v1/openapi.json',
    handle: async () => ({
      json: (await loadOpenApi()).openApiDocument([...others, route], version, await more()),
    }),
  };
  return route;
}
