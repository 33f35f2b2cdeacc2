import { gunzipSync, inflateSync } from 'node:zlib';
import { type CallStatus, codeOf } from '../status.js';

const decoders = new Map([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
]);

/** A compressed message as it was before; the status to end with if that can't be told. */
export function decompress(
  encoding: string | undefined,
  bytes: Buffer,
  largest: number,
): Buffer | CallStatus {
  const decode = decoders.get(encoding ?? '');
  if (decode === undefined) {
    const details = `grpc-encoding ${JSON.stringify(encoding ?? 'identity')}; a message may be compressed with gzip or deflate`;
    return { code: codeOf('UNIMPLEMENTED'), details };
  }
  try {
    return decode(bytes, { maxOutputLength: largest });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      return { code: codeOf('RESOURCE_EXHAUSTED'), details: `a message of more than ${largest} bytes` };
    return { code: codeOf('INTERNAL'), details: `a message that is no ${encoding}` };
  }
}
