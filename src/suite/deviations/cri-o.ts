import { type DeviationProfile, deviationsOf } from './deviation.js';

const { deviation, sometimes } = deviationsOf('https://github.com/cri-o/cri-o/blob/main/server');

const WAITS = 'a call that repeats one under way waits until its deadline';

/** They ask for stats of pods while other checks create and remove containers. */
const ENDS_BY_STATS = [
  'INV-20.StreamPodSandboxStats',
  'INV-48.pod-filter',
  'INV-57.ListPodSandboxStats',
  'INV-57.others-stats',
  'INV-57.stopped-pod',
];

/** Observed with 1.34.0 and 1.36.1, except for those of events, which are from its source: enable_pod_events is off. */
export const crio: DeviationProfile = {
  name: 'cri-o',
  deviations: [
    deviation(
      'INV-03.exec-not-running',
      'container_execsync.go',
      'a created container has a process, in which ExecSync works',
    ),
    deviation(
      'INV-04.stop-created',
      'container_stop.go',
      'StopContainer and StopPodSandbox end a created container, with 137, 143 or 2',
    ),
    deviation(
      'INV-07.exited-is-final',
      'container_stop.go',
      'StopContainer sets finished_at of an exited container again',
    ),
    deviation(
      'INV-09.not-found',
      'container_create.go',
      'CreateContainer and ContainerStats of an unknown id return UNKNOWN',
    ),
    deviation('INV-11.wrong-state', 'container_start.go', 'a wrong state returns UNKNOWN'),
    deviation('INV-11.invalid', 'sandbox_run.go', 'a malformed request returns UNKNOWN'),
    deviation('INV-11.name-taken', 'container_create.go', 'the existing id is returned, with OK'),
    deviation('INV-12.container', 'server.go', WAITS),
    deviation('INV-12.sandbox', 'server.go', WAITS),
    deviation(
      'INV-15.start',
      'container_start.go',
      'a StartContainer during another one fails and removes the container, also where the other one was OK',
    ),
    sometimes('INV-15.remove', 'container_remove.go', 'a RemoveContainer during another one fails'),
    sometimes(
      'INV-16.linearizable',
      'container_start.go',
      'calls at the same time fail, or remove the container',
    ),
    sometimes('INV-17.cancelled', 'server.go', 'a retry during the canceled call waits until its deadline'),
    deviation(
      'INV-18.containers',
      'container_create.go',
      'created_at in ListContainers is earlier than in ContainerStatus',
    ),
    deviation('INV-22.sandbox', 'sandbox_run.go', 'labels of the kubelet are added when missing'),
    deviation(
      'INV-23.log-path',
      'container_create.go',
      'CreateContainer fails when the directory in log_path does not exist',
    ),
    sometimes(
      'INV-25.order',
      'container_start.go',
      'started_at is taken after the start, so it can be after finished_at if a container exits immediately',
    ),
    deviation('INV-27.killed', 'container_stop.go', 'a timeout of 0 sends the stop signal before KILL'),
    sometimes('INV-29.sandbox', 'sandbox_remove.go', 'the sandbox’s DELETED is not sent'),
    deviation(
      'INV-29.unsubscribed',
      'container_events.go',
      'the stream ends immediately unless enable_pod_events is set',
    ),
    sometimes(
      'INV-34.removal-order',
      'sandbox_remove.go',
      'containers that are removed with their pod send no DELETED',
    ),
    {
      check: 'INV-36.one-id',
      why: 'image_ref of PullImage is a digest, Image.id is not',
      link: 'https://github.com/cri-o/cri-o/pull/9728',
      versions: [['0', '1.36.0']],
    },
    sometimes('INV-37.remove', 'image_remove.go', 'RemoveImage by name only untags while other names exist'),
    deviation('INV-43.timeout', 'container_execsync.go', 'a timeout returns OK with exit code -1'),
    deviation('INV-48.running-only', 'container_stats_list.go', 'created containers have stats, too'),
    sometimes(
      'INV-56.reason',
      'container_status.go',
      'conmon may miss that the kernel killed a container: the reason is Error',
    ),
    deviation(
      'INV-58.pod-stats',
      'sandbox_stats.go',
      'a sandbox has a network only in its stats, where cgroups are not managed by systemd',
    ),
    sometimes(
      'INV-59.shown',
      'sandbox_status.go',
      'verbose information of a sandbox has the resources that it began with (the profiles have none)',
    ),
    sometimes(
      'INV-67.no-log',
      'container_create.go',
      'a container without log_path has a log in a directory of CRI-O (the profiles do not write it)',
    ),
    ...ENDS_BY_STATS.map((check) => ({
      check,
      why: 'stats of a pod end CRI-O while a container of it has no cgroup: at its creation and its end (observed with 1.36.1)',
      link: 'https://github.com/cri-o/cri-o/pull/10206',
      versions: [['1.36.0', '1.36.2']] as const,
      fatal: true,
    })),
    deviation('INV-67.addresses', 'sandbox_status.go', 'a stopped sandbox keeps its addresses in its status'),
  ],
};
