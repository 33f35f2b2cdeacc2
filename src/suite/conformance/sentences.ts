import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';
import { invariantOf } from './check.js';

/** The sentences of api.proto and their checks. */
const FILE = 'src/suite/conformance/sentences.yaml';

export interface Sentence {
  /** The RPC, message, field or value that it describes: `StopContainerRequest.timeout`. */
  readonly item: string;
  readonly text: string;
  /** Ids of checks that cover it, or of invariants for all of their checks. */
  readonly checks: readonly string[];
  /** Why no check covers it; undefined if one does. */
  readonly reason: string | undefined;
}

const schema = z
  .strictObject({
    /** Why no check covers a sentence, by the name in a check's place. */
    reasons: z.record(z.string(), z.string()),
    sentences: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1)]))),
  })
  .transform(({ reasons, sentences: items }): readonly Sentence[] => {
    const reasonFor = (name: string): string => {
      const reason = reasons[name];
      if (reason === undefined) throw new Error(`${FILE}: no reason is called ${name}`);
      return reason;
    };
    return Object.entries(items).flatMap(([item, texts]) =>
      Object.entries(texts).map(([text, holder]) =>
        typeof holder === 'string'
          ? { item, text, checks: [], reason: reasonFor(holder) }
          : { item, text, checks: holder, reason: undefined },
      ),
    );
  });

export const sentences = () => packageData(FILE, schema);

export const sentencesOf = (id: string): readonly Sentence[] =>
  sentences().filter(({ checks }) => checks.includes(id) || checks.includes(invariantOf(id)));
