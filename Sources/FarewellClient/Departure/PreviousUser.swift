// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The user whose data may still be on this device after a sign-out that keeps some of it. If another user signs in
/// next, that data is cleared first. Kept as a one-way hash.
struct PreviousUser: Sendable {
    private let place: SealedTokenStore

    init(in folder: StateFolder) { place = SealedTokenStore(file: "person", in: folder) }

    func remember(_ user: DeviceUser) throws { try place.write(Self.hash(user)) }
    func forget() throws { try place.remove() }

    /// Whether data of another user may be here. If that is unknown, it may.
    func isAnother(than user: DeviceUser) -> Bool {
        switch place.read() {
        case .absent: false
        case .unknown: true
        case .present(let hash): hash != Self.hash(user)
        }
    }

    /// Whether it is this user's data that may be here. If that is unknown, it is not.
    func isSame(as user: DeviceUser) -> Bool {
        if case .present(let hash) = place.read() { hash == Self.hash(user) } else { false }
    }

    private static func hash(_ user: DeviceUser) -> Data { DeviceCrypto.hash(Data(user.id.utf8)) }
}
