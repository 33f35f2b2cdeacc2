import type { Program } from '../../process/process.js';
import { catchSignals, DONE, print, waitFor } from '../kit/io.js';
import type { CommandTable } from '../programs.js';

const DESCRIPTIONS = { TERM: 'Terminated', INT: 'Interrupt' } as const;

const pause: Program = async (process) => {
  if (process.argv[1] === '-v') {
    await print(process, 'pause.c 3.9\n');
    return DONE;
  }
  const signal = await waitFor(process, catchSignals(process, ['TERM', 'INT']));
  await process.stderr.write(Buffer.from(`Shutting down, got signal: ${DESCRIPTIONS[signal]}\n`));
  return DONE;
};

export const pausePrograms: CommandTable = { pause };
