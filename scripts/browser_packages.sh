#!/bin/sh
# Installs what the browser tests need from the system and is missing: Chromium and a font with Chinese characters.
# Does nothing when both are there. CHROMIUM=/path/to/chrome names a browser of your own.
set -eu

missing=""
if [ -n "${CHROMIUM:-}" ]; then
    [ -x "$CHROMIUM" ] || { echo "CHROMIUM=$CHROMIUM is not a program" >&2; exit 1; }
elif ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    missing="chromium"
fi
# without fontconfig's fc-list (macOS) the system's own fonts have to do
if [ "$(uname)" = Linux ] && [ -z "$(fc-list :lang=zh-cn 2>/dev/null)" ]; then
    missing="$missing fonts-noto-cjk"
fi
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
    as_root="sudo -n"
fi
if command -v apt-get >/dev/null && { [ -z "$as_root" ] || sudo -n true 2>/dev/null; }; then
    echo "installing with apt-get: $missing"
    $as_root apt-get -qq -o DPkg::Lock::Timeout=600 update
    # shellcheck disable=SC2086 # one word per package
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y \
        --no-install-recommends fontconfig $missing >/dev/null
    exit 0
fi

cat >&2 <<MESSAGE

The browser tests need:$(printf ' %s' $missing)
  Debian, Ubuntu:  sudo apt-get install fontconfig$(printf ' %s' $missing)
  elsewhere:       install Chromium or Chrome and a font with Chinese characters (Noto Sans CJK),
                   and set CHROMIUM to the browser's program if it is not called chromium or google-chrome
MESSAGE
exit 1
