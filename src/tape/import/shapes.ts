import { messageTypeOf } from '../../cri/messages.js';
import type { Direction, JsonObject } from '../message.js';

export interface Step {
  readonly name: string;
  readonly isList: boolean;
}

/** An empty message at a path: with lists, maps and bytes, without messages. */
export type Shapes = (path: readonly Step[]) => JsonObject;

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
