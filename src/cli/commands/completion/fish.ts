import { shellWord } from '../../../base/markup/shell-word.js';
import { type CompletionNode, pathsOf } from './tree.js';

export const fishScript = (nodes: readonly CompletionNode[]): string => `# Completion of mockri for fish.
function __mockri_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
            case ${nodes.flatMap(pathsOf).map(shellWord).join(' ')}
                set place (string trim "$place $word")
        end
    end
    test "$place" = "$argv"
end
complete -c mockri -e
${nodes.flatMap(linesOf).join('\n')}
`;

const linesOf = ({ path, commands, options, words }: CompletionNode): string[] => {
  const at = `complete -c mockri -n ${shellWord(`__mockri_at ${path}`.trim())}`;
  return [
    ...commands.map(({ word, about }) => `${at} -f -a ${shellWord(word)} -d ${quotedForFish(about)}`),
    ...options.map(
      ({ word, about, values }) =>
        `${at} -l ${word.replace(/^--/, '')}${flagsOf(values)} -d ${quotedForFish(about)}`,
    ),
    ...(words.length > 0 ? [`${at} -a ${shellWord(words.join(' '))}`] : []),
  ];
};

const flagsOf = (values: readonly string[] | undefined): string => {
  if (values === undefined) return '';
  return values.length > 0 ? ` -x -a ${shellWord(values.join(' '))}` : ' -r';
};

const quotedForFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
