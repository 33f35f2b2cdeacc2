/**
 * Maximum distance of two times that count as equal, in seconds: the kubelet's periods and jitter (a sync is repeated
 * after 10 to 15 s) add up over a run.
 */
export const tolerance = (seconds: number): number => Math.min(12, 1.2 + 0.03 * Math.max(0, seconds));
