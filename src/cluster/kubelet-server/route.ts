import { Problem } from '../../runtime/control/problem.js';

/** `uid` only in the long form of a path. */
export interface PodPath {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
}

export type Route =
  | { readonly kind: 'healthz' | 'pods' | 'runningpods' | 'summary' | 'resource-metrics' }
  | ContainerRoute<'logs' | 'run'>
  | StreamRoute;

export type StreamRoute =
  | ContainerRoute<'exec' | 'attach'>
  | { readonly kind: 'port-forward'; readonly pod: PodPath };

interface ContainerRoute<Kind> {
  readonly kind: Kind;
  readonly pod: PodPath;
  readonly container: string;
}

const FIXED: ReadonlyMap<string, Route> = new Map([
  ['/healthz', { kind: 'healthz' }],
  ['/healthz/ping', { kind: 'healthz' }],
  ['/healthz/syncloop', { kind: 'healthz' }],
  ['/pods', { kind: 'pods' }],
  ['/runningpods', { kind: 'runningpods' }],
  ['/stats/summary', { kind: 'summary' }],
  ['/metrics/resource', { kind: 'resource-metrics' }],
]);

const CONTAINER_ROUTES = {
  containerLogs: { kind: 'logs', methods: ['GET'], uid: false },
  exec: { kind: 'exec', methods: ['GET', 'POST'], uid: true },
  attach: { kind: 'attach', methods: ['GET', 'POST'], uid: true },
  run: { kind: 'run', methods: ['POST'], uid: true },
} as const;

/** Finds the route of a request (kubelet server.go NewServer). Throws 404 and 405 like go-restful. */
export function routeOf(method: string, pathname: string): Route {
  const path = pathname.replace(/(.)\/$/, '$1');
  const fixed = FIXED.get(path);
  if (fixed !== undefined) {
    const methods = fixed.kind === 'summary' ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
    return allow(method, methods, fixed);
  }
  const [first = '', ...rest] = path.slice(1).split('/').map(decode);
  const [namespace = '', name = '', third, fourth, ...more] = rest;
  if (name === '' || more.length > 0) throw notFound();
  if (first === 'portForward') {
    if (fourth !== undefined) throw notFound();
    return allow(method, ['GET', 'POST'], { kind: 'port-forward', pod: { namespace, name, uid: third } });
  }
  if (!Object.hasOwn(CONTAINER_ROUTES, first) || third === undefined) throw notFound();
  const { kind, methods, uid } = CONTAINER_ROUTES[first as keyof typeof CONTAINER_ROUTES];
  if (fourth === undefined)
    return allow(method, methods, { kind, pod: { namespace, name }, container: third });
  if (!uid) throw notFound();
  return allow(method, methods, { kind, pod: { namespace, name, uid: third }, container: fourth });
}

function allow<R>(method: string, methods: readonly string[], route: R): R {
  if (methods.includes(method)) return route;
  throw new Problem(405, '405: Method Not Allowed', { Allow: methods.join(', ') });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound();
  }
}

const notFound = () => new Problem(404, '404 page not found');
