// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// An extension shares the session with its app, and cannot clear what the app holds in its own container: a departure
/// that an extension carries out stays in the journal until the app has cleared its own data.
extension FarewellDevice {
    /// In an extension: the app finishes, at its next launch or as soon as it notices.
    func leaveToApp(_ done: inout Done) {
        guard environment.isExtension else { return }
        done.isLeftToApp = true
        done.problems.append(Self.leftToApp)
    }

    /// Whether this process is an extension that has done its part of the departure. The user is
    /// signed out nevertheless.
    func isLeftToApp(_ departure: Departure) -> Bool {
        guard environment.isExtension else { return false }
        switch departure.course {
        case .signOut(.unclean, _, _), .deletion(.unclean, _): break
        default: return false
        }
        departed.insert(departure.sessionID)
        let found = SessionStanding.signedOut(departure.reason)
        stand(found, saying: standing == found ? nil : .initial(found))
        return true
    }

    /// In the app: clears what an extension has left, or what another process could not finish.
    func finishLeft() async {
        guard !environment.isExtension else { return }
        while let departure = try? journal.read(), departure.isDecided {
            guard let isKnown = try? await finish(departure), isKnown else { return }
            // Another process has continued meanwhile.
            guard (try? journal.read()) != departure else { return }
        }
    }

    private static let leftToApp = FarewellError(
        "device.left-to-app", .tryAgain, "The app still has to clear its own data.",
        remedy: "It clears them at its next launch, before it shows anything.")
}

extension Departure {
    /// Whether this device ended the session, and not the server.
    var isRequestedHere: Bool { reason == .byYou || reason == .appleCredentialRevoked }

    /// Whether it belongs to another session than this one: to one that began later, because a sign-in leaves no
    /// departure of an earlier session.
    func isOfLaterSession(than session: String?) -> Bool { sessionID != nil && sessionID != session }

    /// Whether the user leaves for certain; a deletion without an answer may still be refused.
    var isDecided: Bool {
        switch course {
        case .signOut: true
        case .deletion(let state, _): state.isAccepted
        }
    }
}
