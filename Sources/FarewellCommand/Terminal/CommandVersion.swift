// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The version of the command, with the commit that a package was built from.
///
/// A package holds the commit in the file `share/farewell/commit` beside its `bin`; a value in the program would
/// make every commit compile it again.
struct CommandVersion: Sendable {
    /// `0.1.0 (abcdef0)`; `0.1.0` outside a package.
    let text: String

    /// - Parameter commit: The contents of the commit file, `nil` without one. Anything but a Git commit is ignored.
    init(commit: String?) {
        let hash = commit?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        let isCommit = (7...64).contains(hash.utf8.count) && hash.utf8.allSatisfy(Self.hexadecimal.contains)
        text = FarewellVersion.current + (isCommit ? " (\(hash.prefix(7)))" : "")
    }

    private static let hexadecimal = Set("0123456789abcdef".utf8)

    /// The version of the running command.
    static let running = CommandVersion(commit: executable.flatMap(commit(beside:)))

    /// The running program, without symbolic links.
    private static var executable: URL? {
        #if os(Linux)
        // proc(5). Foundation's `Bundle` also searches for resources, which would delay every call of the command.
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        Bundle.main.executableURL?.resolvingSymlinksInPath()
        #endif
    }

    /// The contents of the commit file of the package that contains this program; `nil` without such a file.
    static func commit(beside executable: URL) -> String? {
        let package = executable.deletingLastPathComponent().deletingLastPathComponent()
        return try? String(contentsOf: package.appendingPathComponent("share/farewell/commit"), encoding: .utf8)
    }
}
