import { type DeviationProfile, deviationsOf } from './deviation.js';

const { deviation, sometimes } = deviationsOf('https://github.com/Mirantis/cri-dockerd/blob/master/core');

const BY_ID = 'RemoveImage takes an id only; a name is OK and changes nothing';
const SUFFIX = 'of two calls with one name at the same time, both succeed: one object gets a random suffix';
const PAUSE_ONLY =
  'StopPodSandbox stops the pause container only: a container with its own pid namespace runs on, and the end of others is seen later (the profile stops all)';

/** Observed with 0.4.3 on Docker 20.10.24. */
export const criDockerd: DeviationProfile = {
  name: 'cri-dockerd',
  deviations: [
    deviation('INV-03.not-ready', 'container_create.go', 'containers can be created in a stopped sandbox'),
    deviation('INV-03.start-running', 'container_start.go', 'StartContainer of a running container is OK'),
    deviation('INV-03.start-exited', 'container_start.go', 'an exited container can be started again'),
    deviation('INV-07.exited-is-final', 'container_start.go', 'an exited container can be started again'),
    sometimes('INV-05.stops-containers', 'sandbox_stop.go', PAUSE_ONLY),
    deviation(
      'INV-08.repeated',
      'container_remove.go',
      'RemoveContainer of a container that is gone is an error',
    ),
    deviation('INV-08.unknown', 'container_stop.go', 'StopContainer of an unknown id is an error'),
    deviation('INV-09.not-found', 'sandbox_status.go', 'an unknown id returns UNKNOWN'),
    sometimes('INV-10.empty-id', 'stats.go', 'ContainerStats without an id answers the only container'),
    deviation('INV-11.wrong-state', 'container_start.go', 'a wrong state returns UNKNOWN'),
    deviation('INV-11.invalid', 'sandbox_run.go', 'a malformed request ends cri-dockerd, or returns UNKNOWN'),
    deviation(
      'INV-11.name-taken',
      'sandbox_helpers.go',
      'a name that is taken returns UNKNOWN, and what has it is removed unless it runs',
    ),
    sometimes('INV-12', 'sandbox_helpers.go', SUFFIX),
    deviation('INV-15.start', 'container_start.go', 'concurrent StartContainer calls are all OK'),
    sometimes(
      'INV-15.remove',
      'container_remove.go',
      'a RemoveContainer during another one, or after it, is an error',
    ),
    sometimes('INV-16.linearizable', 'container_start.go', 'an exited container can be started again'),
    sometimes('INV-16.stop-create', 'sandbox_stop.go', PAUSE_ONLY),
    sometimes('INV-17.cancelled', 'container_create.go', `what a client cancels continues; ${SUFFIX}`),
    deviation('INV-18.containers', 'convert.go', 'times in lists are in seconds'),
    deviation('INV-18.sandboxes', 'convert.go', 'times in lists are in seconds'),
    deviation('INV-19.containers', 'container_list.go', 'a filter needs the whole id of a sandbox'),
    sometimes(
      'INV-19.empty',
      'sandbox_list.go',
      'a sandbox of which Docker has nothing left is listed without a filter only',
    ),
    deviation('INV-23.update', 'container_status.go', 'the status has no resources'),
    deviation('INV-23.update-part', 'container_status.go', 'the status has no resources'),
    deviation('INV-24.verbose', 'sandbox_status.go', 'PodSandboxStatus has no info'),
    deviation('INV-25.order', 'container_status.go', 'times of what did not happen are negative'),
    sometimes('INV-27.killed', 'container_stop.go', 'a timeout of 0 sends the stop signal before KILL'),
    deviation('INV-36.one-id', 'image.go', 'image_ref of PullImage is a digest, Image.id is not'),
    sometimes('INV-37.remove', 'image.go', BY_ID),
    sometimes('INV-39.digest', 'image.go', BY_ID),
    deviation('INV-43.limit', 'container_exec.go', 'output of more than 16 MiB is an error'),
    deviation('INV-45.url', 'docker_service.go', 'URLs of streams have no scheme'),
    deviation('INV-46.format', 'logs.go', 'logs are Docker’s JSON'),
    deviation('INV-46.partial', 'logs.go', 'logs are Docker’s JSON'),
    deviation('INV-46.rotation', 'logs.go', 'ReopenContainerLog is not supported'),
    deviation('INV-47.kept', 'container_remove.go', 'RemoveContainer removes the log'),
    deviation('INV-48.running-only', 'stats.go', 'ListContainerStats lists containers in every state'),
    deviation(
      'INV-52.empty-config',
      'docker_service.go',
      'a runtime_config without network ends cri-dockerd',
    ),
    sometimes(
      'INV-56.reason',
      'container_status.go',
      'Docker may miss under load that the kernel killed a container: the reason is Error',
    ),
    deviation('INV-61.remove', 'image.go', BY_ID),
    deviation('INV-65.no-user-namespace', 'sandbox_run.go', 'user namespaces are ignored'),
    deviation('INV-67.no-log', 'container_create.go', 'log_path is then the directory of logs'),
  ],
};
