import type { Program } from '../../process/process.js';
import { DONE, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';

/** A setuid program of root's, which prints its effective user: without new privileges, that of its caller (prctl(2)). */
const nnp: Program = async (process) => {
  const effective = process.container.security.noNewPrivs ? process.user.uid : 0;
  await print(process, `Effective uid: ${effective}\n`);
  return DONE;
};

/** Of the image with which critest tries NoNewPrivs. */
export const nnpPrograms: CommandTable = { nnp };
