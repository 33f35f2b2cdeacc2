import type { Process } from '../../process/process.js';
import { command, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The container's own /etc/passwd and /etc/group; ids without a line have no name. */
async function accountsOf(process: Process) {
  const rows = async (path: string): Promise<readonly string[][]> => {
    const text = await process.fs.readFile(path).catch(() => Buffer.alloc(0));
    return text
      .toString()
      .split('\n')
      .map((line) => line.split(':'))
      .filter((row) => row.length > 2);
  };
  const users = (await rows('/etc/passwd')).map(
    ([name = '', , uid, gid]): Account => ({ name, uid: Number(uid), gid: Number(gid) }),
  );
  const groups = (await rows('/etc/group')).map(([name = '', , gid, members = '']) => ({
    name,
    gid: Number(gid),
    members: members.split(','),
  }));
  return {
    userNamed: (name: string) => users.find((user) => user.name === name || String(user.uid) === name),
    userName: (uid: number) => users.find((user) => user.uid === uid)?.name,
    groupName: (gid: number) => groups.find((group) => group.gid === gid)?.name,
    groupsOf: ({ name, gid }: Account) => [
      ...new Set([gid, ...groups.filter(({ members }) => members.includes(name)).map((group) => group.gid)]),
    ],
  };
}

const id = command('ugGnr', async (tool) => {
  const { options, process } = tool;
  const accounts = await accountsOf(process);
  const [wanted] = options.operands;
  const other = wanted === undefined ? undefined : accounts.userNamed(wanted);
  if (wanted !== undefined && other === undefined) throw new ToolError(`unknown user ${wanted}`);
  const { uid, gid } = other ?? process.user;
  const groups = other ? accounts.groupsOf(other) : process.user.groups;
  const inNumbers = options.has('u')
    ? [uid]
    : options.has('g')
      ? [gid]
      : options.has('G')
        ? groups
        : undefined;
  const nameOf = options.has('u') ? accounts.userName : accounts.groupName;
  if (inNumbers === undefined) {
    const both = (number: number, name: string | undefined) => `${number}${name ? `(${name})` : ''}`;
    const all = groups.map((group) => both(group, accounts.groupName(group)));
    await tool.print(
      `uid=${both(uid, accounts.userName(uid))} gid=${both(gid, accounts.groupName(gid))} groups=${all.join(',')}\n`,
    );
    return;
  }
  const shown = inNumbers.map((number) => (options.has('n') ? nameOf(number) : String(number)));
  const unknown = shown.indexOf(undefined);
  if (unknown >= 0) throw new ToolError(`unknown ID ${inNumbers[unknown]}`);
  await tool.print(`${shown.join(' ')}\n`);
});

const whoami = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const name = (await accountsOf(process)).userName(process.user.uid);
  if (name === undefined) throw new ToolError(`unknown uid ${process.user.uid}`);
  await tool.print(`${name}\n`);
});

const groups = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const { groupName } = await accountsOf(process);
  await tool.print(`${process.user.groups.map((gid) => groupName(gid) ?? String(gid)).join(' ')}\n`);
});

export const systemUserCommands: CommandTable = { id, whoami, groups };
