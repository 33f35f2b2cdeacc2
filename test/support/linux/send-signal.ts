import type { SignalName } from '../../../src/linux/process/process.js';
import type { ProcessTable } from '../../../src/linux/process/process-table.js';

/** Sends a signal as the runtime does, from above the PID namespace. False for an unknown process. */
export function sendSignal(processes: ProcessTable, pid: number, signal: SignalName): boolean {
  const process = processes.list().find((one) => one.pid === pid);
  process?.signal(signal, 'above');
  return process !== undefined;
}
