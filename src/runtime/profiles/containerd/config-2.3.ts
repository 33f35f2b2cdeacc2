import { config as newer } from './config-2.4.js';

const { runc } = newer.containerd.runtimes;
const { disablePauseImagePull: _, ...shownRunc } = runc;

/** What Status shows of the config that containerd 2.3 has without a config file (recorded with 2.3.7). */
export const config = {
  ...newer,
  containerd: { ...newer.containerd, runtimes: { runc: shownRunc } },
  cni: { binDir: '', ...newer.cni },
  enableCDI: true,
  enableExperimentalRestoreViaCreate: false,
};
