export interface Rule {
  readonly name: string;
  readonly text: string;
  readonly seen: number;
  readonly applied: number;
  /** Undefined or null without a limit. */
  readonly left?: number | null;
}

export interface Container {
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: string;
  readonly exitCode: number;
  readonly reason: string;
}

export interface Sandbox {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly state: string;
  readonly containers: readonly Container[];
}

/** Calls the control API of the server that sent this page. Rejects with the server's error message. */
export const get = <T>(path: string): Promise<T> => send('GET', path);

/** Pods from the control API; `elsewhere` if the server does not have the state, undefined if it does not answer. */
export async function podsAt(path: string): Promise<readonly Sandbox[] | 'elsewhere' | undefined> {
  const response = await fetch(path).catch(() => undefined);
  if (response?.status === 404) return 'elsewhere';
  return response?.ok
    ? ((await response.json()) as { readonly sandboxes: readonly Sandbox[] }).sandboxes
    : undefined;
}

/** Rejects like `get`. */
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
