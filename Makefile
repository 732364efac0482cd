# SPDX-License-Identifier: GPL-3.0-or-later
# Targets for people and packagers; the README.md here, of Sources and of Tests explain each.
.POSIX:
PREFIX = /usr/local
DESTDIR =
SWIFT = swift
BUILT = .build/release
# Where the catalogues are compiled; the program finds them there before it is installed.
LOCALES = share/locale
CHECKED = --explicit-target-dependency-import-check error
# Empty for root, who may have no sudo.
SUDO = $$([ "$$(id -u)" = 0 ] || echo sudo)
LIBRARIES = libreadline-dev libsqlite3-dev nettle-dev libssl-dev libexpat1-dev libcurl4-openssl-dev \
	libseccomp-dev libc-ares-dev libomemo-c-dev
# Programs that hobnob starts or reads by default: the pager, the editor, a program that opens
# addresses, the usual certificate authorities. xdg-utils recommends half a desktop. gettext has
# msgfmt, for the catalogues.
TOOLS = less vim-tiny xdg-utils ca-certificates gettext
# What share/packaging needs.
PACKAGE_TOOLS = binutils dpkg-dev lintian xz-utils
PACKAGES = .build/packages
DOCS = .build/docs
TEST_TOOLS = dovecot-imapd fish irssi libvterm-dev locales mandoc openssl procps prosody \
	profanity python3-jsonschema python3-pip python3-slixmpp python3-venv python3-yaml sqlite3 strace \
	tmux weechat-headless zsh
# Servers that the tests start. Installed, some would conflict with each other, and all would run.
IRC_SERVERS = anope bitlbee inspircd ircd-hybrid ircd-irc2 ngircd znc
IRC_PYTHON = irc-parser-tests pydle
IRC_PARTS = .build/irc
# Other people's clients for hobnob mcp, from PyPI.
MCP_CLIENTS = 'mcp<3' 'fastmcp<5'
MCP_PARTS = .build/mcp
# Somebody else's client that encrypts, from PyPI. It is compiled, to start in half the time.
OMEMO_CLIENT = 'slixmpp-omemo<3' 'slixmpp<2'
OMEMO_PARTS = .build/omemo
# Where each shell looks for completion scripts, below PREFIX. Packages of Debian have a folder of
# their own in zsh. Debian's fish does not look below /usr/local, but where administrators put scripts.
BASH_SCRIPT = share/bash-completion/completions/hobnob
ZSH_SCRIPT = share/zsh/$$([ $(PREFIX) = /usr ] && echo vendor-completions || echo site-functions)/_hobnob
FISH_SCRIPT = $$([ $(PREFIX) = /usr/local ] && echo ../../etc/fish/completions \
	|| echo share/fish/vendor_completions.d)/hobnob.fish

all: catalogues
	$(SWIFT) build -c release --product hobnob $(CHECKED)
	$(SWIFT) build -c release --product hobnob-xmpp $(CHECKED)
	$(SWIFT) build -c release --product hobnob-irc $(CHECKED)
	$(SWIFT) build -c release --product hobnob-bridge $(CHECKED)

# Each share/locale/LANGUAGE.po is a catalogue of translations.
catalogues:
	@for file in share/locale/*.po; do \
	  test -f "$$file" || continue; \
	  name=$${file##*/}; folder=$(LOCALES)/$${name%.po}/LC_MESSAGES; \
	  mkdir -p $$folder && msgfmt -o $$folder/hobnob.mo $$file || exit 1; \
	done

