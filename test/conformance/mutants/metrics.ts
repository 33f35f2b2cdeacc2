import { after, before, type Mutant, mutant } from './mutant.js';

const SECOND = 1_000_000_000n;

export const metricMutants: readonly Mutant[] = [
  mutant('CPU time decreases', 'INV-48.moves', (real) => {
    let looks = 0n;
    return after('containerStats', ({ stats }) => {
      const usage = stats?.cpu?.usageCoreNanoSeconds;
      if (usage) usage.value = SECOND - looks++;
    })(real);
  }),
  mutant(
    'the timestamp of the stats never changes',
    'INV-48.moves',
    after('containerStats', ({ stats }) => {
      if (stats?.cpu) stats.cpu.timestamp = SECOND;
    }),
  ),
  mutant(
    'attributes in stats have no labels',
    'INV-48.attributes',
    after('containerStats', ({ stats }) => {
      if (stats?.attributes) stats.attributes.labels = {};
    }),
  ),
  mutant(
    'ListContainerStats lists stopped containers',
    'INV-48.running-only',
    after('listContainerStats', async ({ stats }, _, real) => {
      const call = { signal: new AbortController().signal, deadline: undefined };
      const { containers } = await real.listContainers({ filter: undefined }, call);
      for (const { id, metadata, labels, annotations } of containers)
        stats.push({ ...stats[0], attributes: { id, metadata, labels, annotations } } as never);
    }),
  ),
  mutant(
    'a stats filter ignores labels',
    'INV-48.filter',
    before('listContainerStats', ({ filter }) => {
      if (filter) filter.labelSelector = {};
    }),
  ),
  mutant(
    'pod stats lack the containers',
    'INV-48.pod',
    after('podSandboxStats', ({ stats }) => {
      if (stats?.linux) stats.linux.containers = [];
    }),
  ),
  mutant(
    'a metric has no descriptor',
    'INV-49.descriptors',
    after('listMetricDescriptors', ({ descriptors }) => {
      descriptors.pop();
      descriptors.splice(0, descriptors.length - 1);
    }),
  ),
  mutant(
    'a metric lacks a label value',
    'INV-49.descriptors',
    after('listPodSandboxMetrics', ({ podMetrics }) => {
      for (const { metrics } of podMetrics) for (const { labelValues } of metrics) labelValues.pop();
      for (const { containerMetrics } of podMetrics)
        for (const { metrics } of containerMetrics) for (const { labelValues } of metrics) labelValues.pop();
    }),
  ),
  mutant('descriptors change', 'INV-49.descriptors', (real) => {
    let looks = 0;
    return after('listMetricDescriptors', ({ descriptors }) => {
      for (const one of descriptors) one.help += ` (${looks})`;
      looks++;
    })(real);
  }),
];
