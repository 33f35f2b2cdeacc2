import type { Deviation, Profile } from './deviation.js';

const SOURCE = 'https://github.com/Mirantis/cri-dockerd/blob/master/core';

const deviation = (check: string, file: string, why: string): Deviation => ({
  check,
  why,
  link: `${SOURCE}/${file}`,
});

/** From the source of 0.4; not observed in a run. */
export const criDockerd: Profile = {
  name: 'cri-dockerd',
  deviations: [
    deviation('INV-08.unknown', 'container_stop.go', 'StopContainer of an unknown id is an error'),
    deviation('INV-11.wrong-state', 'container_start.go', 'a wrong state returns UNKNOWN'),
    deviation('INV-11.invalid', 'sandbox_run.go', 'a malformed request returns UNKNOWN'),
    deviation('INV-12', 'container_create.go', 'a name conflict is resolved with a random suffix'),
    deviation('INV-46', 'logs.go', 'logs are Docker’s JSON, and ReopenContainerLog is not supported'),
  ],
};
