import { createLineWriter } from '../../scenario/output.js';

/** Prints rows or events, and no row twice. */
export function createPrinter({ events, json }: { readonly events: boolean; readonly json: boolean }) {
  const writer = createLineWriter(events ? 'events' : json ? 'json' : 'table');
  // Printed before the first row.
  let header = json ? [] : writer.header;
  const print = (line: string | undefined) => {
    if (line === undefined) return;
    process.stdout.write([...header, line, ''].join('\n'));
    header = [];
  };
  const last = new Map<string, string>();
  return {
    /** False for a row that repeats the last one of its pod. */
    row: (row: Parameters<typeof writer.row>[0]): boolean => {
      const text = `${row.ready} ${row.status} ${row.restarts}`;
      if (last.get(row.pod) === text) return false;
      last.set(row.pod, text);
      if (!events) print(writer.row(row));
      return true;
    },
    event: (event: Parameters<typeof writer.event>[0]) => {
      if (events) print(json ? JSON.stringify(event) : writer.event(event));
    },
  };
}
