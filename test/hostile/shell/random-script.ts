import fc from '../../support/properties.js';

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's. */

const NAMES = ['a', 'b', 'c', 'i'] as const;
const FILES = [
  '/tmp/f',
  '/tmp/g',
  '/tmp/d/h',
  'r',
  '/dev/null',
  '/dev/zero',
  '/dev/shm/m',
  '/proc/self/environ',
];
const SIGNALS = ['USR1', 'TERM', 'CHLD', 'EXIT', 'INT', '0', 'KILL', 'STOP'] as const;

/** Words with special effects: long ones, patterns, extreme numbers. */
const LITERALS = [
  ...[
    'x',
    '""',
    "'a b'",
    '*',
    '/*',
    '/*/*',
    '[a-z]*',
    '-',
    '-1',
    '0',
    '7',
    '60000',
    '9223372036854775807',
    '\\n',
  ],
  ...[
    "'a\\|b'",
    "'(a+)+$'",
    '.*.*=',
    "'^[^,]*,'",
    's/x/yy/g',
    "'{print $1}'",
    "'{a[NR]=$0}'",
    "'BEGIN{while(1)i++}'",
    '%s',
    '%9999s',
  ],
  ...[
    '$a',
    '"$a"',
    '${a}',
    '"$@"',
    '$*',
    '$#',
    '$?',
    '$!',
    '$$',
    '${b:-x}',
    '${a:=y}',
    '${c:+$a$a}',
    '${#a}',
    '${i:?no}',
  ],
  ...[
    '${a%x*}',
    '${a%%x*}',
    '${a#*x}',
    '${a##*x}',
    '${a/x/yy}',
    '${a//x/yy}',
    '${a:1:3}',
    '$((i+1))',
    '$((i*i*i))',
  ],
];

/** Commands that copy, collect, start or print, with some of their options; words follow. */
const COMMANDS = [
  ...[
    'echo',
    'printf %s',
    'printf %60000s',
    'printf "%s %d\\n"',
    'test',
    '[',
    'read',
    'read -r a b',
    'read -n 5 c',
    'eval',
    'set --',
  ],
  ...[
    'set -e;',
    'set -x;',
    'set +x;',
    'shift',
    'export',
    'readonly c',
    'local',
    'unset',
    'cd',
    'pwd',
    'umask',
    'wait',
    'jobs',
    'type',
    'hash',
  ],
  ...[
    'command',
    'exec',
    'exit',
    'return',
    'break',
    'continue',
    'let',
    '. /tmp/f;',
    'getopts ab: c',
    'kill -9',
    'kill -USR1 $$;',
    'f',
    'g',
    'f f',
  ],
  ...[
    'cat',
    'head -n 3',
    'head -c 70000',
    'tail -n 2',
    'tail -c 70000',
    'sort',
    'sort -u',
    'sort -n -k 2',
    'uniq -c',
    'wc',
    'tr a-z A-Z',
  ],
  ...[
    'tr -d x',
    'cut -c 2-5',
    'cut -d , -f 2',
    'sed',
    'sed s/x/xx/g',
    'sed -n $p',
    'sed ":a;N;ba"',
    'awk',
    'awk "{s=s \\$0} END{print length(s)}"',
  ],
  ...[
    'grep x',
    'grep -c',
    'grep -v',
    'grep -E "(x*)*y"',
    'grep -r x',
    'seq 9',
    'seq 3000',
    'yes',
    'tee /tmp/g',
    'base64',
    'base64 -d',
  ],
  ...[
    'md5sum',
    'sha256sum',
    'diff /tmp/f',
    'cmp /tmp/f',
    'dd bs=64k count=40',
    'dd if=/dev/zero bs=1M count=9',
    'dd if=/dev/urandom bs=9 count=9',
  ],
  ...[
    'find',
    'find / -name x',
    'find . -exec echo {} +',
    'ls',
    'ls -lR',
    'rm -rf',
    'rm -f r',
    'cp -r',
    'cp /tmp/f',
    'mv',
    'mv /tmp/f',
    'mkdir -p d/e/f',
  ],
  ...[
    'mkdir -p',
    'rmdir',
    'ln -s',
    'ln -s .',
    'chmod -R 700',
    'touch',
    'truncate -s 9M',
    'stat',
    'du',
    'tar cf /tmp/g',
    'tar cf -',
    'which',
    'mktemp',
  ],
  ...[
    'xargs',
    'xargs -n 1 echo',
    'xargs -n 9999 echo',
    'env',
    'env -i sh -c',
    'sh -c',
    'sh',
    'nohup',
    'timeout 0.05',
    'sleep 0.01',
    'sleep 1',
    'ps',
    'pkill',
    'date',
  ],
  ...[
    'time',
    'id',
    'df',
    'mount',
    'top -n 1',
    'wget http://10.0.0.1/',
    'nc 10.0.0.1 80',
    'nc -l -p 8080',
    'hostname',
    'dmesg',
    ':',
    'true',
    'false',
  ],
] as const;

