import type { Clock } from '../../clock/clock.js';
import type { KubeletOptions } from '../../kubelet/kubelet-options.js';
import { podRow } from '../../kubelet/status/row.js';
import type { createKubeletTape } from '../../scenario/kubelet-tape.js';
import { complain } from './complain.js';
import { createPrinter } from './printer.js';
import type { Flags } from './settings.js';

/** The options of a kubelet that receive its reports: prints rows and events, and records all of it. */
export function createReports(
  flags: Flags,
  tape: ReturnType<typeof createKubeletTape>,
  clock: Clock,
): Pick<KubeletOptions, 'eventSink' | 'statusSink' | 'onNode' | 'onBackOff' | 'onPleg' | 'onProbe' | 'log'> {
  const printer = createPrinter(flags);
  const begun = clock.now();
  const seconds = () => Math.round(Number(clock.now() - begun) / 1e6) / 1000;
  return {
    eventSink: {
      event: (event) => {
        const { pod, field, type, reason, message } = event;
        printer.event({ t: seconds(), pod, field, type, reason, message });
        tape.event(event);
      },
    },
    statusSink: {
      status: (pod, status) => {
        const { name, ready, status: text, restarts } = podRow(pod, status, clock.now());
        const row = { pod: name, ready, status: text, restarts };
        if (printer.row({ t: seconds(), ...row })) tape.row(row);
      },
    },
    onNode: ({ status, reason, message }) => {
      complain(`node Ready=${status}: ${message}`);
      tape.node({ ready: status, reason, message, taint: undefined, evicting: false });
    },
    ...(flags.record !== undefined && {
      onBackOff: tape.backOff,
      onPleg: tape.pleg,
      onProbe: tape.probe,
    }),
    log: (text) => {
      if (flags.verbose) complain(text);
      tape.log(text);
    },
  };
}
