export const DEFAULT_KUBELET_VERSION = '1.37';

const OLDEST = 28;
const NEWEST = 37;

export const kubeletVersions: readonly string[] = Array.from(
  { length: NEWEST - OLDEST + 1 },
  (_, index) => `1.${OLDEST + index}`,
);
