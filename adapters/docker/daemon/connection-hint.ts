import { messageOf, statusOf } from '../errors.js';

const hints: readonly (readonly [code: RegExp, hint: (message: string) => string])[] = [
  [
    /^EACCES$/,
    (message) => `no permission on the socket (${message}); run as root or as a member of the group docker`,
  ],
  [/^ENOENT$/, (message) => `the socket does not exist (${message}); is dockerd running?`],
  [/^ECONNREFUSED$/, (message) => `nothing listens (${message}); is dockerd running?`],
  [/^ERR_SSL_WRONG_VERSION_NUMBER$|^EPROTO$/, () => 'it does not speak TLS; use tcp:// without certificates'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/,
    (message) =>
      `its certificate is not signed by the authority in ca.pem of --docker-cert-path (${message})`,
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, (message) => `its certificate is for another host (${message})`],
  [
    /^ERR_SSL_.*ALERT/,
    (message) => `it does not accept the certificate in cert.pem of --docker-cert-path (${alertOf(message)})`,
  ],
];

export function connectionHint(error: unknown): string {
  const message = messageOf(error);
  if (/HTTP request to an HTTPS server/.test(message))
    return 'it speaks TLS; give the directory of its certificates as --docker-cert-path';
  const status = statusOf(error);
  if (status !== undefined) return `HTTP status ${status}; is it Docker? ${message}`;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const [, hint = (text: string) => text] = hints.find(([pattern]) => pattern.test(code)) ?? [];
  return hint(message);
}

/** OpenSSL puts its text between the function and the file. */
const alertOf = (message: string): string => /:(\w+ alert [^:]*):/.exec(message)?.[1] ?? message;
