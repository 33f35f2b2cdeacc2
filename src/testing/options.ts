import { z } from 'zod';
import { behaviorMatchSchema } from '../../adapters/memory/containers/behavior-schema.js';
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

export interface MockriOptions {
  /** Default `real`; with `virtual`, time stands still until `advance` or `runUntil` moves it. */
  readonly clock?: 'real' | 'virtual';
  /** `unix:///path` or `tcp://host:port` (port 0: any free one); default a socket in its own temporary directory. */
  readonly listen?: string;
  /** RPCs newer than this version of cri-api are UNIMPLEMENTED; default the newest, `v0.37`. */
  readonly apiLevel?: ApiLevel;
  /** The runtime to simulate, such as `containerd-2.4` (docs/profiles.md); default `strict`. */
  readonly profile?: RuntimeProfileChoice;
  /**
   * Duration of operations on the clock: `profile` for the profile's, `none`, a file, or durations of some operations
   * that override the profile's, such as `{ startContainer: '300ms' }`. Default: the profile's; `strict` has none.
   */
  readonly latency?: LatencyChoice | OperationsInput;
  /** What to do about client mistakes; default `warn`: `assertClean` reports them. */
  readonly referee?: RefereeMode;
  /** Seed of the fault rules' random numbers, 0 to 2³² − 1; default 1. */
  readonly seed?: number;
  /** Also serves the HTTP control API at a free port of this machine. Default false. */
  readonly control?: boolean;
  /** Rules active from the first call on, at most 1,000, as in `faults` of a rules file (docs/faults.md). */
  readonly faults?: readonly FaultInput[];
  /**
   * Behavior of containers instead of their command lines (docs/containers.md), such as `[{ match: { name: 'app' },
   * behavior: 'exit=1,after=2s' }]`: the first matching entry counts. `image` and `name` are globs, `labels` must be
   * equal; missing fields match everything.
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
   * What happens to pulls: the first rule whose `match` (a glob, such as `registry.example/*`) fits counts. It takes
   * `latency`, such as `3s`, then fails, or requires the credentials. Default: every pull succeeds in 20 ms.
   */
  readonly images?: readonly ImageRule[];
  /** Images that are present from the beginning, such as `busybox:1.36`; default none. */
  readonly presentImages?: readonly string[];
  /**
   * Accepts node resource plugins (docs/nri.md) on a socket, `nri.socket` of the result; needs a real clock.
   * `requestTimeout` such as `10s` (default 2 s); `cdiSpecDirs` are directories with CDI device files. Default false.
   */
  readonly nri?: boolean | { readonly requestTimeout?: string; readonly cdiSpecDirs?: readonly string[] };
  /** Creates the backend for containers; default simulated ones in memory. It is closed with the server. */
  readonly backend?: (clock: Clock) => Backend;
  /** Records everything into this file, with private values redacted except for categories in `keep` (docs/tape.md). */
  readonly record?: string | { readonly file: string; readonly keep?: readonly Redaction[] };
  /** Called for errors that no client waits for; default none. */
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
  // The registry checks rules when they are added.
  faults: z.array(z.unknown()).readonly().optional(),
  behaviors: z
    .array(
      z.strictObject({ match: behaviorMatchSchema, behavior: z.string() }),
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

/** Throws InputError for an unknown option or an invalid value: JavaScript has no compiler. */
export const checkOptions = (options: MockriOptions): void => void checkInput(options, schema, 'startMockri');
