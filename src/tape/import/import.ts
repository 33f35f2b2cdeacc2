import { createRealClock } from '../../base/clock/real-clock.js';
import { InputError } from '../../base/input/yaml.js';
import type { Entry } from '../entries.js';
import { type RecordingOptions, recordToFile } from '../file.js';
import type { Redaction } from '../keep.js';
import { linesOf } from '../read.js';
import type { ReadableTape, TapeListener } from '../tape.js';
import type { LoggedHappening, LogReader } from './log-reader.js';

export interface ImportOptions {
  readonly log: string;
  readonly reader: LogReader;
  readonly output: string;
  readonly about: RecordingOptions['about'];
  readonly keep?: readonly Redaction[] | undefined;
}

/** Converts a log to a tape. Throws InputError with the line that can't be read. */
export async function importLog({ log, reader, output, about, keep }: ImportOptions): Promise<void> {
  let listener: TapeListener | undefined;
  let startedAt: bigint | undefined;
  let last = 0;
  let line = 0;
  let failure: string | undefined;
  let close = async () => {};
  for await (const { text } of linesOf(log)) {
    line++;
    const logged = readLine(reader, text.replace(/\r$/, ''), log, line);
    if (logged === undefined) continue;
    if (startedAt === undefined) {
      startedAt = logged.time;
      const tape = importedTape(startedAt, (given) => {
        listener = given;
      });
      const onFailure = (message: string) => {
        failure = message;
      };
      const lacks = [...reader.lacks];
      const recording = await recordToFile({
        tape,
        file: output,
        about: { ...about, lacks, ...(reader.runtime && { runtime: reader.runtime }) },
        keep,
        onFailure,
      });
      close = recording.close;
    }
    // Lines of several processors may be slightly out of order.
    last = Math.max(last, Number(logged.time - startedAt));
    listener?.entry({ t: last, ...logged.happening } as Entry);
    await listener?.room?.();
  }
  await close();
  if (failure !== undefined) throw new InputError([failure]);
  if (startedAt === undefined)
    throw new InputError([
      `${log}: no line is about a CRI call; the program writes them with ${reader.option}`,
    ]);
}

function readLine(reader: LogReader, text: string, log: string, line: number): LoggedHappening | undefined {
  try {
    return reader.read(text);
  } catch (error) {
    throw new InputError([`${log}:${line}: ${(error as Error).message}`]);
  }
}

function importedTape(startedAt: bigint, listen: (listener: TapeListener) => void): ReadableTape {
  return {
    startedAt,
    clock: createRealClock(),
    now: () => 0,
    listen: (listener) => {
      listen(listener);
      return () => {};
    },
  };
}
