/**
 * Program and first arguments of the TypeScript compiler: the native one, which takes a third of the time, where npm has it
 * for this platform; otherwise the one in JavaScript. Only the latter has an interface for programs that is stable, which
 * dependency-cruiser and the tests of docs use.
 */
export const compiler = await import('./node_modules/typescript-native/lib/getExePath.js')
  // It throws where npm has installed the package without a program for the platform.
  .then(({ default: path }) => [path()])
  .catch(() => [process.execPath, 'node_modules/typescript/bin/tsc']);
