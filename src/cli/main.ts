#!/usr/bin/env node
/** Minimum Node version: `engines` of package.json. */
const OLDEST = 20;

// An older version reads this file too, so it uses no newer syntax and imports nothing before the check.
const isTooOld = Number(process.versions.node.split('.')[0]) < OLDEST;
if (isTooOld) {
  process.stderr.write(
    `mockri: Mockri needs Node ${OLDEST} or newer, and this is Node ${process.versions.node}: install a newer one\n`,
  );
  process.exitCode = 2;
}

export const ended: Promise<unknown> = isTooOld ? Promise.resolve() : import('./start.js');
