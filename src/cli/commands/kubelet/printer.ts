import { createLineWriter } from '../../../scenario/output/formats.js';

/** Prints rows or events. */
export function createPrinter({ events, json }: { readonly events: boolean; readonly json: boolean }) {
  const writer = createLineWriter(events ? 'events' : json ? 'json' : 'table');
  // Printed before the first row.
  let header = json ? [] : writer.header;
  const print = (line: string | undefined) => {
    if (line === undefined) return;
    process.stdout.write([...header, line, ''].join('\n'));
    header = [];
  };
  return {
    row: (row: Parameters<typeof writer.row>[0]) => {
      if (!events) print(writer.row(row));
    },
    event: (event: Parameters<typeof writer.event>[0]) => {
      if (events) print(json ? JSON.stringify(event) : writer.event(event));
    },
  };
}