/** Loops with growing data. */
const GROWTHS = [
  'a=$a$a',
  'a=x$a$a',
  'a="$a x y"',
  'b=$b$(echo $a)',
  'i=$((i+1))',
  'set -- "$@" "$@" x',
  'set -- $a $*',
  'eval "v$i=\\$a"',
  'eval "f$i() { echo $a; }"',
  'echo "$a" >>/tmp/f',
  'trap "echo $a" USR1',
  'export e$i=$a',
] as const;

const REDIRECTIONS = ['>', '>>', '<', '<>', '2>', '&>', '>|', '3<', '4>'] as const;
const DUPLICATES = ['2>&1', '>&2', '<&-', '3>&1', '>&3', '<&3', '2>&-'] as const;
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's. */

type Piece = fc.Arbitrary<string>;

const of = (all: readonly string[]): Piece => fc.constantFrom(...all);
const some = (piece: Piece, separator: string, most: number): Piece =>
  fc.array(piece, { maxLength: most }).map((parts) => parts.join(separator));
const script = (texts: TemplateStringsArray, ...pieces: readonly Piece[]): Piece =>
  fc.tuple(...pieces).map((parts) => String.raw({ raw: texts }, ...parts));

const commandName = of(COMMANDS);
const growth = of(GROWTHS);
const name = of(NAMES);
const condition = of([':', 'read a', '[ $i -lt 30 ]', 'sleep 0.01', 'f', 'i=$((i+1))']);
const pattern = of(['x*', '*x*x*', '?', '[!a]*|b', '"$a"']);
const quotable = of(LITERALS.filter((text) => !/["'\\]/.test(text)));
const trapped = of([...GROWTHS, ...COMMANDS].filter((text) => !text.includes("'")));
const separator = of(['; ', '; ', '; ', '\n', ' & ']);

/** Compound commands nest, usually not deeply. */
const NESTING = {
  depthIdentifier: fc.createDepthIdentifier(),
  maxDepth: 4,
  depthSize: 'small',
  withCrossShrink: true,
} as const;

const weighted = (...choices: readonly (readonly [weight: number, arbitrary: Piece])[]): Piece =>
  fc.oneof(NESTING, ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const grammar = fc.letrec<Record<'word' | 'command' | 'list', string>>((tie) => {
  const [word, command, list] = [tie('word'), tie('command'), tie('list')];
  const words = some(word, ' ', 3);
  const redirection = fc.oneof(
    script`${of(REDIRECTIONS)}${of(FILES)}`,
    of(DUPLICATES),
    script`<<<${of(LITERALS)}`,
  );
  const redirected = some(redirection, ' ', 2);
  const items = fc.oneof(words, of(['$(seq 200)', '1 2 3', '/*/*', '$(cat /tmp/f)']));
  return {
    word: weighted(
      [8, of([...LITERALS, ...FILES])],
      [1, script`$(${list})`],
      [1, script`"${quotable}$a$(${list})"`],
      [1, script`\`${commandName}\``],
      [1, script`\${a:-${word}}`],
    ),
    command: weighted(
      [9, script`${commandName} ${words} ${redirected}`],
      [4, growth],
      [2, script`${name}=${word}`],
      [2, script`{ ${commandName} ${word} <<E\n${words}\n${word}\nE\n}`],
      [4, script`${command} | ${command}`],
      [2, script`${command} | ${command} | ${command}`],
      [1, script`${command} && ${command}`],
      [1, script`${command} || ${command}`],
      [1, script`! ${command}`],
      [2, script`if ${list}; then ${list}; else ${list}; fi ${redirected}`],
      [3, script`while ${condition}; do ${list}; ${growth}; done ${redirected}`],
      [1, script`until ${command}; do ${list}; done`],
      [3, script`for ${name} in ${items}; do ${list}; done ${redirected}`],
      [2, script`case ${word} in ${pattern}) ${list};; *) ${list};; esac`],
      [2, script`f() { ${list}; }`],
      [1, script`g() { ${list}; }; g ${words}`],
      [2, script`(${list}) ${redirected}`],
      [1, script`{ ${list}; } ${redirected}`],
      [2, script`trap '${trapped}' ${of(SIGNALS)}`],
    ),
    list: fc
      .tuple(command, fc.array(fc.tuple(separator, command), { maxLength: 3 }))
      .map(([first, others]) => first + others.map((parts) => parts.join('')).join('')),
  };
});

/**
 * Scripts of the shell's grammar (POSIX XCU 2.10, and bash's additions) that end, fail, run forever, or take as much as
 * they can.
 */
export const randomScript: Piece = grammar.list;
