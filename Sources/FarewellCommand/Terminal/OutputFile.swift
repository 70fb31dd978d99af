// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Text for a file that somebody named, or for standard output.
enum OutputFile {
    /// Replaces a file as a whole, so that nobody ever finds half of it; writes through a link, and into a pipe or a
    /// device such as `/dev/stdout`, which nothing may replace. `-` and `nil` are standard output.
    static func write(_ text: String, to path: String?) throws {
        guard let path, !isStandardOutput(path) else { return try Terminal.output.deliver(text) }
        do {
            guard isReplaceable(path) else { return try writeInto(path, text) }
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw misuse(
                "file.unwritable", "The file \(Terminal.printable(path)) cannot be written.",
                remedy: "Make its folder, or allow writing to it.")
        }
    }

    static func isStandardOutput(_ path: String?) -> Bool { path == nil || path == "-" }

    /// Whether nothing is there, or a plain file.
    private static func isReplaceable(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG
    }

    private static func writeInto(_ path: String, _ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).deliver(text)
    }
}

extension FileHandle {
    /// Writes all of it. A reader that has gone away is no reason to fail.
    func deliver(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(fileDescriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return
            } else if errno != EINTR {
                throw misuse(
                    "command.output-unwritable", "The output cannot be written.",
                    remedy: "Make room where the output goes.")
            }
        }
    }
}
