// SPDX-License-Identifier: Apache-2.0
#include <libpq-fe.h>
#ifdef __linux__
// Waiting for many sockets at once; Swift's Glibc module leaves these out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif
