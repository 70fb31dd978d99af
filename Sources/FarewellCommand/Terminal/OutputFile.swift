// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// Writes text to a named file, or to standard output.
enum OutputFile {
    /// Replaces a file as a whole, so that no reader finds half of it; writes through a link, and into a pipe or a
    /// device such as `/dev/stdout`, which nothing may replace. `-` and `nil` are standard output.
    ///
    /// - Returns: Whether it is a file of its own now, whose place is worth a line.
    @discardableResult
    static func write(_ text: String, to path: String?) throws -> Bool {
        guard let path, !isStandardOutput(path) else {
            try Terminal.output.deliver(text)
            return false
        }
        do {
            guard isReplaceable(path) else {
                try writeInto(path, text)
                return false
            }
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            return true
        } catch let error as FarewellError {
            throw error
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw FileFailure(ENOSPC).error("The file \(Terminal.printable(path)) cannot be written")
        } catch {
            throw misuse(
                "file.unwritable", "The file \(Terminal.printable(path)) cannot be written.",
                remedy: "Create its folder, or allow writing to it.")
        }
    }

    /// The same; says on standard output where a file was written.
    ///
    /// - Throws: `file.not-an-output` if a file is there that is no earlier output: it may be a database or a plan.
    static func writeAndTell(_ text: String, to path: String?) throws {
        guard let path, !isStandardOutput(path) else { return try Terminal.output.deliver(text) }
        guard !isReplaceable(path) || isEarlierOutput(path, of: text) else {
            throw misuse(
                "file.not-an-output",
                "\(Terminal.printable(path)) is there and is no earlier output of this command; it stays as it is.",
                remedy: "Name another file, or remove this one.")
        }
        guard try write(text, to: path) else { return }
        Terminal.output.line("Wrote \(Terminal.printable(path)).")
    }

    static func isStandardOutput(_ path: String?) -> Bool { path == nil || path == "-" }

    /// Whether nothing is there, or a plain file.
    private static func isReplaceable(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether nothing is there, an empty file, or one that begins as the text does.
    private static func isEarlierOutput(_ path: String, of text: String) -> Bool {
        do {
            let start = try OrdinaryFile.read(path, limit: 6)
            return start.elementsEqual(text.utf8.prefix(start.isEmpty ? 0 : 6))
        } catch {
            return error == .missing
        }
    }

    private static func writeInto(_ path: String, _ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).deliver(text)
    }
}

extension FileHandle {
    /// Writes all of it. A reader that has gone away is no reason to fail.
    func deliver(_ text: String) throws { try deliver(Array(text.utf8)) }

    /// The same for bytes.
    func deliver(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(fileDescriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return
            } else if errno == EAGAIN {
                // The process at the other end may have made a pipe non-blocking.
                var place = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&place, 1, -1)
            } else if [ENOSPC, EDQUOT].contains(errno) {
                throw FileFailure(errno).error("The output cannot be written")
            } else if errno != EINTR {
                throw misuse(
                    "command.output-unwritable", "The output cannot be written.",
                    remedy: "Check where the output is written.")
            }
        }
    }
}
