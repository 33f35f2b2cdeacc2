import type { Process } from '../../process/process.js';

/** Writes a line of Go's log package to standard error. */
export async function logTo(process: Process, text: string): Promise<void> {
  const time = new Date(Number(process.clock.now() / 1_000_000n)).toISOString();
  const stamp = `${time.slice(0, 10).replaceAll('-', '/')} ${time.slice(11, 19)}`;
  await process.stderr.write(Buffer.from(`${stamp} ${text}\n`));
}