# It builds nothing, so that root needs no Swift.
install:
	@for name in hobnob hobnob-xmpp hobnob-irc hobnob-bridge; do test -x $(BUILT)/$$name || \
	  { echo "$(BUILT)/$$name is not there; run make first." >&2; exit 1; }; done
	@for file in share/locale/*.po; do \
	  test -f "$$file" || continue; \
	  name=$${file##*/}; catalogue=$${name%.po}/LC_MESSAGES/hobnob.mo; \
	  install -D -m 644 $(LOCALES)/$$catalogue $(DESTDIR)$(PREFIX)/share/locale/$$catalogue || \
	  exit 1; \
	done
	install -D $(BUILT)/hobnob $(DESTDIR)$(PREFIX)/bin/hobnob
	install -D -t $(DESTDIR)$(PREFIX)/libexec/hobnob $(BUILT)/hobnob-xmpp $(BUILT)/hobnob-irc
	install -D -t $(DESTDIR)$(PREFIX)/libexec/hobnob $(BUILT)/hobnob-bridge
	install -D -t $(DESTDIR)$(PREFIX)/libexec/hobnob/networks share/networks/*
	install -d $(DESTDIR)$(PREFIX)/share
	cp -R share/hobnob $(DESTDIR)$(PREFIX)/share/
	for section in 1 5 7; do \
	  install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man$$section man/*.$$section || exit 1; \
	done
	set -e; for script in bash:$(BASH_SCRIPT) zsh:$(ZSH_SCRIPT) fish:$(FISH_SCRIPT); do \
	  file=$(DESTDIR)$(PREFIX)/$${script#*:}; install -D -m 644 /dev/null "$$file"; \
	  LC_ALL=C.UTF-8 $(BUILT)/hobnob --generate-completion-script $${script%%:*} >"$$file"; \
	done
# The sources name the usual PREFIX.
	cd $(DESTDIR)$(PREFIX)/share && sed -i 's,^\(ExecStart=\|\.It Pa \|cp \)/usr/local/,\1$(PREFIX)/,' \
	  hobnob/hobnob@.service man/man1/hobnob.1 man/man5/hobnobrc.5 man/man5/hobnob-json.5 \
	  man/man7/hobnob-bridge.7

uninstall:
	cd $(DESTDIR)$(PREFIX) && rm -f bin/hobnob $(BASH_SCRIPT) $(ZSH_SCRIPT) $(FISH_SCRIPT)
	rm -rf $(DESTDIR)$(PREFIX)/share/hobnob $(DESTDIR)$(PREFIX)/libexec/hobnob
	rm -f $(DESTDIR)$(PREFIX)/share/locale/*/LC_MESSAGES/hobnob.mo
	for page in man/*.[157]; do \
	  rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; \
	done

deps:
	$(SUDO) apt-get update
	$(SUDO) apt-get install -y $(LIBRARIES)
	$(SUDO) apt-get install -y --no-install-recommends $(TOOLS)

test-deps: deps
	$(SUDO) apt-get install -y $(TEST_TOOLS)
	@for name in $(IRC_SERVERS); do \
	  test -d $(IRC_PARTS)/$$name || $(MAKE) $(IRC_PARTS)/$$name || exit 1; \
	done
	test -d $(IRC_PARTS)/python || \
	  python3 -m pip install -q --no-deps --target $(IRC_PARTS)/python $(IRC_PYTHON)
	test -d $(MCP_PARTS) || \
	  python3 -m pip install -q --no-compile --target $(MCP_PARTS) $(MCP_CLIENTS)
	test -d $(OMEMO_PARTS) || \
	  python3 -m pip install -q --target $(OMEMO_PARTS) $(OMEMO_CLIENT)
	Tests/Networks/check.py --install

# The package NAME, unpacked, and what it depends on, installed; an empty folder if Debian has no
# such package: its tests are then skipped. Two look for their files where they would be installed:
# they get paths of equal length from the folder that they are started in.
$(IRC_PARTS)/%:
	rm -rf $@.part && mkdir -p $@.part
	if apt-cache show $* >/dev/null 2>&1; then cd $@.part && apt-get download $* && \
	  $(SUDO) apt-get satisfy -y --no-install-recommends \
	    "$$(dpkg-deb -f $*_*.deb Depends)" && dpkg-deb -x $*_*.deb . && rm $*_*.deb; fi
	@for program in ircd-hybrid ircd; do \
	  test ! -e $@.part/usr/sbin/$$program || sed -i -e 's,\x00/usr\x00,\x00.\x00\x00\x00\x00,' \
	    -e 's,/usr/lib/ircd-hybrid/modules/,modules//////////////////////,g' \
	    -e 's,/etc/ircd/,./////////,g; s,/var/run/ircd/,./////////////,g' \
	    -e 's,/var/log/ircd/,./////////////,g' $@.part/usr/sbin/$$program; \
	done
	mv $@.part $@

# The programs of Matrix and Delta Chat in full, with the servers and libraries of test-deps.
check-networks:
	timeout 600 Tests/Networks/check.py

check:
	$(SWIFT) test $(CHECKED)

# One site for both libraries, from their comments and Sources/*/*.docc. A warning is an error. docc
# is beside swift; each library is documented with the other module of its product.
docs:
	$(SWIFT) build --target Composer $(CHECKED)
	$(SWIFT) build --target Conversations $(CHECKED)
	rm -rf $(DOCS) $(DOCS)-parts
	set -e; docc=$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/docc; \
	for modules in "Composer StyledText" "Conversations Storage"; do \
	  library=$${modules% *}; part=$(DOCS)-parts/$$library; mkdir -p $$part; \
	  for module in $$modules; do \
	    $(SWIFT) symbolgraph-extract -module-name $$module -target $$(uname -m)-unknown-linux-gnu \
	      -I .build/debug/Modules $$(printf -- "-I %s " Sources/C[A-Z]*) \
	      -Xcc -fmodule-map-file=.build/debug/CShapes.build/module.modulemap \
	      -minimum-access-level public -skip-synthesized-members -output-dir $$part; \
	  done; \
	  "$$docc" convert Sources/$$library/$$library.docc --additional-symbol-graph-dir $$part \
	    --fallback-default-module-kind Library --warnings-as-errors \
	    --output-dir $$part.doccarchive; \
	done; \
	"$$docc" merge $(DOCS)-parts/*.doccarchive --synthesized-landing-page-name hobnob \
	  --output-path $(DOCS)

# The version is in the program's source, and nowhere else.
version:
	@sed -n 's/^ *version: "hobnob \(.*\)",$$/\1/p' Sources/hobnob/Hobnob.swift

package-deps: deps
	$(SUDO) apt-get install -y --no-install-recommends $(PACKAGE_TOOLS)

# A package of what `make install` installs: for Debian, or to unpack anywhere.
deb tarball: all
	share/packaging/build $@ $(BUILT) $(PACKAGES)

# Installs, tries and removes both. With roots of fresh systems, such as debootstrap makes, it does
# so in each of them: make check-packages ROOTS="/srv/bookworm /srv/trixie"
check-packages:
	share/packaging/check $(PACKAGES) $(ROOTS)

.PHONY: all catalogues install uninstall deps test-deps check check-networks docs version package-deps deb tarball \
	check-packages
