import type { Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { DONE, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';

/** Shared memory from /proc/sysvipc; of queues and semaphores there are none. */
const ipcs: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'asmqtcpul');
  const isAll = !['s', 'm', 'q'].some(options.has);
  if (isAll || options.has('q'))
    await print(
      process,
      '\n------ Message Queues --------\nkey        msqid      owner      perms      used-bytes   messages    \n',
    );
  if (isAll || options.has('m')) {
    const rows = (await process.fs.readFile('/proc/sysvipc/shm')).toString().trim().split('\n').slice(1);
    const lines = rows.map((row) => {
      const [key = '', id = '', perms = '', bytes = '', , , attached = '', uid = ''] = row
        .trim()
        .split(/\s+/);
      const hexKey = `0x${(Number(key) >>> 0).toString(16).padStart(8, '0')}`;
      const cells = [hexKey, id, uid, perms, bytes, attached].map((cell) => cell.padEnd(10));
      return `${cells.join(' ')}\n`;
    });
    await print(
      process,
      `\n------ Shared Memory Segments --------\nkey        shmid      owner      perms      bytes      nattch     status      \n${lines.join('')}`,
    );
  }
  if (isAll || options.has('s'))
    await print(
      process,
      '\n------ Semaphore Arrays --------\nkey        semid      owner      perms      nsems     \n',
    );
  await print(process, '\n');
  return DONE;
};

export const systemIpcCommands: CommandTable = { ipcs };
