import type { KnownEntry } from './known-entry.js';

const CREATED =
  'the kubelet starts a container again that it sees as created: ShouldContainerBeRestarted in container/helpers.go';
const NEWEST =
  'only the newest container of a name counts, by the time of its creation: kuberuntime/helpers.go';
const STALE = 'the list of all pods and that of one pod contradict each other: pleg/generic.go';
const SILENT = 'with EventedPLEG, a lost event is found out after five minutes: pleg/evented.go';
const FALLS_BACK = 'five failures of the event stream use up all its attempts: pleg/evented.go';
const HEALTH = 'a kubelet without a relist for three minutes is not healthy, and syncs no pod: kubelet.go';

/**
 * Findings that are behavior of Kubernetes, as compared with its source (docs/results/explore.md); the same form as a file of
 * `--known`. `fixed` is the first kubelet without it.
 */
export const knownBehavior: readonly KnownEntry[] = [
  { kind: '* | state CREATED ContainerStatus', why: CREATED, issue: 'kubernetes #23636' },
  { kind: '* | status lost ContainerStatus', why: CREATED },
  { kind: '* | done late StartContainer', why: CREATED },
  { kind: 'counts-restarts | error before* StartContainer', why: CREATED },
  { kind: 'counts-restarts | * CreateContainer', why: CREATED },
  { kind: 'counts-restarts | delay * StartContainer', why: CREATED },
  { kind: 'counts-restarts | runtime restarted*', why: CREATED },
  { kind: 'counts-restarts | kubelet *', why: CREATED },
  { kind: '* | clock skewed by *', why: NEWEST },
  {
    kind: '* | stale reply* ContainerStatus',
    why: 'a record of the list is kept after one status: pleg/generic.go',
  },
  { kind: '* | stale reply* ListContainers', why: STALE },
  { kind: '* | empty list* ListContainers', why: STALE },
  { kind: '* | empty list* ListPodSandbox', why: STALE },
  { kind: '* | event lost*', why: SILENT, fixed: '1.37' },
  { kind: '* | event out of order*', why: SILENT, issue: 'kubernetes #125018', fixed: '1.37' },
  { kind: '* | stream stalled*', why: SILENT, fixed: '1.37' },
  {
    kind: '* | event without sandbox*',
    why: 'the kubelet drops such an event: pleg/evented.go',
    fixed: '1.37',
  },
  {
    kind: '* | event from the far future*',
    why: 'each later status is older than it: container/cache.go',
    issue: 'kubernetes #127814',
    fixed: '1.37',
  },
  { kind: 'same-pace | unimplemented*', why: FALLS_BACK },
  { kind: 'same-pace | * five times*', why: FALLS_BACK, fixed: '1.37' },
  { kind: 'same-pace | runtime restarted*', why: FALLS_BACK, issue: 'kubernetes #129827', fixed: '1.37' },
  { kind: '* | lists hang*', why: HEALTH, issue: 'kubernetes #87108' },
  { kind: '* | lists take*', why: HEALTH },
  { kind: '* | hang from then on ContainerStatus', why: HEALTH, issue: 'kubernetes #45419' },
  {
    kind: '* | no container statuses*',
    why: 'the runtime answers with a timestamp and without containers',
    issue: 'containerd #10728',
  },
];
