import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';
import type { MetricDescriptor } from '../../cri/gen/runtime/v1/api.js';
import { type Latency, timedOperations } from './latency/latency.js';

const recorded =
  <S extends z.ZodType>(file: string, schema: S): (() => z.output<S>) =>
  () =>
    packageData(`src/runtime/profiles/${file}`, schema);

const timesSchema = z
  .strictObject({
    /** When, how and where the times were measured. */
    measured: z.string(),
    /** Quantiles in steps of a tenth, in ms. */
    times: z.record(z.enum(timedOperations), z.array(z.number()).min(1)),
  })
  .transform(({ times }): Latency => times);

/** The times of a runtime, which test/peers/slow/profiles writes. */
export const recordedTimes = (file: string): (() => Latency) => recorded(file, timesSchema);

/** `DefaultCapabilities` is CRI-O's. */
const configSchema = z.looseObject({ DefaultCapabilities: z.array(z.string()).optional() });

/** The part `config` of Status, as the runtime returns it without a config file. */
export const recordedConfig = (file: string): (() => z.output<typeof configSchema>) =>
  recorded(file, configSchema);

const descriptorsSchema = z.array(
  z.strictObject({ name: z.string(), help: z.string(), labelKeys: z.array(z.string()) }),
);

export const recordedDescriptors = (file: string): (() => readonly MetricDescriptor[]) =>
  recorded(file, descriptorsSchema);
