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

/// The body of an answer that the system has put into a file.
enum HandedOverBody {
    /// The whole body.
    ///
    /// - Throws: `unavailable` for a file that cannot be read (`device.answer-unreadable`), and for a body that is
    ///   larger than an interface sends: half an answer, or none, is not the server's answer.
    static func read(_ file: URL) throws(ProviderFailure) -> Data {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unavailable(unreadable(errno)) }
        defer { close(descriptor) }
        do {
            return try WholeRead.data(of: descriptor, limit: ReceivedAnswers.most)
        } catch .system(let cause) {
            throw .unavailable(unreadable(cause))
        } catch {
            throw .unavailable(.oddAnswer)
        }
    }

    private static func unreadable(_ cause: Int32) -> FarewellError {
        FarewellError(
            "device.answer-unreadable", .tryAgain,
            "The server's answer cannot be read on this device (error \(cause) of the system).")
    }
}
