import type { Section } from '../context.js';
import { median } from '../support/result.js';

/** As a CI job sees it: from the start of the process to its ready line. */
export const start: Section = {
  name: 'start',
  title: 'Start to ready line, median of 7',
  async run({ servers }) {
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
      const server = await servers.real();
      times.push(server.child.startTime);
      await servers.stopAll();
    }
    return [{ name: 'start to ready line', value: median(times), unit: 'ms', aim: { below: 350 } }];
  },
};
