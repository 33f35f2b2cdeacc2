# Sourced: the checks of conformance that say nothing about CRI-O here. It is built without libseccomp, its runc has no user
# namespaces, and /dev is no shared mount.
# shellcheck shell=bash disable=SC2034
not_of_crio='^INV-(65\.(no-user-namespace|seccomp|no-seccomp-profile)|66\.recursive) '
