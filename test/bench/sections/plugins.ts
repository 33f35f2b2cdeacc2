import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { containerdRules } from '../../../src/runtime/nri/containerd-rules.js';
import { Container, ContainerState, PodSandbox } from '../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import { NriHost } from '../../../src/runtime/nri/host.js';
import { connectPlugin } from '../../support/nri/plugin.js';
import type { Context, Section } from '../context.js';
import { IMAGE } from '../support/pods.js';
import { type Figure, median } from '../support/result.js';
import { livesPerSecond } from './life.js';

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

/** Rounds of the comparison without plugins. */
const ROUNDS = 5;
const LIVES = 500;

/** Cost of the option while no plugin is connected, and without the option. The runs alternate. */
async function withoutPlugins({ servers }: Context): Promise<Figure[]> {
  const plain = await servers.real();
  const taking = await servers.real('--nri-socket', 'temporary');
  const rates: Record<'plain' | 'taking', number[]> = { plain: [], taking: [] };
  for (const { cri } of [plain, taking]) await cri.pullImage({ image: { image: IMAGE } });
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, { socket }] of [
      ['plain', plain],
      ['taking', taking],
    ] as const) {
      const rate = await livesPerSecond(socket, LIVES);
      if (round > 0) rates[name].push(rate);
    }
  const memory = { plain: await plain.memory(), taking: await taking.memory() };
  await servers.stopAll();
  return [
    { name: 'pod lifecycles without --nri-socket', value: median(rates.plain), unit: 'pods/s' },
    { name: 'with it and no plugin, relative', value: median(rates.taking) / median(rates.plain), unit: '' },
    { name: 'memory that it takes', value: (memory.taking - memory.plain) / 2 ** 20, unit: 'MiB' },
  ];
}

/** Host and plugins are in one process, which encodes and decodes everything. */
export const plugins: Section = {
  name: 'plugins',
  title: `Synchronize of node resource plugins, ${PLUGINS} of them with ${CONTAINERS} containers each`,
  async run(context) {
    const clock = createRealClock();
    const host = new NriHost(
      { pods: () => pods, containers: () => containers, update: async () => [] },
      {
        clock,
        runtime: { name: 'bench', version: '1' },
        rules: containerdRules,
        log: { info: () => {}, warn: () => {} },
      },
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
      ...(await withoutPlugins(context)),
      { name: 'registration to Synchronize, median', value: median(times), unit: 'ms' },
      { name: 'the slowest', value: Math.max(...times), unit: 'ms', aim: { below: 1000 } },
      { name: 'all plugins', value: times.reduce((sum, time) => sum + time, 0) / 1000, unit: 's' },
    ];
  },
};
