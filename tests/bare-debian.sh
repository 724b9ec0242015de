#!/bin/sh
# Do the README's two commands work on a bare Debian? Makes a minimal Debian 12 root by debootstrap
# in a temporary folder, copies this tree into two copies of it and runs in each, by chroot, one of
#
#	apt-get install -y make && make deps run
#	apt-get install -y make && make deps check
#
# Everything happens in private mount and process namespaces: when this script ends, in whatever
# way, no mount, no process and no file is left. Needs root and debootstrap (else exit 77); takes
# the mirror, and the proxy if there is one, from the host's apt. SUITE=name for another release.
set -eu

suite=${SUITE:-bookworm}
tree=$(cd "$(dirname "$0")/.." && pwd)

say() {
	echo "bare-debian: $*" >&2
}

# URI, suite and component of the host's package lists, as apt itself reads its configuration.
list_sources() {
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v suite="$suite" '$2 == suite || index($2, suite "-") == 1' | uniq
}

# Files as they would be in a clean checkout: tracked, and new ones that are not ignored.
copy_tree() {
	mkdir -p "$1"
	if git -c safe.directory='*' -C "$tree" rev-parse --git-dir >/dev/null 2>&1; then
		git -c safe.directory='*' -C "$tree" ls-files -co --exclude-standard |
			while read -r file; do
				[ ! -e "$tree/$file" ] || printf '%s\n' "$file"
			done | tar -C "$tree" -T - -cf - | tar -C "$1" -xf -
	else
		tar -C "$tree" --exclude='./build*' -cf - . | tar -C "$1" -xf -
	fi
}

# What the host tells apt about the way to the mirror, but for credentials.
configure_apt() {
	rm -f "$1/etc/apt/sources.list"
	list_sources | sed 's/^/deb /' >"$1/etc/apt/sources.list"
	apt-config dump |
		grep -E '^Acquire::(https?::(Proxy|Pipeline)|Check-|Retries|ForceIPv)' \
			>"$1/etc/apt/apt.conf.d/90host" || true
	cp /etc/resolv.conf /etc/hosts "$1/etc/"
	printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
	chmod 755 "$1/usr/sbin/policy-rc.d"
}

mount_system() {
	mount -t proc proc "$1/proc"
	mount --rbind /sys "$1/sys"
	mount --rbind /dev "$1/dev"
	mount -t tmpfs -o mode=1777 fsderby-bare "$1/dev/shm" # not the host's
}

in_root() {
	root=$1
	shift
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$root" /bin/sh -c "$1" </dev/null
}

# Run and time one step; its output goes to our standard output.
step() {
	name=$1
	shift
	say "$name ..."
	begin=$(date +%s)
	status=0
	"$@" || status=$?
	took=$(($(date +%s) - begin))
	if [ "$status" -eq 0 ]; then
		times="$times
	$(printf '%5d s  passed   %s' "$took" "$name")"
	else
		times="$times
	$(printf '%5d s  FAILED   %s (exit status %d)' "$took" "$name" "$status")"
		failed=1
	fi
	return 0
}

make_root() {
	debootstrap --variant=minbase "$suite" "$folder/bare" "$mirror" >"$folder/log" 2>&1 || {
		tail -n 20 "$folder/log" >&2
		return 1
	}
	configure_apt "$folder/bare"
	in_root "$folder/bare" 'apt-get -q update && apt-get clean' >"$folder/log" 2>&1 || {
		tail -n 20 "$folder/log" >&2
		return 1
	}
}

# $1: what the README says to type.
try_command() {
	rm -rf --one-file-system "$folder/root"
	cp -a "$folder/bare" "$folder/root"
	copy_tree "$folder/root/root/fsderby"
	mount_system "$folder/root"
	status=0
	in_root "$folder/root" "cd /root/fsderby && $1" || status=$?
	umount -R "$folder/root/proc" "$folder/root/sys" "$folder/root/dev"
	return "$status"
}

inside() {
	folder=$1 times='' failed=0
	mirror=$(list_sources | awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }')
	step "debootstrap $suite from $mirror" make_root
	[ "$failed" -ne 0 ] || {
		step "apt-get install -y make && make deps run" \
			try_command 'apt-get install -y make && make deps run'
		step "apt-get install -y make && make deps check" \
			try_command 'apt-get install -y make && make deps check'
	}
	say "times:$times"
	exit "$failed"
}

if [ "${1-}" = --inside ]; then
	inside "$2"
fi

[ "$(id -u)" -eq 0 ] || {
	say "needs root (chroot, mounts)"
	exit 77
}
for tool in debootstrap unshare apt-get tar; do
	command -v "$tool" >/dev/null || {
		say "needs $tool, which is not installed (apt-get install debootstrap util-linux)"
		exit 77
	}
done
[ -n "$(list_sources | awk -v suite="$suite" '$2 == suite && $3 == "main"')" ] || {
	say "apt on this host knows no mirror of $suite (SUITE=name for another one)"
	exit 77
}

folder=$(mktemp -d "${TMPDIR:-/var/tmp}/fsderby-bare.XXXXXX")
child=
clean_up() {
	[ -z "$child" ] || {
		kill -KILL "$child" 2>/dev/null || true # and with it all processes of the namespace
		wait "$child" 2>/dev/null || true
	}
	# The last of them may still be on its way out.
	for try in 1 2 3 4 5; do
		rm -rf --one-file-system "$folder" 2>/dev/null && break
		sleep 1
	done
	[ ! -e "$folder" ] || say "could not remove $folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
unshare --mount --propagation private --pid --fork --kill-child \
	sh "$tree/tests/bare-debian.sh" --inside "$folder" &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
