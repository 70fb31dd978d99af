// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension OpenFolder {
    /// A change of a file shows in its times if it is this many seconds after another change: some file systems and
    /// clocks count no finer.
    private static let granularity = 2.5

    /// Identifies the present contents of an ordinary file.
    ///
    /// - Returns: `nil` for anything else, and for a file that has changed so recently that a further change might not
    ///   show.
    func mark(of name: FileName, now: Date) throws -> String? {
        guard let status = try self.status(of: name), status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (written, changed) = (status.st_mtim, status.st_ctim)
        #endif
        let last = max(Double(written.tv_sec), Double(changed.tv_sec))
        guard last + Self.granularity < now.timeIntervalSince1970 else { return nil }
        return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(written.tv_sec).\(written.tv_nsec) "
            + "\(changed.tv_sec).\(changed.tv_nsec)"
    }
}
