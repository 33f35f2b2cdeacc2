import type { Clock } from '../../clock/clock.js';
import { turn } from '../../clock/turn.js';
import type { CriClient } from '../../cri/client/client.js';
import { packageVersion } from '../../input/package-version.js';
import { recordClient } from '../../tape/client-recorder.js';
import { recordToFile } from '../../tape/file.js';
import type { Redaction } from '../../tape/keep.js';
import { createTape } from '../../tape/tape.js';

/** What `mockri kubelet` records, and where. */
export interface KubeletRecordingOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly file: string;
  readonly keep: readonly Redaction[] | undefined;
  /** Version of the kubelet. */
  readonly kubelet: string;
  readonly onFailure: (message: string) => void;
}

/** Records a kubelet's calls, and gives the tape for the rest. Throws UserError when the file can't be made. */
export async function recordKubelet(options: KubeletRecordingOptions) {
  const { cri, clock, file, keep, kubelet, onFailure } = options;
  const tape = createTape(clock);
  const { runtimeName: name, runtimeVersion: version, runtimeApiVersion: apiVersion } = await cri.version({});
  const about = { recorder: `mockri ${packageVersion()}`, runtime: { name, version, apiVersion }, kubelet };
  const recording = await recordToFile({ tape, file, keep, about, onFailure });
  return {
    cri: recordClient(cri, tape),
    tape,
    close: async () => {
      // The calls that the kubelet has cancelled end first.
      await turn();
      await recording.close();
    },
  };
}
