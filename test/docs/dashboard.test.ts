import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createKubeletMetrics } from '../../src/kubelet/metrics/metrics.js';
import { startMockri } from '../../src/testing/index.js';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const { panels }: Dashboard = JSON.parse(read('compose/grafana/mockri.json'));
const namesIn = (text: string): string[] => text.match(/\b(?:mockri|kubelet)_\w+/g) ?? [];

/** The names of samples: a histogram has three. */
function samplesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

test('each panel of the dashboard shows metrics that the server or the kubelet has', async () => {
  await using mockri = await startMockri({ control: true });
  const server = await (await fetch(`${mockri.control}/metrics`)).text();
  const existing = [...samplesIn(server), ...samplesIn(await createKubeletMetrics(36).render())];
  for (const { title, targets } of panels) {
    const used = targets.flatMap(({ expr }) => namesIn(expr));
    expect(used, title).not.toEqual([]);
    expect(existing, title).toEqual(expect.arrayContaining(used));
  }
});

test('docs/containers.md lists the metrics of the dashboard', () => {
  const used = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)));
  const families = new Set(used.map((name) => name.replace(/_seconds_(bucket|sum|count)$/, '_seconds')));
  const rows = read('containers.md').match(/^\| `(?:mockri|kubelet)_.*$/gm) ?? [];
  expect(namesIn(rows.join('\n')).sort()).toEqual([...families].sort());
});
