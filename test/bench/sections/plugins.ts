import { createRealClock } from '../../../src/clock/real-clock.js';
import { Container, ContainerState, PodSandbox } from '../../../src/nri/gen/nri/v1alpha1/api.js';
import { NriHost } from '../../../src/nri/host.js';
import { connectPlugin } from '../../support/nri/plugin.js';
import type { Section } from '../context.js';
import { median } from '../support/result.js';

const PLUGINS = 100;
const CONTAINERS = 1000;

const pods = Array.from({ length: CONTAINERS }, (_, number) =>
  PodSandbox.fromPartial({ id: `${number}`.padStart(64, 'a'), name: `pod-${number}`, namespace: 'default' }),
);
const containers = pods.map(({ id, name }) =>
  Container.fromPartial({
    id: id.replaceAll('a', 'b'),
    podSandboxId: id,
    name: 'app',
    state: ContainerState.CONTAINER_RUNNING,
    labels: { 'io.kubernetes.pod.name': name },
    args: ['sleep', '1000'],
    env: ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', `HOSTNAME=${name}`],
  }),
);

/** Host and plugins are in one process, which encodes and decodes everything. */
export const plugins: Section = {
  name: 'plugins',
  title: `Synchronize of node resource plugins, ${PLUGINS} of them with ${CONTAINERS} containers each`,
  async run() {
    const clock = createRealClock();
    const host = new NriHost(
      { pods: () => pods, containers: () => containers, update: async () => [] },
      { clock, runtime: { name: 'bench', version: '1' }, log: { info: () => {}, warn: () => {} } },
    );
    const times: number[] = [];
    for (let number = 0; number < PLUGINS; number++) {
      const begin = clock.elapsed();
      const { isIn } = await connectPlugin(host, clock, { pluginIdx: '10', pluginName: `p${number}` });
      if (!isIn) throw new Error(`plugin ${number} is not taken in`);
      times.push(clock.elapsed() - begin);
    }
    await host.close();
    return [
      { name: 'registration to Synchronize, median', value: median(times), unit: 'ms' },
      { name: 'the slowest', value: Math.max(...times), unit: 'ms', aim: { below: 1000 } },
      { name: 'all plugins', value: times.reduce((sum, time) => sum + time, 0) / 1000, unit: 's' },
    ];
  },
};
