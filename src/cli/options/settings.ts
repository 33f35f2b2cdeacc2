import { type Command, Option } from 'commander';
import { z } from 'zod';
import { formatDuration } from '../../base/input/duration.js';
import { durationSchema } from '../../base/input/schemas.js';
import { didYouMean } from '../../base/input/suggest.js';
import { readTextFile } from '../../base/input/text-file.js';
import { InputError, parseYaml } from '../../base/input/yaml.js';
import { checkNamed } from './option.js';

/** Flags and variables are strings; YAML can have a boolean. */
export const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

export interface Settings<T> {
  readonly file: z.ZodType;
  /** Adds an option for each setting. An omitted option stays undefined, so that the variable or the file applies. */
  add(command: Command): Command;
  /** Flags override variables, variables override the file. Throws InputError with the location of each mistake. */
  read(
    flags: Readonly<Record<string, unknown>>,
    environment: Readonly<Record<string, string | undefined>>,
  ): ReadSettings<T>;
}

export interface ReadSettings<T> {
  readonly values: T;
  /** Source of each setting without a default: `--keep`, `MOCKRI_KEEP`, or `mockri.yaml: keep`. */
  readonly sources: ReadonlyMap<string, string>;
}

export type SettingsOf<S extends Settings<unknown>> = ReturnType<S['read']>['values'];

const PREFIX = 'MOCKRI_';
const CONFIG = `${PREFIX}CONFIG`;

/**
 * A setting's name is the flag (`--api-level`), the key in the file (`api-level`) and, in capitals, the variable
 * (`MOCKRI_API_LEVEL`). `fileShape` has settings that only the file can have.
 */
export function defineSettings<S extends z.ZodRawShape, F extends z.ZodRawShape>(
  shape: S,
  fileShape: F,
): Settings<z.output<z.ZodObject<S & F>>> {
  const schema: z.ZodObject<S & F> = z.strictObject({ ...shape, ...fileShape });
  const types = Object.entries(shape) as [string, z.ZodType][];
  const partial = partialOf(types);
  const partialFile = partialOf([...types, ...(Object.entries(fileShape) as [string, z.ZodType][])]);

  const check = (settings: object, nameOf: (setting: string) => string): object => {
    const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(shape, name));
    if (unknown.length > 0)
      throw new InputError(
        unknown.map(
          (name) => `${nameOf(name)}: unknown${didYouMean(nameOf(name), Object.keys(shape).map(nameOf))}`,
        ),
      );
    return checkNamed(settings, partial, nameOf);
  };

  /** A variable that is not a setting is an error, unless it describes a Service. */
  const known = new Set(types.map(([name]) => variableOf(name)));
  const isMeant = (variable: string): boolean =>
    variable.startsWith(PREFIX) && variable !== CONFIG && (known.has(variable) || !SERVICE.test(variable));

  const readFile = (file: string, source: string): object =>
    dropUndefined(parseYaml(readTextFile(file, source), partialFile.nullable(), file) ?? {});

  return {
    file: partialFile,
    add: (command) => {
      command.option('--config <file>', 'YAML file with settings; the keys are the names of these options');
      for (const [name, type] of types) command.addOption(optionOf(name, type));
      return command;
    },
    read: (flags, environment) => {
      const { config, ...options } = flags;
      const given = Object.fromEntries(Object.entries(options).map(([key, value]) => [kebab(key), value]));
      const variables = Object.entries(environment)
        .filter(([name]) => isMeant(name))
        .map(([name, value]) => [name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'), value]);
      const file = config ?? environment[CONFIG];
      const source = config === undefined ? CONFIG : '--config';
      const layers: readonly (readonly [nameOf: (setting: string) => string, given: object])[] = [
        [(name) => `${file}: ${name}`, file === undefined ? {} : readFile(String(file), source)],
        [variableOf, dropUndefined(check(Object.fromEntries(variables), variableOf))],
        [optionName, dropUndefined(check(given, optionName))],
      ];
      return {
        values: Object.assign(schema.parse({}), ...layers.map(([, values]) => values)),
        sources: new Map(
          layers.flatMap(([nameOf, values]) => Object.keys(values).map((name) => [name, nameOf(name)])),
        ),
      };
    },
  };
}

const partialOf = (settings: readonly (readonly [string, z.ZodType])[]) =>
  z.strictObject(
    Object.fromEntries(
      settings.map(([name, type]) => {
        const inner = z.optional(type instanceof z.ZodDefault ? (type.def.innerType as z.ZodType) : type);
        return [name, type.description === undefined ? inner : inner.describe(type.description)];
      }),
    ),
  );

function optionOf(name: string, type: z.ZodType): Option {
  const isFlag = type instanceof z.ZodDefault && type.def.innerType === flag;
  const isList = type instanceof z.ZodDefault && Array.isArray(type.def.defaultValue);
  const fallback = type instanceof z.ZodDefault ? type.def.defaultValue : undefined;
  const isDuration = type instanceof z.ZodDefault && type.def.innerType === durationSchema;
  const shown = isDuration ? formatDuration(Number(fallback)) : fallback;
  const isSilent =
    fallback === undefined || fallback === false || fallback === '' || isList || typeof fallback === 'object';
  const note = isSilent ? '' : ` (default: ${shown})`;
  const choices = choicesOf(type);
  const help = `${type.description}${choices ? `: ${choices.join(', ')}` : ''}${note}`;
  const option = new Option(isFlag ? `--${name}` : `--${name} <value>`, help);
  allowed.set(option, choices?.map(String) ?? []);
  if (isList) option.argParser((value: string, before: string[] = []) => [...before, value]);
  return option;
}

const allowed = new WeakMap<Option, readonly string[]>();

/** Allowed values of a setting's option; empty for any value, and for options that are not settings. */
export const choicesOfSetting = (option: Option): readonly string[] => allowed.get(option) ?? [];

function choicesOf(type: z.ZodType): readonly unknown[] | undefined {
  const inner = type instanceof z.ZodDefault || type instanceof z.ZodOptional ? type.def.innerType : type;
  const given = inner instanceof z.ZodPipe ? inner.def.in : inner;
  return given instanceof z.ZodEnum ? given.options : undefined;
}

/**
 * Variables that a kubelet creates for a Service in its pod's namespace (pkg/kubelet/envvars/envvars.go). They look
 * like settings if the Service is named mockri.
 */
const SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

const optionName = (name: string): string => `--${name}`;

const variableOf = (name: string): string => PREFIX + name.toUpperCase().replaceAll('-', '_');

/** `docker-host` for commander's `dockerHost`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const dropUndefined = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
