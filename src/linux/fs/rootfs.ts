import { groupFile, passwdFile } from '../accounts.js';
import type { ImageContent } from './image-content.js';
import { directory, executable, file, type ImageDirectory, type ImageNode, link, put } from './image-tree.js';

const OS_RELEASE =
  'NAME="Mockri simulated Linux"\nID=mockri\nVERSION_ID="1"\nPRETTY_NAME="Mockri simulated Linux"\n';

/** Directories of every image: runc needs them as mount points. */
const BARE: Readonly<Record<string, ImageNode>> = {
  dev: directory(),
  etc: directory(),
  proc: directory({}, 0o555),
  sys: directory({}, 0o555),
};

const ETC = directory({
  group: file(groupFile()),
  'nsswitch.conf': file('passwd: files\ngroup: files\nhosts: files dns\n'),
  'os-release': file(OS_RELEASE),
  passwd: file(passwdFile()),
  shells: file('/bin/sh\n/bin/ash\n'),
});

/** The root of an image: busybox's layout (every command in /bin), or its own files only. Images share parts. */
export function createRoots(
  commands: readonly string[],
): (content: ImageContent | undefined) => ImageDirectory {
  const bin = directory(Object.fromEntries(commands.map((name) => [name, executable(name)])));
  const busybox = directory({
    ...BARE,
    bin,
    etc: ETC,
    home: directory(),
    lib: directory(),
    mnt: directory(),
    opt: directory(),
    root: directory({}, 0o700),
    run: directory(),
    sbin: directory(),
    srv: directory(),
    tmp: directory({}, 0o1777),
    usr: directory({
      bin: directory({ env: link('/bin/env') }),
      lib: directory(),
      local: directory({ bin: directory() }),
      sbin: directory(),
    }),
    var: directory({
      lib: directory(),
      log: directory(),
      run: link('/run'),
      spool: directory(),
      tmp: directory({}, 0o1777),
      www: directory({}, 0o755, 33),
    }),
  });
  const roots = new WeakMap<ImageContent, ImageDirectory>();
  return (content) => {
    if (content === undefined) return busybox;
    const known = roots.get(content) ?? build(content, content.hasShell ? busybox : directory(BARE));
    roots.set(content, known);
    return known;
  };
}

function build(content: ImageContent, base: ImageDirectory): ImageDirectory {
  const { programs, files } = content;
  let root = base;
  if (content.accounts || content.groups) {
    root = put(root, '/etc/passwd', file(passwdFile(content)));
    root = put(root, '/etc/group', file(groupFile(content)));
  }
  for (const [path, program] of Object.entries(programs)) root = put(root, path, executable(program));
  for (const [path, text] of Object.entries(files)) root = put(root, path, file(text));
  return root;
}
