export interface KnownIncident {
  readonly scenario: string;
  /** For example `kubernetes #121003`; empty without an issue. */
  readonly issues: readonly string[];
}

/** Incidents (docs/incidents.md) by cause. */
export const knownIncidents: readonly (KnownIncident & { readonly cause: string })[] = [
  { cause: 'delay ContainerStatus', scenario: 'e01-cache-miss', issues: ['kubernetes #121003'] },
  {
    cause: 'event 20s late GetContainerEvents',
    scenario: 'e02-created-is-started-again',
    issues: ['kubernetes #121349'],
  },
  {
    cause: 'event from the far future GetContainerEvents',
    scenario: 'e05-time-from-the-future',
    issues: ['kubernetes #127814'],
  },
  {
    cause: 'no container statuses PodSandboxStatus',
    scenario: 'e06-status-without-containers',
    issues: ['containerd #10728'],
  },
  {
    cause: 'event 1000 times GetContainerEvents',
    scenario: 'e09-event-channel-full',
    issues: ['kubernetes #136408'],
  },
  {
    cause: 'event out of order GetContainerEvents',
    scenario: 'e10-events-out-of-order',
    issues: ['kubernetes #125018'],
  },
  { cause: 'hang ContainerStatus', scenario: 'e12-status-hangs', issues: ['kubernetes #45419'] },
  { cause: 'state CREATED ContainerStatus', scenario: 'e13-stale-status', issues: ['kubernetes #23636'] },
  { cause: 'lists hang', scenario: 'e15-frozen-gauges', issues: ['kubernetes #87108'] },
  { cause: 'reply lost CreateContainer', scenario: 'create-reply-lost', issues: [] },
  { cause: 'delay StartContainer', scenario: 'start-hangs', issues: [] },
  { cause: 'done late StartContainer', scenario: 'start-happens-late', issues: [] },
  { cause: 'stale reply ContainerStatus', scenario: 'stale-status-of-an-end', issues: [] },
  { cause: 'finished_at in seconds ContainerStatus', scenario: 'wrong-time-unit', issues: [] },
  { cause: 'clock goes back', scenario: 'clock-goes-back', issues: [] },
  { cause: 'error before StopPodSandbox', scenario: 'stuck-terminating', issues: [] },
  { cause: 'error before PullImage', scenario: 'image-pull-back-off', issues: [] },
  { cause: 'delay PullImage', scenario: 'slow-pull', issues: [] },
  { cause: 'NetworkReady=false', scenario: 'network-not-ready', issues: [] },
  { cause: 'RuntimeReady=false', scenario: 'flapping-runtime', issues: [] },
  { cause: 'kubelet restarted', scenario: 'kubelet-restart', issues: [] },
];

export const incidentsOf = (causes: readonly string[]): KnownIncident[] =>
  knownIncidents
    .filter(({ cause }) => causes.includes(cause))
    .map(({ scenario, issues }) => ({ scenario, issues }));
