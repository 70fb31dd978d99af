// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The mounted file system of a root. File systems mounted below the root are outside.
struct FolderBoundary {
    private let device: dev_t
    /// Tells apart two mounts of one device (bind mounts); `nil` if the system does not say.
    private let mount: String?

    init(_ root: OpenFolder) throws {
        device = try Self.device(root)
        mount = Self.mount(root)
    }

    /// Throws `folder.other-file-system` if a folder is on another mount than the root.
    func check(_ folder: OpenFolder) throws {
        guard try Self.device(folder) == device, Self.mount(folder) == mount else {
            throw FarewellError(
                "folder.other-file-system", .yoursToFix, "Another disk is mounted below the root of a folder store.",
                remedy: "Name that disk's folder as a separate store, or unmount it.")
        }
    }

    private static func device(_ folder: OpenFolder) throws -> dev_t {
        var status = stat()
        guard fstat(folder.descriptor, &status) == 0 else {
            throw FileFailure(errno).error("A folder below a root cannot be inspected")
        }
        return status.st_dev
    }

    private static func mount(_ folder: OpenFolder) -> String? {
        #if os(Linux)
        // proc(5): the line "mnt_id:" of /proc/self/fdinfo/N, since Linux 3.15.
        let raw = open("/proc/self/fdinfo/\(folder.descriptor)", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        let file = Descriptor(raw)
        guard let bytes = try? file.readToEnd(limit: 1024) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("mnt_id:") }.map(String.init)
        #else
        return nil
        #endif
    }
}
