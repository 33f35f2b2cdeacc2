import type { ActionName } from './actions.js';
import type { Trigger } from './trigger.js';

export interface ActionEntry {
  /** The first is the default when a rule names no method. */
  readonly on: readonly Trigger[];
  readonly stream?: true;
  /** Acts on a container, which the rule has to select. */
  readonly container?: true;
  readonly methods?: readonly string[];
}

export const actionTable: Readonly<Record<ActionName, ActionEntry>> = {
  error: { on: ['call', 'reply', 'session'] },
  hang: { on: ['call', 'reply'] },
  hold: { on: ['call', 'reply', 'message'] },
  reply: { on: ['call', 'reply', 'message'] },
  reset: { on: ['call', 'reply', 'message', 'session', 'connection', 'time'] },
  end: { on: ['call', 'message', 'open-streams', 'session'], stream: true },
  close: { on: ['call', 'message', 'open-streams'], stream: true },
  stall: { on: ['call', 'message', 'session', 'connection'] },
  /** The action is for plugins only (nri.ts). */
  corrupt: { on: ['call', 'reply', 'session'], methods: [] },
  drop: { on: ['message', 'session'], stream: true },
  duplicate: { on: ['message'], stream: true },
  reorder: { on: ['message'], stream: true },
  throttle: { on: ['message', 'session', 'connection'] },
  replay: { on: ['message'], stream: true },
  refuse: { on: ['connection', 'session'] },
  goaway: { on: ['call', 'reply', 'connection', 'time'] },
  latency: { on: ['connection', 'session'] },
  restart: { on: ['time', 'call', 'reply', 'message'] },
  pause: { on: ['time', 'call', 'reply', 'message'] },
  condition: { on: ['time', 'call', 'reply', 'message'] },
  clockSkew: { on: ['time', 'call', 'reply', 'message'] },
  exit: { on: ['time', 'call', 'reply', 'message'], container: true },
  oom: { on: ['time', 'call', 'reply', 'message'], container: true },
  ignoreStop: { on: ['call'], container: true, methods: ['StopContainer'] },
  slowStart: { on: ['call'], container: true, methods: ['StartContainer'] },
  slowCreate: { on: ['call'], methods: ['RunPodSandbox', 'CreateContainer'] },
  loseStatus: { on: ['call'], container: true, methods: ['ContainerStatus', 'ListContainers'] },
};
