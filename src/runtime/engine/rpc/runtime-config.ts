import { isIPv4, isIPv6 } from 'node:net';
import { invalid } from '../../../cri/errors.js';
import { CgroupDriver, RuntimeConfigResponse, VersionResponse } from '../../../cri/gen/runtime/v1/api.js';
import { KUBELET_API_VERSION } from '../../../cri/kubelet-api-version.js';
import type { CriService } from '../../../cri/service.js';
import type { Engine } from '../engine.js';
import { encode } from '../state/protobuf-splice.js';
import { runtimeInfo } from './info.js';

type RuntimeService = Pick<CriService, 'version' | 'status' | 'runtimeConfig' | 'updateRuntimeConfig'>;

export function runtimeConfigService({ backend, conditions, handlers }: Engine): RuntimeService {
  const { info, capabilities } = backend;
  const version = encode(VersionResponse, {
    version: KUBELET_API_VERSION,
    runtimeName: info.name,
    runtimeVersion: info.version,
    runtimeApiVersion: 'v1',
  });
  const cgroupDriver = CgroupDriver[capabilities.cgroupDriver === 'systemd' ? 'SYSTEMD' : 'CGROUPFS'];
  const config = encode(RuntimeConfigResponse, { linux: { cgroupDriver } });
  let podCidr = '';
  return {
    version: () => version,
    runtimeConfig: () => config,
    status: ({ verbose }) => ({
      status: { conditions: [...conditions.list()] },
      info: verbose ? runtimeInfo({ runtimeName: info.name, version: info.version, podCidr }) : {},
      runtimeHandlers: [...handlers],
      features: capabilities.features,
    }),
    // Empty fields mean "no change" (INV-52).
    updateRuntimeConfig: ({ runtimeConfig }) => {
      const wanted = runtimeConfig?.networkConfig?.podCidr ?? '';
      if (wanted !== '') podCidr = checkCidrs(wanted);
      return {};
    },
  };
}

/** One range, or two for dual stack, separated by a comma. */
function checkCidrs(cidrs: string): string {
  for (const cidr of cidrs.split(',')) {
    const [address = '', bits = ''] = cidr.split('/');
    const longest = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
    if (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)
      throw invalid(`pod_cidr "${cidrs}" is not a list of CIDR ranges such as 10.244.0.0/24`, {
        name: 'malformed-cidr',
        cidr,
      });
  }
  return cidrs;
}
