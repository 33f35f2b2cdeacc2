import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createRealClock } from '../../../base/clock/real-clock.js';
import type { CheckRecorder } from '../../../suite/conformance/check-recorder.js';
import type { Redaction } from '../../../tape/keep.js';
import { writePage } from '../../../tape/viewer/document.js';
import { recordClientToFile } from '../../output/client-recording.js';

/** The suite's own values explain a failure; a runtime's data about its machine is redacted. */
const KEPT: readonly Redaction[] = ['env', 'exec', 'logs', 'annotations'];

export function createCheckRecorder(directory: string): CheckRecorder {
  return {
    begin: async ({ id, rule, source }, cri, { runtimeName: name, runtimeVersion: version }) => {
      const file = join(directory, `${id}.tape.gz`);
      const about = { runtime: { name, version, apiVersion: 'v1' } };
      const options = { cri, clock: createRealClock(), file, keep: KEPT, about };
      const { tape, close, cri: recorded } = await recordClientToFile(options);
      let t = 0;
      return {
        cri: recorded,
        over: () => {
          t = tape.now();
        },
        end: async (broken) => {
          await close();
          if (broken === undefined) {
            await rm(file, { force: true });
            return undefined;
          }
          const { expected, received } = broken;
          const about = { title: `${id}: ${rule}`, failure: { rule, source, expected, received, t } };
          return { tape: file, page: await writePage(join(directory, `${id}.html`), file, about) };
        },
      };
    },
  };
}
