import { execFile } from 'node:child_process';
import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.js';
import { UserError } from '../../base/input/user-error.js';
import { parseYaml } from '../../base/input/yaml.js';
import type { Credentials, Proof } from './credentials.js';

/** A program that prints credentials (`exec` of a user in a kubeconfig). */
export interface CredentialProgram {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

const credential = z.looseObject({
  kind: z.literal('ExecCredential'),
  status: z.looseObject({
    expirationTimestamp: z.string().optional(),
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

/** Timeout of the program, in ms. */
const PATIENCE = 60_000;

/** Runs the program for the first request, and again when its credentials expire or are refused. */
export function execCredentials(program: CredentialProgram, clock: Clock): Credentials {
  let known: { readonly proof: Proof; readonly expires: number } | undefined;
  let running: Promise<Proof> | undefined;
  const fetch = async (): Promise<Proof> => {
    const { status } = parseYaml(await run(program), credential, `output of ${program.command}`);
    const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
    const proof: Proof = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cert !== undefined && key !== undefined && { certificate: { cert, key } }),
    };
    const expires = expirationTimestamp === undefined ? Infinity : Date.parse(expirationTimestamp);
    known = { proof, expires };
    return proof;
  };
  return {
    proof: async () => {
      if (known !== undefined && Number(clock.now() / 1_000_000n) < known.expires) return known.proof;
      running ??= fetch().finally(() => {
        running = undefined;
      });
      return running;
    },
    refused: () => {
      known = undefined;
    },
  };
}

function run({ command, args, env, apiVersion }: CredentialProgram): Promise<string> {
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    execFile(
      command,
      [...args],
      {
        timeout: PATIENCE,
        env: { ...process.env, ...given, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new UserError(`${command}: ${stderr.trim() || error.message}`));
      },
    );
  });
}
