import { normalize } from 'node:path/posix';
import { commandNames } from '../../../src/linux/commands/index.js';
import { type ImageDirectory, lookupImage } from '../../../src/linux/fs/image-tree.js';
import type { Command, Redirection, SimpleCommand, Word } from '../../../src/linux/shell/syntax/ast.js';
import { parseScript } from '../../../src/linux/shell/syntax/parser.js';

export interface Surroundings {
  readonly root: ImageDirectory;
  /** Paths of the programs that only this image has. */
  readonly programs: readonly string[];
  readonly mounts: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  /** Whether another host's name leads to simulated pods. */
  readonly hasHost: (name: string) => boolean;
  readonly hasUnknownServer: boolean;
}

export interface Need {
  /** An applet is a program of busybox. */
  readonly kind: 'program' | 'applet' | 'file' | 'host' | 'network';
  /** In words: `java is not simulated`. */
  readonly text: string;
}

/** Returns the first part of a command line that is not simulated; undefined if all of it is. */
export function needOf(line: readonly string[], around: Surroundings): Need | undefined {
  return new Reader(around).ofLine(line);
}

const RUNNERS = new Set(['exec', 'env', 'nice', 'nohup', 'setsid', 'time', 'command', 'timeout', 'xargs']);

const SHELLS = new Set(['sh', 'ash', 'bash']);

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const BUILTINS = words(`: . [ break cd continue eval exec exit export false fg getopts hash jobs local printf
  read readonly return set shift source trap true type ulimit umask unset wait`);

/** Commands whose operands are not files, or files that need not exist. */
const WITHOUT_FILES =
  words(`: alias arch basename break continue date dirname echo eval exit export false getopts hash
  hostname id kill killall local pgrep pidof pkill printf pwd read readonly return rm seq set shift sleep sysctl time trap
  true type ulimit umask unset wait which whoami yes`);

const WITH_FILES =
  words(`. base64 cat chgrp chmod chown cmp cp diff head ln md5sum mv readlink realpath sha1sum sha256sum
  sha512sum sort source stat tail tar wc`);

/** Their first operand is a pattern, a mode or an owner. */
const WITH_PATTERN = words('awk chgrp chmod chown cut egrep fgrep grep sed tr');

const MAKERS = words('mkdir mktemp tee touch truncate');

const COPIERS = words('cp ln mv');

const OF_THE_HOST = words('chroot mount nsenter umount unshare');

/** Applets of busybox's image in addition to the simulated commands (`busybox --list`) that containers may use. */
const APPLETS =
  words(`addgroup adduser alias ar arp arping bc bg bunzip2 bzcat bzip2 cal chattr chpasswd cksum clear comm cpio
  crond crontab cryptpw dc delgroup deluser depmod dnsd dnsdomainname dos2unix ed envdir expand expr factor fallocate flock
  fold fsync ftpd ftpget ftpput fuser getopt gunzip gzip hostid hwclock inetd insmod install ionice iostat ipcalc ipcrm
  last less link linux64 login logname logread losetup lsattr lsmod lsof lzcat lzma makemime mesg mkfifo mknod mkpasswd
  mkswap modinfo modprobe more mountpoint mpstat nologin ntpd od passwd paste patch pivot_root pmap pstree pwdx
  renice rmmod route run-parts runsv runsvdir script sendmail setarch setpriv shred shuf split ssl_client start-stop-daemon strings
  su sum sv svlogd swapoff swapon syslogd taskset tcpsvd tftp tftpd traceroute tsort ttysize udhcpc udpsvd times unalias unexpand unix2dos unlink
  unlzma unxz unzip usleep uudecode uuencode vi watch watchdog whois xz xzcat zcat`);

/** Network clients: their operands include a host. */
const CLIENTS = words('curl dig nc netcat nslookup ping telnet traceroute wget');

/** Clients that open a connection: a Service doesn't answer a ping. */
const CONNECTING = words('curl nc netcat wget');

