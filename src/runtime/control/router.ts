import type { z } from 'zod';
import type { OpenYaml } from '../../base/input/yaml.js';

export interface ControlRequest {
  /** The path's variable parts, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Checks the query against a schema. Throws InputError. */
  query<S extends z.ZodType>(schema: S): z.output<S>;
  /** Checks the body, JSON or YAML, against a schema; an absent one counts as {}. Throws InputError. */
  body<S extends z.ZodType>(schema: S): Promise<z.output<S>>;
  /** The body, for a route that chooses the schema by the content. Throws InputError. */
  yaml(): Promise<OpenYaml>;
  /** The Last-Event-ID of a client that reconnects; undefined otherwise. */
  readonly lastEventId: number | undefined;
  readonly signal: AbortSignal;
}

/** A route's reply: JSON (with status 200 by default), text of a media type, or events until the client disconnects. */
export type ControlReply =
  | { readonly status?: number; readonly json: unknown }
  | {
      readonly text: string;
      readonly type: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly events: EventStream };

export interface EventStream extends AsyncIterable<Buffer> {
  /** Aborts when the reader is too slow: the stream then ends with one more entry, which reports it. */
  readonly overrun: AbortSignal;
}

/** The handler of one path and method; the GET handler also serves HEAD. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/containers/:id/exit` */
  readonly path: string;
  handle(request: ControlRequest): ControlReply | Promise<ControlReply>;
}

/** Finds the route for a path, HEAD as GET; returns the path's methods if it lacks this one. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly params: Record<string, string> } | { readonly allowed: string[] } {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const allowed: string[] = [];
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params === undefined) continue;
    if (route.method === wanted) return { route, params };
    allowed.push(...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  }
  return { allowed };
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':') && value !== '') params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}
