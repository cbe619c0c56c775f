#!/bin/bash
# The engine is pure: its objects need nothing but memory, strings, the C++ runtime and the crypto
# and Unicode libraries, and hold no state outside their objects. The arguments are its archives.
set -euo pipefail

archives=()
for file in "$@"; do [[ $file == *.a || $file == *.lo ]] && archives+=("$file"); done
if ((${#archives[@]} < 6)); then
  echo "only ${#archives[@]} archives given: $*"
  exit 1
fi
if nm "${archives[@]}" 2>/dev/null | grep -E '__(asan|ubsan|tsan|sanitizer)' >/dev/null; then
  echo "objects with a sanitizer's instrumentation are judged in the plain build"
  exit 0
fi

names=(
  # memory and strings
  'memcpy|memmove|memset|memcmp|memchr|bcmp|strlen|strcmp|malloc|free'
  '_Zn[wa].*|_Zd[la].*'
  # the C++ runtime
  '__gxx_personality_v0|_Unwind_Resume|__cxa_(begin_catch|end_catch|rethrow|allocate_exception|throw|throw_bad_array_new_length|pure_virtual)'
  '_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__dso_handle'
  '_ZSt9terminatev|_ZSt[0-9]+__throw_.*|_ZSt16__throw_.*'
  '_ZNK?St7__cxx1112basic_string.*|_ZSt11_Hash_bytes.*'
  '_ZNKSt8__detail20_Prime_rehash_policy.*'
  '_ZSt[0-9]+_Rb_tree_.*'
  '_ZTV?N10__cxxabiv1.*|_ZTVSt.*|_ZTISt.*|_ZNSt9exceptionD2Ev|_ZNSt20bad_array_new_lengthD[0-9]Ev'
  '_ZSt28__throw_bad_array_new_lengthv|_ZSt7nothrow'
  # crypto and Unicode
  'EVP_.*|HMAC.*|SHA(256|512)_(Init|Update|Final)|CRYPTO_.*|OSSL_PARAM_.*|OPENSSL_cleanse|nettle_.*|utf8proc_.*'
)
allowed=$(IFS='|'; echo "^(${names[*]})$")

defined=$(nm --defined-only "${archives[@]}" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u)
undefined=$(nm -u "${archives[@]}" 2>/dev/null | awk '$1 == "U" || $1 == "w" {print $2}' | sort -u)
foreign=$(comm -23 <(echo "$undefined") <(echo "$defined") | grep -vE "$allowed" || true)
failed=0
if [[ -n $foreign ]]; then
  echo "needed from outside and not on the list:"
  c++filt <<<"$foreign" | sed 's/^/  /'
  failed=1
fi
# Objects in writable sections. What is constant once relocated does not count, nor what the
# compiler (DW.ref) and the library (the frame of the coroutine that does nothing) put there.
mutable=$(objdump -t "${archives[@]}" 2>/dev/null |
  awk '$4 ~ /^\.(t?bss|t?data)/ && $4 !~ /^\.data\.rel\.ro/ && / O / {print $NF}
       $3 ~ /^\.(t?bss|t?data)/ && $3 !~ /^\.data\.rel\.ro/ && / O / {print $NF}' |
  grep -vE '^DW\.ref\.|noop_coroutine_promise.*_S_fr' | sort -u || true)
if [[ -n $mutable ]]; then
  echo "mutable globals:"
  c++filt <<<"$mutable" | sed 's/^/  /'
  failed=1
fi
((failed == 0)) && echo "${#archives[@]} archives, $(wc -l <<<"$undefined") undefined symbols, all allowed"
exit $failed