/** Reads a command line in the order of execution: files that it creates exist afterwards. */
class Reader {
  readonly #around: Surroundings;
  readonly #made = new Set<string>();
  readonly #functions = new Set<string>();
  readonly #values: Map<string, string>;
  /** Nesting of command substitutions. */
  #depth = 0;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#values = new Map(around.env);
  }

  ofLine(line: readonly (string | undefined)[]): Need | undefined {
    const [name, ...rest] = line;
    if (name === undefined)
      return line.length === 0 ? undefined : program('a program that its script chooses');
    if (RUNNERS.has(name)) return this.#ofRunner(name, rest);
    if (SHELLS.has(baseName(name)) && isCommand(name)) return this.#ofShell(name, rest);
    if (this.#functions.has(name)) return undefined;
    if (!this.#isSimulated(name) && !BUILTINS.has(name)) return program(name);
    const command = baseName(name);
    return this.#ofHost(command, rest) ?? this.#ofNetwork(command, rest) ?? this.#ofFiles(command, rest);
  }

  #ofRunner(name: string, rest: readonly (string | undefined)[]): Need | undefined {
    const next = rest.findIndex((word) => word === undefined || !/^-|=|^\d/.test(word));
    return next < 0 ? undefined : this.ofLine(name === 'xargs' ? [rest[next]] : rest.slice(next));
  }

  /** `sh -c SCRIPT`. `sh FILE` is unknown, and `sh` reads the user's input. */
  #ofShell(name: string, rest: readonly (string | undefined)[]): Need | undefined {
    const option = rest.findIndex((word) => word !== undefined && /^-[a-z]*c$/.test(word));
    if (option < 0) {
      const file = rest.find((word) => word === undefined || !word.startsWith('-'));
      return rest.length === 0 || file === undefined ? undefined : program(`the script ${file}`);
    }
    const script = rest[option + 1];
    if (script === undefined) return program('a script that it makes');
    try {
      return this.#ofScript(script);
    } catch {
      return program(`a script of ${name} that the simulated shell can't read`);
    }
  }

  #ofScript(script: string): Need | undefined {
    const parser = parseScript(script);
    // A function may be called before its definition has run.
    const all: Command[] = [];
    for (let next = parser.next(); next !== undefined; next = parser.next()) all.push(next);
    for (const command of all) this.#define(command);
    return this.#first(all);
  }

  #define(command: Command): void {
    if (command.kind === 'function') this.#functions.add(command.name);
    for (const inner of partsOf(command)) this.#define(inner);
  }

  #first(commands: readonly Command[]): Need | undefined {
    for (const command of commands) {
      const need = this.#ofCommand(command);
      if (need !== undefined) return need;
    }
    return undefined;
  }

  #ofCommand(command: Command): Need | undefined {
    if (command.kind === 'for')
      for (const word of command.words ?? []) {
        const need = this.#ofPath(this.#textOf(word), false);
        if (need !== undefined) return need;
      }
    const isRead = command.kind === 'simple' || (command.kind === 'pipeline' && command.stages.length > 1);
    if (isRead) this.#depth++;
    const inner = this.#first(partsOf(command));
    if (isRead) this.#depth--;
    if (inner !== undefined) return inner;
    const own = command.kind === 'simple' ? this.#ofSimple(command) : undefined;
    return own ?? ('redirections' in command ? this.#ofRedirections(command.redirections) : undefined);
  }

  #ofSimple({ assignments, words }: SimpleCommand): Need | undefined {
    for (const { name, value } of assignments) {
      const text = this.#textOf(value);
      if (text === undefined) this.#values.delete(name);
      else this.#values.set(name, text);
    }
    return this.ofLine(words.map((word) => this.#textOf(word)));
  }

  #ofRedirections(redirections: readonly Redirection[]): Need | undefined {
    for (const { operator, target } of redirections) {
      const path = this.#textOf(target);
      if (path === undefined || /^(<<|<&|>&|<<<)$/.test(operator)) continue;
      const need = operator === '<' ? this.#ofPath(path, true) : this.#make(path);
      if (need !== undefined) return need;
    }
    return undefined;
  }

  #ofHost(command: string, rest: readonly (string | undefined)[]): Need | undefined {
    const isOfHost = OF_THE_HOST.has(command) && rest.length > 0;
    return isOfHost ? { kind: 'host', text: `${command} needs the node` } : undefined;
  }

  #ofNetwork(command: string, rest: readonly (string | undefined)[]): Need | undefined {
    if (
      !CLIENTS.has(command) ||
      rest.some((word) => word !== undefined && /^-\w*l/.test(word) && isListener(command))
    )
      return undefined;
    const hosts = hostsIn(command, rest);
    const isKnown = (host: string | undefined) =>
      host !== undefined &&
      (isItself(host) ? !this.#around.hasUnknownServer : this.#isAnswered(command, host, rest));
    const unknown = hosts.find((host) => !isKnown(host));
    if (hosts.length > 0 && hosts.every(isKnown)) return undefined;
    return {
      kind: 'network',
      text: `${command} asks ${unknown ?? 'a host that its script chooses'}, which is not here`,
    };
  }

  /** Whether a Service gives its real reply: the contents and encryption of its pods' replies are unknown. */
  #isAnswered(command: string, host: string, rest: readonly (string | undefined)[]): boolean {
    const isLookup = command === 'nslookup' || command === 'dig';
    const isPlain = this.#depth === 0 && !rest.some((word) => /^https:/i.test(word ?? ''));
    return this.#around.hasHost(host) && (isLookup || (CONNECTING.has(command) && isPlain));
  }

  #ofFiles(command: string, rest: readonly (string | undefined)[]): Need | undefined {
    const operands = rest.filter((word) => word === undefined || !/^-(?!$)/.test(word));
    if (MAKERS.has(command)) return this.#makeAll(operands);
    if (WITHOUT_FILES.has(command)) return undefined;
    const files = operands.slice(WITH_PATTERN.has(command) ? 1 : 0);
    const isCopy = COPIERS.has(command) && files.length > 1;
    const read = isCopy ? files.slice(0, -1) : command === 'find' ? files.slice(0, 1) : files;
    for (const word of read) {
      const need = this.#ofPath(word, WITH_FILES.has(command));
      if (need !== undefined) return need;
    }
    return isCopy ? this.#make(files.at(-1)) : undefined;
  }

  #makeAll(paths: readonly (string | undefined)[]): Need | undefined {
    for (const path of paths) {
      const need = this.#make(path);
      if (need !== undefined) return need;
    }
    return undefined;
  }

  /** The directory of a created file must exist. */
  #make(path: string | undefined): Need | undefined {
    if (path === undefined || !isPath(path)) return undefined;
    if (/^\/(proc|sys)\//.test(path)) return { kind: 'host', text: `it writes ${path}` };
    const whole = normalize(path).replace(/(?<=.)\/$/, '');
    if (!this.#isThere(whole.slice(0, whole.lastIndexOf('/')) || '/')) return fileOf(path);
    this.#made.add(whole);
    return undefined;
  }

  /** Checks a word that is read. A word with an unknown value counts as existing. */
  #ofPath(word: string | undefined, isFile: boolean): Need | undefined {
    if (word === undefined || word === '-' || word === '') return undefined;
    if (!isPath(word))
      // A number is more often the value of an option than a file.
      return isFile && !/[*?[]|^\d+$/.test(word) && !this.#made.has(word) ? fileOf(word) : undefined;
    const glob = word.search(/[*?[]/);
    const path = glob < 0 ? word : word.slice(0, word.lastIndexOf('/', glob)) || '/';
    return this.#isThere(normalize(path)) ? undefined : fileOf(word);
  }

  #isThere(path: string): boolean {
    const { root, mounts } = this.#around;
    // The kernel's own files exist wherever they are simulated.
    if (/^\/(proc\/(?!1\/)|sys\/|dev\/)/.test(path)) return true;
    const isBelow = (parent: string) => path === parent || path.startsWith(`${parent.replace(/\/$/, '')}/`);
    if (mounts.some(isBelow) || [...this.#made].some(isBelow)) return true;
    return (
      lookupImage(root, path) !== undefined ||
      [...mounts, ...this.#made].some((each) => each.startsWith(`${path}/`))
    );
  }

  #isSimulated(name: string): boolean {
    const { programs } = this.#around;
    if (programs.some((path) => path === name || (!name.includes('/') && baseName(path) === name)))
      return true;
    return isCommand(name) && commandNames.includes(baseName(name));
  }

  /** The value of a word, if it is known before the script runs. */
  #textOf(word: Word): string | undefined {
    let text = '';
    for (const part of word) {
      const known =
        part.kind === 'literal'
          ? part.text
          : part.kind === 'parameter'
            ? this.#valueOf(part.name)
            : undefined;
      if (known === undefined || (part.kind === 'parameter' && part.operation !== undefined))
        return undefined;
      text += known;
    }
    return text;
  }

  #valueOf(name: string): string | undefined {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    // The kubelet adds it to the pod's variables (enableServiceLinks).
    const service = /^(\w+)_SERVICE_HOST$/.exec(name)?.[1]?.toLowerCase().replaceAll('_', '-') ?? '';
    return this.#around.hasHost(service) ? service : undefined;
  }
}

