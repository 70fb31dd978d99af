// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A user's departure from this device, as the journal keeps it: enough to complete it after any crash, and no token
/// for another purpose.
struct Departure: Sendable, Equatable {
    let id: String
    /// The session that ends here; a later session is not affected.
    let sessionID: String?
    let reason: SignOutReason
    /// The sessions that a sign-out ends, also where no ticket carries it.
    var scope: SignOutScope = .local
    var course: Course

    enum Course: Sendable, Equatable {
        case signOut(SignOutState, wipes: WipeOccasion?, SessionRevocation?)
        case deletion(DeletionState, DeletionIntent)
    }
}

/// Called after each state is in the journal.
package typealias DepartureObserver = @Sendable (DepartureStep) async -> Void

extension Departure {
    var step: DepartureStep {
        switch course {
        case .signOut(let state, _, _): .signOut(state)
        case .deletion(let state, _): .deletion(state)
        }
    }

    func encoded() throws -> Data { try JSONEncoder().encode(Form(self)) }

    init(decoding data: Data) throws {
        guard let form = try? JSONDecoder().decode(Form.self, from: data), let departure = form.departure else {
            throw FarewellError("device.record-unreadable", .ours, "This version cannot read the journal.")
        }
        self = departure
    }

    private struct Form: Codable {
        let id: String
        let sessionID: String?
        let reason: String
        var signOut: SignOutState?
        var wipes: WipeOccasion?
        var ticket: String?
        var scope: SignOutScope?
        var deletion: DeletionState?
        var key: String?
        var serverID: String?

        init(_ departure: Departure) {
            id = departure.id
            sessionID = departure.sessionID
            reason = departure.reason.rawValue
            switch departure.course {
            case .signOut(let state, let occasion, let revocation):
                signOut = state
                wipes = occasion
                ticket = revocation?.ticket.reveal { $0 }
                scope = revocation?.scope ?? departure.scope
            case .deletion(let state, let intent):
                deletion = state
                ticket = intent.ticket.reveal { $0 }
                key = intent.key
                serverID = intent.serverID
            }
        }

        var departure: Departure? {
            let course: Course
            if let signOut {
                course = .signOut(
                    signOut, wipes: wipes,
                    ticket.map { SessionRevocation(ticket: Token($0), scope: scope ?? .local) })
            } else if let deletion, let key, let ticket {
                course = .deletion(deletion, DeletionIntent(key: key, ticket: Token(ticket), serverID: serverID))
            } else {
                return nil
            }
            return Departure(
                id: id, sessionID: sessionID, reason: SignOutReason(rawValue: reason), scope: scope ?? .local,
                course: course)
        }
    }
}
