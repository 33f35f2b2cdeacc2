import { z } from 'zod';

const NAME = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i;

const hostSchema = z
  .string()
  .regex(NAME, { error: 'expected a host name, as in mockri, without scheme and port' });

/** The setting `control-host` of commands that serve the control API; in a variable, names are separated by commas. */
export const controlHostSchema = z
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
