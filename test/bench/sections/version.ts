import { VersionResponse } from '../../../src/cri/gen/runtime/v1/api.js';
import { type Section, SIXTEEN, VERSION } from '../context.js';
import { byTurns } from '../support/turns.js';

/** Cost of the dispatcher: Version, compared with a server that does nothing. */
export const version: Section = {
  name: 'version',
  title: 'Version with 16 parallel calls, compared with a bare grpc-js server',
  async run({ servers, drive }) {
    const real = await servers.real();
    const reply = Buffer.from(VersionResponse.encode(await real.cri.version({})).finish());
    const bare = await servers.bare({ replies: { [VERSION]: reply.toString('base64') } });
    const load = { path: VERSION, request: new Uint8Array(), calls: 40_000, ...SIXTEEN };
    const rates = await byTurns(
      () => drive({ ...load, socket: bare.socket }),
      () => drive({ ...load, socket: real.socket }),
    );
    await servers.stopAll();
    return [
      { name: 'bare server', value: rates.base, unit: 'calls/s' },
      { name: 'Mockri', value: rates.measured, unit: 'calls/s' },
      {
        name: 'Mockri / bare',
        value: rates.ratio,
        unit: '',
        aim: { atLeast: 0.8 },
      },
    ];
  },
};
