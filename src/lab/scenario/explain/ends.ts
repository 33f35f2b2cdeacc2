import type { SimulatedContainerEvent } from '../run/run.js';

/** How an instance ended: `with exit code 1`, and why, if the container's history shows it. */
export function endText(ended: SimulatedContainerEvent, history: readonly SimulatedContainerEvent[]): string {
  const { exitCode, reason, imageCommand } = ended;
  const isUsual = reason === undefined || reason === 'Completed' || reason === 'Error';
  const code = `with exit code ${exitCode}${isUsual ? '' : ` (${reason})`}`;
  const other = otherInstance(ended, history);
  if (other !== undefined && exitCode !== 0)
    return `${code}, while attempt ${other} was still running and held something that only one of them can use, such as a port`;
  // A shell without input exits with 0; any other code has another cause.
  if (imageCommand === undefined || exitCode !== 0) return code;
  return `${code}, because it has neither a behavior nor a command: its image runs "${imageCommand}", which exits when it has no input`;
}

/** Attempt of another instance of the container that ran before this one started and still when it ended. */
function otherInstance(
  ended: SimulatedContainerEvent,
  history: readonly SimulatedContainerEvent[],
): number | undefined {
  const until = history.indexOf(ended);
  const running: number[] = [];
  for (const { attempt, what } of history.slice(0, until)) {
    if (what === 'started') running.push(attempt);
    else running.splice(running.indexOf(attempt), running.includes(attempt) ? 1 : 0);
  }
  const [first] = running;
  return first === ended.attempt ? undefined : first;
}
