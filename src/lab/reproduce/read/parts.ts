import type { Seen } from '../facts.js';

const NAMES: Readonly<Record<Exclude<Seen['what'], 'gap'>, string>> = {
  row: 'rows of pods',
  event: 'events',
  node: 'states of the node',
  log: "lines of the kubelet's log",
  container: 'containers of the runtime',
  end: 'ends of containers',
  created: 'times of creation',
  deleted: 'times of deletion',
  version: 'versions of the kubelet',
  runtime: 'runtimes of the node',
};

export function partsOf(seen: readonly Seen[]): string[] {
  const counts = new Map<keyof typeof NAMES, number>();
  for (const { what } of seen) if (what !== 'gap') counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...counts].map(
    ([what, count]) => `${count} ${count === 1 ? NAMES[what].replace(/^(\w+)s\b/, '$1') : NAMES[what]}`,
  );
}
