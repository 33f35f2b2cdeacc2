import { forgetOldest } from './forget-oldest.js';

const MOST = 1000;

/** Drops messages that were among the last thousand different ones. */
export function withoutRepeats(log: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (!told.has(message)) log(message);
    told.add(message);
    forgetOldest(told, MOST);
  };
}
