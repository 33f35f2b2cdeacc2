import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The most that the heap has beyond what is kept, in MB: 215, and 500 without the bound. */
function beyond(): number {
  const path = fileURLToPath(new URL('./garbage.ts', import.meta.url));
  const printed = execFileSync(process.execPath, ['--import', 'tsx', path], { encoding: 'utf8' });
  return Math.round(Number(printed) / 1e6);
}

it('garbage takes no more than its bound, whatever V8 would do', () => {
  expect(beyond()).toBeLessThan(260);
});
