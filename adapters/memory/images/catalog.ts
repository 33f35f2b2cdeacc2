import { createHash } from 'node:crypto';
import { formatImageReference, type ImageReference } from '../../../src/cri/image-reference.js';
import { localhostCertificate } from '../../../src/linux/commands/network/localhost-certificate.js';
import type { ImageContent } from '../../../src/linux/fs/image-content.js';

/** `size` is in bytes. */
export interface Layer {
  readonly digest: string;
  readonly size: number;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface Known extends Partial<ImageContent> {
  readonly match: RegExp;
  /** Whether the real image has programs and files that this one lacks. */
  readonly isPart?: boolean;
}

/** Images that run a shell without a command; all but busybox have more programs. */
const SHELL_IMAGES =
  /(^|\/)(busybox|alpine|debian|ubuntu|bash|centos|fedora|rockylinux|almalinux|amazonlinux|ubi\d*(-minimal)?)[:@]/;

/** Files that nginx configs include; their settings are not simulated. */
const INCLUDED = {
  '/etc/nginx/mime.types': 'types {\n    text/html html htm shtml;\n    text/plain txt;\n}\n',
  ...Object.fromEntries(
    ['fastcgi', 'scgi', 'uwsgi'].map((name) => [
      `/etc/nginx/${name}_params`,
      `${name}_param QUERY_STRING $query_string;\n`,
    ]),
  ),
};

const nginx = (port: number) => ({
  isPart: true,
  command: ['nginx', '-g', 'daemon off;'],
  programs: { '/usr/sbin/nginx': 'nginx' },
  files: {
    '/etc/nginx/nginx.conf': 'events {}\nhttp {\n    include /etc/nginx/conf.d/*.conf;\n}\n',
    ...INCLUDED,
    '/etc/nginx/conf.d/default.conf': `server {\n    listen ${port};\n    location / {\n        root /usr/share/nginx/html;\n        index index.html index.htm;\n    }\n}\n`,
    '/usr/share/nginx/html/index.html':
      '<!DOCTYPE html>\n<html>\n<head><title>Welcome to nginx!</title></head>\n<body><h1>Welcome to nginx!</h1></body>\n</html>\n',
    '/usr/share/nginx/html/50x.html':
      '<!DOCTYPE html>\n<html><body><h1>An error occurred.</h1></body></html>\n',
  },
});

const PREDEFINED_GROUP = {
  accounts: [{ name: 'default-user', uid: 1000, gid: 1000, home: '/home/default-user' }],
  groups: [{ name: 'group-defined-in-image', gid: 50_000, members: ['default-user'] }],
};

/** Images with properties that tools rely on (critest's among them); the first match counts. */
const KNOWN: readonly Known[] = [
  { match: /\/test-image-tags:/, key: 'test-image-tags' },
  { match: /\/test-image-user-uid-group[:@]/, uid: 1003, gid: 1003 },
  { match: /\/test-image-user-uid[:@]/, uid: 1002 },
  { match: /\/test-image-user-username(-group)?[:@]/, username: 'www-data' },
  { match: /\/test-image-predefined-group[:@]/, uid: 1000, ...PREDEFINED_GROUP },
  { match: /\/hostnet-nginx[^/]*[:@]/, ...nginx(12003) },
  {
    match: /\/pause[:@]/,
    command: ['/pause'],
    pinned: true,
    hasShell: false,
    programs: { '/pause': 'pause' },
  },
  {
    match: /\/agnhost[:@]/,
    entrypoint: ['/agnhost'],
    command: ['pause'],
    programs: { '/agnhost': 'agnhost', '/agnhost-2': 'agnhost' },
    get files() {
      return localhostCertificate();
    },
  },
  { match: /(?<!bitnami)\/nginx(-slim)?[:@]/, ...nginx(80) },
  {
    match: /\/httpd[:@]/,
    isPart: true,
    command: ['httpd-foreground'],
    programs: {
      '/usr/local/bin/httpd-foreground': 'httpd-foreground',
      '/usr/local/apache2/bin/httpd': 'apache-httpd',
    },
    files: { '/usr/local/apache2/htdocs/index.html': '<html><body><h1>It works!</h1></body></html>\n' },
  },
  { match: /\/nonroot[:@]/, uid: 1234 },
  { match: /\/nonewprivs[:@]/, command: ['/nnp'], uid: 1000, programs: { '/nnp': 'nnp' } },
  { match: /\/distroless\/|\/distroless[^/]*[:@]/, hasShell: false, command: [] },
];

/** The content of a reference: a known image, or one derived from the name, always the same. */
export function contentOf(reference: ImageReference): ImageContent {
  const name = formatImageReference(reference);
  const { match: _, isPart: __, ...properties } = findKnown(name) ?? { match: undefined };
  const usual = { command: ['sh'], env: { PATH }, pinned: false, hasShell: true, programs: {}, files: {} };
  return { key: keyOf(reference), ...usual, ...properties };
}

/** The user of an unknown image, as in distroless images: pods that must not run as root use such images. */
export const ASSUMED_USER = 65_532;

/** Like `contentOf`, but unknown images do not run as root. */
export function assumedContentOf(reference: ImageReference): ImageContent {
  const content = contentOf(reference);
  return isInCatalog(reference) ? content : { ...content, uid: ASSUMED_USER };
}

export const isInCatalog = (reference: ImageReference): boolean =>
  findKnown(formatImageReference(reference)) !== undefined || isShellImage(reference);

export const isShellImage = (reference: ImageReference): boolean =>
  SHELL_IMAGES.test(formatImageReference(reference));

/** Whether an image of the catalog has everything that the real one has: other files do not exist. */
export function isWhole(reference: ImageReference): boolean {
  const name = formatImageReference(reference);
  const known = findKnown(name);
  return known === undefined ? /(^|\/)busybox[:@]/.test(name) : known.isPart !== true;
}

const findKnown = (name: string): Known | undefined => KNOWN.find(({ match }) => match.test(name));

/** The same path and tag has the same content in every registry, as with mirrors. */
function keyOf({ repository, tag, digest }: ImageReference): string {
  const path = repository.slice(repository.lastIndexOf('/') + 1);
  return digest === undefined ? `${path}:${tag}` : `${path}@${digest}`;
}

/** A shared layer and one to three separate layers, with sizes derived from the content's key. */
export function layersOf(key: string): readonly Layer[] {
  const base = { digest: `sha256:${sha256('layer base')}`, size: 1_400_000 };
  const count = 1 + (Number.parseInt(sha256(key).slice(0, 2), 16) % 3);
  const own = Array.from({ length: count }, (_, index) => {
    const digest = sha256(`layer ${index} of ${key}`);
    const size = 100 * 1024 + (Number.parseInt(digest.slice(0, 6), 16) % (16 * 1024 * 1024));
    return { digest: `sha256:${digest}`, size };
  });
  return [base, ...own];
}

export const idOf = (key: string): string => `sha256:${sha256(`config of ${key}`)}`;
export const digestOf = (key: string): string => `sha256:${sha256(`manifest of ${key}`)}`;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
