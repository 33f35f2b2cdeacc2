/** Samples of a Prometheus text by name and labels, as they are written there. */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const split = line.lastIndexOf(' ');
      return [line.slice(0, split), Number(line.slice(split + 1))] as const;
    }),
  );
}
