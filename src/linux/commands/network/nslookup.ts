import { parseIpAddress } from '../../../base/input/ip-address.js';
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

const dig = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const words = tool.args;
  const [name = '.'] = words.filter((word) => !/^[+@-]|^(A|AAAA|IN|ANY)$/.test(word));
  const server = words.find((word) => word.startsWith('@'))?.slice(1) ?? (await serverOf(process));
  const family = words.includes('AAAA') ? 6 : 4;
  const found = (await resolveName(process, name)).filter(
    (address) => parseIpAddress(address)?.family === family,
  );
  if (words.includes('+short')) {
    await tool.print(found.map((address) => `${address}\n`).join(''));
    return;
  }
  const type = family === 6 ? 'AAAA' : 'A';
  const status = found.length > 0 ? 'NOERROR' : 'NXDOMAIN';
  const answers = found.map((address) => `${name}.\t30\tIN\t${type}\t${address}\n`).join('');
  await tool.print(
    [
      `;; ->>HEADER<<- opcode: QUERY, status: ${status}, id: 1\n`,
      `;; flags: qr rd ra; QUERY: 1, ANSWER: ${found.length}, AUTHORITY: 0, ADDITIONAL: 0\n\n`,
      `;; QUESTION SECTION:\n;${name}.\tIN\t${type}\n\n`,
      answers && `;; ANSWER SECTION:\n${answers}\n`,
      `;; SERVER: ${server}#53(${server})\n`,
    ].join(''),
  );
});

/** They use /etc/hosts and the simulated Services: there is no DNS. */
export const lookupCommands: CommandTable = { dig, nslookup };
