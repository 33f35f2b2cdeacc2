import { type Recording, recordToFile } from '../../../tape/file.js';
import type { About } from '../../../tape/header.js';
import type { Redaction } from '../../../tape/keep.js';
import type { Tape } from '../../../tape/tape.js';

/** Recording options of `mockri simulate`. */
interface RecordingFlags {
  readonly record?: string;
  readonly keep?: Redaction[];
}

/** Records a run if requested. With several runs, `run.tape.gz` becomes `run-2.tape.gz`. */
export function createRunRecording(
  { record, keep }: RecordingFlags,
  number: number,
  total: number,
  about: About,
) {
  if (record === undefined) return undefined;
  const file = total === 1 ? record : record.replace(/((\.tape)?(\.gz)?)$/, `-${number}$1`);
  let recording: Recording | undefined;
  const onFailure = (message: string) => void process.stderr.write(`mockri: ${message}\n`);
  return {
    start: async (tape: Tape): Promise<void> => {
      recording = await recordToFile({ tape, file, keep, about, onFailure });
    },
    close: async () => recording?.close(),
  };
}
