import {
  type IDMapping,
  type ImageSpec,
  type Mount,
  MountPropagation,
} from '../../../cri/gen/runtime/v1/api.js';

/** Formats a message as the String() of its Go type (gogo/protobuf). */
export function mountText(mount: Mount): string {
  const { containerPath, hostPath, readonly, selinuxRelabel, propagation, recursiveReadOnly } = mount;
  const fields = {
    ContainerPath: containerPath,
    HostPath: hostPath,
    Readonly: readonly,
    SelinuxRelabel: selinuxRelabel,
    Propagation: MountPropagation[propagation] ?? propagation,
    UidMappings: mappingsText(mount.uidMappings),
    GidMappings: mappingsText(mount.gidMappings),
    RecursiveReadOnly: recursiveReadOnly,
    Image: mount.image === undefined ? 'nil' : imageText(mount.image),
  };
  return structText('Mount', fields);
}

export function imageText(image: ImageSpec | undefined): string {
  const annotations = Object.entries(image?.annotations ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return structText('ImageSpec', {
    Image: image?.image,
    Annotations: `map[string]string{${annotations.map(([key, value]) => `${key}: ${value},`).join('')}}`,
    UserSpecifiedImage: image?.userSpecifiedImage,
    RuntimeHandler: image?.runtimeHandler,
  });
}

const mappingsText = (mappings: readonly IDMapping[]): string =>
  `[]*IDMapping{${mappings.map((mapping) => `${mappingText(mapping)},`).join('')}}`;

const mappingText = ({ hostId, containerId, length }: IDMapping): string =>
  structText('IDMapping', { HostId: hostId, ContainerId: containerId, Length: length });

const structText = (type: string, fields: Readonly<Record<string, unknown>>): string =>
  `&${type}{${Object.entries(fields)
    .map(([name, value]) => `${name}:${value ?? ''},`)
    .join('')}}`;
