import type { Clock } from '../../base/clock/clock.js';
import { turn } from '../../base/clock/turn.js';
import type { CriClient } from '../../cri/client/client.js';
import { recordClient } from '../../tape/client-recorder.js';
import { type RecordingOptions, recordToFile } from '../../tape/file.js';
import { createTape } from '../../tape/tape.js';

export interface ClientRecordingOptions extends Omit<RecordingOptions, 'tape'> {
  readonly cri: CriClient;
  readonly clock: Clock;
}

/** Records a client's calls; returns the tape for other entries. Throws UserError if the file can't be created. */
export async function recordClientToFile({ cri, clock, ...options }: ClientRecordingOptions) {
  const tape = createTape(clock);
  const recording = await recordToFile({ ...options, tape });
  return {
    cri: recordClient(cri, tape),
    tape,
    close: async () => {
      await turn();
      await recording.close();
    },
  };
}
