#!/usr/bin/env bash
# Checks of command line conventions (https://clig.dev): what goes to stdout and stderr, pipes, exit
# codes, variables, the configuration file, colors, JSON, completion.
# Usage: conventions.sh shoal      (or: conventions.sh python -m shoal)
set -u

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
mkdir scratch home
for name in $(env | sed -n 's/^\(SHOAL_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
unset NO_COLOR FORCE_COLOR COLUMNS GITHUB_ACTIONS PY_COLORS
export TMPDIR="$here/scratch" XDG_CONFIG_HOME="$here/home" SHOAL_CHARTS=off TERM=xterm

command=("$@")
shoal() { command "${command[@]}" "$@"; }  # the program, not this function
run() { command "${command[@]}" "$@" > out 2> err; code=$?; }  # leaves code, out, err

count=0
failed=0
check() {  # check WORDS COMMAND...: the command must succeed
  local words=$1
  shift
  count=$((count + 1))
  if "$@" > check.log 2>&1; then
    echo "ok $count - $words"
  else
    failed=$((failed + 1))
    echo "not ok $count - $words (exit code $code)"
    head -n 20 out err check.log | sed 's/^/#   /'
  fi
}
is_code() { [ "$code" -eq "$1" ]; }
is_empty() { [ ! -s "$1" ]; }
lines() { [ "$(wc -l < "$1")" -eq "$2" ]; }
has() { grep -qF -- "$2" "$1"; }
lacks() { ! grep -qF -- "$2" "$1"; }
both() { "$1" "${@:2:2}" && "$1" "${@:4}"; }
failed_plainly() { is_code "$1" && is_empty out && lines err 1 && lacks err Traceback; }
json() { "$python" -c "import json, sys; it = json.load(open('out')); sys.exit(not ($1))"; }
json_lines() { "$python" -c "import json; [json.loads(line)['event'] for line in open('$1')]"; }
python=python3
[ -x "${command[0]}" ] && [ "${command[0]##*/}" != shoal ] && python=${command[0]}
ESC=$(printf '\033[')

{
  echo "age,pay,ill"
  for i in $(seq 4000); do echo "$((20 + i * 7 % 60)),$((1000 + i * 37 % 9000)),ill$((i % 5))"; done
} > big.csv
head -n 61 big.csv > t.csv
roles=(--quasi "age,pay" --sensitive ill)

# --- help and version
run -h
check "-h prints help on stdout, exit code 0" is_code 0
check "help prints nothing on stderr" is_empty err
for name in inspect anonymize verify measure compare; do grep -n "^│ $name " out; done > order
check "commands are listed in the order of the work" sort -n -c order
check "... all of them, in groups" both has out "Main commands" out "Further commands"
check "help has no colors where it goes to no terminal" lacks out "$ESC"
run hierarchy build -h
check "-h works below a command, too" both has out "Usage: shoal hierarchy build" out "Example:"
cp out short
run hierarchy build --help
check "-h and --help print the same" cmp short out
COLUMNS=60 run inspect -h
check "help fits a narrow terminal" "$python" -c "assert max(map(len, open('out'))) <= 61"
run
check "without a command it prints help, exit code 2" both has out "Usage: shoal" out "inspect"
check "... and exit code 2" is_code 2
run --version
check "--version prints name and version" grep -qE '^shoal [0-9]+\.[0-9]+' out
shoal -h 2> err | head -n 1 > /dev/null
code=${PIPESTATUS[0]}
check "help into a closed pipe is quiet, exit code 0" eval "is_code 0 && is_empty err"

# --- colors, variables and the configuration file
FORCE_COLOR=1 run -h
check "FORCE_COLOR brings colors" has out "$ESC"
NO_COLOR=1 FORCE_COLOR=1 run -h
check "NO_COLOR comes before FORCE_COLOR" lacks out "$ESC"
SHOAL_COLOR=always run -h --no-color
check "an option comes before its variable" lacks out "$ESC"
mkdir home/shoal && echo 'color = "always"' > home/shoal/config.toml
run -h
check "the configuration file is read" has out "$ESC"
SHOAL_COLOR=never run -h
check "a variable comes before the configuration file" lacks out "$ESC"
echo 'k = 5' > home/shoal/config.toml
run presets
check "a configuration file with k is refused in plain words" eval \
  "failed_plainly 2 && has err 'k is never read from a configuration file'"
echo 'thread = 2' > home/shoal/config.toml
run presets
check "an unknown key is refused, with the nearest one" eval "failed_plainly 2 && has err threads"
run -h
check "help works whatever the configuration file is like" is_code 0
rm home/shoal/config.toml
SHOAL_SEED=1 run presets
check "a variable for the seed is refused" eval "failed_plainly 2 && has err SHOAL_SEED"
SHOAL_THREADS=many run anonymize t.csv -k 3 -o -
check "a wrong value names its variable" eval "failed_plainly 2 && has err SHOAL_THREADS"

# --- wrong usage
run inspect t.csv --josn
check "an unknown option: one line on stderr, exit code 2" failed_plainly 2
check "... that offers the nearest, and names the help" both has err "--json" err "shoal inspect --help"
run anonimize
check "an unknown command offers the nearest" eval "failed_plainly 2 && has err anonymize"
run inspect --json
check "with --json an error is JSON on stdout" json "it['error']['exit_code'] == 2"
check "... with kind, message and hint" json \
  "it['error']['kind'] == 'UsageError' and 'TABLE' in it['error']['message'] and it['error']['hint']"
check "... and still a line on stderr" lines err 1
run inspect nowhere.csv --json
check "a file that is not there is an error in JSON, too" json "it['error']['kind'] == 'InputError'"

# --- stdin
run inspect - < t.csv
check "stdin needs --from" eval "failed_plainly 2 && has err --from"
run inspect t.csv --from csv
check "--from needs stdin" failed_plainly 2
run inspect - --from csvs < t.csv
check "--from names a format that is known" eval "failed_plainly 2 && has err parquet"
run inspect - --from csv < /dev/null
check "an empty stdin is an error in words" failed_plainly 2
run inspect - --from csv <&-
check "so is a closed one" failed_plainly 2
mkfifo held
sleep 60 > held &
sleeper=$!
command "${command[@]}" inspect - --from csv < held > out 2> err &
running=$!
for _ in $(seq 300); do [ -n "$(ls scratch)" ] && break; sleep 0.1; done
kill -INT $running
wait $running
code=$?
kill $sleeper
check "an interrupt while stdin is read: one line, exit code 130" failed_plainly 130
check "... and nothing of stdin is left" is_empty <(ls scratch)

# --- from pipe to pipe
shoal anonymize - --from csv -k 3 "${roles[@]}" --method mdav -o - < t.csv 2> err | cat > out
code=${PIPESTATUS[0]}
cp out safe.csv
check "a release goes from stdin to stdout" eval "is_code 0 && has out 'age,pay,ill'"
check "... and nothing else does" lines out 61
check "... what is said goes to stderr" has err verified
run verify - --from csv -k 3 --quasi age,pay < safe.csv
check "what came out of a pipe is verified from a pipe" eval "is_code 0 && has out verified"
run verify safe.csv -k 3 --quasi age,pay --quiet
check "--quiet: the exit code alone says that all is well" eval "is_code 0 && is_empty out && is_empty err"
run verify safe.csv -k 50 --quasi age,pay --json
check "a requirement that is not met: exit code 3, JSON on stdout" eval "is_code 3 && json 'not it[\"ok\"]'"
shoal anonymize big.csv -k 3 "${roles[@]}" --method hilbert -o - --quiet 2> err | head -n 1 > out
code=${PIPESTATUS[0]}
check "a closed pipe is quiet, exit code 0" eval "is_code 0 && is_empty err && lines out 1"
SHOAL_PROGRESS=lines run anonymize t.csv -k 3 "${roles[@]}" --method mdav -o - --format parquet
check "--format parquet on stdout is Parquet" [ "$(head -c 4 out)" = PAR1 ]
check "--progress lines has a line a stage" both has err reading err releasing
run anonymize t.csv -k 3 "${roles[@]}" --method mdav -o r.csv --no-report --json --progress json
check "--json prints the report alone on stdout" json "it['k'] == 3"
check "--progress json: every line of stderr is an object" json_lines err
check "... with the stages" has err '"stage": "reading"'
run anonymize t.csv -k 3 "${roles[@]}" --method mdav -o r.csv --json --quiet
check "a file that exists is not replaced: exit code 2, an error in JSON" eval \
  "is_code 2 && json \"it['error']['kind'] == 'OutputError'\""
check "no temporary file is left" is_empty <(ls scratch)

# --- completion
_SHOAL_COMPLETE=complete_bash COMP_WORDS="shoal anonymize t.csv --quasi age,p" COMP_CWORD=4 run
check "columns of the table are completed" has out "age,pay"

echo "$((count - failed)) of $count checks passed"
[ "$failed" -eq 0 ] && [ "$count" -ge 40 ]
