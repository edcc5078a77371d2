#!/bin/sh
# symbols.sh OBJECT [SWITCH...]: what an object of the implementation, built with these switches, asks of the outside and
# shows to it. NM and SIZE name the tools for objects of another machine.
set -u
object=$1
shift
NM=${NM:-nm} SIZE=${SIZE:-size} bad=0
complain() {
    bad=1
    echo "$object: $*"
}

# Asks for: memcpy and its kin, and the compiler's own helpers for soft float and wide integers.
helpers='mem(cpy|set|move|cmp)|_GLOBAL_OFFSET_TABLE_|__stack_pointer|__aeabi_[a-z0-9_]+|__clz_tab'
helpers="$helpers|__do_(copy_data|clear_bss)|__tablejump2__|__[a-z]+(qi|hi|si|di|sf|df)(qi|hi|si|di|sf|df)?[0-9]?(_s8)?"
undefined=$("$NM" -u "$object" | awk '{ print $NF }' | grep -vxE "$helpers")
[ -z "$undefined" ] || complain "needs from outside:" $undefined

# Shows: exactly the functions that margin.h declares.
declared=$(cc "$@" -DMARGIN_API=PUBLIC -E -P margin.h | tr '\n' ' ' | grep -o 'PUBLIC [^(]*' | sed 's/.*[ *]//' | sort)
defined=$("$NM" --defined-only --extern-only "$object" | awk 'NF == 3 { print $3 }' | sort)
[ "$defined" = "$declared" ] ||
    complain "declared only, or defined only:" $(printf '%s\n' $defined $declared | sort | uniq -u)

# Holds: no mutable data.
mutable=$("$SIZE" -A "$object" | awk '$1 ~ /^\.(t?data|t?bss|sdata|sbss)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0')
[ -z "$mutable" ] || complain "has mutable data:" $mutable
exit $bad
