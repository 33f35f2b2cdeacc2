/** Incidents whose answers were looked at while the search was changed; those to the other questions were not. */
export const lookedAt: ReadonlySet<string> = new Set([
  'clock-goes-back',
  'crash-loop-back-off',
  'create-reply-lost',
  'e01-cache-miss',
  'e02-created-is-started-again',
  'e03-slow-deletion',
  'e04-nanoseconds-read-as-seconds',
  'e05-time-from-the-future',
  'e06-status-without-containers',
  'e08-ready-while-terminating',
  'e09-event-channel-full',
  'e10-events-out-of-order',
  'e11-running-after-stop',
  'e12-status-hangs',
  'e13-stale-status',
]);
