import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { packagePath } from '../../base/input/package-path.js';
import { changesOf } from './changes.js';
import { readProto } from './read.js';

const directory = useTemporaryDirectory();
const shipped = readProto(packagePath('proto'));
const text = readFileSync(packagePath('proto/runtime/v1/api.proto'), 'utf8');
const write = (name: string, content: string): string => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};
const changed = (from: string | RegExp, to: string) => {
  const after = text.replace(from, to);
  expect(after).not.toBe(text);
  const path = write('changed.proto', after);
  return changesOf(path, shipped, readProto(path));
};

test('the shipped file has no difference', () => {
  expect(changesOf('', shipped, shipped)).toMatchObject({ lines: [], rpcs: [] });
});

test.each([
  [
    /(message ExecRequest \{)/,
    '$1 repeated KeyValue envs = 20;',
    '+ ExecRequest.envs = 20 (repeated KeyValue)',
  ],
  [/(message ExecRequest \{)/, '$1 map<string, int64> m = 20;', '+ ExecRequest.m = 20 (map<string, int64>)'],
  [/(enum Protocol \{)/, '$1 QUIC = 7;', '+ Protocol.QUIC = 7'],
  [/bool tty = 3;/, '', '- ExecRequest.tty = 3'],
  [/bool tty = 3;/, 'bool terminal = 3;', '~ ExecRequest.tty = 3 is called terminal; the shipped name stays'],
  [/$/, 'message Ulimit { string name = 1; int64 hard = 2; }', '+ message Ulimit (name, hard)'],
  [/$/, 'enum Mode { OFF = 0; ON = 1; }', '+ enum Mode (OFF, ON)'],
  [
    /(service RuntimeService \{)/,
    '$1 rpc Freeze(ExecRequest) returns (stream ExecResponse) {}',
    '+ rpc RuntimeService.Freeze(ExecRequest) returns (stream ExecResponse)',
  ],
])('%s with %s is the change %s', (from, to, line) => {
  expect(changed(from, to).lines).toEqual([line]);
});

test.each([
  [
    /bool tty = 3;/,
    'string tty = 3;',
    'ExecRequest.tty = 3 (string): number 3 is tty, of type bool, in the shipped file',
  ],
  [
    /bool tty = 3;/,
    'bool tty = 30;',
    'ExecRequest.tty = 30 (bool): tty has the number 3 in the shipped file',
  ],
  [/UDP = 1;/, 'UDP = 5;', 'Protocol.UDP = 5: it is 1 in the shipped file'],
  [
    /rpc Attach\(AttachRequest\)/,
    'rpc Attach(ExecRequest)',
    'rpc RuntimeService.Attach: its messages are others than in the shipped file',
  ],
])('%s with %s is incompatible', (from, to, problem) => {
  expect(() => changed(from, to)).toThrow(`incompatible with CRI v1: ${problem}`);
});

test.each([
  [
    'broken.proto',
    'syntax = "proto3";\npackage runtime.v1;\nmessage A { string = }',
    /broken\.proto: .*line 3/,
  ],
  [
    'cut.proto',
    'syntax = "proto3"; package runtime.v1; message A { strin',
    'cut.proto: it ends within a declaration',
  ],
  ['empty.proto', '', /empty\.proto: it has no message of the package runtime\.v1/],
  ['other.proto', 'syntax = "proto3"; package v2; message A {}', /no message of the package runtime\.v1/],
  [
    'unknown.proto',
    'syntax = "proto3"; package runtime.v1; message A { google.protobuf.Duration d = 1; }',
    /A\.d: the type google\.protobuf\.Duration is neither a scalar nor in runtime\.v1/,
  ],
  [
    'client.proto',
    'syntax = "proto3"; package runtime.v1; message A {} service S { rpc R(stream A) returns (A) {} }',
    /S\.R: clients of CRI send one message/,
  ],
])('%s is refused', (name, content, message) => {
  expect(() => readProto(write(name, content))).toThrow(message);
});

test('a file that is too large, absent, or a directory without one is refused', () => {
  const large = write('large.proto', '');
  truncateSync(large, 10 * 1024 * 1024);
  expect(() => readProto(large)).toThrow(
    'large.proto: it has more than 1048576 bytes, which is the most that is read',
  );
  expect(() => readProto(join(directory, 'absent'))).toThrow(/absent: .*no such file/);
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  expect(() => readProto(join(directory, 'pipe'))).toThrow('it is a pipe; give a regular file');
  mkdirSync(join(directory, 'none'));
  expect(() => readProto(join(directory, 'none'))).toThrow('none: the directory has no .proto file');
});

test('a checkout of Kubernetes is read where it keeps the file', () => {
  const at = join(directory, 'k8s/staging/src/k8s.io/cri-api/pkg/apis/runtime/v1');
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'api.proto'), text);
  expect(readProto(join(directory, 'k8s')).rpcs).toEqual(shipped.rpcs);
});
