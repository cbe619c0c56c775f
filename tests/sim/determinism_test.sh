#!/bin/bash
# The same seeds give the same hash in another process (another address layout), with other numbers
# of processes, and in a build with another optimisation level and another filling of uninitialised
# variables.
set -euo pipefail
plain=$1
other=$2
hash_of() { "$1" sim --seeds 1..400 --jobs "$2" --fault "$3" --tapes "" | tail -1 | sed 's/.*hash=//'; }
drawn() { "$1" sim --seeds 1..400 --jobs "$2" --tapes "" | tail -1 | sed 's/.*hash=//'; }

same() { # WHAT HASH HASH
  echo "$1: $2 $3"
  [[ $2 =~ ^[0-9a-f]{32}$ && $2 == "$3" ]] || { echo "differs"; exit 1; }
}
same "from run to run" "$(drawn "$plain" 1)" "$(drawn "$plain" 2)"
# How many coroutine frames a request takes is the optimiser's business (it may place one in
# another), so pools of a few frames run out at different moments: the class `limits` is left out.
rest=split,delay,stall,reset,corrupt,batch,slow_disk,repeat,disk_error,disk_full,crash,power_loss
rest=$rest,outside,account,clock,reload,mutate,byzantine,hang_up
for faults in none "$rest" split,slow_disk,crash; do
  same "from build to build, $faults" "$(hash_of "$plain" 1 "$faults")" "$(hash_of "$other" 1 "$faults")"
done
