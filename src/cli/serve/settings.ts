import { type Command, Option } from 'commander';
import { z } from 'zod';
import { apiLevels, newestApiLevel } from '../../cri/api-level.js';
import { formatDuration } from '../../input/duration.js';
import { durationSchema, wholeNumberSchema } from '../../input/schemas.js';
import { didYouMean } from '../../input/suggest.js';
import { readTextFile } from '../../input/text-file.js';
import { InputError, parseYaml } from '../../input/yaml.js';
import { refereeModes } from '../../referee/referee.js';
import { keepSchema, redactions } from '../../tape/keep.js';
import { checkFlags } from '../check-flags.js';
import { backendNames } from './backend-names.js';
import { logFormats, logLevels } from './logger.js';
import { memoryFileShape } from './memory-settings.js';

/** Flags and variables are text; YAML may have the type itself. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
/**
 * Every setting once: its name is the flag (`--api-level`), the key in the file (`api-level`) and, in capitals, the
 * variable (`MOCKRI_API_LEVEL`).
 */
const shape = {
  listen: z
    .string()
    .default('unix:///tmp/mockri.sock')
    .describe('where clients connect: unix:///path or tcp://host:port'),
  'socket-mode': z
    .string()
    .regex(/^0?[0-7]{3}$/, 'expected three octal digits, such as 0660')
    .default('0660')
    .describe('permissions of the socket'),
  backend: z.enum(backendNames).default('memory').describe('what runs the containers'),
  'remote-endpoint': z
    .string()
    .optional()
    .describe('with backend remote: the runtime behind, unix:///path or tcp://host:port'),
  'docker-host': z
    .string()
    .default('unix:///var/run/docker.sock')
    .describe('with backend docker: the engine, unix:///path, tcp://host:port or https://host:port'),
  'docker-cert-path': z
    .string()
    .optional()
    .describe('with backend docker: directory with ca.pem, cert.pem and key.pem, for TLS'),
  'docker-sandbox-image': z
    .string()
    .default('registry.k8s.io/pause:3.10')
    .describe('with backend docker: what sandboxes run; pulled when it is not present'),
  'docker-network': z
    .string()
    .default('bridge')
    .describe('with backend docker: the network of Docker that pods are on'),
  transitions: z
    .enum(['cri', 'strict'])
    .default('cri')
    .describe('strict refuses to remove what still runs; cri allows it, as api.proto does'),
  'events-overflow': z
    .enum(['disconnect', 'drop', 'block'])
    .default('disconnect')
    .describe('what happens when a subscriber is too slow'),
  'events-queue': wholeNumberSchema(1, 1_000_000)
    .default(1000)
    .describe('events that may wait for one subscriber'),
  'events-replay': flag.default(false).describe('keep events for the first subscriber, as containerd does'),
  streaming: z.string().default('127.0.0.1:0').describe('address for exec, attach and port-forward'),
  'streaming-advertise': z.string().optional().describe('host that their URLs name'),
  'streaming-tls-cert': z.string().optional().describe('serve them over https: certificate, PEM file'),
  'streaming-tls-key': z.string().optional().describe('and its key'),
  'pull-latency': durationSchema.default(20).describe('with backend memory: how long a pull takes'),
  faults: z
    .union([z.array(z.string()), z.string().transform((files) => files.split(','))])
    .default([])
    .describe('file of fault rules, read again when it changes; may be given several times'),
  seed: wholeNumberSchema(0, 0xffff_ffff)
    .optional()
    .describe("of the fault rules' random numbers (default: the file's, else 1)"),
  referee: z
    .enum(refereeModes)
    .default('off')
    .describe('what clients do wrong: warn logs it, strict refuses it too and ends with exit code 1'),
  record: z
    .string()
    .optional()
    .describe('record all calls, connections and faults into this file; compressed when it ends in .gz'),
  keep: z
    .union([z.array(z.enum(redactions)), keepSchema])
    .optional()
    .describe(`what --record does not redact, separated by commas: ${redactions.join(', ')}, or all`),
  'api-level': z
    .enum(apiLevels)
    .default(newestApiLevel)
    .describe('version of the CRI; newer RPCs are UNIMPLEMENTED'),
  profile: z.enum(['strict']).default('strict').describe('which runtime the errors look like'),
  control: z.string().default('127.0.0.1:10350').describe('address of the HTTP control API, or off'),
  'control-allow-remote': flag.default(false).describe('let the control API listen beyond this machine'),
  'call-history': wholeNumberSchema(1, 1_000_000)
    .default(10_000)
    .describe('finished calls that are remembered'),
  reflection: flag.default(false).describe('gRPC server reflection, for grpcurl and its like'),
  'exit-with-stdin': flag
    .default(false)
    .describe('stop when standard input ends, as when the parent process dies'),
  'log-format': z.enum(logFormats).optional().describe('default: pretty on a terminal, else json'),
  'log-level': z.enum(logLevels).default('info').describe('debug logs every call'),
} as const;

