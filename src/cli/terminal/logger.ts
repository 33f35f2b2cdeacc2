import pino, { type Logger } from 'pino';
import { terminalText } from '../../base/markup/terminal.js';
import { wantsColor } from './color.js';

/** Levels of `--log-level`: pino's levels. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** Formats of `--log-format`. */
export const logFormats = ['pretty', 'json'] as const;

/** Logs to stderr: stdout is for programs. The default format is `pretty` on a terminal, else JSON. */
export async function createLogger(options: {
  readonly level: (typeof logLevels)[number];
  readonly format?: (typeof logFormats)[number] | undefined;
}): Promise<Logger> {
  const format = options.format ?? (process.stderr.isTTY ? 'pretty' : 'json');
  if (format === 'json')
    return pino(
      { level: options.level, hooks: { streamWrite: terminalText } },
      pino.destination({ fd: 2, sync: true }),
    );
  const { default: pretty } = await import('pino-pretty');
  return pino(
    { level: options.level, hooks: { streamWrite: escapeValues } },
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', colorize: wantsColor(process.stderr) }),
  );
}

/** Logs why a server stops. */
export const logStop = (log: Logger) => (reason: string) =>
  log.info({ reason }, 'stopping after the calls under way');

/** pino-pretty prints values as they are. It knows a line by its end. */
const escapeValues = (line: string): string =>
  `${JSON.stringify(JSON.parse(line), (_, value) => (typeof value === 'string' ? terminalText(value) : value))}\n`;