const program = (name: string): Need => ({
  kind: APPLETS.has(baseName(name)) && isCommand(name) ? 'applet' : 'program',
  text: `${name} is not simulated`,
});
const fileOf = (path: string): Need => ({ kind: 'file', text: `only the image has ${path}` });

const isPath = (word: string): boolean => /^(\/|\.\.?\/)/.test(word);
const isCommand = (name: string): boolean => /^(\/usr)?(\/local)?\/s?bin\/[^/]+$|^[^/]+$/.test(name);
const isListener = (command: string): boolean => command === 'nc' || command === 'netcat';

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isItself = (host: string): boolean => /^(localhost|127\.[\d.]+|0\.0\.0\.0|::1|\[::1\])$/.test(host);

/** The hosts that a client contacts; undefined for a word that only the script knows. */
function hostsIn(command: string, rest: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const hosts = rest.flatMap((word) => {
    if (word === undefined) return [undefined];
    const url = /^[a-z]+:\/\/(?:[^@/]*@)?([^/:?#]+|\[[^\]]+\])/i.exec(word);
    if (url !== null) return [url[1]];
    return /^[a-z][a-z0-9.-]*$|^\d+\.\d+\.\d+\.\d+(?=$|[:/])/i.test(word) ? [word.replace(/[:/].*/, '')] : [];
  });
  const isWebClient = command === 'curl' || command === 'wget';
  const urls = rest.filter(
    (word) => word === undefined || /:\/\/|^localhost|^[a-z0-9-]+(\.[a-z0-9-]+)*:\d+/i.test(word),
  );
  // An option's value may look like a host name; only a URL is certain.
  if (isWebClient && urls.length > 0)
    return urls.map((word) => word?.replace(/^[a-z]+:\/\/(?:[^@/]*@)?/i, '').replace(/[:/?#].*/, ''));
  return isWebClient ? hosts : hosts.slice(0, 1);
}

function partsOf(command: Command): readonly Command[] {
  switch (command.kind) {
    case 'simple': {
      const words = [...command.words, ...command.assignments.map(({ value }) => value)];
      return words.flat().flatMap((part) => (part.kind === 'substitution' ? [part.command] : []));
    }
    case 'pipeline':
      return command.stages;
    case 'and-or':
      return [command.left, command.right];
    case 'sequence':
      return command.items.map((item) => item.command);
    case 'if': {
      const { clauses, otherwise } = command;
      return [
        ...clauses.flatMap(({ condition, body }) => [condition, body]),
        ...(otherwise ? [otherwise] : []),
      ];
    }
    case 'loop':
      return [command.condition, command.body];
    case 'case':
      return command.items.map(({ body }) => body);
    default:
      return [command.body];
  }
}
