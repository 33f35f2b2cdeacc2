import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createRealClock } from '../clock/real-clock.js';
import { turn } from '../clock/turn.js';
import type { CheckRecorder } from '../conformance/check-recorder.js';
import { packageVersion } from '../input/package-version.js';
import { recordClient } from '../tape/client-recorder.js';
import { recordToFile } from '../tape/file.js';
import type { Redaction } from '../tape/keep.js';
import { createTape } from '../tape/tape.js';
import { writePage } from '../viewer/document.js';

/** The suite's own values, which say why a check fails; what a runtime says of its machine is redacted. */
const KEPT: readonly Redaction[] = ['env', 'exec', 'logs', 'annotations'];

/** Records each check into a directory, and keeps tape and timeline of those that fail. */
export function createCheckRecorder(directory: string): CheckRecorder {
  return {
    begin: async ({ id, rule, source }, cri, { runtimeName: name, runtimeVersion: version }) => {
      const clock = createRealClock();
      const tape = createTape(clock);
      const file = join(directory, `${id}.tape.gz`);
      const recorder = `mockri ${packageVersion()}`;
      const about = { recorder, runtime: { name, version, apiVersion: 'v1' } };
      const recording = await recordToFile({ tape, file, keep: KEPT, about });
      let t = 0;
      return {
        cri: recordClient(cri, tape),
        over: () => {
          t = tape.now();
        },
        end: async (broken) => {
          // The calls that the end of the check cancels end first.
          await turn();
          await recording.close();
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
