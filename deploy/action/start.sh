#!/usr/bin/env bash
# Starts Mockri for the following steps of a job. Settings come from the variables INPUT_VERSION, INPUT_ARGUMENTS and
# INPUT_RECORD; outputs go to the files in GITHUB_OUTPUT and GITHUB_ENV.
set -euo pipefail
directory=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/mockri-XXXXXX")
case $INPUT_VERSION in
  */* | *.tgz) package=$(realpath "$INPUT_VERSION") ;;
  *) package=mockri@$INPUT_VERSION ;;
esac
npm install --silent --no-audit --no-fund --prefix "$directory" "$package"
mockri=$directory/node_modules/.bin/mockri
flags=(--listen temporary --control 127.0.0.1:0 --log-format json)
[ "$INPUT_RECORD" = false ] || flags+=(--record "$directory/run.tape.gz")
# The arguments are words, as on a command line without quotes.
read -ra more <<<"$INPUT_ARGUMENTS"
nohup "$mockri" serve "${flags[@]}" "${more[@]}" >"$directory/ready.json" 2>"$directory/mockri.log" </dev/null &
server=$!
until [ -s "$directory/ready.json" ]; do
  kill -0 $server 2>/dev/null || { echo "::error title=Mockri::$(tail -n 1 "$directory/mockri.log")"; exit 1; }
  sleep 0.1
done
field() { node -p "JSON.parse(require('fs').readFileSync('$directory/ready.json', 'utf8')).$1"; }
endpoint=$(field listen)
{
  echo "endpoint=$endpoint"
  echo "control=$(field control)"
  echo "pid=$(field pid)"
  echo "directory=$directory"
} >>"$GITHUB_OUTPUT"
{
  echo "CONTAINER_RUNTIME_ENDPOINT=$endpoint"
  echo "IMAGE_SERVICE_ENDPOINT=$endpoint"
} >>"$GITHUB_ENV"
echo "Mockri $("$mockri" --version) listens on $endpoint"
