#!/bin/sh
# Init of the virtual machine in kernel_client_test.py: mounts the share in each dialect and uses it as
# programs do. Every check prints one line, "PASS vers: sentence" or "FAIL vers: sentence".
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for word in $(cat /proc/cmdline); do
  case $word in semblance.*=*) eval "${word#semblance.}" ;; esac
done
for module in /modules/*; do insmod "$module" 2>/dev/null; done
ip link set lo up
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0

vers=none
check() { # SENTENCE COMMAND...: the command's success is the check's
  sentence=$1
  shift
  if "$@" >/tmp/said 2>&1; then
    echo "PASS $vers: $sentence ($(cut -d ' ' -f 1 /proc/uptime))"
  else
    echo "FAIL $vers: $sentence: $(tail -n 3 /tmp/said | tr '\n' ' ')"
  fi
}
equal() { [ "$1" = "$2" ] || { echo "\"$1\" is not \"$2\""; return 1; }; }
fresh() { sync; echo 3 >/proc/sys/vm/drop_caches; }
same_file() { fresh; cmp "$1" "$2"; }
same_tree() {
  fresh
  (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >/tmp/a
  (cd "$2" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >/tmp/b
  cmp /tmp/a /tmp/b
}
small_files() {
  mkdir "$1" || return 1
  i=0
  while [ $i -lt 100 ]; do
    head -c $((i * 37)) /tmp/random >"$1/file $i" || return 1
    i=$((i + 1))
  done
}
write_with_fsync() { dd if=/tmp/random of=big bs=64k conv=fsync; }
overwrite_in_the_middle() {
  cp /tmp/random /tmp/expected
  dd if=/tmp/other of=/tmp/expected bs=1000 seek=777 count=300 conv=notrunc
  dd if=/tmp/other of=big bs=1000 seek=777 count=300 conv=notrunc
  same_file big /tmp/expected
}
append() {
  echo one >log && echo two >>log && fresh && echo three >>log && fresh || return 1
  equal "$(cat log)" "one
two
three"
}
shrink_and_grow() {
  truncate -s 1000 big || return 1
  equal "$(stat -c %s big)" 1000 || return 1
  truncate -s 5000 big || return 1
  head -c 1000 /tmp/expected >/tmp/shrunk
  head -c 4000 /dev/zero >>/tmp/shrunk
  same_file big /tmp/shrunk
}
rename_over() {
  echo old >target && echo new >source && mv -f source target && fresh || return 1
  equal "$(cat target)" new && [ ! -e source ]
}
inside() { (cd "$1" && echo *); } # not ls, which shows no letters that it does not know
umlauts() {
  mkdir "Größe 日本 🎉" && echo x >"Größe 日本 🎉/Ärger" && fresh || return 1
  equal "$(echo Gr*)/$(inside Gr*)" "Größe 日本 🎉/Ärger" || return 1
  mv "Größe 日本 🎉/Ärger" "Größe 日本 🎉/ärmer" || return 1
  equal "$(inside Gr*)" ärmer
}
directories() {
  mkdir -p a/b/c/e && cp small/*7 a/b/c/e/ && mv a/b d && rmdir a && fresh || return 1
  [ "$(inside d/c/e | wc -w)" = 20 ] && same_file small/file\ 97 d/c/e/file\ 97 || return 1
  rm -r d && [ ! -e d ]
}
root_is_itself() { # a root whose number changes is a stale handle on Linux
  first=$(stat -c %i /mnt)
  fresh
  ls -la /mnt >/dev/null
  equal "$(stat -c %i /mnt)" "$first" && [ "$first" -gt 1 ]
}
number_stays() {
  echo a >numbered && first=$(stat -c %i numbered) && echo b >>numbered && mv numbered renumbered || return 1
  fresh
  equal "$(stat -c %i renumbered)" "$first"
}
time_is_kept() {
  echo x >timed && touch -d "2001-02-03 04:05:06" timed && fresh || return 1
  equal "$(stat -c %Y timed)" "$(date -d '2001-02-03 04:05:06' +%s)"
}
long_list() {
  mkdir list || return 1 # more names than one answer to cifs.ko holds
  i=0
  while [ $i -lt 150 ]; do : >"list/a rather long name to fill the buffer $i"; i=$((i + 1)); done
  fresh
  equal "$(ls list | wc -l)" 150 || return 1
  rm -r list
}
deleted_while_open() {
  echo content >doomed
  exec 5<doomed
  rm doomed || return 1
  equal "$(cat <&5)" content
  result=$?
  exec 5<&-
  [ $result = 0 ] && [ ! -e doomed ]
}
missing() { ! cat nosuch && ! ls nosuch/deeper && ! rmdir nosuch; }
full_directory() { ! rmdir small && [ -d small ]; }
space() { [ "$(df -k /mnt | tail -n 1 | awk '{print $(NF-2)}')" -gt 1000 ]; }

use() {
  cd /mnt || return
  check "100 small files are written" small_files small
  (mkdir /tmp/small; cd /tmp; rm -r small; small_files small) >/dev/null 2>&1
  check "100 small files are what was written" same_tree small /tmp/small
  check "3 MiB are written and synced" write_with_fsync
  check "3 MiB are read back" same_file big /tmp/random
  check "a file is overwritten in the middle" overwrite_in_the_middle
  check "a file shrinks and grows with zeros" shrink_and_grow
  check "a file is appended to" append
  check "a file is renamed over another" rename_over
  check "names in any script" umlauts
  check "directories are made, moved and removed" directories
  check "the root has one number" root_is_itself
  check "a file keeps its number" number_stays
  check "a time that is set stays" time_is_kept
  check "150 names are listed" long_list
  check "what is not there is said so" missing
  check "a full directory is not removed" full_directory
  check "free space is told" space
  check "a file that is deleted while open can be read" deleted_while_open
  cd /
}

head -c 3145728 /dev/urandom >/tmp/random
head -c 400000 /dev/urandom >/tmp/other
for options in $(echo $MOUNTS | tr / ' '); do # "vers=3.1.1,sec=ntlmsspi" and so on
  vers=$options
  echo "time $vers: $(cut -d ' ' -f 1 /proc/uptime) s"
  base="username=$NAME,password=$WORD,port=$PORT,cache=strict,noperm,iocharset=utf8,$options"
  check "the share is mounted" mount.cifs //10.0.2.2/share /mnt -o "$base"
  if grep -q ' /mnt cifs ' /proc/mounts; then
    use
    check "everything is removed" rm -r /mnt/small /mnt/big /mnt/log /mnt/target /mnt/Gr* /mnt/renumbered /mnt/timed
    check "nothing is left" equal "$(ls -A /mnt)" ""
    check "the share is unmounted" umount /mnt
  fi
  dmesg -c | grep -i -E "cifs: |BUG|oops" | grep -v -E "Attempting|experimental" | sed "s/^/kernel $vers: /" | head -n 20
done
echo "DONE"
poweroff -f
