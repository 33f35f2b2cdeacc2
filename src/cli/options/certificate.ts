import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { readTextFile } from '../../base/input/text-file.js';
import { InputError } from '../../base/input/yaml.js';
import { invalid } from '../../cri/errors.js';

/**
 * Certificate and key in the files of `PREFIX-tls-cert` and `PREFIX-tls-key`; undefined without them. Throws CriError
 * for one without the other, InputError for a file that can't be read.
 */
export function readCertificate(prefix: string, cert: string | undefined, key: string | undefined) {
  const [certOption, keyOption] = [`${prefix}-tls-cert`, `${prefix}-tls-key`];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw invalid(`${certOption} and ${keyOption} go together: give both or neither`);
  const pair = { cert: readTextFile(cert, certOption), key: readTextFile(key, keyOption) };
  check({ cert: pair.cert }, `${certOption} ${cert}: expected a certificate in PEM`);
  check({ key: pair.key }, `${keyOption} ${key}: expected a private key in PEM, without a password`);
  check(pair, `${keyOption} ${key}: it is not the key of the certificate ${cert}`);
  return pair;
}

function check(options: SecureContextOptions, problem: string): void {
  try {
    createSecureContext(options);
  } catch {
    throw new InputError([problem]);
  }
}