/** What only a file can say. */
const fileShape = { version: z.literal(1).default(1), ...memoryFileShape } as const;

const schema = z.strictObject({ ...shape, ...fileShape });
/** The same without what is missing: what one source has to say. */
const partialOf = (settings: Readonly<Record<string, z.ZodType>>) =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(settings).map(([name, type]) => [
        name,
        z.optional(type instanceof z.ZodDefault ? (type.def.innerType as z.ZodType) : type),
      ]),
    ),
  );
const partial = partialOf(shape);
const partialFile = partialOf({ ...shape, ...fileShape });

/** Every setting of `mockri serve`, checked, with its default filled in; durations in ms. */
export type ServeSettings = z.output<typeof schema>;

const PREFIX = 'MOCKRI_';

/** Adds an option for each setting. What isn't given stays undefined, for the variable or the file to say. */
export function addSettings(command: Command): Command {
  command.option('--config <file>', 'settings in YAML, with the names of these options');
  for (const [name, type] of Object.entries(shape)) {
    const isFlag = type instanceof z.ZodDefault && type.def.innerType === flag;
    const isList = type instanceof z.ZodDefault && Array.isArray(type.def.defaultValue);
    const fallback = type instanceof z.ZodDefault ? type.def.defaultValue : undefined;
    const isDuration = type instanceof z.ZodDefault && type.def.innerType === durationSchema;
    const shown = isDuration ? formatDuration(Number(fallback)) : fallback;
    const note = fallback === undefined || fallback === false || isList ? '' : ` (default: ${shown})`;
    const choices = choicesOf(type);
    const help = `${type.description}${choices ? `: ${choices.join(', ')}` : ''}${note}`;
    const option = new Option(isFlag ? `--${name}` : `--${name} <value>`, help);
    if (isList) option.argParser((value: string, before: string[] = []) => [...before, value]);
    command.addOption(option);
  }
  return command;
}

function choicesOf(type: z.ZodType): readonly unknown[] | undefined {
  const inner = type instanceof z.ZodDefault || type instanceof z.ZodOptional ? type.def.innerType : type;
  return inner instanceof z.ZodEnum ? inner.options : undefined;
}

/** Flags win over variables, variables over the file. Throws InputError with the place of each mistake. */
export function readSettings(
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): ServeSettings {
  const { config, ...options } = flags;
  const given = Object.fromEntries(Object.entries(options).map(([key, value]) => [kebab(key), value]));
  const variables = Object.entries(environment)
    .filter(([name]) => name.startsWith(PREFIX) && name !== `${PREFIX}CONFIG`)
    .map(([name, value]) => [name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'), value]);
  const file = config ?? environment[`${PREFIX}CONFIG`];
  return {
    ...schema.parse({}),
    ...(file === undefined ? {} : readFile(String(file))),
    ...dropUndefined(checkNamed(Object.fromEntries(variables), variableOf)),
    ...dropUndefined(checkNamed(given, (name) => `--${name}`)),
  };
}

const variableOf = (name: string): string => PREFIX + name.toUpperCase().replaceAll('-', '_');

/** Checks settings and tells mistakes by the names that users know them by. */
function checkNamed(settings: object, nameOf: (setting: string) => string): object {
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(shape, name));
  if (unknown.length > 0)
    throw new InputError(
      unknown.map(
        (name) => `${nameOf(name)}: unknown${didYouMean(nameOf(name), Object.keys(shape).map(nameOf))}`,
      ),
    );
  return checkFlags(settings, partial, nameOf);
}

const readFile = (file: string): object =>
  dropUndefined(parseYaml(readTextFile(file, '--config'), partialFile.nullable(), file) ?? {});

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const dropUndefined = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
