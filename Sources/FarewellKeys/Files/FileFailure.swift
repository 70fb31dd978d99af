// SPDX-License-Identifier: Apache-2.0
import Farewell

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A refusal of the operating system, in words. Names no file: names of files may be personal.
package struct FileFailure {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// `what` says what could not be done, without a full stop.
    package func error(_ what: String) -> FarewellError {
        switch number {
        case EACCES, EPERM:
            failure(
                "file.permission", .yoursToFix, what, "permission denied", "Give this user the right, then try again.")
        case EROFS:
            failure(
                "file.read-only", .yoursToFix, what, "the disk is read-only", "Mount it for writing, then try again.")
        case ENOSPC, EDQUOT: failure("file.no-space", .tryAgain, what, "no space is left", "Free some space.")
        case EIO: failure("file.input-output", .tryAgain, what, "the disk reports an error", "Check the disk.")
        case EMFILE, ENFILE, ENOMEM:
            failure(
                "file.too-many", .tryAgain, what, "the system lacks resources", "Raise the limit of open files.")
        case EBUSY: failure("file.busy", .tryAgain, what, "it is in use, or a mount point", "Try again later.")
        case ENOENT: failure("file.missing", .yoursToFix, what, "it does not exist", "Create it, or check the path.")
        case ELOOP:
            failure(
                "file.missing", .yoursToFix, what, "a link in the path is not followed, or leads to no file",
                "Check the path.")
        case ENOTDIR:
            failure(
                "file.not-a-folder", .yoursToFix, what, "a part of the path is not a folder", "Check the path.")
        case ENAMETOOLONG:
            failure("file.name-too-long", .yoursToFix, what, "the name is too long", "Shorten the name.")
        default:
            failure(
                "file.failed", .tryAgain, what, "the system reports error \(number)",
                "Look up the system's error number.")
        }
    }

    private func failure(
        _ code: FarewellError.Code, _ family: FarewellError.Family, _ what: String, _ why: String, _ remedy: String
    ) -> FarewellError {
        FarewellError(code, family, "\(what): \(why).", remedy: remedy)
    }
}
