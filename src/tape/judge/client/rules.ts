export interface RefereeRule {
  readonly id: string;
  /** The client's mistake, as a phrase. */
  readonly title: string;
  /** What the client should do instead. */
  readonly advice: string;
}

/** Rules of the referee by id. Ids are never reused. */
export const refereeRules = {
  'REF-01': {
    title: 'starts a container that was started before',
    advice: 'a container is started once: create another one with the next attempt',
  },
  'REF-02': {
    title: 'creates a container in a sandbox that is stopped',
    advice: 'a stopped sandbox is never READY again: run another one with the next attempt',
  },
  'REF-03': {
    title: 'uses name, namespace, uid and attempt of a sandbox that is still there',
    advice: 'remove that sandbox first, or use the next attempt',
  },
  'REF-04': {
    title: 'uses name and attempt of a container that is still in the sandbox',
    advice: 'remove that container first, or use the next attempt',
  },
  'REF-05': {
    title: 'removes a container that runs',
    advice: 'stop it first, with a grace period, so that it can end in an orderly way',
  },
  'REF-06': {
    title: 'removes a sandbox that is READY',
    advice: 'stop it first: StopPodSandbox frees its network even if the removal fails',
  },
  'REF-07': {
    title: 'continues although the call before failed',
    advice: 'repeat the call that failed until it succeeds, then go on',
  },
  'REF-08': {
    title: 'creates a container with the config of another sandbox',
    advice: 'sandbox_config must be the one that the sandbox was run with (cri-api CreateContainerRequest)',
  },
  'REF-09': {
    title: 'sends keepalive pings too often',
    advice:
      'set a longer keepalive time, and no pings without a call: servers in Go answer GOAWAY too_many_pings',
  },
} as const satisfies Readonly<Record<string, Omit<RefereeRule, 'id'>>>;

/** For example `REF-01`; docs/testing.md lists them. */
export type RefereeRuleId = keyof typeof refereeRules;

export const titleOf = (rule: RefereeRuleId): string => refereeRules[rule].title;
