// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The user whose data may still be on this device after a sign-out that keeps some of it. If another user signs in
/// next, that data is cleared first. Kept as a one-way hash, sealed, and as a mark that back-ups contain.
struct PreviousUser: Sendable {
    private let place: SealedTokenStore
    private let mark: OwnerMark

    /// Whose data may be here.
    enum Owner: Sendable, Hashable {
        /// No user has signed in on this installation, and none in the data that a back-up has brought.
        case noUser
        case same
        /// Another user, or unknown.
        case another
    }

    init(in folder: StateFolder) {
        place = SealedTokenStore(file: "person", in: folder)
        mark = OwnerMark(beside: folder)
    }

    func remember(_ user: DeviceUser) throws {
        // First the mark: killed between the two, the former user's data is gone already, and this user's is not here.
        mark.write(user)
        try place.write(Self.hash(user))
    }

    /// Writes the signed-in user's mark, if an earlier version remembered the user without one.
    func addMark(_ user: DeviceUser) {
        if !mark.exists, isSame(as: user) { mark.write(user) }
    }

    func forget() throws {
        try place.remove()
        try mark.remove()
    }

    /// Whose data may be here, for a user who signs in.
    func owner(for user: DeviceUser) -> Owner {
        switch place.read() {
        case .absent: mark.names(user).map { $0 ? Owner.same : .another } ?? .noUser
        case .unknown: .another
        case .present(let hash): hash == Self.hash(user) ? .same : .another
        }
    }

    /// Whether it is this user's data that may be here. If that is unknown, it is not.
    func isSame(as user: DeviceUser) -> Bool {
        if case .present(let hash) = place.read() { hash == Self.hash(user) } else { false }
    }

    private static func hash(_ user: DeviceUser) -> Data { DeviceCrypto.hash(Data(user.id.utf8)) }
}
