import type { Process } from '../../process/process.js';
import { command, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { resolveName } from './names.js';

/** The first server of /etc/resolv.conf, which is printed but never contacted: see resolveName. */
async function serverOf(process: Process): Promise<string> {
  const text = await process.fs.readFile('/etc/resolv.conf').catch(() => Buffer.alloc(0));
  return /^nameserver[ \t]+(\S+)/m.exec(text.toString())?.[1] ?? '127.0.0.1';
}

const nslookup = command('', async (tool) => {
  const { process } = tool;
  const [name, given] = tool.operands;
  if (name === undefined) throw new ToolError('missing operand');
  const server = given ?? (await serverOf(process));
  await tool.print(`Server:\t\t${server}\nAddress:\t${server}:53\n\n`);
  const addresses = await resolveName(process, name);
  if (addresses.length === 0) {
    await tool.print(`** server can't find ${name}: NXDOMAIN\n\n`);
    return 1;
  }
  await tool.print(addresses.map((address) => `Name:\t${name}\nAddress: ${address}\n\n`).join(''));
  return 0;
});

/** Uses /etc/hosts and the simulated Services: there is no DNS. */
export const lookupCommands: CommandTable = { nslookup };
