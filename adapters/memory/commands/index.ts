import { type CommandTable, findPrograms, type Programs } from './programs.js';

const COMMANDS: CommandTable = {
  true: async () => ({ code: 0 }),
  false: async () => ({ code: 1 }),
  sleep: async (process) => {
    await process.sleep(Number(process.argv[1]) * 1000);
    return { code: 0 };
  },
};

/** Every command that a container can run. */
export const createPrograms = (): Programs => findPrograms(COMMANDS);

/** What lies in /bin of an image with a shell. */
export const commandNames: readonly string[] = Object.keys(COMMANDS);
