import { invariantOf } from './check.js';

/** The severity of a broken rule, worst first. */
export const severities = ['lost', 'status', 'text'] as const;
export type Severity = (typeof severities)[number];

/** What each means for a node, for reports. */
export const severityWords: Readonly<Record<Severity, string>> = {
  lost: 'a kubelet would lose a container, its end, its data or its protection',
  status: 'a status, a list or a figure is wrong, at least for a moment',
  text: 'a text, a code or a format differs',
};

/** A check has precedence over its invariant. */
const table: Readonly<Record<Severity, readonly string[]>> = {
  lost: [
    ...['INV-01', 'INV-02', 'INV-03', 'INV-05', 'INV-06', 'INV-07', 'INV-08', 'INV-12', 'INV-13'],
    ...['INV-14.ambiguous', 'INV-15', 'INV-16', 'INV-17', 'INV-21', 'INV-27', 'INV-28'],
    ...['INV-20.StreamContainers', 'INV-20.StreamPodSandboxes', 'INV-22.container', 'INV-22.sandbox'],
    ...['INV-23.log-path', 'INV-23.metadata', 'INV-23.stop-signal', 'INV-23.update-part', 'INV-26.constant'],
    ...['INV-35', 'INV-37', 'INV-40', 'INV-42', 'INV-43', 'INV-46', 'INV-47', 'INV-50.handlers'],
    ...['INV-50.version', 'INV-51.conditions', 'INV-53', 'INV-55', 'INV-58.status', 'INV-59', 'INV-60'],
    ...['INV-61', 'INV-62', 'INV-63', 'INV-64', 'INV-65', 'INV-66', 'INV-67'],
  ],
  status: [
    ...['INV-03.exec-not-running', 'INV-04', 'INV-06.removes-containers', 'INV-08.unknown', 'INV-09'],
    ...['INV-10', 'INV-11.group-without-user', 'INV-14', 'INV-15.remove', 'INV-15.stop', 'INV-18', 'INV-19'],
    ...[
      'INV-20',
      'INV-22',
      'INV-23',
      'INV-25',
      'INV-26',
      'INV-28.at-once',
      'INV-28.early',
      'INV-29',
      'INV-30',
    ],
    ...['INV-31', 'INV-32', 'INV-33', 'INV-34', 'INV-36', 'INV-37.remove', 'INV-38', 'INV-39', 'INV-41'],
    ...['INV-43.binary', 'INV-45', 'INV-46.reopen-stopped', 'INV-48', 'INV-49', 'INV-50', 'INV-51'],
    ...['INV-52', 'INV-54', 'INV-55.options', 'INV-56', 'INV-57', 'INV-58', 'INV-59.restart', 'INV-59.shown'],
    ...['INV-59.unknown', 'INV-61.remove', 'INV-62.exec-while-stopping', 'INV-62.network-usage'],
    ...['INV-63.events', 'INV-67.no-log'],
    ...['INV-64.resize-SPDY', 'INV-64.resize-WebSocket'],
    ...['INV-64.attach-resize-SPDY', 'INV-64.attach-resize-WebSocket'],
  ],
  text: [
    ...['INV-11', 'INV-24', 'INV-27.not-exited', 'INV-43.no-command', 'INV-44'],
    ...['INV-55.deadline', 'INV-55.prefix'],
  ],
};

const known = new Map(severities.flatMap((severity) => table[severity].map((about) => [about, severity])));

export const named: ReadonlySet<string> = new Set(known.keys());

/** The severity of a check's rule; the worst for a check that is not in the table. */
export const severityOf = (id: string): Severity => known.get(id) ?? known.get(invariantOf(id)) ?? 'lost';
