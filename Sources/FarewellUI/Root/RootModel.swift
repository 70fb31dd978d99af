// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Observation

/// Which screen an app begins with: it follows the device's events, nobody navigates by hand (SO-6).
@MainActor
@Observable
public final class RootModel {
    /// The screen.
    public enum Screen: Sendable, Equatable {
        /// Not known yet, or a clean-up is being finished: neither the person's data nor a sign-in is shown.
        case restoring
        /// Nobody is signed in: for new people, and after a deletion.
        case welcome(SignOutReason?)
        case signedIn(DeviceUser)
        /// The app is not set up or signed for its token store. No user can mend it: the error says what to do.
        case misconfigured(FarewellError)
    }

    public private(set) var screen = Screen.restoring
    private let personal: [any PersonalModel]

    /// - Parameter personal: What is reset when nobody is signed in any more, or somebody else is.
    public init(resetting personal: [any PersonalModel] = []) { self.personal = personal }

    /// Follows events until they end or the task is cancelled.
    public func follow(_ events: SessionEvents) async {
        for await event in events { take(event) }
    }

    /// What an event means for the screen.
    public func take(_ event: SessionEvent) {
        let before = person
        defer { if person != before || person == nil { personal.forEach { $0.reset() } } }
        switch event {
        case .initial(.signedIn(let session)), .signedIn(let session), .tokenRefreshed(let session):
            screen = .signedIn(session.user)
        case .initial(.signedOut(let reason)): screen = .welcome(reason)
        case .initial(.unknown(let error)): screen = Self.screen(error)
        case .signedOut(let reason): screen = .welcome(reason)
        case .userUpdated(let user): screen = .signedIn(user)
        case .userDeleted: screen = .welcome(.accountDeleted)
        }
    }

    private static func screen(_ error: FarewellError) -> Screen {
        switch SessionStanding.unknown(error).help {
        case .wait, nil: .restoring
        case .signIn: .welcome(nil)
        case .correctApp: .misconfigured(error)
        }
    }

    private var person: String? { if case .signedIn(let user) = screen { user.id } else { nil } }
}
