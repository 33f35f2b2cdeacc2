import type { Clock } from '../../base/clock/clock.js';
import { turn } from '../../base/clock/turn.js';
import type { CriClient } from '../../cri/client/client.js';
import { recordClient } from '../../tape/client-recorder.js';
import { type RecordingOptions, recordToFile } from '../../tape/file.js';
import { createTape } from '../../tape/tape.js';

/** Which client's calls are recorded, and where. */
export interface ClientRecordingOptions extends Omit<RecordingOptions, 'tape'> {
  readonly cri: CriClient;
  readonly clock: Clock;
}

/** Records a client's calls, and gives the tape for the rest. Throws UserError when the file can't be made. */
export async function recordClientToFile({ cri, clock, ...options }: ClientRecordingOptions) {
  const tape = createTape(clock);
  const recording = await recordToFile({ ...options, tape });
  return {
    cri: recordClient(cri, tape),
    tape,
    close: async () => {
      // The calls that the client has cancelled end first.
      await turn();
      await recording.close();
    },
  };
}
