/** Maximum distance of equal times in seconds: periods and jitter (syncs repeat after 10 to 15 s) add up. */
export const tolerance = (seconds: number): number => Math.min(12, 1.2 + 0.03 * Math.max(0, seconds));
