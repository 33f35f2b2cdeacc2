import type { Simulation } from '../../scenario/run/run.js';
import { logKind } from '../read/log-kinds.js';

/** The way of a run without times: what pods and node show, which events come, what the runtime has. Equal for runs that go the same way. */
export function signatureOf(run: Simulation): string {
  const rows = run.rows.map(({ pod, ready, status, restarts }) => `${pod} ${ready} ${status} ${restarts}`);
  const nodes = run.nodes.map(({ ready, evicting }) => `${ready} ${evicting}`);
  const events = new Set(run.events.map(({ pod, reason }) => `${pod} ${reason}`));
  const log = new Set(run.log.flatMap(({ text }) => logKind(text) ?? []));
  const containerEvents = run.containerEvents.map(
    ({ pod, container, attempt, what, exitCode }) =>
      `${pod}/${container}#${attempt} ${what} ${exitCode ?? ''}`,
  );
  const left = run.left.map(({ pod, sandboxes, containers }) => `${pod} ${sandboxes} ${containers}`);
  return JSON.stringify([rows, nodes, [...events].sort(), [...log].sort(), containerEvents, left]);
}
