import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs';

/**
 * Opens a file to read it. Throws the system's error, or one that says what else it is, without waiting: a pipe may have no
 * writer and a device no end, and to open one may change something.
 */
export function openRegular(file: string, allowed = 'a regular file'): number {
  refuseOthers(statSync(file), allowed);
  // What is there now may be something else.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseOthers(fstatSync(descriptor), allowed);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function refuseOthers(stat: Stats, allowed: string): void {
  if (!stat.isFile()) throw new Error(`it is a ${kindOf(stat)}; give ${allowed}`);
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'directory';
  if (stat.isFIFO()) return 'pipe';
  return stat.isSocket() ? 'socket' : 'device';
}
