/** A fault rule as the control API lists it. */
export interface Rule {
  readonly name: string;
  readonly spec: object;
  readonly seen: number;
  readonly applied: number;
  /** Undefined or null without a limit. */
  readonly left?: number | null;
}

/** A container in `GET /v1/state`. */
export interface Container {
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: string;
  readonly exitCode: number;
  readonly reason: string;
}

/** A pod in `GET /v1/state`. */
export interface Sandbox {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly state: string;
  readonly containers: readonly Container[];
}

/** What the control API of the server that sent this page answers. Rejects with its own words for what is wrong. */
export const get = <T>(path: string): Promise<T> => send('GET', path);

/**
 * The pods at a path of the control API; `elsewhere` when the server does not have the state, and undefined when it does
 * not answer.
 */
export async function podsAt(path: string): Promise<readonly Sandbox[] | 'elsewhere' | undefined> {
  const response = await fetch(path).catch(() => undefined);
  if (response?.status === 404) return 'elsewhere';
  return response?.ok
    ? ((await response.json()) as { readonly sandboxes: readonly Sandbox[] }).sandboxes
    : undefined;
}

/** Sends a command to it. Rejects as `get` does. */
export async function send<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, {
    method,
    ...(body !== undefined && { headers, body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as T & {
    readonly detail?: string;
    readonly errors?: readonly string[];
  };
  if (!response.ok) throw new Error(answer.errors?.join('\n') || answer.detail || response.statusText);
  return answer;
}
