# exec --sync, logs, checkpoint

ok exec --sync "$app_id" sh -c 'echo out; echo $GREETING'
is "out
hello"
fails exec --sync "$app_id" sh -c 'echo err >&2; exit 7'
says "exited with 7: err"
fails exec --sync --timeout 1 "$app_id" sleep 100
says 'code = DeadlineExceeded'
says 'timed out after 1s'
fails exec --sync "$spare_id" true
says "code = $WRONG_STATE desc = .*CONTAINER_CREATED"
fails exec --sync nope true
says 'code = NotFound'
ok exec --sync --quiet --name '^app$' echo found
is found

ok logs "$app_id"
is hello
says '^oops$'
ok logs --tail 1 --timestamps "$app_id"
check 'grep -qE "^2[0-9-]+T[0-9:.]+(Z|[+-][0-9:]+) oops$" <<<"$err"' 'the last line with its time'
ok logs --limit-bytes 3 "$app_id"
is hel
ok logs --since 1h "$app_id"
is hello
ok logs --since 2000-01-01T00:00:00Z "$app_id"
is hello
mv "$scratch/logs/app.log" "$scratch/logs/app.log.1"
ok logs --reopen "$app_id"
says 'Container logs reopened'
check '[ -f "$scratch/logs/app.log" ]' 'a new log file'
ok logs "$quick_id"
is 'done'
# --follow ends with the container.
ok run "$(container talk 'echo one; sleep 1; echo two' talk)" "$(pod talk)"
talk_id=$out
ok logs --follow "$talk_id"
is "one
two"
fails logs nope
says 'code = NotFound'

if on mockri; then
  ok checkpoint --export "$scratch/app.tar" "$app_id"
  is "$app_id"
  check '[ -s "$scratch/app.tar" ]' 'an archive'
fi
fails checkpoint --export "$scratch/nope.tar" nope
