import { isIP } from 'node:net';
import type { Process, Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { DONE, failWith, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';
import { resolveName } from './names.js';

/** The first server of /etc/resolv.conf, which is named and never asked: answers come from /etc/hosts. */
async function serverOf(process: Process): Promise<string> {
  const text = await process.fs.readFile('/etc/resolv.conf').catch(() => Buffer.alloc(0));
  return /^nameserver\s+(\S+)/m.exec(text.toString())?.[1] ?? '127.0.0.1';
}

const nslookup: Program = async (process) => {
  const { operands } = getopt(process.argv.slice(1), '');
  const [name, given] = operands;
  if (name === undefined) return failWith(process, 'missing operand');
  const server = given ?? (await serverOf(process));
  await print(process, `Server:\t\t${server}\nAddress:\t${server}:53\n\n`);
  const addresses = await resolveName(process, name);
  if (addresses.length === 0) {
    await print(process, `** server can't find ${name}: NXDOMAIN\n\n`);
    return { code: 1 };
  }
  await print(process, addresses.map((address) => `Name:\t${name}\nAddress: ${address}\n\n`).join(''));
  return DONE;
};

/** A reply of dig, or with +short the addresses alone. */
const dig: Program = async (process) => {
  const words = process.argv.slice(1);
  const [name = '.'] = words.filter((word) => !/^[+@-]|^(A|AAAA|IN|ANY)$/.test(word));
  const server = words.find((word) => word.startsWith('@'))?.slice(1) ?? (await serverOf(process));
  const family = words.includes('AAAA') ? 6 : 4;
  const found = (await resolveName(process, name)).filter((address) => isIP(address) === family);
  if (words.includes('+short')) {
    await print(process, found.map((address) => `${address}\n`).join(''));
    return DONE;
  }
  const type = family === 6 ? 'AAAA' : 'A';
  const status = found.length > 0 ? 'NOERROR' : 'NXDOMAIN';
  const answers = found.map((address) => `${name}.\t30\tIN\t${type}\t${address}\n`).join('');
  await print(
    process,
    [
      `;; ->>HEADER<<- opcode: QUERY, status: ${status}, id: 1\n`,
      `;; flags: qr rd ra; QUERY: 1, ANSWER: ${found.length}, AUTHORITY: 0, ADDITIONAL: 0\n\n`,
      `;; QUESTION SECTION:\n;${name}.\tIN\t${type}\n\n`,
      answers && `;; ANSWER SECTION:\n${answers}\n`,
      `;; SERVER: ${server}#53(${server})\n`,
    ].join(''),
  );
  return DONE;
};

export const lookupCommands: CommandTable = { dig, nslookup };
