import { VersionResponse } from '../../../src/cri/gen/runtime/v1/api.js';
import { type Section, SIXTEEN, VERSION } from '../context.js';
import { median } from '../support/result.js';

/** The dispatcher's own cost: Version, beside a server that does nothing at all. */
export const version: Section = {
  name: 'version',
  title: 'Version at 16 calls at once, beside a bare grpc-js server',
  async run({ servers, drive }) {
    const real = await servers.real();
    const reply = Buffer.from(VersionResponse.encode(await real.cri.version({})).finish());
    const bare = await servers.bare(VERSION, reply);
    const load = { path: VERSION, request: new Uint8Array(), calls: 40_000, ...SIXTEEN };
    const rates: { real: number; bare: number }[] = [];
    // By turns, so that a busy machine slows both.
    for (let round = 0; round < 3; round++)
      rates.push({
        bare: await drive({ ...load, socket: bare.socket }),
        real: await drive({ ...load, socket: real.socket }),
      });
    await servers.stopAll();
    return [
      { name: 'bare server', value: median(rates.map((rate) => rate.bare)), unit: 'calls/s' },
      { name: 'Mockri', value: median(rates.map((rate) => rate.real)), unit: 'calls/s' },
      {
        name: 'Mockri / bare',
        value: median(rates.map((rate) => rate.real / rate.bare)),
        unit: '',
        aim: { atLeast: 0.8 },
      },
    ];
  },
};
