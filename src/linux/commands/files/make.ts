import { FileError } from '../../fs/file-error.js';
import { baseOf, dirOf, isDirectory, joined, saying, statIfAny } from '../kit/paths.js';
import { command, eachOperand, eachTold, type Tool, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { changedMode } from './mode.js';

const cantCreate = (path: string) => saying((problem) => `can't create directory '${path}': ${problem}`);

const mkdir = command({ letters: 'pm:v', long: { parents: 'p', mode: 'm' } }, async (tool) => {
  if (tool.operands.length === 0) throw usage('missing operand');
  const text = tool.options.value('m');
  const mode = text === undefined ? undefined : changedMode(text, 0o777, true);
  await eachTold(tool, tool.operands, async (path) => {
    const { fs } = tool.process;
    const make = tool.has('p') ? makeAll(tool, path) : fs.mkdir(path).then(() => true, cantCreate(path));
    const isNew = await make;
    // The umask doesn't apply to an explicit mode (POSIX mkdir -m).
    if (isNew && mode !== undefined) await fs.chmod(path, mode);
  });
});

/** Creates a directory and its missing parents; false if it exists. */
async function makeAll(tool: Tool, path: string): Promise<boolean> {
  let isNew = false;
  const parts = path.split('/').filter((part) => part !== '');
  let at = path.startsWith('/') ? '/' : '';
  for (const [index, part] of parts.entries()) {
    at = at === '' ? part : joined(at, part);
    const isLast = index === parts.length - 1;
    const whyNot = async (error: unknown) => {
      if (!(error instanceof FileError) || error.code !== 'EEXIST') return cantCreate(at)(error);
      if (await isDirectory(tool, at)) return false;
      return isLast ? cantCreate(at)(error) : cantCreate(`${at}/`)(new FileError('ENOTDIR'));
    };
    isNew = await tool.process.fs.mkdir(at).then(() => true, whyNot);
  }
  return isNew;
}

const rmdir = command(
  { letters: 'p', long: { parents: 'p', 'ignore-fail-on-non-empty': 'p' } },
  async (tool) => {
    if (tool.operands.length === 0) throw usage('missing operand');
    await eachTold(tool, tool.operands, async (path) => {
      for (let at = path; at !== '.' && at !== '/'; at = dirOf(at)) {
        await tool.process.fs.rmdir(at).catch(saying((problem) => `'${at}': ${problem}`));
        if (!tool.has('p')) break;
      }
    });
  },
);

const touch = command(
  { letters: 'cd:r:ham', long: { 'no-create': 'c', date: 'd', reference: 'r' } },
  async (tool) => {
    if (tool.operands.length === 0) throw usage('missing operand');
    const { fs, clock } = tool.process;
    const reference = tool.options.value('r');
    const date = tool.options.value('d');
    const time =
      reference !== undefined
        ? (await fs.stat(reference)).modifiedAt
        : date !== undefined
          ? timeOf(date)
          : clock.now();
    await eachOperand(tool, tool.operands, async (path) => {
      if (!(await statIfAny(tool, path, true))) {
        if (tool.has('c')) return;
        await fs.writeFile(path, Buffer.alloc(0), { append: true });
      }
      await fs.utimes(path, time);
    });
  },
);

/** `@SECONDS`, or a date and time in UTC; Unix nanoseconds. */
function timeOf(text: string): bigint {
  const match = /^@(-?\d+)$/.exec(text);
  if (match) return BigInt(match[1] ?? 0) * 1_000_000_000n;
  const iso = /^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?$/.test(text) ? `${text.replace(' ', 'T')}` : '';
  const milliseconds = Date.parse(iso.includes('T') ? `${iso}Z` : iso);
  if (Number.isNaN(milliseconds)) throw new ToolError(`invalid date '${text}'`);
  return BigInt(milliseconds) * 1_000_000n;
}

const ln = command(
  { letters: 'sfnvT', long: { symbolic: 's', force: 'f', 'no-dereference': 'n' } },
  async (tool) => {
    const { fs } = tool.process;
    const targets = tool.operands.length === 1 ? tool.operands : tool.operands.slice(0, -1);
    const place = tool.operands.length === 1 ? '.' : tool.operands.at(-1);
    if (place === undefined) throw usage('missing operand');
    const at = await statIfAny(tool, place, !tool.has('n'));
    const isInto = at?.kind === 'directory' && !tool.has('T');
    if (targets.length > 1 && !isInto) throw new ToolError(`${place}: Not a directory`);
    await eachTold(tool, targets, async (target) => {
      const name = baseOf(target);
      const path = isInto ? (place === '.' ? name : joined(place, name)) : place;
      if (tool.has('f')) await fs.unlink(path).catch(() => {});
      const make = tool.has('s') ? fs.symlink(target, path) : fs.link(await hardTarget(tool, target), path);
      await make.catch(saying((problem) => `${path}: ${problem}`));
    });
  },
);

async function hardTarget(tool: Tool, target: string): Promise<string> {
  await tool.process.fs.lstat(target).catch(saying((problem) => `${target}: ${problem}`));
  return target;
}

const mktemp = command({ letters: 'dqup:t', long: { directory: 'd' } }, async (tool) => {
  const { env, fs } = tool.process;
  const [given] = tool.operands;
  const dir = tool.options.value('p') ?? env.get('TMPDIR') ?? '/tmp';
  const isBelow = given === undefined || tool.has('p') || tool.has('t');
  const template = isBelow ? joined(dir, given ?? 'tmp.XXXXXX') : given;
  const random = await fs.open('/dev/urandom', 'r');
  try {
    if (!template.endsWith('XXXXXX')) throw new ToolError('(null): Invalid argument');
    const path = template.slice(0, -6) + lettersOf(await random.read(6));
    const make = tool.has('d')
      ? fs.mkdir(path, 0o700)
      : fs.open(path, 'wx', 0o600).then((file) => file.close());
    await make.catch(saying((problem) => `(null): ${problem}`));
    if (tool.has('u')) await (tool.has('d') ? fs.rmdir(path) : fs.unlink(path));
    await tool.print(`${path}\n`);
  } finally {
    await random.close();
  }
});

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const lettersOf = (bytes: Buffer): string =>
  [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join('');

const truncate = command({ letters: 'cs:', long: { 'no-create': 'c', size: 's' } }, async (tool) => {
  const { fs } = tool.process;
  const text = tool.options.value('s');
  if (text === undefined || tool.operands.length === 0) throw usage('needs -s SIZE and a file');
  const match = /^(\d+)([kmg]?)$/i.exec(text);
  if (!match) throw new ToolError(`invalid number '${text}'`);
  const [, digits = '', unit = ''] = match;
  const size = Number(digits) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
  await eachOperand(
    tool,
    tool.operands,
    async (path) => {
      if (tool.has('c') && !(await statIfAny(tool, path, true))) return;
      await (await fs.open(path, 'a')).close();
      await fs.truncate(path, size);
    },
    (path, problem) => `${path}: open: ${problem}`,
  );
});

export const makeCommands: CommandTable = { mkdir, rmdir, touch, ln, mktemp, truncate };
