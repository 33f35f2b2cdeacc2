import type { z } from 'zod';

/** A request as a route sees it. */
export interface ControlRequest {
  /** The path's variable parts, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The query checked against a schema. Throws InputError. */
  query<S extends z.ZodType>(schema: S): z.output<S>;
  /** The body, JSON or YAML, checked against a schema; an absent one counts as {}. Throws InputError. */
  body<S extends z.ZodType>(schema: S): Promise<z.output<S>>;
  /** The body as it came. */
  text(): Promise<string>;
  /** The `id` of the last server-sent event that the client has seen, when it comes again; undefined else. */
  readonly lastEventId: number | undefined;
  /** Aborts when the client goes. */
  readonly signal: AbortSignal;
}

/** What a route answers: JSON (with status 200 by default), text of a media type, or events until the client goes. */
export type ControlReply =
  | { readonly status?: number; readonly json: unknown }
  | {
      readonly text: string;
      readonly type: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly events: EventStream };

/** Encoded server-sent events. */
export interface EventStream extends AsyncIterable<Buffer> {
  /** Aborts when the reader is too slow: the stream ends after one more entry, which says so. */
  readonly overrun: AbortSignal;
}

/** What is done at one path with one method; HEAD is answered as GET. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/containers/:id/exit` */
  readonly path: string;
  handle(request: ControlRequest): ControlReply | Promise<ControlReply>;
}

/** Finds the route for a path, HEAD as GET; the methods that the path has if it lacks this one. */
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
