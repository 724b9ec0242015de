#!/bin/sh
# Install what building, running and testing need (Debian names); `deps.sh lint` what `make lint`
# needs. Asks sudo only when something is missing; every package has its reason in
# docs/architecture.md.
set -eu

build="gcc libc6-dev make pkg-config libncurses-dev libmount-dev libblkid-dev libjansson-dev libinih-dev"
tests="libcunit1-dev libvterm-dev strace e2fsprogs xfsprogs btrfs-progs util-linux mount procps python3"

lint="clang-format clang-tidy cppcheck universal-ctags"

case ${1-} in
"") wanted="$build $tests" ;;
lint) wanted=$lint ;;
*)
	echo "deps: no list '$1': lint, or nothing" >&2
	exit 2
	;;
esac
missing=
for package in $wanted; do
	dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "deps: no apt-get here; install what these Debian packages hold:$missing" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "deps: needs root to install:$missing" >&2
		exit 1
	fi
	sudo=sudo
fi
echo "deps: installing$missing"
$sudo apt-get update -q
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
