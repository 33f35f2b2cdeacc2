/** `1h02m03.4s`, `4m12.6s`, `0.1s`. */
export function clockText(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const hours = Math.floor(tenths / 36_000);
  const minutes = Math.floor((tenths % 36_000) / 600);
  const rest = ((tenths % 600) / 10).toFixed(1);
  if (hours > 0) return `${hours}h${String(minutes).padStart(2, '0')}m${rest.padStart(4, '0')}s`;
  return minutes > 0 ? `${minutes}m${rest.padStart(4, '0')}s` : `${rest}s`;
}
