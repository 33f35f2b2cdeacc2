import { type Command, Option } from 'commander';
import { z } from 'zod';
import { apiLevels, newestApiLevel } from '../../cri/api-level.js';
import { formatDuration } from '../../input/duration.js';
import { durationSchema, wholeNumberSchema } from '../../input/schemas.js';
import { didYouMean } from '../../input/suggest.js';
import { readTextFile } from '../../input/text-file.js';
import { InputError, parseYaml } from '../../input/yaml.js';
import { runtimeProfileNames } from '../../profiles/index.js';
import { refereeModes } from '../../referee/referee.js';
import { keepSchema, redactions } from '../../tape/keep.js';
import { checkFlags } from '../check-flags.js';
import { backendNames } from './backend-names.js';
import { logFormats, logLevels } from './logger.js';
import { memoryFileShape } from './memory-settings.js';

/** Flags and variables are strings; YAML can have a boolean. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
/**
 * The settings. A setting's name is the flag (`--api-level`), the key in the file (`api-level`) and, in capitals, the
 * variable (`MOCKRI_API_LEVEL`).
 */
const shape = {
  listen: z
    .string()
    .default('unix:///tmp/mockri.sock')
    .describe('CRI endpoint: unix:///path or tcp://host:port'),
  'socket-mode': z
    .string()
    .regex(/^0?[0-7]{3}$/, 'expected three octal digits, such as 0660')
    .default('0660')
    .describe('file mode of the socket'),
  backend: z.enum(backendNames).default('memory').describe('what runs the containers'),
  'remote-endpoint': z
    .string()
    .optional()
    .describe('with backend remote: endpoint of the real runtime, unix:///path or tcp://host:port'),
  tape: z.string().optional().describe('with backend tape: the recording that answers, made with --record'),
  'on-miss': z
    .enum(['error', 'memory'])
    .default('error')
    .describe('with backend tape: what answers a call that was never recorded'),
  'docker-host': z
    .string()
    .default('unix:///var/run/docker.sock')
    .describe(
      'with backend docker: address of the Docker Engine, unix:///path, tcp://host:port or https://host:port',
    ),
  'docker-cert-path': z
    .string()
    .optional()
    .describe('with backend docker: directory with ca.pem, cert.pem and key.pem; enables TLS'),
  'docker-sandbox-image': z
    .string()
    .default('registry.k8s.io/pause:3.10')
    .describe('with backend docker: image of the pod sandboxes; pulled if not present'),
  'docker-network': z.string().default('bridge').describe('with backend docker: Docker network of the pods'),
  transitions: z
    .enum(['cri', 'strict'])
    .default('cri')
    .describe(
      'strict removes only exited containers and stopped sandboxes; cri also removes running ones by force, as api.proto says',
    ),
  'events-overflow': z
    .enum(['disconnect', 'drop', 'block'])
    .default('disconnect')
    .describe('what happens if an event subscriber is too slow'),
  'events-queue': wholeNumberSchema(1, 1_000_000)
    .default(1000)
    .describe('maximum number of events that wait for one subscriber'),
  'events-replay': flag.default(false).describe('keep events for the first subscriber, as containerd does'),
  streaming: z
    .string()
    .default('127.0.0.1:0')
    .describe('address of the streaming server for exec, attach and port-forward'),
  'streaming-advertise': z.string().optional().describe('host name in the URLs of the streaming server'),
  'streaming-tls-cert': z
    .string()
    .optional()
    .describe('certificate of the streaming server (PEM file); enables https'),
  'streaming-tls-key': z
    .string()
    .optional()
    .describe("private key of the streaming server's certificate (PEM file)"),
  'pull-latency': durationSchema.default(20).describe('with backend memory: duration of an image pull'),
  faults: z
    .union([z.array(z.string()), z.string().transform((files) => files.split(','))])
    .default([])
    .describe('file of fault rules; reloaded when it changes; repeatable'),
  seed: wholeNumberSchema(0, 0xffff_ffff)
    .optional()
    .describe("seed for the random numbers of the fault rules (default: the file's, else 1)"),
  referee: z
    .enum(refereeModes)
    .default('off')
    .describe(
      'checks of client behavior: warn logs violations; strict also refuses the call, and the server ends with exit code 1',
    ),
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
    .describe('version of the CRI; newer RPCs return UNIMPLEMENTED'),
  profile: z
    .enum(runtimeProfileNames)
    .default('strict')
    .describe('with backends memory and docker: runtime that the server behaves as'),
  control: z.string().default('127.0.0.1:10350').describe('address of the HTTP control API, or off'),
  'control-allow-remote': flag
    .default(false)
    .describe('allow the control API to listen on addresses other than loopback'),
  'call-history': wholeNumberSchema(1, 1_000_000)
    .default(10_000)
    .describe('number of finished calls to keep'),
  reflection: flag.default(false).describe('enable gRPC server reflection, for example for grpcurl'),
  'exit-with-stdin': flag
    .default(false)
    .describe('stop when standard input ends, as when the parent process dies'),
  'log-format': z.enum(logFormats).optional().describe('default: pretty on a terminal, else json'),
  'log-level': z.enum(logLevels).default('info').describe('debug logs every call'),
} as const;

/** Settings that only the file can have. */
const fileShape = { version: z.literal(1).default(1), ...memoryFileShape } as const;

const schema = z.strictObject({ ...shape, ...fileShape });
/** The same settings, all optional: the content of one source. */
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

/** All validated settings of `mockri serve`, with defaults; durations in ms. */
export type ServeSettings = z.output<typeof schema>;

const PREFIX = 'MOCKRI_';

/**
 * Adds an option for each setting. An option that is not given stays undefined, so that the variable or the file
 * applies.
 */
export function addSettings(command: Command): Command {
  command.option('--config <file>', 'YAML file with settings; the keys are the names of these options');
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

/** Flags override variables, variables override the file. Throws InputError with the location of each mistake. */
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

/** Validates settings, and reports mistakes with the names that users know. */
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
