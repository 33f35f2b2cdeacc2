/** A rule that a runtime is known to break. */
export interface Deviation {
  /** A check's id, or an invariant's for all of its checks. */
  readonly check: string;
  /** What the runtime does instead, as it was seen or is stated in its source. */
  readonly why: string;
  readonly link: string;
}

/** What to expect of a kind of runtime. */
export interface Profile {
  readonly name: ProfileName;
  readonly deviations: readonly Deviation[];
}

export const profileNames = ['strict', 'containerd', 'cri-o', 'cri-dockerd'] as const;
export type ProfileName = (typeof profileNames)[number];

const CONTAINERD = 'https://github.com/containerd/containerd/tree/main/internal/cri';
const CRIO = 'https://github.com/cri-o/cri-o/tree/main/server';
const DOCKERD = 'https://github.com/Mirantis/cri-dockerd/tree/master/core';

const deviations = (link: string, entries: Readonly<Record<string, string>>): readonly Deviation[] =>
  Object.entries(entries).map(([check, why]) => ({ check, why, link }));

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  strict: { name: 'strict', deviations: [] },
  containerd: {
    name: 'containerd',
    deviations: deviations(CONTAINERD, {
      'INV-03.not-ready': 'containers may be created in a stopped sandbox up to 2.2.5 and 2.3.2',
      'INV-11.wrong-state': 'a wrong state is answered UNKNOWN',
      'INV-11.invalid': 'a malformed request is answered UNKNOWN',
      'INV-11.name-taken': 'a reserved name is answered UNKNOWN in some versions',
      'INV-15.remove': 'a second concurrent RemoveContainer may fail: already in removing state',
      'INV-16.linearizable': 'an operation that meets another under way is refused',
      'INV-19.images': 'ListImages ignores its filter',
      'INV-24.verbose': 'PodSandboxStatus has info without verbose since 2.2',
      'INV-29.short-lived': 'the exit monitor may deliver STOPPED before STARTED',
      'INV-35.slow': 'one slow subscriber blocks the queue, and with it the RPCs that emit',
      'INV-48.running-only': 'ListContainerStats lists containers in every state',
    }),
  },
  'cri-o': {
    name: 'cri-o',
    deviations: deviations(CRIO, {
      'INV-09.not-found': 'CreateContainer and ContainerStats of an unknown id are answered UNKNOWN',
      'INV-11.wrong-state': 'a wrong state is answered UNKNOWN',
      'INV-11.invalid': 'a malformed request is answered UNKNOWN',
      'INV-11.name-taken': 'the existing id is answered, OK',
      'INV-14.ambiguous': 'an ambiguous sandbox prefix is treated as not found',
      'INV-22': 'labels and annotations are added when missing',
      'INV-25.order': 'times that are not yet are negative',
      'INV-29.sandbox': 'the sandbox’s DELETED is not sent',
      'INV-29.unsubscribed': 'the stream ends at once unless enable_pod_events is set',
      'INV-34.removal-order': 'containers removed with their pod emit no DELETED',
      'INV-37.remove': 'RemoveImage by name only untags while other names exist',
      'INV-43.timeout': 'a timeout is answered OK with exit code -1',
    }),
  },
  'cri-dockerd': {
    name: 'cri-dockerd',
    deviations: deviations(DOCKERD, {
      'INV-08.unknown': 'StopContainer of an unknown id is an error',
      'INV-11.wrong-state': 'a wrong state is answered UNKNOWN',
      'INV-11.invalid': 'a malformed request is answered UNKNOWN',
      'INV-12': 'a name conflict is resolved with a random suffix',
      'INV-46': 'logs are Docker’s JSON, and ReopenContainerLog is not supported',
    }),
  },
};

/** The profile that fits a runtime's own name; strict for one that isn't known. */
export function profileFor(runtimeName: string): ProfileName {
  const name = runtimeName.toLowerCase();
  if (name === 'docker') return 'cri-dockerd';
  return profileNames.find((candidate) => candidate === name) ?? 'strict';
}

/** The deviation that covers a check, if the profile has one. */
export function deviationFor(profile: Profile, checkId: string): Deviation | undefined {
  return profile.deviations.find(({ check }) => check === checkId || checkId.startsWith(`${check}.`));
}
