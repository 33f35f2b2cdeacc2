import { z } from 'zod';
import { milliseconds } from './milliseconds.js';

/** Matches containers, including those that are created later. Names are patterns such as `db-*`. */
export interface ContainersOfNodes {
  readonly labels?: Readonly<Record<string, string>>;
  /** Such as `StatefulSet/db`. */
  readonly owner?: string;
  /** Name of the pod. */
  readonly name?: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly image?: string;
  readonly node?: string;
}

/** Sets what the containers do. The newest rule that fits a container counts; each call returns its rule's name. */
export interface ContainerRules {
  /** A behavior (docs/containers.md), such as `exit=1;run`. */
  behave(behavior: string): Promise<string>;
  exitAfter(duration: string | number, code?: number): Promise<string>;
  /** Ends the container once: now, or with its start. */
  exit(code?: number): Promise<string>;
  /** Ends the container once: now, or with its start. */
  oomKill(): Promise<string>;
  /** Lets readiness probes fail; a container without one is not ready either. */
  neverReady(): Promise<string>;
  /** Lets liveness probes fail. */
  unhealthy(): Promise<string>;
  failHook(hook: 'postStart' | 'preStop'): Promise<string>;
}

/** What happened to a container, or an event of a pod. */
export interface Moment {
  readonly sequence: number;
  /** Nanoseconds since 1970. */
  readonly at: string;
  readonly node: string;
  readonly kind: 'container' | 'event';
  readonly what?: 'created' | 'started' | 'ended' | 'removed';
  readonly pod: { readonly name: string; readonly namespace: string };
  readonly container?: { readonly name: string; readonly attempt?: number };
  readonly exitCode?: number;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Matches moments; missing fields match everything, names are patterns. */
export interface MomentQuery {
  readonly kind?: Moment['kind'];
  readonly what?: Moment['what'];
  readonly node?: string;
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
  readonly reason?: string;
  /** This one or a later one. */
  readonly attempt?: number;
}

/** Rules of nodes, and what happened on them. */
export interface NodeRules {
  pods(match?: ContainersOfNodes): ContainerRules;
  /** One container of the pod `namespace/name`. */
  container(pod: string, container: string): ContainerRules;
  pull(image: string): {
    fail(how: string): Promise<string>;
    take(duration: string | number): Promise<string>;
  };
  /** A node, or those of a pattern. */
  node(name: string): {
    down(): Promise<void>;
    up(): Promise<void>;
    restartKubelet(after?: string | number): Promise<void>;
  };
  /** Adds fault rules in the shorthand. */
  fault(shorthand: string): Promise<void>;
  /** Lets this time pass on the nodes at once. */
  advance(duration: string | number): Promise<void>;
  history(query?: MomentQuery): Promise<Moment[]>;
  /** The first moment that matches. Rejects after `limit` (default `30s`, or ms). */
  waitFor(query: MomentQuery, limit?: string | number): Promise<Moment>;
  /** Removes all rules. */
  reset(): Promise<void>;
}

const problemSchema = z.looseObject({ detail: z.string() });
const ruleSchema = z.looseObject({ name: z.string() });
const historySchema = z.looseObject({
  entries: z.array(z.custom<Moment>((entry) => typeof entry === 'object')),
});

/** Rules by way of the control API. `ended` says why it does not answer. */
export function nodeRules(control: string, ended: Promise<string>): NodeRules {
  const ask = async <S extends z.ZodType>(
    method: string,
    path: string,
    schema: S,
    body?: object,
  ): Promise<z.output<S>> => {
    const request = fetch(new URL(path, control), { method, ...(body && { body: JSON.stringify(body) }) });
    const reply = await request.catch(async () => {
      throw new Error(`mockri node ${await ended}`);
    });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(`${method} ${path}: ${problemSchema.parse(answer).detail}`);
    return schema.parse(answer);
  };
  const tell = async (method: string, path: string, body?: object): Promise<void> => {
    await ask(method, path, z.unknown(), body);
  };
  const rule = async (match: object, what: object): Promise<string> =>
    (await ask('POST', '/v1/behaviors', ruleSchema, { match, ...what })).name;
  const history = async (query: MomentQuery, wait?: string | number): Promise<Moment[]> => {
    const given = Object.entries({ ...query, ...(wait !== undefined && { wait: inMs(wait) }) });
    const parameters = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    );
    return (await ask('GET', `/v1/history?${parameters}`, historySchema)).entries;
  };
  const happen = (kind: string, node: string, duration: string | number) =>
    tell('POST', '/v1/node-faults', { kind, node, for: inMs(duration) });
  const pods = ({ node, container, image, ...pod }: ContainersOfNodes = {}) =>
    containerRules((what) => rule({ node, pod, container: { name: container, image } }, what));
  return {
    pods,
    container: (pod, container) => {
      const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(pod) ?? [];
      if (name === undefined)
        throw new Error(`expected a pod such as "default/db-0"; given ${JSON.stringify(pod)}`);
      return pods({ namespace: namespace ?? '', name, container });
    },
    pull: (image) => ({
      fail: (how) => rule({ container: { image } }, { pull: { fail: how } }),
      take: (duration) => rule({ container: { image } }, { pull: { latency: inMs(duration) } }),
    }),
    node: (name) => ({
      down: () => happen('NodeDown', name, '24h'),
      up: () => tell('DELETE', `/v1/node-faults/${encodeURIComponent(name)}`),
      restartKubelet: (after = '10s') => happen('KubeletRestart', name, after),
    }),
    fault: (shorthand) => tell('POST', '/v1/faults', { shorthand }),
    advance: (duration) => tell('POST', '/v1/clock', { advance: inMs(duration) }),
    history: (query = {}) => history(query),
    waitFor: async (query, limit = '30s') => {
      const [moment] = await history(query, limit);
      if (moment !== undefined) return moment;
      throw new Error(`nothing that fits ${JSON.stringify(query)} happened within ${limit}`);
    },
    reset: async () => {
      await tell('POST', '/v1/reset');
      await tell('DELETE', '/v1/behaviors');
    },
  };
}

const inMs = (duration: string | number): string => `${milliseconds(duration)}ms`;

const containerRules = (rule: (what: object) => Promise<string>): ContainerRules => ({
  behave: (behavior) => rule({ behavior }),
  exitAfter: (duration, code = 0) => rule({ behavior: `exit=${code},after=${inMs(duration)}` }),
  exit: (code = 0) => rule({ behavior: `exit=${code}`, times: 1 }),
  oomKill: () => rule({ behavior: 'oom', times: 1 }),
  neverReady: () => rule({ probes: { readiness: 'fail' } }),
  unhealthy: () => rule({ probes: { liveness: 'fail' } }),
  failHook: (hook) => rule({ hooks: { [hook]: 'fail' } }),
});
