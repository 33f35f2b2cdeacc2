import { describe, expect, it } from 'vitest';
import { createBusyContainer } from '../support/linux/shell-container.js';
import { readRecord, readScripts } from '../support/linux/shell-scripts.js';

const recorded = readRecord();

for (const [construct, scripts] of readScripts()) {
  describe(`shell: ${construct}`, () => {
    it.each(scripts)('$script', async ({ script, ours }) => {
      const container = await createBusyContainer();
      const process = await container.start(['sh', '-c', script]);
      expect(await process.end()).toEqual(ours ?? recorded[script]);
    });
  });
}
