// Checks the types of the sources and of the timeline page.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiler } from './compiler.mjs';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
const [program, ...first] = compiler;
const projects = [
  ['--incremental', '--tsBuildInfoFile', '.build/types.tsbuildinfo'],
  ['-p', 'src/tape/viewer/page'],
];
const failed = projects.filter(
  (options) => spawnSync(program, [...first, '--noEmit', ...options], { stdio: 'inherit' }).status !== 0,
);
process.exitCode = failed.length > 0 ? 1 : 0;
