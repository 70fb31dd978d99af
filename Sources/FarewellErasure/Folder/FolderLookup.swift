// SPDX-License-Identifier: Apache-2.0
import Farewell

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The result of following the path from a root down to a folder. A link is a result of its own, never "not there".
enum FolderLookup {
    case open(OpenFolder)
    case missing
    case throughLink
    case throughFile

    /// Goes down step by step, each from the open folder before.
    static func down(
        _ names: some Sequence<FileName>, from root: OpenFolder, within boundary: FolderBoundary
    ) throws -> FolderLookup {
        var folder = root
        for name in names {
            guard let next = try folder.folder(name) else {
                guard let status = try folder.status(of: name) else { return .missing }
                return status.st_mode & S_IFMT == S_IFLNK ? .throughLink : .throughFile
            }
            try boundary.check(next)
            folder = next
        }
        return .open(folder)
    }

    /// The folder, or `nil` if there is none. Throws `folder.through-link` for anything else.
    var folder: OpenFolder? {
        get throws {
            switch self {
            case .open(let folder): return folder
            case .missing: return nil
            case .throughLink, .throughFile:
                throw FarewellError(
                    "folder.through-link", .yoursToFix, "A parent of the subject's folder is a link or a file.",
                    remedy: "Replace it with a real folder; links are not followed.")
            }
        }
    }
}
