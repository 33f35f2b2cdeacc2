import { isIP } from 'node:net';
import { z } from 'zod';
import { memoryBytes } from '../../base/input/quantity.js';
import { parsePermission } from '../../base/network/real-network.js';
import { keepSchema, redactions } from '../../tape/keep.js';
import { logFormats } from '../terminal/logger.js';
import { flag } from './settings.js';

const NAME = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i;

const hostSchema = z
  .string()
  .regex(NAME, { error: 'expected a host name, as in mockri, without scheme and port' });

export const urlHostSchema = z
  .string()
  .refine(
    (host) => NAME.test(host) || isIP(host) !== 0,
    'expected a host name or an address, without a port',
  );

/** In a variable, commas separate names. */
const controlHostSchema = z
  .union([
    z.array(hostSchema),
    z
      .string()
      .transform((names) => names.split(','))
      .pipe(z.array(hostSchema)),
  ])
  .default([])
  .describe(
    'name by which clients reach the control API, in addition to localhost and addresses; repeatable',
  );

export const keepShape = {
  keep: z
    .union([z.array(z.enum(redactions)), keepSchema])
    .optional()
    .describe(
      `categories that --record leaves unredacted, separated by commas: ${redactions.join(', ')}, or all`,
    ),
} as const;

export const controlShape = {
  control: z.string().default('127.0.0.1:10350').describe('address of the HTTP control API, or off'),
  'control-allow-remote': flag
    .default(false)
    .describe('allow the control API to listen on addresses other than loopback'),
  'control-host': controlHostSchema,
} as const;

const permissionSchema = z.string().transform((text, context) => {
  const permission = parsePermission(text);
  if (typeof permission !== 'string') return permission;
  context.addIssue({ code: 'custom', message: permission, input: text });
  return z.NEVER;
});

export const networkShape = {
  'real-network': z
    .union([
      z.array(permissionSchema),
      z
        .string()
        .transform((texts) => texts.split(','))
        .pipe(z.array(permissionSchema)),
    ])
    .default([])
    .describe(
      'address or range of other machines that simulated pods and probes may reach, optionally with a port, such as 192.0.2.0/24:443; never this machine; repeatable (default: none)',
    ),
} as const;
/** In bytes: the largest request and its reply must fit. */
const LEAST_MEMORY = 16 * 1024 * 1024;

export const processShape = {
  'memory-limit': z
    .string()
    .refine(
      (text) => Number(memoryBytes(text) ?? 0) >= LEAST_MEMORY,
      'expected a quantity of at least 16Mi, such as 512Mi',
    )
    .transform((text) => Number(memoryBytes(text)))
    .optional()
    .describe(
      'limit of the memory that clients, containers and plugins can use, such as 1Gi (default: a quarter of the memory of the machine or of the heap of Node.js, at most 512Mi)',
    ),
  'exit-with-stdin': flag
    .default(false)
    .describe('stop when standard input ends, as when the parent process dies'),
  'log-format': z
    .enum(logFormats)
    .optional()
    .describe('format of the log on stderr; default: pretty on a terminal, else json'),
} as const;
