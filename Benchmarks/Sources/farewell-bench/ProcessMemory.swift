// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How far this process's memory grows beyond what it has now, in MiB. Linux alone tells; elsewhere it is `nil`.
struct ProcessMemory: Sendable {
    private let before: Double

    /// Forgets the most that the process ever had (`proc_pid_clear_refs(5)`).
    init?() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs"),
            (try? file.write(contentsOf: Data("5".utf8))) != nil, let now = Self.most
        else { return nil }
        try? file.close()
        before = now
    }

    /// The most since then.
    var grown: Double? { Self.most.map { $0 - before } }

    private static var most: Double? { most(of: ProcessInfo.processInfo.processIdentifier) }

    /// `VmHWM` of a process, in MiB.
    static func most(of process: Int32) -> Double? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return nil }
        return kilobytes / 1_024
    }
}
