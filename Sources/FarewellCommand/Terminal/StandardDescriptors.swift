// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The descriptors of input, output and errors. Where the caller closed one, the next file that opens would get its
/// number, and the command's text would be written into a database or the ledger.
enum StandardDescriptors {
    /// Each with a mode in which its use fails as if it were closed: output that goes nowhere is an error.
    private static let all = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]

    /// Opens `/dev/null` for each of them that is closed.
    static func reserve() {
        for (descriptor, mode) in all { reserve(descriptor, mode) }
    }

    /// Leaves an open descriptor as it is.
    static func reserve(_ descriptor: Int32, _ mode: Int32) {
        guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { return }
        let null = open("/dev/null", mode)
        guard null >= 0, null != descriptor else { return }
        dup2(null, descriptor)
        close(null)
    }
}
