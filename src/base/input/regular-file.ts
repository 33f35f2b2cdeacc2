import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs';

/**
 * Opens a file for reading. Throws the system's error, or one that names the file type, without blocking: a pipe may
 * have no writer, a device no end, and opening one may have effects.
 */
export function openRegular(file: string, allowed = 'a regular file'): number {
  refuseOthers(statSync(file), allowed);
  // The file may have been replaced since.
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
