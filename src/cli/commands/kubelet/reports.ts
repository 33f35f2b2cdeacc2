import type { Clock } from '../../../base/clock/clock.js';
import type { NodeHostOptions } from '../../../kubelet/hosts/host.js';
import { createNodeRecord } from '../../../kubelet/hosts/record.js';
import { createLineWriter } from '../../../lab/scenario/output/formats.js';
import { podText } from '../../../tape/pod-text.js';
import type { Tape } from '../../../tape/tape.js';
import { complain } from '../../terminal/complain.js';
import type { Flags } from './settings.js';

export function createReports(
  flags: Flags,
  tape: Tape | undefined,
  clock: Clock,
): Pick<NodeHostOptions, 'record' | 'eventSink' | 'onNode' | 'log'> {
  const printer = createPrinter(flags);
  const begun = clock.now();
  const seconds = () => Math.round(Number(clock.now() - begun) / 1e6) / 1000;
  return {
    record: createNodeRecord({
      clock,
      tape,
      onRow: ({ pod, ready, status, restarts }) =>
        printer.row({ t: seconds(), pod: podText(pod), ready, status, restarts }),
    }),
    eventSink: {
      event: ({ pod: name, namespace, field, type, reason, message }) =>
        printer.event({ t: seconds(), pod: podText({ name, namespace }), field, type, reason, message }),
    },
    onNode: ({ status, message }) => complain(`node Ready=${status}: ${message}`),
    log: (text) => {
      if (flags.verbose) complain(text);
    },
  };
}

function createPrinter({ events, json }: { readonly events: boolean; readonly json: boolean }) {
  const writer = createLineWriter(events ? 'events' : json ? 'json' : 'table');
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
