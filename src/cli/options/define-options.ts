import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { readNamed } from './option.js';

interface Given {
  readonly about: string;
  /** Parses the text. Default: any text. */
  readonly schema?: z.ZodType;
  /** Parses the text, and throws InputError with the option's name. */
  readonly parse?: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly repeatable?: true;
  readonly required?: true;
  readonly default?: unknown;
  /** How the help shows the default. */
  readonly shown?: string;
  /** Names of options that it excludes, as in `OptionsOf`. */
  readonly conflicts?: readonly string[];
}

/** Options of a command, by their flags: `--seed <number>`, `-o, --output <format>`, `--json`. */
type Options = Readonly<Record<string, Given>>;

type Long<F> = F extends `${string}, --${infer L}` ? L : F extends `--${infer L}` ? L : never;
type Word<L> = L extends `${infer W} ${string}` ? W : L;
type Positive<W> = W extends `no-${infer P}` ? P : W;
type Camel<W> = W extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : W;
/** `kubeletVersion` for `--kubelet-version <version>`. */
type Name<F> = Camel<Positive<Word<Long<F>>>> & string;

type Value<F, G extends Given> = G extends { readonly schema: z.ZodType<infer T> }
  ? G extends { readonly repeatable: true }
    ? readonly T[]
    : T
  : G extends { readonly parse: (text: string) => infer T }
    ? T
    : G extends { readonly choices: readonly (infer C)[] }
      ? F extends `${string}...>`
        ? readonly C[]
        : C
      : F extends `${string}<${string}`
        ? string
        : boolean;

type IsCertain<F, G> = F extends `--no-${string}`
  ? true
  : G extends { readonly default: unknown } | { readonly required: true }
    ? true
    : false;

/** What commander makes of the options: those without a default may be missing. */
export type OptionsOf<O extends Options> = {
  readonly [F in keyof O as IsCertain<F, O[F]> extends true ? Name<F> : never]: Value<F, O[F]>;
} & {
  readonly [F in keyof O as IsCertain<F, O[F]> extends true ? never : Name<F>]?: Value<F, O[F]>;
};

export const defineOptions = <const O extends Options>(options: O): O => options;

/** Adds the options to a command. They throw InputError with their name for a text that their schema refuses. */
export function addOptions(command: Command, options: Options): Command {
  for (const [flags, given] of Object.entries(options)) command.addOption(optionOf(flags, given));
  return command;
}

function optionOf(flags: string, given: Given): Option {
  const { about, schema, parse, choices, repeatable, required = false, conflicts = [] } = given;
  const option = new Option(flags, about).makeOptionMandatory(required).conflicts([...conflicts]);
  if (choices !== undefined) option.choices(choices);
  if (parse !== undefined) option.argParser(parse);
  const { parseArg: check, long } = option;
  if (schema !== undefined)
    option.argParser((text: string, before: unknown) => {
      check?.(text, before);
      const value = readNamed(text, long ?? flags, schema);
      return repeatable ? [...(Array.isArray(before) ? before : []), value] : value;
    });
  return 'default' in given ? option.default(given.default, given.shown) : option;
}
