/** Encodes values, so that a name from any source is only one part of the path: apiPath`/api/v1/nodes/${name}`. */
export const apiPath = (literals: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: literals }, ...values.map(encodePart));

const encodePart = (part: string): string => encodeURIComponent(part).replace(/^\.{1,2}$/, escapeDots);

const escapeDots = (dots: string): string => dots.replaceAll('.', '%2E');
