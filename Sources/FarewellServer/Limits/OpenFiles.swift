// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How many files this process may have open, and so how many callers may be connected.
///
/// If the files run out, the server stops accepting all callers, so the limit of connections stays below.
enum OpenFiles {
    /// Files for other uses: databases, keys, followed issuers, mails, spans, logs.
    static let reserve = 256

    /// Asks the system for as many files as these connections need, up to the limit that an operator has set.
    ///
    /// - Returns: As many of the connections as there is room for.
    static func room(for connections: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return connections }
        let wanted = rlim_t(connections + reserve)
        if limit.rlim_cur < wanted {
            let asked = rlimit(rlim_cur: min(wanted, limit.rlim_max), rlim_max: limit.rlim_max)
            if withUnsafePointer(to: asked, { setrlimit(resource, $0) }) == 0 { limit = asked }
        }
        return room(for: connections, files: Int(clamping: limit.rlim_cur))
    }

    static func room(for connections: Int, files: Int) -> Int {
        max(1, min(connections, files - min(reserve, files / 2)))
    }

    #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
    private static var resource: Int32 { Int32(RLIMIT_NOFILE) }
    #endif
}
