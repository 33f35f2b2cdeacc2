import type { Program } from '../../process/process.js';
import { DONE, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';

/** A setuid program of root's that prints its effective user: without new privileges, its caller's (prctl(2)). */
const nnp: Program = async (process) => {
  const effective = process.container.security.noNewPrivs ? process.user.uid : 0;
  await print(process, `Effective uid: ${effective}\n`);
  return DONE;
};

export const nnpPrograms: CommandTable = { nnp };
