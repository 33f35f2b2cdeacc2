import { command } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

/** Shared memory from /proc/sysvipc; there are no queues and semaphores. */
const ipcs = command('asmqtcpul', async (tool) => {
  const { options, process } = tool;
  const isAll = !['s', 'm', 'q'].some(options.has);
  if (isAll || options.has('q'))
    await tool.print(
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
    await tool.print(
      `\n------ Shared Memory Segments --------\nkey        shmid      owner      perms      bytes      nattch     status      \n${lines.join('')}`,
    );
  }
  if (isAll || options.has('s'))
    await tool.print(
      '\n------ Semaphore Arrays --------\nkey        semid      owner      perms      nsems     \n',
    );
  await tool.print('\n');
});

export const systemIpcCommands: CommandTable = { ipcs };
