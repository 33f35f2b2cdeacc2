import type { Entry } from '../../../tape/entries.js';
import { podText } from '../../../tape/pod-text.js';

/** Runs and instances above this count look alike: a crash loop must not produce new states forever. */
const MOST_INSTANCES = 3;

export interface StateReader {
  /** Reads the next entry; returns true if the state changed. */
  read(entry: Entry): boolean;
  readonly text: string;
  readonly running: readonly { readonly pod: string; readonly container: string }[];
}

/** The last instance, and earlier ones that still run. */
const present = (states: readonly string[]): string[] =>
  states.filter((state, index) => index === states.length - 1 || state === 'R');

/**
 * Sandbox and container states, combined with what the kubelet shows and the calls in progress. `runtime` omits what
 * the kubelet shows. `present` also omits replaced instances, and sandboxes, whose replies may be lost.
 */
export function createStateReader(of: 'runtime' | 'both' | 'present' = 'both'): StateReader {
  const containers = new Map<string, { pod: string; container: string; states: Map<number, string> }>();
  const sandboxes = new Map<string, string>();
  const isPresent = of === 'present';
  const rows = new Map<string, string>();
  const open = new Map<number, string>();
  let node = '';
  let text = '';

  const describe = (): string => {
    const parts = [node];
    for (const [key, { states }] of containers) {
      const all = [...states.values()];
      const last = isPresent ? present(all) : all.slice(-MOST_INSTANCES);
      parts.push(`${key}=${last.join('')}`);
    }
    if (!isPresent) for (const [key, state] of sandboxes) parts.push(`${key}:${state}`);
    for (const [key, row] of rows) parts.push(`${key} ${row}`);
    parts.push(...new Set([...open.values()]));
    return parts.sort().join(';');
  };

  return {
    get text() {
      return text;
    },
    get running() {
      return [...containers.values()].filter(({ states }) => [...states.values()].includes('R'));
    },
    read: (entry) => {
      if (!apply(entry)) return false;
      const before = text;
      text = describe();
      return text !== before;
    },
  };

  /** Returns false for entries that cannot change the state. */
  function apply(entry: Entry): boolean {
    if (entry.kind === 'container') {
      const { pod, container, what } = entry;
      if (pod === undefined || container === undefined) return false;
      const key = `${podText(pod)}/${container.name}`;
      const found = containers.get(key) ?? {
        pod: podText(pod),
        container: container.name,
        states: new Map(),
      };
      found.states.set(container.attempt ?? 0, what === 'started' ? 'R' : 'E');
      containers.set(key, found);
      return true;
    }
    if (of === 'runtime' && (entry.kind === 'row' || entry.kind === 'node')) return false;
    if (entry.kind === 'row') {
      rows.set(podText(entry.pod), `${entry.ready} ${entry.status}`);
      return true;
    }
    if (entry.kind === 'node') {
      node = `${entry.ready} ${entry.taint ?? ''}`;
      return true;
    }
    if (entry.kind === 'call') {
      if (!isWork(entry.method)) return false;
      const sandbox = entry.pod && `${podText(entry.pod)}#${entry.pod.attempt ?? 0}`;
      open.set(entry.call, `>${entry.method} ${sandbox ?? ''} ${entry.container?.name ?? ''}`);
      return true;
    }
    if (entry.kind === 'reply') {
      const call = open.get(entry.call);
      if (call === undefined) return false;
      open.delete(entry.call);
      const [method = '', sandbox = ''] = call.slice(1).split(' ');
      const state = entry.code === 'OK' ? SANDBOX_STATES[method] : undefined;
      if (state !== undefined) sandboxes.set(sandbox, state);
      return true;
    }
    return false;
  }
}

const SANDBOX_STATES: Readonly<Record<string, string>> = {
  RunPodSandbox: 'ready',
  StopPodSandbox: 'stopped',
  RemovePodSandbox: 'removed',
};

/** Whether a call changes the runtime, so that being in progress is a state. */
export const isWork = (method: string): boolean =>
  /^(RunPod|Stop|Remove|Create|Start|Pull|Update|Exec|Reopen)/.test(method);
