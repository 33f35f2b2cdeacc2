import { invariantOf } from '../check.js';
import { containerConfig } from './container-config.js';
import { containers } from './containers.js';
import type { Holder, Sentences } from './holder.js';
import { images } from './images.js';
import { rpcs } from './rpcs.js';
import { runtime } from './runtime.js';
import { sandboxes } from './sandboxes.js';
import { streams } from './streams.js';
import { usage } from './usage.js';
import { windows } from './windows.js';

/** A sentence of api.proto. */
export interface Sentence {
  /** The RPC, message, field or value that it is about: `StopContainerRequest.timeout`. */
  readonly item: string;
  readonly text: string;
  readonly holder: Holder;
}

const all: Sentences = {
  ...{ ...rpcs, ...runtime, ...sandboxes },
  ...{ ...containerConfig, ...containers, ...streams },
  ...{ ...images, ...usage, ...windows },
};

/** All sentences of api.proto, with the checks that hold them. */
export const sentences: readonly Sentence[] = Object.entries(all).flatMap(([item, texts]) =>
  Object.entries(texts).map(([text, holder]) => ({ item, text, holder })),
);

const isHeldBy = (holder: Holder, id: string): boolean =>
  'reason' in holder ? false : holder.includes(id) || holder.includes(invariantOf(id));

/** The sentences that a check holds. */
export const sentencesOf = (id: string): readonly Sentence[] =>
  sentences.filter(({ holder }) => isHeldBy(holder, id));
