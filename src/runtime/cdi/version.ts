import type { CdiEdits } from './edits.js';

/** Oldest first. */
export const versions = [
  '0.1.0',
  '0.2.0',
  '0.3.0',
  '0.4.0',
  '0.5.0',
  '0.6.0',
  '0.7.0',
  '0.8.0',
  '1.0.0',
  '1.1.0',
] as const;

type Version = (typeof versions)[number];

export interface VersionedFile {
  readonly kind: string;
  readonly annotations?: object | undefined;
  readonly devices: readonly {
    readonly name: string;
    readonly annotations?: object | undefined;
    readonly containerEdits: CdiEdits;
  }[];
  readonly containerEdits?: CdiEdits | undefined;
}

export interface NeededVersion {
  readonly version: Version;
  readonly field: string;
}

/** Returns the version that a file's content needs; undefined if any will do (specs-go, MinimumRequiredVersion). */
export function neededVersion(file: VersionedFile): NeededVersion | undefined {
  const edits = [
    { at: '', given: file.containerEdits },
    ...file.devices.map(({ containerEdits }, index) => ({ at: `devices[${index}].`, given: containerEdits })),
  ];
  const ofEdits = (version: Version, find: (given: CdiEdits) => string | undefined) =>
    edits.flatMap(({ at, given }) => {
      const found = given && find(given);
      return found === undefined ? [] : [{ version, field: `${at}containerEdits.${found}` }];
    });
  const digit = file.devices.findIndex(({ name }) => /^\d/.test(name));
  const annotated = file.devices.findIndex(({ annotations }) => annotations !== undefined);
  return [
    ...ofEdits('1.1.0', newest),
    ...ofEdits('0.7.0', ({ intelRdt, additionalGids = [] }) =>
      intelRdt !== undefined ? 'intelRdt' : additionalGids.length > 0 ? 'additionalGids' : undefined,
    ),
    ...when('0.6.0', file.annotations !== undefined, 'annotations'),
    ...when('0.6.0', annotated >= 0, `devices[${annotated}].annotations`),
    ...when('0.6.0', /\/.*\./.test(file.kind), 'a "." in the class'),
    ...when('0.5.0', digit >= 0, `the digit at the beginning of devices[${digit}].name`),
    ...ofEdits('0.5.0', ({ deviceNodes = [] }) => indexed('deviceNodes', deviceNodes, 'hostPath')),
    ...ofEdits('0.4.0', ({ mounts = [] }) => indexed('mounts', mounts, 'type')),
  ][0];
}

const newest = ({ netDevices = [], intelRdt }: CdiEdits): string | undefined => {
  if (netDevices.length > 0) return 'netDevices';
  if (intelRdt?.schemata !== undefined) return 'intelRdt.schemata';
  return intelRdt?.enableMonitoring ? 'intelRdt.enableMonitoring' : undefined;
};

const when = (version: Version, isSo: boolean, field: string): NeededVersion[] =>
  isSo ? [{ version, field }] : [];

function indexed<K extends string>(
  list: string,
  items: readonly { readonly [key in K]?: unknown }[],
  key: K,
): string | undefined {
  const index = items.findIndex((item) => item[key] !== undefined && item[key] !== '');
  return index < 0 ? undefined : `${list}[${index}].${key}`;
}
