// Preloaded by a process (--import): it is killed with SIGKILL in the middle of a write. KILL_AT is `NUMBER PATH`, the number of
// the write to files whose paths contain that.
import { readlinkSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

const [number, path] = (process.env.KILL_AT ?? '0 ').split(' ');
let left = Number(number);

const handle = await open('/dev/null');
const prototype = Object.getPrototypeOf(handle);
await handle.close();

function patch(name, bytesOf, positionOf) {
  const original = prototype[name];
  prototype[name] = function (...args) {
    if (left > 0 && readlinkSync(`/proc/self/fd/${this.fd}`).includes(path) && --left === 0) {
      const bytes = bytesOf(args);
      writeSync(this.fd, bytes, 0, bytes.length >> 1, positionOf(args));
      process.kill(process.pid, 'SIGKILL');
    }
    return original.apply(this, args);
  };
}

const asBuffer = (data) =>
  typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
patch(
  'write',
  ([data, offset = 0, length]) =>
    asBuffer(data).subarray(offset, length === undefined ? undefined : offset + length),
  (args) => args[3] ?? null,
);
patch(
  'writev',
  ([list]) => Buffer.concat(list.map(asBuffer)),
  (args) => args[1] ?? null,
);
patch(
  'writeFile',
  ([data]) => asBuffer(data),
  () => null,
);
