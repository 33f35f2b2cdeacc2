import { messageTypeOf } from '../../cri/messages.js';
import type { Direction, JsonObject } from '../message.js';

/** A field on the way to a message, and whether it is a list. */
export interface Step {
  readonly name: string;
  readonly isList: boolean;
}

/** What a message with nothing in it looks like at a path: lists, maps and bytes are there, messages are not. */
export type Shapes = (path: readonly Step[]) => JsonObject;

/** The shapes of the message that an RPC takes or answers with. */
export function shapesOf(rpc: string, direction: Direction): Shapes {
  const type = messageTypeOf(rpc, direction);
  return (path) => {
    const given = path.reduceRight<object>(
      (inner, { name, isList }) => ({ [name]: isList ? [inner] : inner }),
      {},
    );
    const made = path.reduce<unknown>((outer, { name, isList }) => {
      const inner = (outer as JsonObject | undefined)?.[name];
      return isList ? (inner as unknown[] | undefined)?.[0] : inner;
    }, type.fromJSON(given));
    return typeof made === 'object' && made !== null ? (made as JsonObject) : {};
  };
}
