import { createPullRecords } from '../images/pull-records.js';
import { createKubelet } from '../kubelet.js';
import type { KubeletOptions } from '../kubelet-options.js';
import { createKubeletMetrics, type KubeletMetrics } from '../metrics/metrics.js';
import { noPlegMetrics } from '../pleg/metrics.js';
import { createResizeCheckpoints } from '../resources/resource-record.js';
import type { KubeletKind, KubeletReports } from './kubelet.js';
import type { KubeletSettings } from './settings.js';

export interface ThinParts
  extends Omit<
    KubeletOptions,
    'version' | 'config' | 'checkpoints' | 'pullRecords' | 'metrics' | keyof KubeletReports
  > {
  /** A function is called at each start: an upgrade changes the settings. */
  readonly settings: KubeletSettings | (() => KubeletSettings);
  /** Default false: for a thousand nodes metrics take much memory. */
  readonly keepsMetrics?: boolean;
}

/** Across restarts it remembers what a kubelet has on disk. */
export function thinKubelet({ settings, keepsMetrics = false, ...parts }: ThinParts): KubeletKind {
  const checkpoints = createResizeCheckpoints();
  const pullRecords = createPullRecords();
  let starts = 0;
  return (reports) => {
    const { version, config } = typeof settings === 'function' ? settings() : settings;
    const metrics: KubeletMetrics | undefined = keepsMetrics
      ? createKubeletMetrics(version.minor)
      : undefined;
    const kubelet = createKubelet({
      ...parts,
      ...reports,
      version,
      config,
      checkpoints,
      pullRecords,
      random: parts.random.fork(`kubelet-${starts++}`),
      metrics: metrics?.pleg ?? noPlegMetrics,
    });
    return {
      start: kubelet.start,
      kill: kubelet.stop,
      pods: kubelet.pods,
      get isIdle() {
        return kubelet.isIdle;
      },
      syncNow: kubelet.syncNow,
      health: kubelet.syncLoopHealth,
      metrics: async () => (await metrics?.render()) ?? '',
    };
  };
}
