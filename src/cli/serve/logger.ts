import pino, { type Logger } from 'pino';
import { wantsColor } from '../color.js';

/** What `--log-level` may be: pino's levels. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** What `--log-format` may be. */
export const logFormats = ['pretty', 'json'] as const;

/** Logs to stderr: stdout is for what programs read. The format is `pretty` on a terminal unless told otherwise. */
export async function createLogger(options: {
  readonly level: (typeof logLevels)[number];
  readonly format?: (typeof logFormats)[number] | undefined;
}): Promise<Logger> {
  const format = options.format ?? (process.stderr.isTTY ? 'pretty' : 'json');
  if (format === 'json') return pino({ level: options.level }, pino.destination({ fd: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    { level: options.level },
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', colorize: wantsColor(process.stderr) }),
  );
}
