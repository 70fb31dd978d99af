// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The version of the command, with the commit that it was built from, where a file beside the program has it.
///
/// A package has the file `share/farewell/commit` beside its `bin`, a build by `Scripts/swift` has `farewell.commit`
/// beside the program. A value in the program would make every commit compile it again.
struct CommandVersion: Sendable {
    /// `0.1.0 (abcdef0)`; `0.1.0` without a known commit.
    let text: String

    /// - Parameter commit: The contents of a commit file, `nil` without one. Anything but a Git commit is ignored.
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

    /// The contents of the commit file of this program's package or build; `nil` without such a file.
    static func commit(beside executable: URL) -> String? {
        let package = executable.deletingLastPathComponent().deletingLastPathComponent()
        let file = package.appendingPathComponent("share/farewell/commit")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? buildCommit(of: executable)
    }

    /// The commit of a build. If the program is newer than the file, a later `swift build` made it from other sources.
    private static func buildCommit(of executable: URL) -> String? {
        let file = executable.appendingPathExtension("commit")
        guard let commit = try? String(contentsOf: file, encoding: .utf8), let noted = modified(file),
            let built = modified(executable), noted >= built
        else { return nil }
        return commit
    }

    private static func modified(_ file: URL) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: file.path))?[.modificationDate] as? Date
    }
}
