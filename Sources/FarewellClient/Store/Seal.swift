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

/// Seals bytes under the installation's key: AES-256-GCM, a fresh random nonce each time, bound to what the bytes are
/// and to the system's user they belong to.
struct Seal: Sendable {
    let key: InstallationKey
    /// The kind of the sealed bytes, such as `session`: they cannot be used as another kind.
    let purpose: String

    enum Opened: Sendable {
        case opened(Data)
        /// Sealed by another installation.
        case foreign
    }

    private static let mark = Data("FW1".utf8)
    private static let nameLength = 8

    func seal(_ data: Data) throws -> Data {
        let root = try key.made()
        let head = try Self.mark + name(of: root)
        return try head + DeviceCrypto.seal(data, under: secret(root), bound: bound(head))
    }

    /// - Throws: `device.seal-broken` when the bytes were changed, and what reading the key throws.
    func open(_ data: Data) throws -> Opened {
        guard let root = try key.existing() else { return .foreign }
        let headLength = Self.mark.count + Self.nameLength
        guard data.count > headLength, data.prefix(Self.mark.count) == Self.mark else { throw damaged }
        let head = Data(data.prefix(headLength))
        guard try head.dropFirst(Self.mark.count) == name(of: root) else { return .foreign }
        let sealed = data.dropFirst(headLength)
        guard let opened = try DeviceCrypto.open(sealed, under: secret(root), bound: bound(head)) else { throw damaged }
        return .opened(opened)
    }

    private func secret(_ root: Secret) throws -> Secret { try derived(root, "seal \(purpose)", 32) }

    private func name(of root: Secret) throws -> Data {
        try derived(root, "name", Self.nameLength).withUnsafeBytes { Data($0) }
    }

    private func derived(_ root: Secret, _ what: String, _ count: Int) throws -> Secret {
        try DeviceCrypto.derive(from: root, info: Data("farewell \(what)".utf8), count: count)
    }

    private func bound(_ head: Data) -> Data { head + Data("\(purpose) of user \(geteuid())".utf8) }

    private var damaged: FarewellError {
        FarewellError(
            "device.seal-broken", .ours, "The stored \(purpose) on this device was changed or is damaged.")
    }
}
