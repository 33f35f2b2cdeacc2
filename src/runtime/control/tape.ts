import { z } from 'zod';
import { redactions } from '../../tape/keep.js';
import type { TapeRecorder } from '../assembly/tape-recorder.js';
import { type PartOf, partFor } from './part.js';
import { Problem } from './problem.js';
import type { Route } from './router.js';

export const tapeBodySchema = z.union([
  z.strictObject({
    file: z.string().min(1),
    keep: z.array(z.enum(redactions)).default([]),
    node: z.string().optional().describe('with mockri node: name of a node, or a pattern; default all'),
  }),
  z.strictObject({ stop: z.literal(true) }),
]);

/** `POST /v1/tape` with `file` and `keep` starts a recording, with `{"stop": true}` stops it; `GET` shows it. */
export function tapeRoutes(
  recorder: Pick<TapeRecorder, 'current' | 'start' | 'stop'>,
  partOf?: PartOf,
): Route[] {
  const describe = (recording = recorder.current) => ({
    recording: recorder.current !== undefined,
    ...(recording && { file: recording.file, entries: recording.entries }),
  });
  return [
    { method: 'GET', path: '/v1/tape', handle: () => ({ json: describe() }) },
    {
      method: 'POST',
      path: '/v1/tape',
      handle: async ({ body }) => {
        const asked = await body(tapeBodySchema);
        if ('stop' in asked) {
          const ended = await recorder.stop();
          if (ended === undefined) throw new Problem(409, 'nothing is being recorded');
          return { json: describe(ended) };
        }
        const part = partFor(asked.node, partOf);
        try {
          await recorder.start(asked.file, { keep: asked.keep, part, followsLinks: false });
        } catch (error) {
          throw new Problem(409, (error as Error).message);
        }
        return { status: 201, json: describe() };
      },
    },
  ];
}
