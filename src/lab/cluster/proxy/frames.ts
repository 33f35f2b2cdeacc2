const LENGTH = 4;
const NEWLINE = 10;

/**
 * Cuts the bytes of a watch into events: lines of JSON, or messages of protobuf with their length in front
 * (apimachinery/pkg/util/framer).
 */
export function framesOf(contentType: string): (bytes: Buffer) => readonly Buffer[] {
  const isJson = contentType.includes('json');
  let rest: Buffer = Buffer.alloc(0);
  const length = (from: number): number => {
    if (isJson) return rest.indexOf(NEWLINE, from) + 1 - from;
    return rest.length - from < LENGTH ? 0 : LENGTH + rest.readUInt32BE(from);
  };
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const frames: Buffer[] = [];
    let at = 0;
    for (let next = length(0); next > 0 && at + next <= rest.length; next = length(at)) {
      frames.push(rest.subarray(at, at + next));
      at += next;
    }
    rest = rest.subarray(at);
    return frames;
  };
}
