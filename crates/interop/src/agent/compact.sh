# Asks the program that is the arguments for a compaction, over its standard input, and ends it when
# it has answered: the end of the input would cancel the compaction.
coproc AGENT { "$@"; }
out=${AGENT[0]} in=${AGENT[1]} pid=$AGENT_PID
echo '{"type":"compact"}' >&"$in"
while read -r line <&"$out"; do
    case $line in *'"command":"compact"'*) break ;; esac
done
exec {in}>&-
wait "$pid"
