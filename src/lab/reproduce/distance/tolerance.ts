/**
 * How far apart two times may be that count as equal, in seconds: the kubelet's rounds and its jitter (a sync is repeated
 * after 10 to 15 s), which add up over a run.
 */
export const tolerance = (seconds: number): number => Math.min(12, 1.2 + 0.03 * Math.max(0, seconds));
