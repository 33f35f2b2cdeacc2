import { invalid } from '../cri/errors.js';
import { readTextFile } from '../input/text-file.js';

/**
 * Certificate and key of a server, as the options `PREFIX-tls-cert` and `PREFIX-tls-key` name their files; undefined without
 * them. Throws CriError for one without the other, InputError for a file that can't be read.
 */
export function readCertificate(prefix: string, cert: string | undefined, key: string | undefined) {
  const [certOption, keyOption] = [`${prefix}-tls-cert`, `${prefix}-tls-key`];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw invalid(`${certOption} and ${keyOption} go together: give both or neither`);
  return { cert: readTextFile(cert, certOption), key: readTextFile(key, keyOption) };
}
