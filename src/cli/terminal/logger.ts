import { createRequire } from 'node:module';
import pino, { type Logger } from 'pino';
import type PinoPretty from 'pino-pretty';
import { terminalText } from '../../base/markup/terminal.js';
import { wantsColor } from './color.js';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const logFormats = ['pretty', 'json'] as const;

const require = createRequire(import.meta.url);

/** Logs to stderr, because stdout is for programs. Default format: `pretty` on a terminal, otherwise JSON. */
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
  const pretty = require('pino-pretty') as typeof PinoPretty;
  return pino(
    { level: options.level, hooks: { streamWrite: escapeValues } },
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', colorize: wantsColor(process.stderr) }),
  );
}

export const logStop = (log: Logger) => (reason: string) =>
  log.info({ reason }, 'stopping after the calls in progress');

/** pino-pretty prints values unescaped. It recognizes lines by their end. */
const escapeValues = (line: string): string =>
  `${JSON.stringify(JSON.parse(line), (_, value) => (typeof value === 'string' ? terminalText(value) : value))}\n`;
