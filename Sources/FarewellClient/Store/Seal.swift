// SPDX-License-Identifier: Apache-2.0
import Crypto
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
    /// What is sealed, such as `session`: sealed bytes cannot be passed off as something else.
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
        let head = Self.mark + name(of: root)
        guard let box = try AES.GCM.seal(data, using: secret(root), authenticating: bound(head)).combined else {
            throw damaged
        }
        return head + box
    }

    /// - Throws: `device.seal-broken` when the bytes were changed, and what reading the key throws.
    func open(_ data: Data) throws -> Opened {
        guard let root = try key.existing() else { return .foreign }
        let headLength = Self.mark.count + Self.nameLength
        guard data.count > headLength, data.prefix(Self.mark.count) == Self.mark else { throw damaged }
        let head = Data(data.prefix(headLength))
        guard head.dropFirst(Self.mark.count) == name(of: root) else { return .foreign }
        guard let box = try? AES.GCM.SealedBox(combined: data.dropFirst(headLength)),
            let opened = try? AES.GCM.open(box, using: secret(root), authenticating: bound(head))
        else { throw damaged }
        return .opened(opened)
    }

    private func secret(_ root: SymmetricKey) -> SymmetricKey { derived(root, "seal \(purpose)", 32) }

    private func name(of root: SymmetricKey) -> Data {
        derived(root, "name", Self.nameLength).withUnsafeBytes { Data($0) }
    }

    private func derived(_ root: SymmetricKey, _ what: String, _ count: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: root, info: Data("farewell \(what)".utf8), outputByteCount: count)
    }

    private func bound(_ head: Data) -> Data { head + Data("\(purpose) of user \(geteuid())".utf8) }

    private var damaged: FarewellError {
        FarewellError(
            "device.seal-broken", .ours, "What is kept as \(purpose) on this device was changed or is damaged.")
    }
}
