import type { DeviationProfile } from './deviation.js';

const SOURCE = 'https://github.com/containerd/containerd/blob/main/internal/cri/server';

/** Observed with 1.7.24, 2.1.9, 2.3.7 and 2.4.2 unless noted otherwise. */
export const containerd: DeviationProfile = {
  name: 'containerd',
  deviations: [
    {
      check: 'INV-03.not-ready',
      why: 'containers can be created in a stopped sandbox',
      link: `${SOURCE}/container_create.go`,
      versions: [
        ['2.0.0', '2.2.6'],
        ['2.3.0', '2.3.3'],
      ],
    },
    {
      check: 'INV-11.wrong-state',
      why: 'a wrong state returns UNKNOWN',
      link: `${SOURCE}/container_start.go`,
    },
    {
      check: 'INV-11.invalid',
      why: 'a malformed request returns UNKNOWN',
      link: `${SOURCE}/sandbox_run.go`,
    },
    {
      check: 'INV-11.name-taken',
      why: 'a reserved name returns UNKNOWN',
      link: 'https://github.com/containerd/containerd/blob/v1.7.24/pkg/registrar/registrar.go',
      versions: [
        ['0', '1.7.29'],
        ['2.0.0', '2.1.0'],
      ],
    },
    {
      check: 'INV-15.remove',
      why: 'a RemoveContainer during another one is rejected: already in removing state',
      link: `${SOURCE}/container_remove.go`,
      sometimes: true,
    },
    {
      check: 'INV-16.stop-create',
      why: 'StopPodSandbox passes over a container that is being started, which then runs in the stopped sandbox',
      link: `${SOURCE}/sandbox_stop.go`,
      sometimes: true,
    },
    {
      check: 'INV-19.images',
      why: 'ListImages ignores its filter',
      link: `${SOURCE}/images/image_list.go`,
    },
    {
      check: 'INV-20.StreamPodSandboxStats',
      why: 'a sandbox without a cgroup parent makes the whole list fail',
      link: `${SOURCE}/sandbox_stats_stream.go`,
      versions: [['2.4.0', '999']],
    },
    {
      check: 'INV-24.verbose',
      why: 'PodSandboxStatus has info without verbose',
      link: `${SOURCE}/sandbox_status.go`,
      versions: [['2.2.0', '999']],
    },
    {
      check: 'INV-25.order',
      why: 'started_at is taken after the start, so it can be after finished_at if a container exits immediately (observed with 2.1.9)',
      link: `${SOURCE}/container_start.go`,
      sometimes: true,
    },
    {
      check: 'INV-29.short-lived',
      why: 'the exit monitor runs concurrently with StartContainer, so STOPPED can come before STARTED (from its source)',
      link: `${SOURCE}/container_start.go`,
      sometimes: true,
    },
    {
      check: 'INV-30.two-subscribers',
      why: 'subscribers compete: each event reaches only one of them',
      link: 'https://github.com/containerd/containerd/blob/v1.7.24/pkg/cri/server/container_events.go',
      versions: [['0', '2.0.0']],
    },
    {
      check: 'INV-35.slow',
      why: 'a subscriber that does not read blocks the queue, and therefore the calls that send events',
      link: `${SOURCE}/container_events.go`,
      versions: [['2.0.0', '999']],
    },
    {
      check: 'INV-36.one-id',
      why: 'image_id is empty in ListContainers',
      link: `${SOURCE}/container_list.go`,
      versions: [['0', '2.3.0']],
    },
    {
      check: 'INV-48.running-only',
      why: 'ListContainerStats lists containers in every state',
      link: `${SOURCE}/container_stats_list.go`,
    },
    {
      check: 'INV-56',
      why: 'the reason is Error until the event of the OOM kill is handled, which can be after the exit (observed with 2.1.9)',
      link: 'https://github.com/containerd/containerd/pull/12714',
      versions: [['0', '2.3.0']],
      sometimes: true,
    },
    {
      check: 'INV-57.ListPodSandboxStats',
      why: 'one sandbox of any client without a cgroup parent makes ListPodSandboxStats fail',
      link: `${SOURCE}/sandbox_stats_list.go`,
      versions: [['2.4.0', '999']],
      sometimes: true,
    },
    {
      check: 'INV-57.others-metrics',
      why: 'a container that does not run takes its whole pod out of ListPodSandboxMetrics (from its source)',
      link: `${SOURCE}/list_pod_sandbox_metrics_linux.go`,
      versions: [['2.2.0', '2.4.0']],
    },
    {
      check: 'INV-57.stopped-pod',
      why: 'one sandbox of any client without a cgroup parent makes ListPodSandboxStats fail',
      link: `${SOURCE}/sandbox_stats_list.go`,
      versions: [['2.4.0', '999']],
      sometimes: true,
    },
    {
      check: 'INV-58.metrics',
      why: 'container_start_time_seconds is in nanoseconds',
      link: 'https://github.com/containerd/containerd/pull/13897',
      versions: [['2.2.0', '2.4.0']],
    },
    {
      check: 'INV-58.pod-stats',
      why: 'the network of PodSandboxStats has timestamp 0',
      link: `${SOURCE}/sandbox_stats_linux.go`,
      versions: [['0', '2.3.0']],
    },
    {
      check: 'INV-58.stats',
      why: 'writable_layer has timestamp 0 until the stats of snapshots are collected for the first time, after 10 s',
      link: `${SOURCE}/container_stats_list.go`,
      sometimes: true,
    },
    {
      check: 'INV-66.image-sub-path',
      why: 'image_sub_path is ignored: the whole image is mounted (observed with 2.1.9; the profile containerd-2.1 does not ignore it)',
      link: 'https://github.com/containerd/containerd/pull/11578',
      versions: [['0', '2.2.0']],
      sometimes: true,
    },
    {
      check: 'INV-62.exec-while-stopping',
      why: 'a StopContainer whose container ends at the same time can fail: ttrpc: closed (observed once with 2.1.9)',
      link: `${SOURCE}/container_stop.go`,
      sometimes: true,
    },
    {
      check: 'INV-62.malformed',
      why: 'CreateContainer with an empty sandbox_config ends containerd (observed with 2.1.9)',
      link: 'https://github.com/containerd/containerd/pull/11813',
      versions: [['0', '2.2.0']],
      fatal: true,
    },
    {
      check: 'INV-63.ended-meanwhile',
      why: 'at its start, containerd removes the shim of a container that has ended, and with it the exit code: 255, Unknown',
      link: 'https://github.com/containerd/containerd/blob/main/core/runtime/v2/shim_load.go',
    },
  ],
};
