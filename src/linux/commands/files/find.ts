import { joined } from '../kit/paths.js';
import { command, eachOperand, type Tool } from '../kit/tool.js';
import type { CommandTable, Programs } from '../programs.js';
import { ExpressionParser, type Plan } from './find-expression.js';
import type { Visit } from './find-tests.js';

const find = (programs: Programs) =>
  command({ isRaw: true }, async (tool) => {
    const start = tool.args.findIndex((word) => /^[-!(]/.test(word) && !/^-[LHP]$/.test(word));
    const before = start < 0 ? tool.args : tool.args.slice(0, start);
    const paths = before.filter((word) => !/^-[LHP]$/.test(word));
    const plan = new ExpressionParser(
      tool,
      programs,
      start < 0 ? [] : tool.args.slice(start),
      before.includes('-L'),
    ).plan();
    await eachOperand(tool, paths.length > 0 ? paths : ['.'], (path) => walk(tool, plan, path, 0));
    await plan.finish();
  });

async function walk(tool: Tool, plan: Plan, path: string, depth: number): Promise<void> {
  const { fs } = tool.process;
  const stat = plan.follows ? await fs.stat(path).catch(() => fs.lstat(path)) : await fs.lstat(path);
  const visit: Visit = { path, stat, depth, isPruned: false };
  const check = async () => {
    if (depth >= plan.minDepth) await plan.test(visit);
  };
  if (!plan.isDepthFirst) await check();
  if (stat.kind === 'directory' && depth < plan.maxDepth && !visit.isPruned) {
    await eachOperand(
      tool,
      await fs.readdir(path).catch(async (error: Error) => {
        await tool.complain(`${path}: ${error.message}`);
        return [];
      }),
      (name) => walk(tool, plan, joined(path, name), depth + 1),
    );
  }
  if (plan.isDepthFirst) await check();
}

export const findCommands = (programs: Programs): CommandTable => ({ find: find(programs) });
