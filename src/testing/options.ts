import { z } from 'zod';
import { presentImagesSchema, pullRuleSchema } from '../../adapters/memory/images/pull-rule-schema.js';
import type { Clock } from '../base/clock/clock.js';
import { durationSchema } from '../base/input/schemas.js';
import { checkInput } from '../base/input/yaml.js';
import { type ApiLevel, apiLevels } from '../cri/api-level.js';
import type { Backend } from '../runtime/engine/backend.js';
import type { FaultInput } from '../runtime/faults/language/rule-schema.js';
import { type RuntimeProfileChoice, runtimeProfileSchema } from '../runtime/profiles/index.js';
import type { LatencyChoice } from '../runtime/profiles/latency/choose-latency.js';
import { type OperationsInput, operationsSchema } from '../runtime/profiles/latency/latency-schema.js';
import { type RefereeMode, refereeModes } from '../tape/judge/referee.js';
import { type Redaction, redactions } from '../tape/keep.js';

/** What happens to pulls of some images. */
export type ImageRule = Readonly<z.input<typeof pullRuleSchema>>;

/** Options of `startMockri`; all have a default. */
export interface MockriOptions {
  /** `real` by default; with `virtual`, time stands still until `advance` or `runUntil` moves it. */
  readonly clock?: 'real' | 'virtual';
  /** `unix:///path` or `tcp://host:port` (port 0: any free one); default a socket in its own temporary directory. */
  readonly listen?: string;
  /** RPCs newer than this version of cri-api are UNIMPLEMENTED; default the newest, `v0.37`. */
  readonly apiLevel?: ApiLevel;
  /** The runtime that answers, such as `containerd-2.1` (docs/profiles.md); default `strict`. */
  readonly profile?: RuntimeProfileChoice;
  /**
   * How long operations take on the clock: `profile` for the profile's times, `none`, a file of times, or times of some
   * operations on top of the profile's, such as `{ startContainer: '300ms' }`. Default: the profile's; `strict` has none.
   */
  readonly latency?: LatencyChoice | OperationsInput;
  /** What to do when the client does something wrong; default `warn`: `assertClean` reports it. */
  readonly referee?: RefereeMode;
  /** Of the fault rules' random numbers, 0 to 2³² − 1; default 1. */
  readonly seed?: number;
  /** Serves the HTTP control API too, at a free port of this machine. Default false. */
  readonly control?: boolean;
  /** Rules in force from the first call on, at most 1,000, as in `faults` of a file of rules (docs/faults.md). */
  readonly faults?: readonly FaultInput[];
  /**
   * What containers do instead of their command lines (docs/containers.md), as a list, such as
   * `[{ match: { name: 'app' }, behavior: 'exit=1,after=2s' }]`: the first whose `match` fits. `image` and `name` are globs, `labels` have to be equal; what is left out fits everything.
   */
  readonly behaviors?: readonly {
    readonly match: {
      readonly image?: string;
      readonly name?: string;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly behavior: string;
  }[];
  /**
   * What happens to pulls: the first rule whose `match` (a glob, such as `registry.example/*`) fits. It takes `latency`,
   * such as `3s`, then fails, or needs the credentials. Default: every pull succeeds in 20 ms.
   */
  readonly images?: readonly ImageRule[];
  /** Images that are there from the beginning, such as `busybox:1.36`; default none. */
  readonly presentImages?: readonly string[];
  /**
   * Takes in node resource plugins (docs/nri.md) on a socket, `nri.socket` of the result; needs a real clock. `requestTimeout`
   * such as `10s` (default 2 s); `cdiSpecDirs` with the files of CDI devices. Default false.
   */
  readonly nri?: boolean | { readonly requestTimeout?: string; readonly cdiSpecDirs?: readonly string[] };
  /** What runs the containers; default simulated ones in memory. It is closed with the server. */
  readonly backend?: (clock: Clock) => Backend;
  /** Records everything into this file, with private values redacted except for those that `keep` names (docs/tape.md). */
  readonly record?: string | { readonly file: string; readonly keep?: readonly Redaction[] };
  /** Told what goes wrong where no client waits for an answer; default nobody. */
  readonly warn?: (message: string, error: unknown) => void;
}

const isFunction = z.custom((value) => typeof value === 'function', 'expected a function');

const schema = z.strictObject({
  clock: z.enum(['real', 'virtual']).optional(),
  listen: z.string().optional(),
  apiLevel: z.enum(apiLevels).optional(),
  profile: runtimeProfileSchema.optional(),
  latency: z.union([z.string(), operationsSchema]).optional(),
  referee: z.enum(refereeModes).optional(),
  seed: z.int().min(0).max(0xffff_ffff).optional(),
  control: z.boolean().optional(),
  // Rules are checked by the registry that they go into.
  faults: z.array(z.unknown()).readonly().optional(),
  behaviors: z
    .array(
      z.strictObject({
        match: z.strictObject({
          image: z.string().optional(),
          name: z.string().optional(),
          labels: z.record(z.string(), z.string()).optional(),
        }),
        behavior: z.string(),
      }),
      "expected a list, as in [{ match: { name: 'app' }, behavior: 'exit=1' }]",
    )
    .readonly()
    .optional(),
  images: z.array(pullRuleSchema).readonly().optional(),
  presentImages: presentImagesSchema.readonly().optional(),
  record: z
    .union([
      z.string(),
      z.strictObject({ file: z.string(), keep: z.array(z.enum(redactions)).readonly().optional() }),
    ])
    .optional(),
  nri: z
    .union([
      z.boolean(),
      z.strictObject({
        requestTimeout: durationSchema.optional(),
        cdiSpecDirs: z.array(z.string()).readonly().optional(),
      }),
    ])
    .optional(),
  backend: isFunction.optional(),
  warn: isFunction.optional(),
});

/** Throws InputError for an option that is not there, or a value that it can't have: JavaScript has no compiler. */
export const checkOptions = (options: MockriOptions): void => void checkInput(options, schema, 'startMockri');
