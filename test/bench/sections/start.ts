import type { Section } from '../context.js';
import { startNode } from '../support/child.js';
import { processorTime } from '../support/processor.js';
import { median } from '../support/result.js';

const ROUNDS = 7;

/** Start-up cost of any server on grpc-js. */
const LOAD_GRPC = [
  '--input-type=module',
  '--eval',
  "await import('@grpc/grpc-js'); console.log('loaded'); setInterval(() => {}, 1e6)",
];

/** From the start of the process to its ready line. The runs alternate, so that both have the same load. */
export const start: Section = {
  name: 'start',
  title: `Start to ready line, relative to Node loading @grpc/grpc-js, median of ${ROUNDS}`,
  async run({ servers }) {
    const times: number[] = [];
    const loads: number[] = [];
    const costs: number[] = [];
    const loadCosts: number[] = [];
    // The first start fills the compile cache of a Node that has one (22.8 and later).
    await (await servers.plain()).stop();
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await startNode(LOAD_GRPC);
      loads.push(bare.startTime);
      loadCosts.push(processorTime(bare.process));
      await bare.stop();
      const server = await servers.plain();
      times.push(server.startTime);
      costs.push(processorTime(server.process));
      await server.stop();
    }
    return [
      { name: 'start to ready line', value: median(times) / median(loads), unit: '', aim: { below: 2 } },
      { name: 'processor time until then', value: median(costs) / 1000, unit: 'ms' },
      { name: '  of loading @grpc/grpc-js', value: median(loadCosts) / 1000, unit: 'ms' },
      { name: '  relative', value: median(costs) / median(loadCosts), unit: '', aim: { below: 2 } },
    ];
  },
};
