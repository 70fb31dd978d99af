// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Whose data may still be on this device after a sign-out that keeps some of it. Whoever signs in next as somebody
/// else finds nothing of theirs. Kept as a hash that nobody can turn back.
struct LastPerson: Sendable {
    private let place: SealedTokenStore

    init(in folder: StateFolder) { place = SealedTokenStore(file: "person", in: folder) }

    func remember(_ user: DeviceUser) throws { try place.write(Self.hash(user)) }
    func forget() throws { try place.remove() }

    /// Whether data of another person may be here. When that cannot be told, it may.
    func isAnother(than user: DeviceUser) -> Bool {
        switch place.read() {
        case .absent: false
        case .unknown: true
        case .present(let hash): hash != Self.hash(user)
        }
    }

    private static func hash(_ user: DeviceUser) -> Data { DeviceCrypto.hash(Data(user.id.utf8)) }
}
